#include "interface.h"

static void evaluate(Model *m) {
    m->der_x = m->v;
    m->der_v = m->mu * (1 - m->x * m->x) * m->v - m->x;
    m->y = m->x;
}

static void tangent(const Model *m, Model *d) {
    d->der_x = d->v;
    d->der_v = m->mu * ((1 - m->x * m->x) * d->v - 2 * m->x * d->x * m->v) - d->x;
    d->y = d->x;
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
