#include "interface.h"
#include "lag.h"

static Status step(Model *m, double t, double h) {
    if (t + h > m->stop_time + 1e-9 * fmax(1, fabs(m->stop_time))) {
        log_message(m, STATUS_ERROR, "StrictStop: step to %.17g is beyond the stop time %.17g", t + h, m->stop_time);
        return STATUS_ERROR;
    }
    return lag_step(m, t, h);
}

const Behaviour behaviour = {.evaluate = lag_evaluate, .step = step, .tangent = lag_tangent};
