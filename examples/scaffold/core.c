#include "core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if ONCE_PER_PROCESS
static int living_instances = 0;
#endif

/* ---- messages ---- */

void log_message(Model *m, Status status, const char *format, ...) {
    const Instance *instance = (const Instance *)m;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (instance->logger) instance->forward(instance, status, text);
}

static Status fail(Instance *instance, const char *message) {
    log_message(&instance->model, STATUS_ERROR, "%s", message);
    return STATUS_ERROR;
}

Status no_such_variable(Instance *instance, uint32_t reference) {
    log_message(&instance->model, STATUS_ERROR, "No variable of this type has the value reference %u", reference);
    return STATUS_ERROR;
}

Status not_settable(Instance *instance, uint32_t reference) {
    log_message(&instance->model, STATUS_ERROR, "The variable with value reference %u cannot be set now", reference);
    return STATUS_ERROR;
}

Status unsupported(Instance *instance, const char *function) {
    log_message(&instance->model, STATUS_ERROR, "%s is not supported by this FMU", function);
    return STATUS_ERROR;
}

/* ---- life cycle ---- */

Instance *instance_new(const char *name, const char *guid, Forward forward, void (*logger)(void), void *environment) {
    Instance *instance = calloc(1, sizeof *instance);
    if (!instance) return NULL;
    instance->forward = forward;
    instance->logger = logger;
    instance->environment = environment;
    instance->name = calloc(strlen(name) + 1, 1);
    if (instance->name) strcpy(instance->name, name);
    instance_reset(instance);
#if ONCE_PER_PROCESS
    if (living_instances++ > 0) {
        fail(instance, "This FMU can be instantiated only once per process");
        instance_free(instance);
        return NULL;
    }
#endif
    if (!guid || strcmp(guid, MODEL_GUID) != 0) {
        fail(instance, "The GUID does not belong to this binary; expected " MODEL_GUID);
        instance_free(instance);
        return NULL;
    }
    return instance;
}

void instance_free(Instance *instance) {
    if (!instance) return;
#if ONCE_PER_PROCESS
    living_instances--;
#endif
    free(instance->name);
    free(instance);
}

Status instance_reset(Instance *instance) {
    instance->model = start_values;
    instance->model.stop_time = INFINITY;
    instance->phase = INSTANTIATED;
    instance->stale = true;
    return STATUS_OK;
}

Status instance_setup(Instance *instance, double start_time, bool stop_defined, double stop_time) {
    instance->model.time = start_time;
    instance->model.stop_time = stop_defined ? stop_time : INFINITY;
    instance->stale = true;
    return STATUS_OK;
}

Status instance_change_phase(Instance *instance, int from, Phase to) {
    if (!(instance->phase & from)) return fail(instance, "The function is not allowed in the present phase");
    instance->phase = to;
    instance->stale = true;
    return STATUS_OK;
}

Status instance_initialize(Instance *instance) {
    Status status = instance_change_phase(instance, INITIALIZATION, RUNNING);
    if (status == STATUS_OK && behaviour.initialize) status = behaviour.initialize(&instance->model);
    return status;
}

Status instance_terminate(Instance *instance) {
    instance->phase = TERMINATED;
    return behaviour.terminate ? behaviour.terminate(&instance->model) : STATUS_OK;
}

/* ---- stepping ---- */

#if N_STATES > 0

static double *state(Model *m, int i) {
    return (double *)((char *)m + state_fields[i].state);
}

static double derivative(const Model *m, int i) {
    return *(const double *)((const char *)m + state_fields[i].derivative);
}

/* Sets x = x0 + step * der, adds weight * der to the sum. */
static void rk4_stage(Model *m, const double *x0, double *sum, double weight, double step) {
    behaviour.evaluate(m);
    for (int i = 0; i < N_STATES; i++) {
        double slope = derivative(m, i);
        sum[i] += weight * slope;
        *state(m, i) = x0[i] + step * slope;
    }
}

static void rk4_step(Model *m, double t, double h) {
    double x0[N_STATES], sum[N_STATES] = {0};
    for (int i = 0; i < N_STATES; i++) x0[i] = *state(m, i);
    m->time = t;
    rk4_stage(m, x0, sum, 1, h / 2);
    m->time = t + h / 2;
    rk4_stage(m, x0, sum, 2, h / 2);
    rk4_stage(m, x0, sum, 2, h);
    m->time = t + h;
    rk4_stage(m, x0, sum, 1, 0);
    for (int i = 0; i < N_STATES; i++) *state(m, i) = x0[i] + h / 6 * sum[i];
}

