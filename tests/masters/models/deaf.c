#include "interface.h"

static Status latch(Model *m) {
    m->y = m->k * m->u + 1;
    return STATUS_OK;
}

static Status step(Model *m, double t, double h) {
    return latch(m);
}

const Behaviour behaviour = {.initialize = latch, .step = step};
