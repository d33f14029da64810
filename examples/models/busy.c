#define _POSIX_C_SOURCE 199309L

#include "interface.h"
#include "lag.h"

#include <time.h>

/* The thread's own processor time: waiting for a core must not count as work. */
static double processor_microseconds(void) {
    struct timespec now;
#ifdef CLOCK_THREAD_CPUTIME_ID
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
#else
    timespec_get(&now, TIME_UTC);
#endif
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

static Status step(Model *m, double t, double h) {
    double end = processor_microseconds() + m->microseconds;
    while (processor_microseconds() < end) {}
    return lag_step(m, t, h);
}

const Behaviour behaviour = {.evaluate = lag_evaluate, .step = step, .tangent = lag_tangent};
