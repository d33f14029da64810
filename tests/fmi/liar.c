/* An FMU that does not keep what it declares, as its parameter `lie` says:
   1: outputs depend on the other instance, 2: on how often the library was used, 3: a wrong directional derivative,
   4: y moves with an input that it does not depend on, by its description, 5: outputs depend on the process. */
#include <stdlib.h>
#include <unistd.h>

#include "fmi2Functions.h"

typedef struct {
    double u, v, x;
    int lie;
} Model;

enum { U, V, Y, LIE };

static double shared; /* by all instances */
static int uses;

static double output(const Model* m) {
    double y = m->x + 2.0 * m->u;
    if (m->lie == 1) y += shared;
    if (m->lie == 2) y += uses;
    if (m->lie == 4) y += m->v;
    if (m->lie == 5) y += getpid();
    return y;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String place,
                              const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) {
    uses++;
    return calloc(1, sizeof(Model));
}

void fmi2FreeInstance(fmi2Component c) { free(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real values[]) {
    Model* m = c;
    for (size_t i = 0; i < n; i++) *(r[i] == U ? &m->u : &m->v) = values[i];
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real values[]) {
    const Model* m = c;
    for (size_t i = 0; i < n; i++) values[i] = r[i] == U ? m->u : r[i] == V ? m->v : output(m);
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer values[]) {
    for (size_t i = 0; i < n; i++) ((Model*)c)->lie = values[i];
    return fmi2OK;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer values[]) {
    for (size_t i = 0; i < n; i++) values[i] = ((const Model*)c)->lie;
    return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t k, const fmi2Real seed[],
                                        fmi2Real result[]) {
    for (size_t i = 0; i < n; i++) result[i] = (((const Model*)c)->lie == 3 ? 7.0 : 2.0) * seed[0];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean keeps) {
    Model* m = c;
    m->x += h * (m->u + m->v);
    shared += h;
    return fmi2OK;
}
