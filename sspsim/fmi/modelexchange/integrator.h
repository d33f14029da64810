/* A model-exchange FMU with its own CVODE, offered to the kernel as if it were a co-simulation FMU.

   All functions take a Model as first argument and otherwise have the signature of the FMU's own FMI version, so that
   the kernel needs to know nothing of it. Between two steps the FMU is in continuous-time mode; setting an input to
   another value takes it to event mode, and the next step begins with the iteration of that event. */
#ifndef SSPSIM_INTEGRATOR_H
#define SSPSIM_INTEGRATOR_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { STARTING, IN_EVENT, CONTINUOUS };
enum { N_CODES = 14, CODE_STRING = 12, CODE_BINARY = 13 };
enum { MAX_EVENT_ITERATIONS = 1000, MAX_EVENTS_AT_ONCE = 1000 };
enum { CV_BDF = 2, CV_ONE_STEP = 2, CV_TSTOP_RETURN = 1, CV_ROOT_RETURN = 2, CV_TOO_CLOSE = -27 };

static const size_t WIDTHS[N_CODES] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8, 1, 4, 0, 0}; /* of sspsim.fmi.codes.Code */

typedef struct { /* the functions of SUNDIALS that are used, in the order of sundials.py */
    int (*context_create)(int, void **);
    int (*context_clear_handlers)(void *);
    int (*context_free)(void **);
    void *(*vector_make)(int64_t, double *, void *);
    double *(*vector_data)(void *);
    void (*vector_destroy)(void *);
    void *(*matrix_make)(int64_t, int64_t, void *);
    void (*matrix_destroy)(void *);
    void *(*solver_make)(void *, void *, void *);
    int (*solver_free)(void *);
    void *(*create)(int, void *);
    int (*init)(void *, int (*)(double, void *, void *, void *), double, void *);
    int (*reinit)(void *, double, void *);
    int (*tolerances)(void *, double, void *);
    int (*set_solver)(void *, void *, void *);
    int (*root_init)(void *, int, int (*)(double, void *, double *, void *));
    int (*no_root_warning)(void *);
    int (*user_data)(void *, void *);
    int (*stop_time)(void *, double);
    int (*solve)(void *, double, void *, double *, int);
    void (*free)(void **);
} Sundials;

typedef struct { /* the functions of the FMU, in the order of slaves.py; those of FMI 1 without modes are NULL */
    int (*set_time)(void *, double);
    int (*set_states)(void *, const double *, size_t);
    int (*get_states)(void *, double *, size_t);
    int (*get_derivatives)(void *, double *, size_t);
    int (*get_indicators)(void *, double *, size_t);
    int (*get_nominals)(void *, double *, size_t);
    void *completed_step;
    void *update;
    int (*enter_event)(void *);
    int (*enter_continuous)(void *);
    int (*get_state)(void *, void **);
    int (*set_state)(void *, void *);
    int (*free_state)(void *, void **);
    void *directional;
} Functions;

typedef struct { char converged, references_changed, values_changed, terminate, upcoming; double next; } EventInfo1;
typedef struct { int needed, terminate, nominals_changed, values_changed, next_defined; double next; } EventInfo2;

typedef struct { /* what was set last with one list of references */
    uint32_t *references;
    size_t n, size;
    int code;
    void *values;
    char valid;
} Setting;

typedef struct {
    int fmi;
    void *instance;
    Functions f;
    void *get[N_CODES], *set[N_CODES];
    Sundials *cv;
    size_t n, n_indicators;
    char needs_completed_step, saves_own_state;
    double rtol;
    double *x, *atol;
    void *context, *vector, *tolerance, *matrix, *solver, *cvode;
    int mode;
    char restart; /* CVODE must forget its history */
    double t, next_event;
    char next_defined;
    int status; /* the worst that a callback of CVODE saw */
    Setting *settings;
    size_t n_settings;
    char problem[256];
    long long events;
} Model;

typedef struct { double t, next_event; char next_defined; int mode; void *own; double x[]; } Saved;

static int worse(int a, int b) { return a > b ? a : b; }

static int refuse(Model *m, const char *format, double t, int number) {
    snprintf(m->problem, sizeof m->problem, format, t, number);
    return ERROR;
}

/* ---- what CVODE calls ---- */

static int put(Model *m, double t, const double *x) {
    int status = m->f.set_time(m->instance, t);
    if (status <= WARNING && m->n) status = worse(status, m->f.set_states(m->instance, x, m->n));
    return status;
}

