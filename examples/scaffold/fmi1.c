/* FMI 1.0 for Co-Simulation on the core. Its functions carry the model's name, so that it can be linked statically. */
#include "core.h"
#include "scalars.h"

#include "fmi1Functions.h"

#define JOIN(a, b) a##_##b
#define PREFIXED(a, b) JOIN(a, b)
#define FMI1_NAME(FUNCTION) PREFIXED(MODEL_IDENTIFIER, FUNCTION)
#define FMI1(STATUS, FUNCTION) EXPORT STATUS FMI1_NAME(FUNCTION)

static void forward(const Instance *instance, Status status, const char *message) {
    fmi1CallbackLogger logger = (fmi1CallbackLogger)instance->logger;
    logger((fmi1Component)instance, instance->name, (fmi1Status)status, category(status), message);
}

/* ---- life cycle ---- */

FMI1(const char *, fmiGetTypesPlatform)(void) { return "standard32"; }
FMI1(const char *, fmiGetVersion)(void) { return "1.0"; }

FMI1(fmi1Component, fmiInstantiateSlave)(fmi1String name, fmi1String guid, fmi1String location, fmi1String mime_type,
                                         fmi1Real timeout, fmi1Boolean visible, fmi1Boolean interactive,
                                         fmi1CallbackFunctions callbacks, fmi1Boolean logging) {
    return instance_new(name, guid, forward, (void (*)(void))callbacks.logger, NULL);
}

FMI1(void, fmiFreeSlaveInstance)(fmi1Component c) { instance_free(c); }
FMI1(fmi1Status, fmiSetDebugLogging)(fmi1Component c, fmi1Boolean on) { return fmi1OK; }

FMI1(fmi1Status, fmiInitializeSlave)(fmi1Component c, fmi1Real start, fmi1Boolean stop_defined, fmi1Real stop) {
    Status status = instance_setup(c, start, stop_defined, stop);
    if (status == STATUS_OK) status = instance_change_phase(c, INSTANTIATED, INITIALIZATION);
    if (status == STATUS_OK) status = instance_initialize(c);
    return (fmi1Status)status;
}

FMI1(fmi1Status, fmiTerminateSlave)(fmi1Component c) { return (fmi1Status)instance_terminate(c); }
FMI1(fmi1Status, fmiResetSlave)(fmi1Component c) { return (fmi1Status)instance_reset(c); }

FMI1(fmi1Status, fmiDoStep)(fmi1Component c, fmi1Real t, fmi1Real h, fmi1Boolean new_step) {
    return (fmi1Status)instance_step(c, t, h);
}

/* ---- variables ---- */

#define FMI1_GETTER(NAME, VALUE, TYPE, READ) EXPORT GETTER(fmi1Status, FMI1_NAME(fmiGet##NAME), VALUE, TYPE, READ)
#define FMI1_SETTER(NAME, VALUE, TYPE, WRITE) EXPORT SETTER(fmi1Status, FMI1_NAME(fmiSet##NAME), VALUE, TYPE, WRITE)

FMI1_GETTER(Real, fmi1Real, TYPE_FLOAT64, *(double *)field)
FMI1_SETTER(Real, fmi1Real, TYPE_FLOAT64, ASSIGN(double))
FMI1_GETTER(Integer, fmi1Integer, TYPE_INT32, *(int32_t *)field)
FMI1_SETTER(Integer, fmi1Integer, TYPE_INT32, ASSIGN(int32_t))
FMI1_GETTER(Boolean, fmi1Boolean, TYPE_BOOLEAN, *(bool *)field)
FMI1_SETTER(Boolean, fmi1Boolean, TYPE_BOOLEAN, ASSIGN(bool))

#ifndef MINIMAL_API

FMI1_GETTER(String, fmi1String, TYPE_STRING, field)
FMI1_SETTER(String, fmi1String, TYPE_STRING, set_string(c, field, value))

FMI1(fmi1Status, fmiCancelStep)(fmi1Component c) { return (fmi1Status)unsupported(c, "fmiCancelStep"); }

FMI1(fmi1Status, fmiSetRealInputDerivatives)(fmi1Component c, const fmi1ValueReference vr[], size_t n,
                                             const fmi1Integer order[], const fmi1Real values[]) {
    return (fmi1Status)unsupported(c, "fmiSetRealInputDerivatives");
}

FMI1(fmi1Status, fmiGetRealOutputDerivatives)(fmi1Component c, const fmi1ValueReference vr[], size_t n,
                                              const fmi1Integer order[], fmi1Real values[]) {
    return (fmi1Status)unsupported(c, "fmiGetRealOutputDerivatives");
}

FMI1(fmi1Status, fmiGetStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Status *value) {
    if (kind != fmi1DoStepStatus) return fmi1Discard;
    *value = (fmi1Status)((Instance *)c)->step_status;
    return fmi1OK;
}

FMI1(fmi1Status, fmiGetRealStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Real *value) {
    if (kind != fmi1LastSuccessfulTime) return fmi1Discard;
    *value = head_of(c)->time;
    return fmi1OK;
}

FMI1(fmi1Status, fmiGetIntegerStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Integer *value) {
    return fmi1Discard;
}

FMI1(fmi1Status, fmiGetBooleanStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1Boolean *value) {
    return fmi1Discard;
}

FMI1(fmi1Status, fmiGetStringStatus)(fmi1Component c, const fmi1StatusKind kind, fmi1String *value) {
    return fmi1Discard;
}

#endif
