#include "interface.h"

static void evaluate(Model *m) {
    double t = m->time;
    m->x1 = (t < 1 || (t >= 2 && t < 5)) ? 0 : 1;
    m->x2 = (t < 3 || (t >= 4 && t < 6)) ? 0 : 1;
}

const Behaviour behaviour = {.evaluate = evaluate};