/* What CVODE understands: a step that an FMU discards may succeed when it is smaller. */
static int verdict(Model *m, int status) {
    m->status = status;
    return status <= WARNING ? 0 : status == DISCARD ? 1 : -1;
}

static int right_side(double t, void *y, void *derivative, void *data) {
    Model *m = (Model *)data;
    double *dx = m->cv->vector_data(derivative);
    int status = put(m, t, m->cv->vector_data(y));
    if (!m->n)
        dx[0] = 0; /* CVODE needs a state; this one stays where it is */
    else if (status <= WARNING)
        status = worse(status, m->f.get_derivatives(m->instance, dx, m->n));
    return verdict(m, status);
}

static int indicators(double t, void *y, double *values, void *data) {
    Model *m = (Model *)data;
    int status = put(m, t, m->cv->vector_data(y));
    if (status <= WARNING) status = worse(status, m->f.get_indicators(m->instance, values, m->n_indicators));
    return verdict(m, status) ? -1 : 0;
}

/* ---- life ---- */

static void read_nominals(Model *m) {
    size_t i;
    if (!m->n || !m->f.get_nominals || m->f.get_nominals(m->instance, m->atol, m->n) > WARNING)
        for (i = 0; i < m->n; i++) m->atol[i] = 1;
    for (i = 0; i < m->n; i++) {
        double nominal = fabs(m->atol[i]);
        m->atol[i] = 0.01 * m->rtol * (nominal > 0 && isfinite(nominal) ? nominal : 1);
    }
    if (!m->n) m->atol[0] = m->rtol;
}

/* Room for that many states; only before CVODE is set up. 0 if there is no memory. */
static int model_resize(Model *m, size_t n, size_t n_indicators) {
    size_t size = n ? n : 1;
    free(m->x);
    free(m->atol);
    m->n = n;
    m->n_indicators = n_indicators;
    m->x = (double *)calloc(size, sizeof(double));
    m->atol = (double *)calloc(size, sizeof(double));
    return m->x && m->atol;
}

static Model *model_new(int fmi, void *instance, const Functions *f, void **get, void **set, Sundials *cv, size_t n,
                        size_t n_indicators, double rtol, int needs_completed_step, int saves_own_state) {
    Model *m = (Model *)calloc(1, sizeof(Model));
    m->fmi = fmi;
    m->instance = instance;
    m->f = *f;
    memcpy(m->get, get, sizeof m->get);
    memcpy(m->set, set, sizeof m->set);
    m->cv = cv;
    m->rtol = rtol;
    m->needs_completed_step = (char)needs_completed_step;
    m->saves_own_state = (char)saves_own_state;
    model_resize(m, n, n_indicators);
    return m;
}

static void model_free(Model *m) {
    size_t i;
    if (m->cvode) m->cv->free(&m->cvode);
    if (m->solver) m->cv->solver_free(m->solver);
    if (m->matrix) m->cv->matrix_destroy(m->matrix);
    if (m->tolerance) m->cv->vector_destroy(m->tolerance);
    if (m->vector) m->cv->vector_destroy(m->vector);
    if (m->context) m->cv->context_free(&m->context);
    for (i = 0; i < m->n_settings; i++) {
        free(m->settings[i].references);
        free(m->settings[i].values);
    }
    free(m->settings);
    free(m->x);
    free(m->atol);
    free(m);
}

static int create_solver(Model *m) {
    Sundials *cv = m->cv;
    int64_t size = m->n ? (int64_t)m->n : 1;
    cv->context_create(0, &m->context);
    cv->context_clear_handlers(m->context); /* its messages would go to the terminal; the return values say enough */
    m->vector = cv->vector_make(size, m->x, m->context);
    m->tolerance = cv->vector_make(size, m->atol, m->context);
    m->matrix = cv->matrix_make(size, size, m->context);
    m->solver = cv->solver_make(m->vector, m->matrix, m->context);
    m->cvode = cv->create(CV_BDF, m->context);
    if (!m->cvode || cv->init(m->cvode, right_side, m->t, m->vector)) return ERROR;
    if (cv->tolerances(m->cvode, m->rtol, m->tolerance) || cv->user_data(m->cvode, m)) return ERROR;
    if (cv->set_solver(m->cvode, m->solver, m->matrix)) return ERROR;
    if (m->n_indicators && cv->root_init(m->cvode, (int)m->n_indicators, indicators)) return ERROR;
    cv->no_root_warning(m->cvode);
    return OK;
}

/* ---- events ---- */

typedef struct { int again, terminate, nominals_changed, next_defined; double next; } Update;

