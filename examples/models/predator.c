#include "interface.h"

static void evaluate(Model *m) {
    m->der_x = (m->delta * m->prey - m->gamma) * m->x;
    m->predator = m->x;
}

static void tangent(const Model *m, Model *d) {
    d->der_x = (m->delta * m->prey - m->gamma) * d->x + m->delta * d->prey * m->x;
    d->predator = d->x;
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
