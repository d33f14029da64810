#include "interface.h"

static void evaluate(Model *m) {
    m->der_x = m->k * m->u;
    m->y = m->x;
}

static void tangent(const Model *m, Model *d) {
    d->der_x = m->k * d->u;
    d->y = d->x;
}

static Status step(Model *m, double t, double h) {
    m->x += h * m->k * m->u;
    return STATUS_OK;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step, .tangent = tangent};
