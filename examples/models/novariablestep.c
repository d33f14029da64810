#include "interface.h"
#include "lag.h"

static Status step(Model *m, double t, double h) {
    if (m->first_h == 0) m->first_h = h;
    if (fabs(h - m->first_h) > 1e-9 * m->first_h) {
        log_message(m, STATUS_ERROR, "NoVariableStep: step of %.17g after steps of %.17g", h, m->first_h);
        return STATUS_ERROR;
    }
    return lag_step(m, t, h);
}

const Behaviour behaviour = {.evaluate = lag_evaluate, .step = step, .tangent = lag_tangent};