static int update(Model *m, Update *u) {
    int status;
    if (m->fmi == 1) {
        EventInfo1 info = {0};
        status = ((int (*)(void *, char, EventInfo1 *))m->f.update)(m->instance, 0, &info);
        *u = (Update){!info.converged, info.terminate, 0, info.upcoming, info.next};
    } else if (m->fmi == 2) {
        EventInfo2 info = {0};
        status = ((int (*)(void *, EventInfo2 *))m->f.update)(m->instance, &info);
        *u = (Update){info.needed, info.terminate, info.nominals_changed, info.next_defined, info.next};
    } else {
        unsigned char needed = 0, terminate = 0, nominals = 0, values = 0, defined = 0;
        double next = 0;
        status = ((int (*)(void *, unsigned char *, unsigned char *, unsigned char *, unsigned char *, unsigned char *,
                           double *))m->f.update)(m->instance, &needed, &terminate, &nominals, &values, &defined, &next);
        *u = (Update){needed, terminate, nominals, defined, next};
    }
    return status;
}

static int begin_event(Model *m) {
    int status = OK;
    if (m->mode != CONTINUOUS) return OK;
    if (m->fmi > 1) status = m->f.enter_event(m->instance);
    m->mode = IN_EVENT;
    return status;
}

/* Iterates the event until nothing changes any more and goes back to continuous time. */
static int end_event(Model *m) {
    Update u;
    int status, iterations = 0, nominals_changed = 0;
    do {
        status = update(m, &u);
        if (status > WARNING) return status;
        if (u.terminate) return refuse(m, "the FMU asks to end the simulation at t=%.17g", m->t, 0);
        if (++iterations > MAX_EVENT_ITERATIONS)
            return refuse(m, "the event at t=%.17g does not settle within %d iterations", m->t, MAX_EVENT_ITERATIONS);
        nominals_changed |= u.nominals_changed;
    } while (u.again);
    if (m->fmi > 1 && (status = m->f.enter_continuous(m->instance)) > WARNING) return status;
    if (m->n && (status = m->f.get_states(m->instance, m->x, m->n)) > WARNING) return status;
    if (nominals_changed) {
        read_nominals(m);
        m->cv->tolerances(m->cvode, m->rtol, m->tolerance);
    }
    m->next_defined = (char)u.next_defined;
    m->next_event = u.next;
    m->mode = CONTINUOUS;
    m->restart = 1;
    m->events++;
    return OK;
}

static int handle_event(Model *m) {
    int status = begin_event(m);
    return status > WARNING ? status : end_event(m);
}

static int completed_step(Model *m, int *enter_event) {
    int status;
    if (m->fmi == 1) {
        char call = 0;
        status = ((int (*)(void *, char *))m->f.completed_step)(m->instance, &call);
        *enter_event = call;
        return status;
    }
    if (m->fmi == 2) {
        int enter = 0, terminate = 0;
        status = ((int (*)(void *, int, int *, int *))m->f.completed_step)(m->instance, 0, &enter, &terminate);
        *enter_event = enter;
        return terminate ? refuse(m, "the FMU asks to end the simulation at t=%.17g", m->t, 0) : status;
    }
    {
        unsigned char enter = 0, terminate = 0;
        status = ((int (*)(void *, unsigned char, unsigned char *, unsigned char *))m->f.completed_step)(
            m->instance, 0, &enter, &terminate);
        *enter_event = enter;
        return terminate ? refuse(m, "the FMU asks to end the simulation at t=%.17g", m->t, 0) : status;
    }
}

/* ---- stepping ---- */

static double close_to(double t) { return 8 * DBL_EPSILON * (fabs(t) > 1e-300 ? fabs(t) : 1e-300); }

/* Integrates to `stop`, or to the event before it. */
static int integrate(Model *m, double stop, int *event) {
    Sundials *cv = m->cv;
    int status;
    *event = 0;
    if (m->restart && cv->reinit(m->cvode, m->t, m->vector)) return refuse(m, "CVODE cannot start at t=%.17g", m->t, 0);
    m->restart = 0;
    while (m->t < stop && !*event) {
        double reached = m->t;
        int flag;
        cv->stop_time(m->cvode, stop);
        flag = cv->solve(m->cvode, stop, m->vector, &reached, CV_ONE_STEP);
        if (flag == CV_TOO_CLOSE) { /* nothing can happen in so short a time */
            m->restart = 1;
            reached = stop;
        } else if (flag < 0) {
            refuse(m, "CVODE gave up at t=%.17g with error %d", m->t, flag);
            return m->status > WARNING ? m->status : ERROR;
        }
        m->t = flag == CV_TSTOP_RETURN ? stop : reached;
        status = put(m, m->t, m->x);
        if (status <= WARNING && m->needs_completed_step) status = worse(status, completed_step(m, event));
        if (status > WARNING) return status;
        if (flag == CV_ROOT_RETURN) *event = 1;
    }
    return OK;
}

