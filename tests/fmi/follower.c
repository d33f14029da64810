/* An FMI 3 FMU that asks for its input u inside each step: y is its integral by the midpoint rule; f = t^power. */
#include "fmi3Functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, U, F, Y, POWER, SIZE };
enum { SUBSTEPS = 4 };

typedef struct {
    double values[SIZE];
    char stepping, updating, event_mode;
    fmi3IntermediateUpdateCallback update;
    fmi3InstanceEnvironment environment;
} Model;

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference required[], size_t n_required,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update) {
    Model *m = calloc(1, sizeof *m);
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)early_return, (void)log;
    if (!update || n_required != 1 || required[0] != U) return NULL; /* the importer knows what it may set inside */
    m->update = update;
    m->environment = environment;
    m->event_mode = event_mode;
    return m;
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Model *)c)->values[TIME] = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3EnterStepMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { return (void)c, fmi3OK; }

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *next_defined, fmi3Float64 *next) {
    *again = *terminate = *nominals = *values = *next_defined = 0;
    return (void)c, (void)next, fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 v[], size_t k) {
    Model *m = c;
    (void)k;
    for (size_t i = 0; i < n; i++) v[i] = r[i] == F ? pow(m->values[TIME], m->values[POWER]) : m->values[r[i]];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Float64 v[], size_t k) {
    Model *m = c;
    (void)k;
    if (m->stepping && !m->updating) return fmi3Error;
    for (size_t i = 0; i < n; i++) m->values[r[i]] = v[i];
    return fmi3OK;
}

static void ask(Model *m, double t) {
    fmi3Boolean early = 1;
    double when = 0;
    m->updating = 1;
    m->update(m->environment, t, 1, 0, 0, 1, &early, &when);
    m->updating = 0;
    if (early) m->values[Y] = NAN;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached) {
    Model *m = c;
    (void)no_rollback;
    *event = *terminate = *early = 0;
    m->stepping = 1;
    for (int i = 0; i < SUBSTEPS; i++) {
        ask(m, t + (i + 0.5) * h / SUBSTEPS);
        m->values[Y] += m->values[U] * h / SUBSTEPS;
    }
    m->stepping = 0;
    m->values[TIME] = *reached = t + h;
    return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
    if (!*state) *state = malloc(sizeof(Model));
    memcpy(*state, c, sizeof(Model));
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return memcpy(c, state, sizeof(Model)), fmi3OK; }
fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) { return (void)c, free(*state), *state = NULL, fmi3OK; }
