#include "interface.h"

static void equations(const Model *p, const Model *in, Model *out) {
    out->der_i = (in->U - p->R * in->i - p->K * in->w) / p->L;
    out->torque = p->K * in->i;
}

static void evaluate(Model *m) {
    equations(m, m, m);
}

/* The equations are linear, so their tangent is the equations themselves. */
static void tangent(const Model *m, Model *d) {
    equations(m, d, d);
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