static int step(Model *m, double end) {
    double tiny = close_to(end), last_event = -INFINITY;
    int status = OK, events_at_once = 0;
    if (m->mode == IN_EVENT) status = end_event(m);
    while (status <= WARNING) {
        int due = m->next_defined && m->next_event <= m->t + tiny;
        if (!due) {
            double stop = m->next_defined && m->next_event < end - tiny ? m->next_event : end;
            if (m->t >= end - tiny) break;
            status = integrate(m, stop, &due);
            if (status > WARNING) break;
        }
        if (due) {
            events_at_once = m->t > last_event ? 0 : events_at_once + 1;
            last_event = m->t;
            if (events_at_once > MAX_EVENTS_AT_ONCE)
                return refuse(m, "time stands still at t=%.17g: more than %d events", m->t, MAX_EVENTS_AT_ONCE);
            status = handle_event(m);
        }
    }
    return status;
}

static int model_start(Model *m, double t) {
    int status;
    m->t = t;
    m->mode = IN_EVENT; /* what FMI 2 and 3 are in after the initialisation */
    read_nominals(m);
    status = create_solver(m);
    if (status > WARNING) return refuse(m, "CVODE cannot be set up at t=%.17g", t, 0);
    return end_event(m);
}

static int step1(Model *m, double t, double h, char new_step) { (void)new_step; return step(m, t + h); }
static int step2(Model *m, double t, double h, int no_rollback) { (void)no_rollback; return step(m, t + h); }
static int step3(Model *m, double t, double h, unsigned char no_rollback, unsigned char *event, unsigned char *terminate,
                 unsigned char *early, double *reached) {
    (void)no_rollback;
    *event = *terminate = *early = 0;
    *reached = t + h;
    return step(m, t + h);
}

/* ---- states ---- */

static int save(Model *m, void **place) {
    Saved *s = (Saved *)*place;
    if (!s) {
        s = (Saved *)calloc(1, sizeof(Saved) + m->n * sizeof(double));
        if (!s) return ERROR;
        *place = s;
    }
    s->t = m->t;
    s->next_event = m->next_event;
    s->next_defined = m->next_defined;
    s->mode = m->mode;
    memcpy(s->x, m->x, m->n * sizeof(double));
    m->restart = 1; /* so that the step from here is the same, whether it is the first or a repeated one */
    return m->saves_own_state ? m->f.get_state(m->instance, &s->own) : OK;
}

static int restore(Model *m, void *place) {
    const Saved *s = (const Saved *)place;
    int status = OK;
    size_t i;
    if (m->saves_own_state) status = m->f.set_state(m->instance, s->own);
    m->t = s->t;
    m->next_event = s->next_event;
    m->next_defined = s->next_defined;
    m->mode = s->mode;
    memcpy(m->x, s->x, m->n * sizeof(double));
    m->restart = 1;
    for (i = 0; i < m->n_settings; i++) m->settings[i].valid = 0;
    if (status <= WARNING && m->mode == CONTINUOUS) status = worse(status, put(m, m->t, m->x));
    return status;
}

static int free_saved(Model *m, void **place) {
    Saved *s = (Saved *)*place;
    int status = OK;
    if (s && s->own && m->f.free_state) status = m->f.free_state(m->instance, &s->own);
    free(s);
    *place = NULL;
    return status;
}

/* ---- values ---- */

/* Whether the values differ from those that this call set last; remembers them. */
static int differs(Model *m, int code, const uint32_t *references, size_t n, const void *values, size_t size) {
    Setting *s;
    size_t i;
    if (!size) return 1; /* texts: not worth the comparison */
    for (i = 0; i < m->n_settings; i++) {
        s = &m->settings[i];
        if (s->code == code && s->n == n && s->size == size && !memcmp(s->references, references, 4 * n)) break;
    }
    if (i == m->n_settings) {
        Setting *more = (Setting *)realloc(m->settings, (i + 1) * sizeof(Setting));
        if (!more) return 1;
        m->settings = more;
        m->settings[i] = (Setting){(uint32_t *)malloc(4 * n + 4), n, size, code, malloc(size), 0};
        memcpy(m->settings[i].references, references, 4 * n);
        m->n_settings++;
    }
    s = &m->settings[i];
    if (s->valid && !memcmp(s->values, values, size)) return 0;
    memcpy(s->values, values, size);
    s->valid = 1;
    return 1;
}

