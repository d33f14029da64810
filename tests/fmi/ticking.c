/* An FMI 3 FMU that has nothing but events: a time event, an early return, clocks of all kinds. It notes when. */
#include "fmi3Functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, PERIODIC, TRIGGER, BEAT, COUNTDOWN, U, COUNT, LAST_TICK, SAMPLE, EVENT_TIME, EARLY_TIME, TRIGGERED, COUNTED, SIZE };

static const double TIME_EVENT = 0.55, STATE_EVENT = 0.7, WAIT = 0.125;

typedef struct {
    double values[SIZE];
    char clocks[SIZE];
    char started, in_event_mode, early_allowed, counting;
} Model;

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    Model *m = calloc(1, sizeof *m);
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)required, (void)n_required;
    (void)environment, (void)log, (void)update;
    if (!event_mode) return NULL; /* the importer knows that there is one */
    m->early_allowed = early_return;
    m->values[EVENT_TIME] = m->values[EARLY_TIME] = m->values[LAST_TICK] = -1;
    return m;
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Model *)c)->values[TIME] = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return ((Model *)c)->in_event_mode = 1, fmi3OK; }
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return ((Model *)c)->in_event_mode = 1, fmi3OK; }
fmi3Status fmi3EnterStepMode(fmi3Instance c) { return ((Model *)c)->in_event_mode = 0, fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { return (void)c, fmi3OK; }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 v[], size_t k) {
    (void)k;
    for (size_t i = 0; i < n; i++) v[i] = ((Model *)c)->values[r[i]];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 v[], size_t k) {
    Model *m = c;
    (void)k;
    for (size_t i = 0; i < n; i++) {
        if (m->started && !(m->in_event_mode && m->clocks[PERIODIC])) return fmi3Error; /* a clocked input */
        m->values[r[i]] = v[i];
    }
    return fmi3OK;
}

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Clock v[]) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) {
        v[i] = m->clocks[r[i]];
        m->clocks[r[i]] = 0;
    }
    return m->in_event_mode ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Clock v[]) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) m->clocks[r[i]] = v[i];
    return m->in_event_mode ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 interval[],
                                  fmi3IntervalQualifier qualifier[]) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) {
        interval[i] = WAIT;
        qualifier[i] = r[i] == COUNTDOWN && m->counting ? fmi3IntervalChanged : fmi3IntervalNotYetKnown;
    }
    m->counting = 0;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *next_defined, fmi3Float64 *next) {
    Model *m = c;
    double *v = m->values, t = v[TIME];
    *again = *terminate = *nominals = *values = 0;
    if (!m->in_event_mode) return fmi3Error;
    if (m->clocks[PERIODIC]) v[COUNT]++, v[LAST_TICK] = t, v[SAMPLE] = v[U];
    if (m->clocks[TRIGGER]) v[TRIGGERED]++;
    if (m->clocks[COUNTDOWN]) v[COUNTED] = t;
    m->clocks[PERIODIC] = m->clocks[TRIGGER] = m->clocks[COUNTDOWN] = 0;
    if (v[EVENT_TIME] < 0 && t >= TIME_EVENT - 1e-12) {
        v[EVENT_TIME] = t;
        m->counting = 1; /* the countdown clock ticks a while after this */
        *again = 1;
    }
    *next_defined = v[EVENT_TIME] < 0;
    *next = TIME_EVENT;
    m->started = 1;
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached) {
    Model *m = c;
    double end = t + h;
    (void)no_rollback;
    *event = *terminate = *early = 0;
    if (m->in_event_mode || fabs(t - m->values[TIME]) > 1e-9) return fmi3Error;
    if (m->values[EARLY_TIME] < 0 && end > STATE_EVENT) {
        if (m->early_allowed) end = STATE_EVENT, *early = 1;
        *event = 1;
        m->values[EARLY_TIME] = end;
        m->clocks[BEAT] = 1;
    }
    m->values[TIME] = *reached = end;
    return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
    if (!*state) *state = malloc(sizeof(Model));
    memcpy(*state, c, sizeof(Model));
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return memcpy(c, state, sizeof(Model)), fmi3OK; }
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) { return (void)c, free(*state), *state = NULL, fmi3OK; }
