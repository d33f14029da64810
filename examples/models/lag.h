/* The first-order lag, shared by the models that add a peculiarity to it. Include after interface.h. */
#ifndef LAG_H
#define LAG_H

#include <math.h>

static inline void lag_evaluate(Model *m) {
    m->der_x = (m->k * m->u - m->x) / m->T;
    m->y = m->x;
}

static inline void lag_tangent(const Model *m, Model *d) {
    d->der_x = (m->k * d->u - d->x) / m->T;
    d->y = d->x;
}

static inline Status lag_step(Model *m, double t, double h) {
    if (h != m->decay_h || m->T != m->decay_T) {
        m->decay = exp(-h / m->T);
        m->decay_h = h;
        m->decay_T = m->T;
    }
    double target = m->k * m->u;
    m->x = target + (m->x - target) * m->decay;
    return STATUS_OK;
}

#endif
