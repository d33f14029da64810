#include "interface.h"

static void equations(const Model *p, const Model *in, Model *out) {
    out->der_speed = (in->torque - in->load - p->d * in->speed) / p->J;
    out->w = in->speed;
}

static void evaluate(Model *m) {
    equations(m, m, m);
}

/* The equations are linear, so their tangent is the equations themselves. */
static void tangent(const Model *m, Model *d) {
    equations(m, d, d);
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
