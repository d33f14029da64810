#define _POSIX_C_SOURCE 199309L

#include "interface.h"
#include "lag.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NONE, FAIL, DISCARD, NOT_A_NUMBER, CRASH, ENDLESS, LEAVE, ABORT, FATAL, MEMORY, WARN, DELAY };
enum { IN_STEP, IN_INITIALIZATION, IN_TERMINATE, IN_RESTORE };

static Status complain(Model *m, Status status, double t) {
    log_message(m, status, "Misbehave: told to fail at time %g", t);
    return status;
}

static void crash(void) {
    volatile int *volatile nowhere = NULL; /* volatile twice, or the compiler drops the store */
    *nowhere = 1;
}

static void loop_forever(void) {
    for (volatile int i = 0;; i = !i) {}
}

/* Touches what it takes, since untouched memory costs nothing. */
static void take_memory(int megabytes) {
    for (int i = 0; i < megabytes; i++) {
        void *block = malloc(1 << 20);
        if (!block) return;
        memset(block, 1, 1 << 20);
    }
}

static void wait(double seconds) {
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
#ifdef _WIN32
    (void)time;
#else
    nanosleep(&time, NULL);
#endif
}

static Status misbehave(Model *m, double t) {
    switch (m->mode) {
        case FAIL: return complain(m, STATUS_ERROR, t);
        case DISCARD: return complain(m, STATUS_DISCARD, t);
        case FATAL: return complain(m, STATUS_FATAL, t);
        case WARN: return complain(m, STATUS_WARNING, t);
        case CRASH: crash(); break;
        case ENDLESS: loop_forever(); break;
        case LEAVE: exit(3);
        case ABORT: abort();
        case MEMORY: take_memory(m->memory); return complain(m, STATUS_ERROR, t);
        case DELAY: wait(m->delay); break;
    }
    return STATUS_OK;
}

static bool due(const Model *m, double t) {
    return t > m->from_time + 1e-9;
}

static void evaluate(Model *m) {
    lag_evaluate(m);
    if (m->mode == NOT_A_NUMBER && m->phase == IN_STEP && due(m, m->time)) m->y = NAN;
}

static Status step(Model *m, double t, double h) {
    Status status = m->phase == IN_STEP && due(m, t + h) ? misbehave(m, t) : STATUS_OK;
    if (status <= STATUS_WARNING) lag_step(m, t, h);
    return status;
}

static Status initialize(Model *m) {
    return m->phase == IN_INITIALIZATION ? misbehave(m, m->time) : STATUS_OK;
}

static Status terminate(Model *m) {
    return m->phase == IN_TERMINATE ? misbehave(m, m->time) : STATUS_OK;
}

static void restored(Model *m) {
    if (m->phase == IN_RESTORE && due(m, m->time)) misbehave(m, m->time);
}

const Behaviour behaviour = {.evaluate = evaluate,
                             .step = step,
                             .tangent = lag_tangent,
                             .initialize = initialize,
                             .terminate = terminate,
                             .restored = restored};
