/* FMI 3.0 for Co-Simulation and Model Exchange on the core. */
#include "core.h"

#include "fmi3Functions.h"

static void forward(const Instance *instance, Status status, const char *message) {
    fmi3LogMessageCallback logger = (fmi3LogMessageCallback)instance->logger;
    logger(instance->environment, (fmi3Status)status, category(status), message);
}

/* ---- life cycle ---- */

const char *fmi3GetVersion(void) { return fmi3Version; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference intermediate[], size_t n_intermediate,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    return instance_new(name, token, forward, (void (*)(void))log, environment);
}

void fmi3FreeInstance(fmi3Instance instance) { instance_free(instance); }

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[]) {
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    Status status = instance_setup(instance, start, stop_defined, stop);
    if (status == STATUS_OK) status = instance_change_phase(instance, INSTANTIATED, INITIALIZATION);
    return (fmi3Status)status;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) { return (fmi3Status)instance_initialize(instance); }
fmi3Status fmi3Terminate(fmi3Instance instance) { return (fmi3Status)instance_terminate(instance); }
fmi3Status fmi3Reset(fmi3Instance instance) { return (fmi3Status)instance_reset(instance); }

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback,
                      fmi3Boolean *event_handling_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_successful_time) {
    Status status = instance_step(instance, t, h);
    *event_handling_needed = false;
    *terminate = false;
    *early_return = false;
    *last_successful_time = head_of(instance)->time;
    return (fmi3Status)status;
}

/* ---- variables: an array takes as many of the values as it has elements ---- */

#define GETTER(NAME, TYPE, READ)                                                                            \
    fmi3Status fmi3Get##NAME(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,                \
                             fmi3##NAME values[], size_t n_values) {                                        \
        refresh(instance);                                                                                  \
        size_t next = 0;                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                    \
            if (!known(vr[i], TYPE)) return (fmi3Status)no_such_variable(instance, vr[i]);                  \
            void *field = at(instance, vr[i]);                                                              \
            size_t count = length(instance, vr[i]);                                                         \
            if (next + count > n_values) return (fmi3Status)wrong_length(instance, vr[i]);                  \
            for (size_t k = 0; k < count; k++) values[next++] = READ;                                       \
        }                                                                                                   \
        return next == n_values ? fmi3OK : (fmi3Status)wrong_length(instance, n ? vr[n - 1] : 0);           \
    }

#define SETTER(NAME, TYPE, WRITE)                                                                           \
    fmi3Status fmi3Set##NAME(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,                \
                             const fmi3##NAME values[], size_t n_values) {                                  \
        size_t next = 0;                                                                                    \
        for (size_t i = 0; i < n; i++) {                                                                    \
            if (!known(vr[i], TYPE)) return (fmi3Status)no_such_variable(instance, vr[i]);                  \
            if (!settable(instance, vr[i])) return (fmi3Status)not_settable(instance, vr[i]);               \
            void *field = at(instance, vr[i]);                                                              \
            size_t count = length(instance, vr[i]);                                                         \
            if (next + count > n_values) return (fmi3Status)wrong_length(instance, vr[i]);                  \
            for (size_t k = 0; k < count; k++) {                                                            \
                fmi3##NAME value = values[next++];                                                          \
                Status status = WRITE;                                                                      \
                if (status != STATUS_OK) return (fmi3Status)status;                                         \
            }                                                                                               \
        }                                                                                                   \
        ((Instance *)instance)->stale = true;                                                               \
        return next == n_values ? fmi3OK : (fmi3Status)wrong_length(instance, n ? vr[n - 1] : 0);           \
    }

