#include "interface.h"

static void evaluate(Model *m) {
    m->der_x = 2 * m->x3;
    m->x4 = m->x;
}

static Status step(Model *m, double t, double h) {
    m->x += h * 2 * m->x3;
    return STATUS_OK;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step};
