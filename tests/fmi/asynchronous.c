/* FMI 2 co-simulation: an integrator whose steps are done some QUESTIONS after they were begun. If they
   are ENDLESS the user seems to press Ctrl-C at each question. */
#include "fmi2Functions.h"

#include <stdio.h>
#include <stdlib.h>

#include <signal.h>

#define QUESTIONS 3

typedef struct { double y, target; int left; } Slow;

fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String g, fmi2String r, const fmi2CallbackFunctions *f, fmi2Boolean v, fmi2Boolean l) { (void)n, (void)t, (void)g, (void)r, (void)v, (void)l; return f->stepFinished ? calloc(1, sizeof(Slow)) : NULL; }
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real f) { (void)c, (void)a, (void)b, (void)d, (void)e, (void)f; return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { (void)c; return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) {
    (void)r;
    if (((Slow *)c)->left) return fmi2Error; /* not before the step is done */
    for (size_t i = 0; i < n; i++) v[i] = ((Slow *)c)->y;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean b) {
    (void)t, (void)b;
    ((Slow *)c)->target += h;
    ((Slow *)c)->left = QUESTIONS;
    return fmi2Pending;
}
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    Slow *s = c;
    if (kind != fmi2DoStepStatus) return fmi2Discard;
#ifdef ENDLESS
    raise(SIGINT);
    s->left = QUESTIONS;
#endif
    if (s->left && --s->left == 0) s->y = s->target;
    *value = s->left ? fmi2Pending : fmi2OK;
    return fmi2OK;
}
fmi2Status fmi2CancelStep(fmi2Component c) {
    ((Slow *)c)->left = 0;
    fputs("cancelled", stderr);
    return fmi2OK;
}
