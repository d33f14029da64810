#include "core.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int living_instances = 0;

/* ---- messages ---- */

void log_message(Model *m, Status status, const char *format, ...) {
    const Instance *instance = (const Instance *)m - 1;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (instance->logger) instance->forward(instance, status, text);
}

const char *category(Status status) {
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError",
                                             "logStatusFatal"};
    return categories[status];
}

static Status fail(Instance *instance, const char *message) {
    log_message(model_of(instance), STATUS_ERROR, "%s", message);
    return STATUS_ERROR;
}

Status no_such_variable(Instance *instance, uint32_t reference) {
    log_message(model_of(instance), STATUS_ERROR, "No variable of this type has the value reference %u", reference);
    return STATUS_ERROR;
}

Status not_settable(Instance *instance, uint32_t reference) {
    log_message(model_of(instance), STATUS_ERROR, "The variable with value reference %u cannot be set now", reference);
    return STATUS_ERROR;
}

Status wrong_length(Instance *instance, uint32_t reference) {
    log_message(model_of(instance), STATUS_ERROR, "Too few or too many values up to value reference %u", reference);
    return STATUS_ERROR;
}

Status unsupported(Instance *instance, const char *function) {
    log_message(model_of(instance), STATUS_ERROR, "%s is not supported by this FMU", function);
    return STATUS_ERROR;
}

/* ---- life cycle ---- */

Instance *instance_new(const char *name, const char *guid, Forward forward, void (*logger)(void), void *environment) {
    Instance *instance = calloc(1, sizeof *instance + 2 * info.size);
    if (!instance) return NULL;
    instance->forward = forward;
    instance->logger = logger;
    instance->environment = environment;
    instance->name = calloc(strlen(name) + 1, 1);
    if (instance->name) strcpy(instance->name, name);
    instance_reset(instance);
    if (living_instances++ > 0 && info.once_per_process) {
        fail(instance, "This FMU can be instantiated only once per process");
        instance_free(instance);
        return NULL;
    }
    if (!guid || strcmp(guid, info.guid) != 0) {
        fail(instance, "The GUID of the description is not that of the binary");
        instance_free(instance);
        return NULL;
    }
    return instance;
}

void instance_free(Instance *instance) {
    if (!instance) return;
    living_instances--;
    free(instance->name);
    free(instance);
}

Status instance_reset(Instance *instance) {
    memcpy(model_of(instance), info.start_values, info.size);
    head_of(instance)->stop_time = INFINITY;
    instance->phase = INSTANTIATED;
    instance->stale = true;
    return STATUS_OK;
}

Status instance_setup(Instance *instance, double start_time, bool stop_defined, double stop_time) {
    head_of(instance)->time = start_time;
    head_of(instance)->stop_time = stop_defined ? stop_time : INFINITY;
    instance->stale = true;
    return STATUS_OK;
}

Status instance_change_phase(Instance *instance, int from, Phase to) {
    if (!(instance->phase & from)) return fail(instance, "The function is not allowed in the present phase");
    instance->phase = to;
    instance->stale = true;
    return STATUS_OK;
}

Status instance_configured(Instance *instance) {
    for (uint32_t i = 0; i < info.n_fields; i++) {
        if (length(instance, i) > fields[i].capacity) return fail(instance, "A structural parameter is too large");
    }
    return instance_change_phase(instance, CONFIGURATION, INSTANTIATED);
}

Status instance_initialize(Instance *instance) {
    Status status = instance_change_phase(instance, INITIALIZATION, RUNNING);
    if (status == STATUS_OK && behaviour.initialize) status = behaviour.initialize(model_of(instance));
    return status;
}

Status instance_terminate(Instance *instance) {
    instance->phase = TERMINATED;
    return behaviour.terminate ? behaviour.terminate(model_of(instance)) : STATUS_OK;
}

/* ---- stepping ---- */

static double *state(Model *m, uint32_t i) {
    return (double *)((char *)m + state_fields[i].state);
}

static double derivative(const Model *m, uint32_t i) {
    return *(const double *)((const char *)m + state_fields[i].derivative);
}

