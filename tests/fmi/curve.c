/* f = t^power, and y, the integral of the input, which may come with two derivatives. */
#include "fmi2Functions.h"

#include <math.h>
#include <stdlib.h>

enum { U, F, Y, POWER, VARIABLES };

typedef struct {
    double t, values[VARIABLES], derivatives[2];
} Curve;

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    return calloc(1, sizeof(Curve));
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Curve *)c)->t = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (void)c, fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return (void)c, fmi2OK; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) {
    Curve *m = c;
    for (size_t i = 0; i < n; i++) v[i] = r[i] == F ? pow(m->t, m->values[POWER]) : m->values[r[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[]) {
    Curve *m = c;
    for (size_t i = 0; i < n; i++) m->values[r[i]] = v[i];
    m->derivatives[0] = m->derivatives[1] = 0; /* they are given anew with each value */
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                       const fmi2Integer order[], const fmi2Real v[]) {
    Curve *m = c;
    for (size_t i = 0; i < n; i++) {
        if (r[i] != U || order[i] < 1 || order[i] > 2) return fmi2Error;
        m->derivatives[order[i] - 1] = v[i];
    }
    return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                        const fmi2Integer order[], fmi2Real v[]) {
    Curve *m = c;
    double p = m->values[POWER];
    for (size_t i = 0; i < n; i++) {
        if (r[i] != F) return fmi2Error;
        v[i] = order[i] == 1 ? p * pow(m->t, p - 1) : p * (p - 1) * pow(m->t, p - 2);
    }
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
    Curve *m = c;
    (void)no_rollback;
    m->values[Y] += h * (m->values[U] + h / 2 * (m->derivatives[0] + h / 3 * m->derivatives[1]));
    m->values[U] += h * (m->derivatives[0] + h / 2 * m->derivatives[1]);
    m->t = t + h;
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    if (!*state) *state = malloc(sizeof(Curve));
    *(Curve *)*state = *(Curve *)c;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    *(Curve *)c = *(Curve *)state;
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
