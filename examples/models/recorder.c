#include "interface.h"

#include <math.h>

static void evaluate(Model *m) {
    m->der_x = m->u;
    m->y = m->x;
}

static Status step(Model *m, double t, double h) {
    if (fabs(t - m->time) > 1e-9 * fmax(1, fabs(t))) {
        log_message(m, STATUS_ERROR, "Recorder: step from time %.17g, but its clock stands at %.17g", t, m->time);
        return STATUS_ERROR;
    }
    m->x += h * m->u;
    m->last_t = t;
    m->last_h = h;
    m->n_steps++;
    return STATUS_OK;
}

static void saved(Model *m) {
    m->n_saves++;
}

static void restored(Model *m) {
    m->n_restores++;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step, .saved = saved, .restored = restored};
