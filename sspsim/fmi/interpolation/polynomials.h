/* Inputs that go on during a step: with derivatives for FMI 1 and 2, with intermediate updates for FMI 3.

   Stands between the kernel and an FMU that can interpolate its inputs: takes note of the values that are set, and
   before each step lays a polynomial through them and the points before. Inputs whose value at the end of the step is
   known already ("ahead") are interpolated, the others extrapolated: with the derivatives of the output that feeds
   them, where its FMU gives them, else from past points.

   FMUs of FMI 3 ask for inputs while they make a step. Only their functions for steps and states lead through here:
   the values of inputs are read back at the beginning of a step, and set when they are asked for. */
#ifndef SSPSIM_POLYNOMIALS_H
#define SSPSIM_POLYNOMIALS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK, WARNING, DISCARD, ERROR };
enum { MAX_ORDER = 2 };

typedef struct { /* the functions of the FMU, in the order of polynomials.pyx */
    void *do_step;
    int (*set_real)(void *, const uint32_t *, size_t, const double *);
    int (*set_derivatives)(void *, const uint32_t *, size_t, const int *, const double *);
    int (*get_real)(void *, const uint32_t *, size_t, double *);
    int (*get_integer)(void *, const uint32_t *, size_t, void *);
    int (*set_integer)(void *, const uint32_t *, size_t, const void *);
    int (*get_boolean)(void *, const uint32_t *, size_t, void *);
    int (*set_boolean)(void *, const uint32_t *, size_t, const void *);
    int (*get_string)(void *, const uint32_t *, size_t, void *);
    int (*set_string)(void *, const uint32_t *, size_t, const void *);
    int (*get_status)(void *, int, int *);
    int (*cancel)(void *);
    int (*get_state)(void *, void **);
    int (*set_state)(void *, void *);
    int (*free_state)(void *, void **);
    int (*directional)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, double *);
} Functions;

typedef struct { /* the output that feeds an input, if its FMU gives derivatives; `get` is NULL else */
    int (*get)(void *, const uint32_t *, size_t, const int *, double *);
    void *instance;
    uint32_t reference;
    int order;
    double factor;
} Source;

typedef struct {
    double time, value;
} Point;

typedef struct { /* what an input has been, newest point first; the first one is not accepted before its step is done */
    double value;         /* as set last */
    double before;        /* as set before that: until the first step this is the initial value */
    Point past[MAX_ORDER];
    int n_past;
    double given[MAX_ORDER]; /* derivatives from its source */
} History;

typedef struct {
    void *instance;
    Functions f;
    int fmi, order;
    size_t n;
    uint32_t *references;
    char *ahead;
    Source *sources;
    History *histories;
    int started;
    uint32_t *set_references; /* room for one call of the FMU */
    int *set_orders;
    double *set_values;
    void *inner; /* for FMI 3: the FMU itself, and how to set its reals inside a step */
    void *set_inside;
    double t, h; /* the present step */
    int status;  /* of what was done inside it */
} Polynomials;

typedef struct { void *own; int started; History histories[]; } Saved;

static size_t find(const Polynomials *p, uint32_t reference) {
    size_t k = 0;
    while (k < p->n && p->references[k] != reference) k++;
    return k;
}

/* ---- values ---- */

static int ask_source(Polynomials *p, size_t k) {
    const Source *s = &p->sources[k];
    int order, status = OK;
    for (order = 1; order <= p->order; order++) {
        double *given = &p->histories[k].given[order - 1];
        *given = 0.0;
        if (order <= s->order && (status = s->get(s->instance, &s->reference, 1, &order, given)) > WARNING) break;
        *given *= s->factor;
    }
    return status;
}

static int set_real(Polynomials *p, const uint32_t *r, size_t n, const double *v) {
    size_t i;
    for (i = 0; i < n; i++) {
        size_t k = find(p, r[i]);
        int status;
        if (k == p->n) continue;
        p->histories[k].before = p->histories[k].value;
        p->histories[k].value = v[i];
        if (p->sources[k].get && (status = ask_source(p, k)) > WARNING) return status;
    }
    return p->f.set_real(p->instance, r, n, v);
}

static int get_real(Polynomials *p, const uint32_t *r, size_t n, double *v) { return p->f.get_real(p->instance, r, n, v); }

#define PASS_ON(NAME)                                                                 \
    static int NAME(Polynomials *p, const uint32_t *r, size_t n, void *v) {           \
        return p->f.NAME(p->instance, r, n, v);                                       \
    }
PASS_ON(get_integer) PASS_ON(set_integer) PASS_ON(get_boolean) PASS_ON(set_boolean) PASS_ON(get_string)
PASS_ON(set_string)

static int get_status(Polynomials *p, int kind, int *value) { return p->f.get_status(p->instance, kind, value); }

static int cancel(Polynomials *p) { return p->f.cancel(p->instance); }

static int directional(Polynomials *p, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k,
                       const double *seed, double *sensitivity) {
    return p->f.directional(p->instance, unknowns, n, knowns, k, seed, sensitivity);
}

/* ---- polynomials ---- */

/* Value and derivatives at t of the polynomial through the newest point and as many past ones as its order needs. */
static void evaluate(const History *h, Point newest, int order, double t, double result[1 + MAX_ORDER]) {
    int n = h->n_past < order ? h->n_past : order;
    double slope, bend, here = t - newest.time;
    result[0] = newest.value;
    result[1] = result[2] = 0.0;
    if (n < 1) return;
    slope = (newest.value - h->past[0].value) / (newest.time - h->past[0].time);
    result[0] += slope * here;
    result[1] = slope;
    if (n < 2) return;
    bend = (slope - (h->past[0].value - h->past[1].value) / (h->past[0].time - h->past[1].time)) /
           (newest.time - h->past[1].time);
    result[0] += bend * here * (t - h->past[0].time);
    result[1] += bend * (here + (t - h->past[0].time));
    result[2] = 2 * bend;
}

