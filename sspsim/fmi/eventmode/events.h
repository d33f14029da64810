/* An FMI 3 co-simulation FMU with event mode, offered to the kernel as one that is simply stepped.

   Between two steps the FMU is in event mode, where inputs of all kinds may be set. A step settles what the inputs
   changed, then goes from event to event: those that the FMU announced, those of its clocks, and those at which it
   returns early. All functions take an Events as first argument and otherwise have the signature of FMI 3. */
#ifndef SSPSIM_EVENTS_H
#define SSPSIM_EVENTS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR };
enum { N_CODES = 14, CODE_BOOLEAN = 10, CODE_STRING = 12, CODE_BINARY = 13 };
enum { MAX_ITERATIONS = 1000, MAX_EVENTS_AT_ONCE = 1000 };
enum { PERIODIC, CHANGING, COUNTDOWN, TRIGGERED, OUTPUT }; /* as in slave.py */
enum { NOT_YET_KNOWN, UNCHANGED, CHANGED };                /* fmi3IntervalQualifier */

static const size_t WIDTHS[N_CODES] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8, 1, 4, 0, 0}; /* of sspsim.fmi.codes.Code */

typedef struct { /* the functions of the FMU, in the order of events.pyx */
    int (*do_step)(void *, double, double, char, char *, char *, char *, double *);
    int (*enter_event)(void *);
    int (*enter_step)(void *);
    int (*update)(void *, char *, char *, char *, char *, char *, double *);
    int (*get_clock)(void *, const uint32_t *, size_t, char *);
    int (*set_clock)(void *, const uint32_t *, size_t, const char *);
    int (*get_interval)(void *, const uint32_t *, size_t, double *, int *);
    int (*get_state)(void *, void **);
    int (*set_state)(void *, void *);
    int (*free_state)(void *, void **);
    void *directional;
} Functions;

typedef struct {
    uint32_t reference;
    int kind;
    double interval; /* negative: only the FMU knows */
    double shift;
    double first, next;
    long long ticks;
    char due;    /* ticks in the next iteration of the event */
    char ticked; /* since the beginning of the step: what other components see */
} Clock;

typedef struct { /* an input that may only be set when one of its clocks ticks */
    uint32_t reference;
    uint64_t clocks; /* one bit per position */
    int code;
    char valid;
    char value[8];
} Held;

typedef struct {
    void *instance;
    Functions f;
    void *get[N_CODES], *set[N_CODES];
    Clock *clocks;
    size_t n_clocks;
    Held *held;
    size_t n_held;
    char started;
    char variable_step;
    char listens; /* has inputs that can cause an event */
    double t, next_event;
    long long events;
    char problem[256];
} Events;

typedef struct { double t, next_event; void *own; Clock clocks[]; } Saved;

static int worse(int a, int b) { return a > b ? a : b; }

static int refuse(Events *e, const char *format, double t, int number) {
    snprintf(e->problem, sizeof e->problem, format, t, number);
    return ERROR;
}

static double close_to(double t) { return 8 * DBL_EPSILON * (fabs(t) > 1e-300 ? fabs(t) : 1e-300); }

/* ---- clocks ---- */

static Clock *find_clock(Events *e, uint32_t reference) {
    size_t i;
    for (i = 0; i < e->n_clocks; i++)
        if (e->clocks[i].reference == reference) return &e->clocks[i];
    return NULL;
}

static Held *find_held(Events *e, uint32_t reference) {
    size_t i;
    for (i = 0; i < e->n_held; i++)
        if (e->held[i].reference == reference) return &e->held[i];
    return NULL;
}

static double next_tick(const Events *e) {
    double next = INFINITY;
    size_t i;
    for (i = 0; i < e->n_clocks; i++)
        if (e->clocks[i].next < next) next = e->clocks[i].next;
    return next;
}

/* Clocks whose time has come; whether there is one. */
static int mark_due(Events *e) {
    int any = 0;
    size_t i;
    for (i = 0; i < e->n_clocks; i++) {
        Clock *c = &e->clocks[i];
        if (c->next > e->t + close_to(e->t)) continue;
        c->due = 1;
        c->next = c->kind == PERIODIC ? c->first + (double)++c->ticks * c->interval : INFINITY;
        any = 1;
    }
    return any;
}

