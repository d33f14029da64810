#include "interface.h"

static void evaluate(Model *m) {
    m->y = m->a * m->u + m->offset + m->slope * m->time;
}

static void tangent(const Model *m, Model *d) {
    d->y = m->a * d->u;
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