/* Inputs may only jump in event mode. Returns -1 when there is nothing to set. */
static int before_set(Model *m, int code, const uint32_t *references, size_t n, const void *values, size_t size) {
    if (m->mode == STARTING) return OK;
    if (!differs(m, code, references, n, values, size) && m->mode == CONTINUOUS) return -1;
    return begin_event(m);
}

#define ACCESS(K)                                                                                                      \
    static int get2_##K(Model *m, const uint32_t *r, size_t n, void *v) {                                              \
        return ((int (*)(void *, const uint32_t *, size_t, void *))m->get[K])(m->instance, r, n, v);                   \
    }                                                                                                                  \
    static int set2_##K(Model *m, const uint32_t *r, size_t n, void *v) {                                              \
        int status = before_set(m, K, r, n, v, n * WIDTHS[K]);                                                         \
        if (status < 0 || status > WARNING) return worse(status, OK);                                                  \
        return ((int (*)(void *, const uint32_t *, size_t, void *))m->set[K])(m->instance, r, n, v);                   \
    }                                                                                                                  \
    static int get3_##K(Model *m, const uint32_t *r, size_t n, void *v, size_t k) {                                    \
        return ((int (*)(void *, const uint32_t *, size_t, void *, size_t))m->get[K])(m->instance, r, n, v, k);        \
    }                                                                                                                  \
    static int set3_##K(Model *m, const uint32_t *r, size_t n, void *v, size_t k) {                                    \
        int status = before_set(m, K, r, n, v, k * WIDTHS[K]);                                                         \
        if (status < 0 || status > WARNING) return worse(status, OK);                                                  \
        return ((int (*)(void *, const uint32_t *, size_t, void *, size_t))m->set[K])(m->instance, r, n, v, k);        \
    }
ACCESS(0) ACCESS(1) ACCESS(2) ACCESS(3) ACCESS(4) ACCESS(5) ACCESS(6)
ACCESS(7) ACCESS(8) ACCESS(9) ACCESS(10) ACCESS(11) ACCESS(12)

typedef int (*BinaryFunction)(void *, const uint32_t *, size_t, size_t *, void *, size_t);

static int get_binary(Model *m, const uint32_t *r, size_t n, size_t *sizes, void *v, size_t k) {
    return ((BinaryFunction)m->get[CODE_BINARY])(m->instance, r, n, sizes, v, k);
}

static int set_binary(Model *m, const uint32_t *r, size_t n, size_t *sizes, void *v, size_t k) {
    int status = before_set(m, CODE_BINARY, r, n, v, 0);
    return status > WARNING ? status : ((BinaryFunction)m->set[CODE_BINARY])(m->instance, r, n, sizes, v, k);
}

#define ALL(NAME)                                                                                                      \
    {(void *)NAME##0, (void *)NAME##1, (void *)NAME##2, (void *)NAME##3, (void *)NAME##4, (void *)NAME##5,             \
     (void *)NAME##6, (void *)NAME##7, (void *)NAME##8, (void *)NAME##9, (void *)NAME##10, (void *)NAME##11,           \
     (void *)NAME##12}
static void *GET2[] = ALL(get2_);
static void *SET2[] = ALL(set2_);
static void *GET3[] = ALL(get3_);
static void *SET3[] = ALL(set3_);

static int directional2(Model *m, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k,
                        const double *seed, double *sensitivity) {
    return ((int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, double *))
                m->f.directional)(m->instance, unknowns, n, knowns, k, seed, sensitivity);
}

static int directional3(Model *m, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k,
                        const double *seed, size_t n_seed, double *sensitivity, size_t n_sensitivity) {
    return ((int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t, double *,
                     size_t))m->f.directional)(m->instance, unknowns, n, knowns, k, seed, n_seed, sensitivity,
                                               n_sensitivity);
}

/* The address that the kernel shall call to get or set values of a type. */
static void *accessor(int fmi, int code, int setting) {
    if (code == CODE_BINARY) return setting ? (void *)set_binary : (void *)get_binary;
    if (fmi == 3) return setting ? SET3[code] : GET3[code];
    return setting ? SET2[code] : GET2[code];
}

static void *directional(int fmi) { return fmi == 3 ? (void *)directional3 : (void *)directional2; }

static void *stepper(int fmi) { return fmi == 1 ? (void *)step1 : fmi == 2 ? (void *)step2 : (void *)step3; }

#endif