static int set_one(Events *e, int code, uint32_t reference, const void *value) {
    return ((int (*)(void *, const uint32_t *, size_t, const void *, size_t))e->set[code])(e->instance, &reference, 1,
                                                                                        value, 1);
}

/* Lets the due clocks tick, and hands over the inputs that wait for them. */
static int tick(Events *e) {
    const char active = 1;
    uint64_t ticking = 0;
    int status = OK;
    size_t i;
    for (i = 0; i < e->n_clocks && status <= WARNING; i++) {
        Clock *c = &e->clocks[i];
        if (!c->due) continue;
        status = worse(status, e->f.set_clock(e->instance, &c->reference, 1, &active));
        c->due = 0;
        c->ticked = 1;
        ticking |= (uint64_t)1 << i;
    }
    for (i = 0; i < e->n_held && status <= WARNING; i++)
        if (e->held[i].valid && (e->held[i].clocks & ticking))
            status = worse(status, set_one(e, e->held[i].code, e->held[i].reference, e->held[i].value));
    return status;
}

static int watch_outputs(Events *e) {
    int status = OK;
    size_t i;
    for (i = 0; i < e->n_clocks && status <= WARNING; i++) {
        char active = 0;
        if (e->clocks[i].kind != OUTPUT) continue;
        status = worse(status, e->f.get_clock(e->instance, &e->clocks[i].reference, 1, &active));
        e->clocks[i].ticked |= active;
    }
    return status;
}

static int ask_interval(Events *e, Clock *c, int *qualifier) {
    double interval = c->interval;
    int status = e->f.get_interval(e->instance, &c->reference, 1, &interval, qualifier);
    if (status <= WARNING && *qualifier != NOT_YET_KNOWN) c->interval = interval;
    return status;
}

/* What the FMU says about the next ticks of clocks that have no fixed interval. */
static int ask_intervals(Events *e) {
    int status = OK, qualifier;
    size_t i;
    for (i = 0; i < e->n_clocks && status <= WARNING; i++) {
        Clock *c = &e->clocks[i];
        int waits = c->next == INFINITY;
        if (c->kind != CHANGING && c->kind != COUNTDOWN) continue;
        qualifier = NOT_YET_KNOWN;
        status = worse(status, ask_interval(e, c, &qualifier));
        if (qualifier == CHANGED || (qualifier == UNCHANGED && c->kind == CHANGING && waits))
            c->next = e->t + c->interval;
    }
    return status;
}

/* ---- events ---- */

/* Iterates until nothing changes any more; the FMU stays in event mode. */
static int settle(Events *e) {
    int iterations = 0, status;
    char again, terminate, nominals, values, defined;
    double next;
    do {
        again = terminate = nominals = values = defined = 0;
        next = INFINITY;
        if ((status = tick(e)) > WARNING || (status = watch_outputs(e)) > WARNING) return status;
        status = e->f.update(e->instance, &again, &terminate, &nominals, &values, &defined, &next);
        if (status > WARNING) return status;
        if (terminate) return refuse(e, "the FMU asks to end the simulation at t=%.17g", e->t, 0);
        if (++iterations > MAX_ITERATIONS)
            return refuse(e, "the event at t=%.17g does not settle within %d iterations", e->t, MAX_ITERATIONS);
        if (!again) {
            if ((status = ask_intervals(e)) > WARNING) return status;
            again = (char)mark_due(e);
        }
    } while (again);
    e->next_event = defined ? next : INFINITY;
    e->events++;
    return OK;
}