static Point newest(const Polynomials *p, size_t k, double t, double h) {
    Point point = {p->ahead[k] ? t + h : t, p->histories[k].value};
    return point;
}

/* The value at the beginning of the step and the derivatives of all inputs. */
static int hand_over(Polynomials *p, double t, double h) {
    int order, status;
    size_t k, n = p->n;
    for (k = 0; k < n; k++) {
        double found[1 + MAX_ORDER];
        if (p->sources[k].get) {
            found[0] = p->histories[k].value;
            memcpy(found + 1, p->histories[k].given, sizeof p->histories[k].given);
        } else {
            evaluate(&p->histories[k], newest(p, k, t, h), p->order, t, found);
        }
        for (order = 0; order <= p->order; order++) {
            p->set_references[order * n + k] = p->references[k];
            p->set_orders[order * n + k] = order;
            p->set_values[order * n + k] = found[order];
        }
    }
    status = p->f.set_real(p->instance, p->set_references, n, p->set_values);
    if (status > WARNING) return status;
    return p->f.set_derivatives(p->instance, p->set_references + n, n * (size_t)p->order, p->set_orders + n,
                                p->set_values + n);
}

/* The first step: what was set before its own inputs are the initial values. */
static void begin(Polynomials *p, double t) {
    size_t k;
    p->started = 1;
    for (k = 0; k < p->n; k++) {
        Point first = {t, p->histories[k].before};
        p->histories[k].past[0] = first;
        p->histories[k].n_past = p->ahead[k] ? 1 : 0;
    }
}

static void accept(Polynomials *p, double t, double h) {
    size_t k;
    for (k = 0; k < p->n; k++) {
        History *history = &p->histories[k];
        history->past[1] = history->past[0];
        history->past[0] = newest(p, k, t, h);
        if (history->n_past < MAX_ORDER) history->n_past++;
    }
}

static int prepare(Polynomials *p, double t, double h) {
    if (!p->started) begin(p, t);
    return hand_over(p, t, h);
}

static int step1(Polynomials *p, double t, double h, char new_step) {
    int status = prepare(p, t, h);
    if (status > WARNING) return status;
    status = ((int (*)(void *, double, double, char))p->f.do_step)(p->instance, t, h, new_step);
    accept(p, t, h);
    return status;
}

static int step2(Polynomials *p, double t, double h, int no_rollback) {
    int status = prepare(p, t, h);
    if (status > WARNING) return status;
    status = ((int (*)(void *, double, double, int))p->f.do_step)(p->instance, t, h, no_rollback);
    accept(p, t, h);
    return status;
}

/* ---- FMI 3 ---- */

typedef int (*Transfer3)(void *, const uint32_t *, size_t, double *, size_t);

static void lay_out(Polynomials *p, double t) {
    size_t k;
    for (k = 0; k < p->n; k++) {
        double found[1 + MAX_ORDER];
        evaluate(&p->histories[k], newest(p, k, p->t, p->h), p->order, t, found);
        p->set_values[k] = found[0];
    }
}

static void follow(Polynomials *p, double t) {
    int status;
    lay_out(p, t);
    status = ((Transfer3)p->set_inside)(p->inner, p->references, p->n, p->set_values, p->n);
    if (status > p->status) p->status = status;
}

static int hand_over3(Polynomials *p, double t) {
    lay_out(p, t);
    return ((Transfer3)p->f.set_real)(p->instance, p->references, p->n, p->set_values, p->n);
}

/* There is no point before the first step: it holds its inputs. */
static int step3(Polynomials *p, double t, double h, unsigned char no_rollback, unsigned char *event,
                 unsigned char *terminate, unsigned char *early, double *reached) {
    size_t k;
    int status = ((Transfer3)p->f.get_real)(p->instance, p->references, p->n, p->set_values, p->n);
    if (status > WARNING) return status;
    for (k = 0; k < p->n; k++) p->histories[k].value = p->set_values[k];
    p->t = t;
    p->h = h;
    p->status = OK;
    status = hand_over3(p, t);
    if (status > WARNING) return status;
    status = ((int (*)(void *, double, double, unsigned char, unsigned char *, unsigned char *, unsigned char *,
                       double *))p->f.do_step)(p->instance, t, h, no_rollback, event, terminate, early, reached);
    if (p->status > status) status = p->status;
    if (status <= WARNING) status = hand_over3(p, t + h);
    accept(p, t, h);
    return status;
}

/* ---- states ---- */

static int save(Polynomials *p, void **place) {
    Saved *s = (Saved *)*place;
    if (!s) {
        s = (Saved *)calloc(1, sizeof(Saved) + p->n * sizeof(History));
        if (!s) return ERROR;
        *place = s;
    }
    s->started = p->started;
    memcpy(s->histories, p->histories, p->n * sizeof(History));
    return p->f.get_state(p->instance, &s->own);
}

static int restore(Polynomials *p, void *place) {
    const Saved *s = (const Saved *)place;
    p->started = s->started;
    memcpy(p->histories, s->histories, p->n * sizeof(History));
    return p->f.set_state(p->instance, s->own);
}

static int free_saved(Polynomials *p, void **place) {
    Saved *s = (Saved *)*place;
    int status = s && s->own && p->f.free_state ? p->f.free_state(p->instance, &s->own) : OK;
    free(s);
    *place = NULL;
    return status;
}

#endif
