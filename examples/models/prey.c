#include "interface.h"

static void evaluate(Model *m) {
    m->der_x = (m->alpha - m->beta * m->predator) * m->x;
    m->prey = m->x;
}

static void tangent(const Model *m, Model *d) {
    d->der_x = (m->alpha - m->beta * m->predator) * d->x - m->beta * d->predator * m->x;
    d->prey = d->x;
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