static int events_start(Events *e, double t) {
    size_t i;
    e->t = t;
    e->started = 1;
    for (i = 0; i < e->n_clocks; i++) {
        Clock *c = &e->clocks[i];
        int qualifier = NOT_YET_KNOWN;
        if (c->kind == PERIODIC && c->interval < 0) {
            int status = ask_interval(e, c, &qualifier);
            if (status > WARNING) return status;
        }
        if (c->kind == PERIODIC && !(c->interval > 0))
            return refuse(e, "at t=%.17g the interval of the clock with value reference %d is not known", t,
                          (int)c->reference);
        c->first = t + c->shift;
        c->next = c->kind <= CHANGING ? c->first : INFINITY;
    }
    mark_due(e);
    return settle(e);
}

/* ---- stepping ---- */

/* From here to `stop`, or to where the FMU returns early; `h` is the exact length. */
static int advance(Events *e, double stop, double h, int *event) {
    char needed = 0, terminate = 0, early = 0;
    double reached = stop, before = e->t;
    int status = e->f.enter_step(e->instance);
    if (status > WARNING) return status;
    status = e->f.do_step(e->instance, e->t, h, 0, &needed, &terminate, &early, &reached);
    if (status > WARNING) return status;
    e->t = early ? reached : stop;
    if (terminate) return refuse(e, "the FMU asks to end the simulation at t=%.17g", e->t, 0);
    if (!(e->t >= before && e->t <= stop + close_to(stop)))
        return refuse(e, "doStep says that it reached t=%.17g, which is outside of the step", e->t, 0);
    *event = needed;
    return e->f.enter_event(e->instance);
}

static int step(Events *e, double t, double h) {
    double end = t + h, tiny = close_to(end), last_event = -INFINITY;
    int status = OK, at_once = 0;
    size_t i;
    for (i = 0; i < e->n_clocks; i++) e->clocks[i].ticked = 0;
    if (e->listens) status = settle(e);
    e->t = t; /* but for rounding it was there */
    while (status <= WARNING && e->t < end - tiny) {
        double next = fmin(e->next_event, next_tick(e));
        double stop = e->variable_step && next < end - tiny ? fmax(next, e->t) : end;
        int event = 0;
        if (stop > e->t + tiny)
            status = advance(e, stop, stop == end && e->t == t ? h : stop - e->t, &event);
        else
            e->t = stop;
        if (status > WARNING) break;
        at_once = e->t > last_event ? 0 : at_once + 1;
        last_event = e->t;
        if (at_once > MAX_EVENTS_AT_ONCE)
            return refuse(e, "time stands still at t=%.17g: more than %d events", e->t, MAX_EVENTS_AT_ONCE);
        if (mark_due(e) || event || e->next_event <= e->t + tiny) status = settle(e);
    }
    e->t = end;
    return status;
}

static int step3(Events *e, double t, double h, unsigned char no_rollback, unsigned char *event,
                 unsigned char *terminate, unsigned char *early, double *reached) {
    int status;
    (void)no_rollback;
    *event = *terminate = *early = 0;
    status = step(e, t, h);
    *reached = e->t;
    return status;
}

/* ---- states ---- */

static int save(Events *e, void **place) {
    Saved *s = (Saved *)*place;
    if (!s) {
        s = (Saved *)calloc(1, sizeof(Saved) + e->n_clocks * sizeof(Clock));
        if (!s) return ERROR;
        *place = s;
    }
    s->t = e->t;
    s->next_event = e->next_event;
    memcpy(s->clocks, e->clocks, e->n_clocks * sizeof(Clock));
    return e->f.get_state(e->instance, &s->own);
}

static int restore(Events *e, void *place) {
    const Saved *s = (const Saved *)place;
    e->t = s->t;
    e->next_event = s->next_event;
    memcpy(e->clocks, s->clocks, e->n_clocks * sizeof(Clock));
    return e->f.set_state(e->instance, s->own);
}

static int free_saved(Events *e, void **place) {
    Saved *s = (Saved *)*place;
    int status = s && s->own && e->f.free_state ? e->f.free_state(e->instance, &s->own) : OK;
    free(s);
    *place = NULL;
    return status;
}

/* ---- values ---- */

typedef int (*Transfer)(void *, const uint32_t *, size_t, void *, size_t);
typedef int (*BinaryTransfer)(void *, const uint32_t *, size_t, size_t *, void *, size_t);

