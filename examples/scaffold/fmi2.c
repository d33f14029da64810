/* FMI 2.0 on the core. */
#include "core.h"

#include "fmi2Functions.h"

static void forward(const Instance *instance, Status status, const char *message) {
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                             "logStatusFatal"};
    fmi2CallbackLogger logger = (fmi2CallbackLogger)instance->logger;
    logger(instance->environment, instance->name, (fmi2Status)status, categories[status], message);
}

/* ---- life cycle ---- */

const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)resources, (void)visible, (void)logging;
    if (type == fmi2ModelExchange && !MODEL_EXCHANGE) return NULL;
    return instance_new(name, guid, forward, callbacks ? (void (*)(void))callbacks->logger : NULL,
                        callbacks ? callbacks->componentEnvironment : NULL);
}

void fmi2FreeInstance(fmi2Component c) { instance_free(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    (void)c, (void)on, (void)n, (void)categories;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)tolerance_defined, (void)tolerance;
    return (fmi2Status)instance_setup(c, start, stop_defined, stop);
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return (fmi2Status)instance_change_phase(c, INSTANTIATED, INITIALIZATION);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (fmi2Status)instance_initialize(c); }
fmi2Status fmi2Terminate(fmi2Component c) { return (fmi2Status)instance_terminate(c); }
fmi2Status fmi2Reset(fmi2Component c) { return (fmi2Status)instance_reset(c); }

/* ---- variables ---- */

#define GETTER(NAME, TYPE, C_TYPE, FMI_TYPE)                                                                   \
    fmi2Status fmi2Get##NAME(fmi2Component c, const fmi2ValueReference vr[], size_t n, FMI_TYPE values[]) {    \
        refresh(c);                                                                                            \
        for (size_t i = 0; i < n; i++) {                                                                       \
            if (!known(vr[i], TYPE)) return (fmi2Status)no_such_variable(c, vr[i]);                            \
            values[i] = *(C_TYPE *)at(c, vr[i]);                                                               \
        }                                                                                                      \
        return fmi2OK;                                                                                         \
    }

#define SETTER(NAME, TYPE, C_TYPE, FMI_TYPE)                                                                   \
    fmi2Status fmi2Set##NAME(fmi2Component c, const fmi2ValueReference vr[], size_t n, const FMI_TYPE values[]) { \
        for (size_t i = 0; i < n; i++) {                                                                       \
            if (!known(vr[i], TYPE)) return (fmi2Status)no_such_variable(c, vr[i]);                            \
            if (!settable(c, vr[i])) return (fmi2Status)not_settable(c, vr[i]);                                \
            *(C_TYPE *)at(c, vr[i]) = (C_TYPE)values[i];                                                       \
        }                                                                                                      \
        ((Instance *)c)->stale = true;                                                                         \
        return fmi2OK;                                                                                         \
    }

GETTER(Real, TYPE_FLOAT64, double, fmi2Real)
SETTER(Real, TYPE_FLOAT64, double, fmi2Real)
GETTER(Integer, TYPE_INT32, int32_t, fmi2Integer)
SETTER(Integer, TYPE_INT32, int32_t, fmi2Integer)
GETTER(Boolean, TYPE_BOOLEAN, bool, fmi2Boolean)
SETTER(Boolean, TYPE_BOOLEAN, bool, fmi2Boolean)

/* ---- co-simulation ---- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
    (void)no_rollback;
    return (fmi2Status)instance_step(c, t, h);
}

#if !MINIMAL_API

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2String values[]) {
    refresh(c);
    for (size_t i = 0; i < n; i++) {
        if (!known(vr[i], TYPE_STRING)) return (fmi2Status)no_such_variable(c, vr[i]);
        values[i] = at(c, vr[i]);
    }
    return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2String values[]) {
    for (size_t i = 0; i < n; i++) {
        if (!known(vr[i], TYPE_STRING)) return (fmi2Status)no_such_variable(c, vr[i]);
        if (!settable(c, vr[i])) return (fmi2Status)not_settable(c, vr[i]);
        Status status = set_string(c, at(c, vr[i]), values[i]);
        if (status != STATUS_OK) return (fmi2Status)status;
    }
    ((Instance *)c)->stale = true;
    return fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)unsupported(c, "fmi2CancelStep"); }

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[], const fmi2Real values[]) {
    (void)vr, (void)n, (void)order, (void)values;
    return (fmi2Status)unsupported(c, "fmi2SetRealInputDerivatives");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[], fmi2Real values[]) {
    (void)vr, (void)n, (void)order, (void)values;
    return (fmi2Status)unsupported(c, "fmi2GetRealOutputDerivatives");
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    if (kind != fmi2DoStepStatus) return fmi2Discard;
    *value = (fmi2Status)((Instance *)c)->step_status;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Instance *)c)->model.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    (void)c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

/* ---- saved states ---- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) { return (fmi2Status)snapshot_take(c, state); }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return (fmi2Status)snapshot_restore(c, state); }

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    (void)c;
    snapshot_free(state);
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    (void)c, (void)state;
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
    Status status = tangent_begin(c);
    for (size_t i = 0; i < n_knowns && status == STATUS_OK; i++) status = tangent_seed(c, knowns[i], &seed[i]);
    if (status != STATUS_OK) return (fmi2Status)status;
    behaviour.tangent(&((Instance *)c)->model, &((Instance *)c)->tangent);
    for (size_t i = 0; i < n_unknowns && status == STATUS_OK; i++) {
        status = tangent_read(c, unknowns[i], &sensitivity[i]);
    }
    return (fmi2Status)status;
}

#endif
