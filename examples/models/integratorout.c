#include "interface.h"

static void evaluate(Model *m) {
    m->der_y = m->u;
}

static void tangent(const Model *m, Model *d) {
    d->der_y = d->u;
}

static Status step(Model *m, double t, double h) {
    m->y += h * m->u;
    return STATUS_OK;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step, .tangent = tangent};
