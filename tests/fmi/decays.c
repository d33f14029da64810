/* n states that decay: dx/dt = -x; n is a structural parameter. */
#include "fmi3Functions.h"

#include <stdlib.h>

enum { TIME, N, X, DX, MOST = 10 };

typedef struct {
    double t, x[MOST];
    fmi3UInt64 n;
} Model;

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
    Model *m = calloc(1, sizeof *m);
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
    m->n = 1;
    for (int i = 0; i < MOST; i++) m->x[i] = i + 1;
    return m;
}

void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Model *)c)->t = start;
    return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) { return (void)c, fmi3OK; }
fmi3Status fmi3Terminate(fmi3Instance c) { return (void)c, fmi3OK; }

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *next_defined, fmi3Float64 *next) {
    (void)c, (void)next;
    *again = *terminate = *nominals = *values = *next_defined = 0;
    return fmi3OK;
}

fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3UInt64 v[], size_t k) {
    (void)n, (void)k;
    if (r[0] != N || v[0] > MOST) return fmi3Error;
    ((Model *)c)->n = v[0];
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 v[], size_t k) {
    Model *m = c;
    if (n != 1 || r[0] != X || k != m->n) return fmi3Error;
    for (size_t i = 0; i < k; i++) v[i] = m->x[i];
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n) { return *n = ((Model *)c)->n, fmi3OK; }
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n) { return (void)c, *n = 0, fmi3OK; }
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t) { return ((Model *)c)->t = t, fmi3OK; }

fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 x[], size_t n) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) x[i] = m->x[i];
    return n == m->n ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t n) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) m->x[i] = x[i];
    return n == m->n ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dx[], size_t n) {
    Model *m = c;
    for (size_t i = 0; i < n; i++) dx[i] = -m->x[i];
    return n == m->n ? fmi3OK : fmi3Error;
}