#define NUMBER(NAME, TYPE)                            \
    GETTER(NAME, TYPE, ((fmi3##NAME *)field)[k])      \
    SETTER(NAME, TYPE, (((fmi3##NAME *)field)[k] = value, STATUS_OK))

NUMBER(Float64, TYPE_FLOAT64)
NUMBER(Int32, TYPE_INT32)
NUMBER(Int64, TYPE_INT64)
NUMBER(Boolean, TYPE_BOOLEAN)

#ifndef MINIMAL_API

NUMBER(Float32, TYPE_FLOAT32)
NUMBER(Int8, TYPE_INT8)
NUMBER(UInt8, TYPE_UINT8)
NUMBER(Int16, TYPE_INT16)
NUMBER(UInt16, TYPE_UINT16)
NUMBER(UInt32, TYPE_UINT32)
NUMBER(UInt64, TYPE_UINT64)
GETTER(String, TYPE_STRING, (char *)field + k * STRING_CAPACITY)
SETTER(String, TYPE_STRING, set_string(instance, (char *)field + k * STRING_CAPACITY, value))

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                         fmi3Binary values[], size_t n_values) {
    refresh(instance);
    for (size_t i = 0; i < n; i++) {
        if (!known(vr[i], TYPE_BINARY)) return (fmi3Status)no_such_variable(instance, vr[i]);
        if (i >= n_values) return (fmi3Status)wrong_length(instance, vr[i]);
        const Binary *field = at(instance, vr[i]);
        sizes[i] = field->size;
        values[i] = field->bytes;
    }
    return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                         const fmi3Binary values[], size_t n_values) {
    for (size_t i = 0; i < n; i++) {
        if (!known(vr[i], TYPE_BINARY)) return (fmi3Status)no_such_variable(instance, vr[i]);
        if (!settable(instance, vr[i])) return (fmi3Status)not_settable(instance, vr[i]);
        if (i >= n_values) return (fmi3Status)wrong_length(instance, vr[i]);
        Status status = set_binary(instance, at(instance, vr[i]), values[i], sizes[i]);
        if (status != STATUS_OK) return (fmi3Status)status;
    }
    ((Instance *)instance)->stale = true;
    return fmi3OK;
}

/* ---- structural parameters ---- */

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
    return (fmi3Status)instance_change_phase(instance, INSTANTIATED, CONFIGURATION);
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
    return (fmi3Status)instance_configured(instance);
}

/* ---- saved states ---- */

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state) {
    return (fmi3Status)snapshot_take(instance, state);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
    return (fmi3Status)snapshot_restore(instance, state);
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state) {
    snapshot_free(state);
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size) {
    *size = snapshot_size();
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    return (fmi3Status)snapshot_write(instance, state, bytes, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
    return (fmi3Status)snapshot_read(instance, bytes, size, state);
}

/* ---- directional derivatives ---- */

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t n_unknowns,
                                        const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[],
                                        size_t n_seed, fmi3Float64 sensitivity[], size_t n_sensitivity) {
    return (fmi3Status)directional_derivative(instance, unknowns, n_unknowns, knowns, n_knowns, seed, n_seed,
                                              sensitivity, n_sensitivity);
}

/* ---- model exchange ---- */

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
    return info.model_exchange ? instance_new(name, token, forward, (void (*)(void))log, environment) : NULL;
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) { return fmi3OK; }
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) { return fmi3OK; }
fmi3Status fmi3EnterStepMode(fmi3Instance instance) { return fmi3OK; }
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) { return fmi3OK; }
fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) { return (fmi3Status)set_time(instance, time); }

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 x[], size_t n) {
    return (fmi3Status)set_states(instance, x, n);
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 x[], size_t n) {
    return (fmi3Status)get_states(instance, x, n);
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[], size_t n) {
    return (fmi3Status)get_derivatives(instance, derivatives, n);
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[], size_t n) {
    return (fmi3Status)get_nominals(instance, nominals, n);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[], size_t n) {
    return (fmi3Status)get_indicators(instance, indicators, n);
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n) {
    *n = info.n_states;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n) {
    *n = info.n_indicators;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_rollback, fmi3Boolean *enter_event_mode,
                                       fmi3Boolean *terminate) {
    *enter_event_mode = false;
    *terminate = false;
    return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *more_needed, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
                                    fmi3Boolean *next_event_defined, fmi3Float64 *next_event) {
    *more_needed = false;
    *terminate = false;
    *nominals_changed = false;
    *states_changed = handle_event(instance);
    *next_event_defined = false;
    return fmi3OK;
}

/* ---- parts of FMI 3 that no example needs: present, as the standard asks, and refused ---- */

#define REFUSE(FUNCTION, ...) \
    fmi3Status FUNCTION(fmi3Instance instance, __VA_ARGS__) { return (fmi3Status)unsupported(instance, #FUNCTION); }

#define REFERENCES const fmi3ValueReference vr[], size_t n

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock) {
    return NULL;
}

REFUSE(fmi3GetAdjointDerivative, const fmi3ValueReference unknowns[], size_t n_unknowns,
       const fmi3ValueReference knowns[], size_t n_knowns, const fmi3Float64 seed[], size_t n_seed,
       fmi3Float64 sensitivity[], size_t n_sensitivity)
REFUSE(fmi3GetOutputDerivatives, REFERENCES, const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values)
REFUSE(fmi3GetNumberOfVariableDependencies, fmi3ValueReference vr, size_t *n)
REFUSE(fmi3GetVariableDependencies, fmi3ValueReference dependent, size_t dependent_elements[],
       fmi3ValueReference independents[], size_t independent_elements[], fmi3DependencyKind kinds[], size_t n)
REFUSE(fmi3GetClock, REFERENCES, fmi3Clock values[])
REFUSE(fmi3SetClock, REFERENCES, const fmi3Clock values[])
REFUSE(fmi3GetIntervalDecimal, REFERENCES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
REFUSE(fmi3GetIntervalFraction, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
       fmi3IntervalQualifier qualifiers[])
REFUSE(fmi3GetShiftDecimal, REFERENCES, fmi3Float64 shifts[])
REFUSE(fmi3GetShiftFraction, REFERENCES, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
REFUSE(fmi3SetIntervalDecimal, REFERENCES, const fmi3Float64 intervals[])
REFUSE(fmi3SetIntervalFraction, REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSE(fmi3SetShiftDecimal, REFERENCES, const fmi3Float64 shifts[])
REFUSE(fmi3SetShiftFraction, REFERENCES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
REFUSE(fmi3ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)

#endif
