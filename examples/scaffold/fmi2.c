/* FMI 2.0 on the core. */
#include "core.h"
#include "scalars.h"

#include "fmi2Functions.h"

static void forward(const Instance *instance, Status status, const char *message) {
    fmi2CallbackLogger logger = (fmi2CallbackLogger)instance->logger;
    logger(instance->environment, instance->name, (fmi2Status)status, category(status), message);
}

/* ---- life cycle ---- */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    if (type == fmi2ModelExchange && !info.model_exchange) return NULL;
    return instance_new(name, guid, forward, callbacks ? (void (*)(void))callbacks->logger : NULL,
                        callbacks ? callbacks->componentEnvironment : NULL);
}

void fmi2FreeInstance(fmi2Component c) { instance_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    return (fmi2Status)instance_setup(c, start, stop_defined, stop);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return (fmi2Status)instance_change_phase(c, INSTANTIATED, INITIALIZATION);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (fmi2Status)instance_initialize(c); }
fmi2Status fmi2Terminate(fmi2Component c) { return (fmi2Status)instance_terminate(c); }
fmi2Status fmi2Reset(fmi2Component c) { return (fmi2Status)instance_reset(c); }

/* ---- variables ---- */

#define FMI2_GETTER(NAME, VALUE, TYPE, READ) GETTER(fmi2Status, fmi2Get##NAME, VALUE, TYPE, READ)
#define FMI2_SETTER(NAME, VALUE, TYPE, WRITE) SETTER(fmi2Status, fmi2Set##NAME, VALUE, TYPE, WRITE)

FMI2_GETTER(Real, fmi2Real, TYPE_FLOAT64, *(double *)field)
FMI2_SETTER(Real, fmi2Real, TYPE_FLOAT64, ASSIGN(double))
FMI2_GETTER(Integer, fmi2Integer, TYPE_INT32, *(int32_t *)field)
FMI2_SETTER(Integer, fmi2Integer, TYPE_INT32, ASSIGN(int32_t))
FMI2_GETTER(Boolean, fmi2Boolean, TYPE_BOOLEAN, *(bool *)field)
FMI2_SETTER(Boolean, fmi2Boolean, TYPE_BOOLEAN, ASSIGN(bool))

/* ---- co-simulation ---- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
    return (fmi2Status)instance_step(c, t, h);
}

#ifndef MINIMAL_API

FMI2_GETTER(String, fmi2String, TYPE_STRING, field)
FMI2_SETTER(String, fmi2String, TYPE_STRING, set_string(c, field, value))

fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)unsupported(c, "fmi2CancelStep"); }

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real values[]) {
    return (fmi2Status)unsupported(c, "fmi2SetRealInputDerivatives");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real values[]) {
    return (fmi2Status)unsupported(c, "fmi2GetRealOutputDerivatives");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    if (kind != fmi2DoStepStatus) return fmi2Discard;
    *value = (fmi2Status)((Instance *)c)->step_status;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = head_of(c)->time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    return fmi2Discard;
}

/* ---- saved states ---- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) { return (fmi2Status)snapshot_take(c, state); }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return (fmi2Status)snapshot_restore(c, state); }

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    snapshot_free(state);
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    *size = snapshot_size();
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    return (fmi2Status)snapshot_write(c, state, bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    return (fmi2Status)snapshot_read(c, bytes, size, state);
}

/* ---- directional derivatives ---- */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n_unknowns,
                                        const fmi2ValueReference knowns[], size_t n_knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[]) {
    return (fmi2Status)directional_derivative(c, unknowns, n_unknowns, knowns, n_knowns, seed, n_knowns, sensitivity,
                                              n_unknowns);
}

/* ---- model exchange ---- */

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { return (fmi2Status)set_time(c, time); }
fmi2Status fmi2EnterEventMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return fmi2OK; }

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
    return (fmi2Status)set_states(c, x, n);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
    return (fmi2Status)get_states(c, x, n);
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t n) {
    return (fmi2Status)get_derivatives(c, derivatives, n);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t n) {
    return (fmi2Status)get_nominals(c, nominals, n);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
    return (fmi2Status)get_indicators(c, indicators, n);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_rollback, fmi2Boolean *enter_event_mode,
                                       fmi2Boolean *terminate) {
    *enter_event_mode = fmi2False;
    *terminate = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = handle_event(c)};
    return fmi2OK;
}

#endif