/* Sets x = x0 + step * der, adds weight * der to the sum. */
static void rk4_stage(Model *m, const double *x0, double *sum, double weight, double step) {
    behaviour.evaluate(m);
    for (uint32_t i = 0; i < info.n_states; i++) {
        double slope = derivative(m, i);
        sum[i] += weight * slope;
        *state(m, i) = x0[i] + step * slope;
    }
}

static void rk4_step(Model *m, double t, double h) {
    Head *head = (Head *)m;
    double x0[MAX_STATES] = {0}, sum[MAX_STATES] = {0};
    for (uint32_t i = 0; i < info.n_states; i++) x0[i] = *state(m, i);
    head->time = t;
    rk4_stage(m, x0, sum, 1, h / 2);
    head->time = t + h / 2;
    rk4_stage(m, x0, sum, 2, h / 2);
    rk4_stage(m, x0, sum, 2, h);
    head->time = t + h;
    rk4_stage(m, x0, sum, 1, 0);
    for (uint32_t i = 0; i < info.n_states; i++) *state(m, i) = x0[i] + h / 6 * sum[i];
}

void integrate(Model *m, double h, int substeps) {
    double start = ((Head *)m)->time;
    for (int k = 0; k < substeps; k++) rk4_step(m, start + h * k / substeps, h / substeps);
}

Status instance_step(Instance *instance, double t, double h) {
    if (instance->phase != RUNNING) return fail(instance, "doStep is allowed only after initialisation");
    if (!(h >= 0)) return fail(instance, "doStep needs a step size that is not negative");
    Model *m = model_of(instance);
    Head *head = head_of(instance);
    Status status = STATUS_OK;
    if (behaviour.step) {
        status = behaviour.step(m, t, h);
    } else if (info.n_states > 0) {
        head->time = t;
        integrate(m, h, info.substeps);
    }
    if (status <= STATUS_WARNING) head->time = t + h;
    instance->stale = true;
    instance->step_status = status;
    return status;
}

/* ---- saved states: the phase and the first bytes of the Model, which are also the serialized form ---- */

typedef struct {
    double phase; /* of a size that keeps the Model behind it aligned */
} Snapshot;

size_t snapshot_size(void) {
    return sizeof(Snapshot) + info.saved_size;
}

static Status snapshot_allocate(Instance *instance, void **snapshot) {
    if (!*snapshot) *snapshot = calloc(1, snapshot_size());
    return *snapshot ? STATUS_OK : fail(instance, "No memory for a copy of the state");
}

Status snapshot_take(Instance *instance, void **snapshot) {
    if (!info.can_save_state) return unsupported(instance, "Saving the state");
    if (snapshot_allocate(instance, snapshot) != STATUS_OK) return STATUS_ERROR;
    Snapshot *copy = *snapshot;
    copy->phase = instance->phase;
    memcpy(copy + 1, model_of(instance), info.saved_size);
    if (behaviour.saved) behaviour.saved(model_of(instance));
    return STATUS_OK;
}

Status snapshot_restore(Instance *instance, const void *snapshot) {
    if (!info.can_save_state) return unsupported(instance, "Restoring the state");
    const Snapshot *copy = snapshot;
    if (!copy) return fail(instance, "There is no saved state to restore");
    instance->phase = (Phase)copy->phase;
    memcpy(model_of(instance), copy + 1, info.saved_size);
    instance->stale = true;
    if (behaviour.restored) behaviour.restored(model_of(instance));
    return STATUS_OK;
}

void snapshot_free(void **snapshot) {
    free(*snapshot);
    *snapshot = NULL;
}

Status snapshot_write(Instance *instance, const void *snapshot, void *bytes, size_t size) {
    if (!snapshot || size < snapshot_size()) return fail(instance, "The buffer is too small for the serialized state");
    memcpy(bytes, snapshot, snapshot_size());
    return STATUS_OK;
}

Status snapshot_read(Instance *instance, const void *bytes, size_t size, void **snapshot) {
    if (size != snapshot_size()) return fail(instance, "The serialized state does not belong to this FMU");
    if (snapshot_allocate(instance, snapshot) != STATUS_OK) return STATUS_ERROR;
    memcpy(*snapshot, bytes, size);
    return STATUS_OK;
}

