#include "interface.h"

#include <math.h>

static void equations(const Model *p, const Model *in, Model *out) {
    out->der_slow = in->u - in->slow;
    out->der_fast = p->lambda * (in->slow - in->fast);
    out->y = in->fast;
}

static void evaluate(Model *m) {
    equations(m, m, m);
}

/* The equations are linear, so their tangent is the equations themselves. */
static void tangent(const Model *m, Model *d) {
    equations(m, d, d);
}

static Status step(Model *m, double t, double h) {
    double slow_part = (m->slow - m->u) * m->lambda / (m->lambda - 1);
    double fast_part = m->fast - m->u - slow_part;
    m->slow = m->u + (m->slow - m->u) * exp(-h);
    m->fast = m->u + slow_part * exp(-h) + fast_part * exp(-m->lambda * h);
    return STATUS_OK;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step, .tangent = tangent};