/* Whether a call contains clocks or clocked inputs, so that it must be taken apart. */
static int is_mixed(Events *e, int code, const uint32_t *r, size_t n, int setting) {
    size_t i;
    for (i = 0; i < n; i++)
        if ((code == CODE_BOOLEAN && find_clock(e, r[i])) || (setting && find_held(e, r[i]))) return 1;
    return 0;
}

static int no_arrays(Events *e) {
    return refuse(e, "at t=%.17g: arrays beside clocks or clocked inputs of the same type are not supported", e->t, 0);
}

static int get_values(Events *e, int code, const uint32_t *r, size_t n, void *v, size_t k) {
    size_t i;
    int status = OK;
    if (!is_mixed(e, code, r, n, 0)) return ((Transfer)e->get[code])(e->instance, r, n, v, k);
    if (n != k) return no_arrays(e);
    for (i = 0; i < n && status <= WARNING; i++) {
        const Clock *c = find_clock(e, r[i]);
        if (c)
            ((char *)v)[i] = c->ticked;
        else
            status = worse(status, ((Transfer)e->get[code])(e->instance, r + i, 1, (char *)v + i, 1));
    }
    return status;
}

static int set_values(Events *e, int code, const uint32_t *r, size_t n, void *v, size_t k) {
    size_t i, width = WIDTHS[code];
    int status = OK;
    if (!is_mixed(e, code, r, n, 1)) return ((Transfer)e->set[code])(e->instance, r, n, v, k);
    if (n != k || !width) return no_arrays(e);
    for (i = 0; i < n && status <= WARNING; i++) {
        const char *value = (const char *)v + i * width;
        Clock *c = code == CODE_BOOLEAN ? find_clock(e, r[i]) : NULL;
        Held *held = find_held(e, r[i]);
        if (c) {
            c->due = *value; /* at the beginning of the next step */
        } else if (held) {
            held->code = code;
            held->valid = 1;
            memcpy(held->value, value, width);
        } else {
            status = worse(status, set_one(e, code, r[i], value));
        }
    }
    return status;
}

#define ACCESS(K)                                                                           \
    static int get_##K(Events *e, const uint32_t *r, size_t n, void *v, size_t k) {         \
        return get_values(e, K, r, n, v, k);                                                \
    }                                                                                       \
    static int set_##K(Events *e, const uint32_t *r, size_t n, void *v, size_t k) {         \
        return set_values(e, K, r, n, v, k);                                                \
    }
ACCESS(0) ACCESS(1) ACCESS(2) ACCESS(3) ACCESS(4) ACCESS(5) ACCESS(6)
ACCESS(7) ACCESS(8) ACCESS(9) ACCESS(10) ACCESS(11) ACCESS(12)

static int get_13(Events *e, const uint32_t *r, size_t n, size_t *sizes, void *v, size_t k) {
    return ((BinaryTransfer)e->get[CODE_BINARY])(e->instance, r, n, sizes, v, k);
}

static int set_13(Events *e, const uint32_t *r, size_t n, size_t *sizes, void *v, size_t k) {
    if (is_mixed(e, CODE_BINARY, r, n, 1)) return no_arrays(e);
    return ((BinaryTransfer)e->set[CODE_BINARY])(e->instance, r, n, sizes, v, k);
}

#define ALL(NAME)                                                                                                      \
    {(void *)NAME##0, (void *)NAME##1, (void *)NAME##2, (void *)NAME##3, (void *)NAME##4, (void *)NAME##5,             \
     (void *)NAME##6, (void *)NAME##7, (void *)NAME##8, (void *)NAME##9, (void *)NAME##10, (void *)NAME##11,           \
     (void *)NAME##12, (void *)NAME##13}
static void *GETTERS[] = ALL(get_);
static void *SETTERS[] = ALL(set_);

static int directional(Events *e, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k,
                       const double *seed, size_t n_seed, double *sensitivity, size_t n_sensitivity) {
    return ((int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t, double *,
                     size_t))e->f.directional)(e->instance, unknowns, n, knowns, k, seed, n_seed, sensitivity,
                                               n_sensitivity);
}

#endif