/* ---- directional derivatives ---- */

static Model *tangent_model(Instance *instance) {
    return (Model *)((char *)(instance + 1) + info.size);
}

static double *tangent_of(Instance *instance, uint32_t reference) {
    return (double *)((char *)tangent_model(instance) + fields[reference].offset);
}

static Status seed_knowns(Instance *instance, const uint32_t knowns[], size_t n, const double seed[], size_t n_seed) {
    memset(tangent_model(instance), 0, info.size);
    for (size_t i = 0; i < n; i++) {
        if (!known(knowns[i], TYPE_FLOAT64) || !fields[knowns[i]].differentiable) {
            return fail(instance, "Directional derivatives exist with respect to real inputs and states only");
        }
        size_t count = length(instance, knowns[i]);
        if (count > n_seed) return fail(instance, "The seed has too few elements");
        memcpy(tangent_of(instance, knowns[i]), seed, count * sizeof *seed);
        seed += count;
        n_seed -= count;
    }
    return STATUS_OK;
}

static Status read_unknowns(Instance *instance, const uint32_t unknowns[], size_t n, double values[], size_t n_values) {
    for (size_t i = 0; i < n; i++) {
        if (!known(unknowns[i], TYPE_FLOAT64)) return no_such_variable(instance, unknowns[i]);
        size_t count = length(instance, unknowns[i]);
        if (count > n_values) return fail(instance, "The sensitivity has too few elements");
        memcpy(values, tangent_of(instance, unknowns[i]), count * sizeof *values);
        values += count;
        n_values -= count;
    }
    return STATUS_OK;
}

Status directional_derivative(Instance *instance, const uint32_t unknowns[], size_t n_unknowns,
                              const uint32_t knowns[], size_t n_knowns, const double seed[], size_t n_seed,
                              double sensitivity[], size_t n_sensitivity) {
    if (!behaviour.tangent) return unsupported(instance, "The directional derivative");
    refresh(instance);
    Status status = seed_knowns(instance, knowns, n_knowns, seed, n_seed);
    if (status != STATUS_OK) return status;
    behaviour.tangent(model_of(instance), tangent_model(instance));
    return read_unknowns(instance, unknowns, n_unknowns, sensitivity, n_sensitivity);
}

/* ---- model exchange ---- */

Status set_time(Instance *instance, double time) {
    head_of(instance)->time = time;
    instance->stale = true;
    return STATUS_OK;
}

static Status check_states(Instance *instance, size_t n) {
    return n == info.n_states ? STATUS_OK : fail(instance, "The number of continuous states is wrong");
}

Status set_states(Instance *instance, const double x[], size_t n) {
    if (check_states(instance, n) != STATUS_OK) return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) *state(model_of(instance), (uint32_t)i) = x[i];
    instance->stale = true;
    return STATUS_OK;
}

Status get_states(Instance *instance, double x[], size_t n) {
    if (check_states(instance, n) != STATUS_OK) return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) x[i] = *state(model_of(instance), (uint32_t)i);
    return STATUS_OK;
}

Status get_derivatives(Instance *instance, double derivatives[], size_t n) {
    if (check_states(instance, n) != STATUS_OK) return STATUS_ERROR;
    refresh(instance);
    for (size_t i = 0; i < n; i++) derivatives[i] = derivative(model_of(instance), (uint32_t)i);
    return STATUS_OK;
}

Status get_nominals(Instance *instance, double nominals[], size_t n) {
    if (check_states(instance, n) != STATUS_OK) return STATUS_ERROR;
    for (size_t i = 0; i < n; i++) nominals[i] = 1;
    return STATUS_OK;
}

Status get_indicators(Instance *instance, double indicators[], size_t n) {
    if (n != info.n_indicators) return fail(instance, "The number of event indicators is wrong");
    refresh(instance);
    for (size_t i = 0; i < n; i++) {
        indicators[i] = *(const double *)((const char *)model_of(instance) + indicator_fields[i]);
    }
    return STATUS_OK;
}

bool handle_event(Instance *instance) {
    instance->stale = true;
    return behaviour.event && behaviour.event(model_of(instance));
}

/* ---- text and bytes ---- */

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
