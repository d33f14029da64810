#include "interface.h"

static void evaluate(Model *m) {
    if (m->x1 == 1 && m->x2 < 0.01 && m->x4 < 2.5) m->x3 = 3;
    else if (m->x1 < 0.001 && m->x2 > 0 && m->x4 > -2.5) m->x3 = -3;
    else m->x3 = 0;
}

const Behaviour behaviour = {.evaluate = evaluate};