void integrate(Model *m, double h, int substeps) {
    double start = m->time;
    for (int k = 0; k < substeps; k++) rk4_step(m, start + h * k / substeps, h / substeps);
}

#else

void integrate(Model *m, double h, int substeps) {
    (void)m, (void)h, (void)substeps;
}

#endif

Status instance_step(Instance *instance, double t, double h) {
    if (instance->phase != RUNNING) return fail(instance, "doStep is allowed only after initialisation");
    if (!(h >= 0)) return fail(instance, "doStep needs a step size that is not negative");
    Model *m = &instance->model;
    Status status = STATUS_OK;
    if (behaviour.step) {
        status = behaviour.step(m, t, h);
    } else {
        m->time = t;
        integrate(m, h, SUBSTEPS);
    }
    if (status <= STATUS_WARNING) m->time = t + h;
    instance->stale = true;
    instance->step_status = status;
    return status;
}

/* ---- saved states ---- */

Status snapshot_take(Instance *instance, void **snapshot) {
#if CAN_SAVE_STATE
    if (!*snapshot) *snapshot = calloc(1, sizeof(Snapshot));
    if (!*snapshot) return fail(instance, "No memory for a copy of the state");
    Snapshot *copy = *snapshot;
    copy->phase = instance->phase;
    memcpy(&copy->model, &instance->model, SAVED_SIZE);
    if (behaviour.saved) behaviour.saved(&instance->model);
    return STATUS_OK;
#else
    (void)snapshot;
    return unsupported(instance, "Saving the state");
#endif
}

Status snapshot_restore(Instance *instance, const void *snapshot) {
#if CAN_SAVE_STATE
    const Snapshot *copy = snapshot;
    if (!copy) return fail(instance, "There is no saved state to restore");
    instance->phase = copy->phase;
    memcpy(&instance->model, &copy->model, SAVED_SIZE);
    instance->stale = true;
    if (behaviour.restored) behaviour.restored(&instance->model);
    return STATUS_OK;
#else
    (void)snapshot;
    return unsupported(instance, "Restoring the state");
#endif
}

void snapshot_free(void **snapshot) {
    free(*snapshot);
    *snapshot = NULL;
}

size_t snapshot_size(void) {
    return offsetof(Snapshot, model) + SAVED_SIZE;
}

Status snapshot_write(Instance *instance, const void *snapshot, void *bytes, size_t size) {
    if (!snapshot || size < snapshot_size()) return fail(instance, "The buffer is too small for the serialized state");
    memcpy(bytes, snapshot, snapshot_size());
    return STATUS_OK;
}

Status snapshot_read(Instance *instance, const void *bytes, size_t size, void **snapshot) {
    if (size != snapshot_size()) return fail(instance, "The serialized state does not belong to this FMU");
    if (!*snapshot) *snapshot = calloc(1, sizeof(Snapshot));
    if (!*snapshot) return fail(instance, "No memory for a copy of the state");
    memcpy(*snapshot, bytes, size);
    return STATUS_OK;
}

/* ---- directional derivatives: begin, seed the knowns, read the unknowns ---- */

Status tangent_begin(Instance *instance) {
    if (!behaviour.tangent) return unsupported(instance, "The directional derivative");
    refresh(instance);
    memset(&instance->tangent, 0, sizeof instance->tangent);
    return STATUS_OK;
}

Status tangent_seed(Instance *instance, uint32_t reference, const double *seed) {
    if (!known(reference, TYPE_FLOAT64) || !fields[reference].differentiable) {
        return fail(instance, "Directional derivatives are known with respect to inputs and states only");
    }
    memcpy((char *)&instance->tangent + fields[reference].offset, seed, length(instance, reference) * sizeof *seed);
    return STATUS_OK;
}

Status tangent_read(Instance *instance, uint32_t reference, double *sensitivity) {
    if (!known(reference, TYPE_FLOAT64)) return no_such_variable(instance, reference);
    memcpy(sensitivity, (char *)&instance->tangent + fields[reference].offset,
           length(instance, reference) * sizeof *sensitivity);
    return STATUS_OK;
}

/* ---- text and bytes have a fixed capacity, which keeps Model free of pointers ---- */

Status set_string(Instance *instance, char *field, const char *value) {
    if (!value || strlen(value) >= STRING_CAPACITY) return fail(instance, "The string is missing or too long");
    strcpy(field, value);
    return STATUS_OK;
}

Status set_binary(Instance *instance, Binary *field, const uint8_t *bytes, size_t size) {
    if (size > BINARY_CAPACITY) return fail(instance, "The binary value is too long");
    field->size = size;
    memcpy(field->bytes, bytes, size);
    return STATUS_OK;
}
