/* What the FMI 1, 2 and 3 faces share: instances, variables by value reference, steps, saved states, tangents.
   Nothing here knows the model at compile time, so core.c and the faces are compiled once for all models. */
#ifndef CORE_H
#define CORE_H

#include "model.h"

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef enum {
    TYPE_NONE, /* a value reference that this FMI version cannot express */
    TYPE_FLOAT64, TYPE_FLOAT32,
    TYPE_INT8, TYPE_UINT8, TYPE_INT16, TYPE_UINT16, TYPE_INT32, TYPE_UINT32, TYPE_INT64, TYPE_UINT64,
    TYPE_BOOLEAN, TYPE_STRING, TYPE_BINARY
} Type;

/* One bit each, so that a variable can name all phases in which it may be set. */
typedef enum { INSTANTIATED = 1, CONFIGURATION = 2, INITIALIZATION = 4, RUNNING = 8, TERMINATED = 16 } Phase;

/* One entry per value reference. */
typedef struct {
    Type type;
    uint32_t offset;      /* in Model */
    uint32_t count;       /* of elements; times the structural parameter at size_offset, if that is not 0 */
    uint32_t size_offset;
    uint32_t capacity;    /* the most elements that fit */
    uint8_t settable_in;  /* phases */
    bool differentiable;  /* an input or a state: may be a known of a directional derivative */
} Field;

#define MAX_STATES 64

typedef struct {
    uint32_t state;       /* offset in Model */
    uint32_t derivative;
} StateField;

/* All that the core must know about the model; generated with its interface. */
typedef struct {
    const char *guid;
    const Model *start_values;
    size_t size;              /* of Model */
    size_t saved_size;        /* the part of Model that belongs to a saved state */
    uint32_t n_fields;
    uint32_t n_states;
    uint32_t n_indicators;
    int substeps;             /* of RK4 in one communication step */
    bool can_save_state;
    bool once_per_process;
    bool model_exchange;
} Info;

extern const Info info;
extern const Field fields[];
extern const StateField state_fields[];
extern const uint32_t indicator_fields[]; /* offsets in Model */

typedef struct Instance Instance;
typedef void (*Forward)(const Instance *instance, Status status, const char *message);

/* The Model follows its Instance in memory, and the tangent of the Model follows the Model. */
struct Instance {
    Phase phase;
    bool stale;             /* outputs do not belong to the present inputs, states and time */
    Status step_status;
    char *name;
    Forward forward;        /* the face's way to the importer's logger */
    void (*logger)(void);
    void *environment;
};

static inline Model *model_of(Instance *instance) {
    return (Model *)(instance + 1);
}

static inline Head *head_of(Instance *instance) {
    return (Head *)(instance + 1);
}

Instance *instance_new(const char *name, const char *guid, Forward forward, void (*logger)(void), void *environment);
void instance_free(Instance *instance);
Status instance_reset(Instance *instance);
Status instance_setup(Instance *instance, double start_time, bool stop_defined, double stop_time);
Status instance_configured(Instance *instance);
Status instance_initialize(Instance *instance);
Status instance_step(Instance *instance, double t, double h);
Status instance_terminate(Instance *instance);
Status instance_change_phase(Instance *instance, int from, Phase to);

Status snapshot_take(Instance *instance, void **snapshot);
Status snapshot_restore(Instance *instance, const void *snapshot);
void snapshot_free(void **snapshot);
size_t snapshot_size(void);
Status snapshot_write(Instance *instance, const void *snapshot, void *bytes, size_t size);
Status snapshot_read(Instance *instance, const void *bytes, size_t size, void **snapshot);

/* sensitivity = (d unknowns / d knowns) * seed, arrays element by element */
Status directional_derivative(Instance *instance, const uint32_t unknowns[], size_t n_unknowns,
                              const uint32_t knowns[], size_t n_knowns, const double seed[], size_t n_seed,
                              double sensitivity[], size_t n_sensitivity);

/* ---- model exchange ---- */
Status set_time(Instance *instance, double time);
Status set_states(Instance *instance, const double x[], size_t n);
Status get_states(Instance *instance, double x[], size_t n);
Status get_derivatives(Instance *instance, double derivatives[], size_t n);
Status get_nominals(Instance *instance, double nominals[], size_t n);
Status get_indicators(Instance *instance, double indicators[], size_t n);
bool handle_event(Instance *instance); /* whether the states changed */

Status set_string(Instance *instance, char *field, const char *value);
Status set_binary(Instance *instance, Binary *field, const uint8_t *bytes, size_t size);

const char *category(Status status); /* the log category of a status */

/* Cold paths that log and return an error, out of line to keep the loops small. */
Status no_such_variable(Instance *instance, uint32_t reference);
Status not_settable(Instance *instance, uint32_t reference);
Status wrong_length(Instance *instance, uint32_t reference);
Status unsupported(Instance *instance, const char *function);

static inline void refresh(Instance *instance) {
    if (instance->stale) {
        instance->stale = false;
        if (behaviour.evaluate) behaviour.evaluate(model_of(instance));
    }
}

static inline bool known(uint32_t reference, Type type) {
    return reference < info.n_fields && fields[reference].type == type;
}

static inline void *at(Instance *instance, uint32_t reference) {
    return (char *)(instance + 1) + fields[reference].offset;
}

static inline size_t length(const Instance *instance, uint32_t reference) {
    const Field *field = &fields[reference];
    if (!field->size_offset) return field->count;
    return field->count * (size_t)*(const uint64_t *)((const char *)(instance + 1) + field->size_offset);
}

static inline bool settable(const Instance *instance, uint32_t reference) {
    return fields[reference].settable_in & instance->phase;
}

#endif
