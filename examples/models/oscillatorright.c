#include "interface.h"

static void equations(const Model *p, const Model *in, Model *out) {
    double force = p->c_coupling * (in->position - in->x) + p->d_coupling * (in->speed - in->v);
    out->der_position = in->speed;
    out->der_speed = (-force - p->c * in->position - p->d * in->speed) / p->m;
    out->F = force;
    out->x2 = in->position;
    out->v2 = in->speed;
}

static void evaluate(Model *m) {
    equations(m, m, m);
}

/* The equations are linear, so their tangent is the equations themselves. */
static void tangent(const Model *m, Model *d) {
    equations(m, d, d);
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
