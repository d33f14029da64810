/* A component in another process, reached through shared memory.

   The kernel calls proxies that have the signatures of FMI. They collect what needs no answer (set, save, restore) in a
   batch; a step takes the batch along and brings back the values that were read after the step before, so that one
   step of a component costs one exchange. The other process works the batch off with the FMU's own functions. Both
   sides spin for a moment before they sleep: a light step is over before a sleeper would have woken up. */
#ifndef SSPSIM_CHANNEL_H
#define SSPSIM_CHANNEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "pending.h"
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { N_CODES = 14, CODE_STRING = 12, CODE_BINARY = 13 };
enum { OP_SET, OP_GET, OP_STEP, OP_SAVE, OP_RESTORE, OP_FORGET, OP_DERIVE, OP_CONTROL };
enum { SPIN_NS = 50000, NAP_NS = 50000000, MAX_STATES = 256 };

static const size_t WIDTHS[N_CODES] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8, 1, 4, 0, 0}; /* of sspsim.fmi.codes.Code */
static const char *const OP_WORDS[] = {"set", "get", "doStep", "getState", "setState", "freeState",
                                       "getDirectionalDerivative", "control"};

typedef struct { /* what both processes see; `data` holds the operations of a batch one after the other */
    uint32_t request, reply;             /* numbers of batches sent and worked off */
    uint32_t worker_sleeps, owner_sleeps;
    uint32_t n_operations;
    int32_t status;                      /* of the operation that ended the batch */
    uint32_t failed;                     /* which one that was */
    uint32_t size;                       /* of data, in use */
    char data[];
} Channel;

typedef struct {
    uint32_t kind, code, n_references, n_values;
    uint32_t size;                       /* with references and values: the distance to the next operation */
    uint32_t optional;                   /* a failure does not end the batch */
    int32_t status;
    uint32_t flags;                      /* of a step in FMI 3: event, terminate, early */
    uint64_t texts;                      /* where the answer's texts are */
    double a, b;
} Operation;

static size_t aligned(size_t n) { return (n + 7) & ~(size_t)7; }
static uint32_t *references_of(Operation *o) { return (uint32_t *)(o + 1); }
static char *values_of(Operation *o) { return (char *)(o + 1) + aligned(4 * (size_t)o->n_references); }
static int is_text(uint32_t code) { return code >= CODE_STRING; }

static long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint32_t load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
static void store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }

static void nap(uint32_t *word, uint32_t seen) {
    struct timespec limit = {0, NAP_NS};
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAIT, seen, &limit, NULL, 0);
#else
    (void)word, (void)seen;
    limit.tv_nsec = 20000;
    nanosleep(&limit, NULL);
#endif
}

static void wake(uint32_t *word) {
#ifdef __linux__
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
#else
    (void)word;
#endif
}

/* Spins until the word has changed from what was seen; 1 if it has. Gives way to others that could run here. */
static int spin(uint32_t *word, uint32_t seen) {
    long long until = 0;
    int k;
    for (;;) {
        for (k = 0; k < 64; k++) {
            if (load(word) != seen) return 1;
#if defined __x86_64__ || defined __i386__
            __builtin_ia32_pause();
#endif
        }
        if (!until) until = now_ns() + SPIN_NS;
        else if (now_ns() > until) return 0;
        sched_yield();
    }
}

/* ---- the side of the kernel ---- */

typedef struct { /* values that were read with one list of references; brought along by the next step */
    uint32_t *references;                /* a copy: the caller's list may go and another take its place */
    uint32_t n_references, n_values, code;
    char used;                           /* since the last step */
    char fresh;                          /* the values belong to the present moment */
    int status;
    uint64_t offset;                     /* of its operation in the batch that is under way */
    void *values;                        /* of the FMU's type; pointers for texts */
    size_t *sizes;
    char *texts;
} Reading;

typedef struct {
    Channel *c;
    size_t capacity;
    int fmi;
    pid_t pid;
    long long timeout_ns;                /* 0: none */
    int dead;
    uint32_t taken[MAX_STATES];          /* handles of saved states in use */
    Reading *readings;
    size_t n_readings;
    char problem[256];
    long long exchanges;
} Proxy;

static Proxy *proxy_new(void *memory, size_t size, int fmi, int pid, double timeout) {
    Proxy *p = (Proxy *)calloc(1, sizeof(Proxy));
    p->c = (Channel *)memory;
    p->capacity = size - sizeof(Channel);
    p->fmi = fmi;
    p->pid = pid;
    p->timeout_ns = (long long)(timeout * 1e9);
    return p;
}

static void proxy_free(Proxy *p) {
    size_t i;
    for (i = 0; i < p->n_readings; i++) {
        free(p->readings[i].references);
        free(p->readings[i].values);
        free(p->readings[i].sizes);
        free(p->readings[i].texts);
    }
    free(p->readings);
    free(p);
}

static int give_up(Proxy *p, const char *why) {
    if (!p->dead) snprintf(p->problem, sizeof p->problem, "%s", why);
    p->dead = 1;
    return FATAL;
}

/* Whether the process has ended; its status is left for whoever waits for it. */
static int has_ended(Proxy *p) {
    siginfo_t info;
    info.si_pid = 0;
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT)) return errno == ECHILD;
    return info.si_pid != 0;
}

static int describe_end(Proxy *p) {
    siginfo_t info;
    char text[128];
    info.si_pid = 0;
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
        return give_up(p, "its process has ended");
    if (info.si_code == CLD_EXITED)
        snprintf(text, sizeof text, "its process left with exit code %d", info.si_status);
    else
        snprintf(text, sizeof text, "its process was ended by signal %d (%s)", info.si_status, strsignal(info.si_status));
    return give_up(p, text);
}

static Operation *append(Proxy *p, uint32_t kind, uint32_t code, const uint32_t *references, size_t n, size_t n_values,
                         size_t value_bytes) {
    size_t size = aligned(sizeof(Operation) + aligned(4 * n) + value_bytes);
    Operation *o;
    if (p->c->size + size > p->capacity) return NULL;
    o = (Operation *)(p->c->data + p->c->size);
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->code = code;
    o->n_references = (uint32_t)n;
    o->n_values = (uint32_t)n_values;
    o->size = (uint32_t)size;
    if (n) memcpy(references_of(o), references, 4 * n);
    p->c->size += (uint32_t)size;
    p->c->n_operations++;
    return o;
}

static int too_large(Proxy *p) {
    snprintf(p->problem, sizeof p->problem, "its values do not fit into the %zu bytes of shared memory", p->capacity);
    return ERROR;
}

/* Sends the batch and waits until it is worked off. The status is that of the operation that ended it. */
static int exchange(Proxy *p) {
    Channel *c = p->c;
    uint32_t number = c->request + 1;
    long long until = 0;
    int status;
    if (p->dead) return FATAL;
    p->exchanges++;
    p->problem[0] = 0;
    c->status = OK;
    c->failed = UINT32_MAX;
    store(&c->request, number);
    if (load(&c->worker_sleeps)) wake(&c->request);
    while (load(&c->reply) != number) {
        if (spin(&c->reply, number - 1)) continue;
        if (p->timeout_ns && !until) until = now_ns() + p->timeout_ns;
        store(&c->owner_sleeps, 1);
        nap(&c->reply, number - 1);
        store(&c->owner_sleeps, 0);
        if (load(&c->reply) == number) break;
        if (has_ended(p)) return describe_end(p);
        if (interrupted()) {
            kill(p->pid, SIGKILL);
            return give_up(p, "the run was interrupted");
        }
        if (until && now_ns() > until) {
            kill(p->pid, SIGKILL);
            return give_up(p, "it did not answer within the step timeout, so its process was ended");
        }
    }
    status = c->status;
    if (status > WARNING && c->failed + 1 < c->n_operations) {
        Operation *o = (Operation *)c->data;
        uint32_t k;
        for (k = 0; k < c->failed; k++) o = (Operation *)((char *)o + o->size);
        if (o->kind != OP_STEP) snprintf(p->problem, sizeof p->problem, "%s failed before", OP_WORDS[o->kind]);
    }
    return status;
}

static void begin_batch(Proxy *p) { p->c->size = p->c->n_operations = 0; }

static void stale(Proxy *p) {
    size_t i;
    for (i = 0; i < p->n_readings; i++) p->readings[i].fresh = 0;
}

/* Sends what has been collected. */
static int flush(Proxy *p) {
    int status = p->c->n_operations ? exchange(p) : p->dead ? FATAL : OK;
    begin_batch(p);
    return status;
}

/* ---- reading ---- */

static Reading *reading_for(Proxy *p, uint32_t code, const uint32_t *references, size_t n, size_t n_values) {
    Reading *r;
    size_t i;
    for (i = 0; i < p->n_readings; i++) {
        r = &p->readings[i];
        if (r->code == code && r->n_references == n && r->n_values == n_values && !memcmp(r->references, references, 4 * n))
            return r;
    }
    r = (Reading *)realloc(p->readings, (p->n_readings + 1) * sizeof(Reading));
    if (!r) return NULL;
    p->readings = r;
    r = &p->readings[p->n_readings++];
    memset(r, 0, sizeof *r);
    r->references = (uint32_t *)malloc(4 * n + 4);
    memcpy(r->references, references, 4 * n);
    r->n_references = (uint32_t)n;
    r->n_values = (uint32_t)n_values;
    r->code = code;
    r->values = calloc(n_values ? n_values : 1, is_text(code) ? sizeof(char *) : WIDTHS[code]);
    if (is_text(code)) r->sizes = (size_t *)calloc(n_values ? n_values : 1, sizeof(size_t));
    return r;
}

static Operation *ask(Proxy *p, Reading *r, uint32_t optional) {
    size_t bytes = r->n_values * (is_text(r->code) ? 8 : WIDTHS[r->code]);
    Operation *o = append(p, OP_GET, r->code, r->references, r->n_references, r->n_values, bytes);
    if (!o) return NULL;
    o->optional = optional;
    r->offset = (uint64_t)((char *)o - p->c->data);
    return o;
}

/* Takes the answer out of the batch. */
static void take(Proxy *p, Reading *r) {
    Operation *o = (Operation *)(p->c->data + r->offset);
    size_t i, total = 0;
    r->status = o->status;
    r->fresh = 1;
    if (r->status > WARNING) return;
    if (!is_text(r->code)) {
        memcpy(r->values, values_of(o), r->n_values * WIDTHS[r->code]);
        return;
    }
    for (i = 0; i < r->n_values; i++) {
        r->sizes[i] = ((uint64_t *)values_of(o))[i];
        if (r->sizes[i] > p->capacity) r->sizes[i] = 0; /* never trust the other side */
        total += r->sizes[i] + 1;
    }
    if (o->texts > p->capacity || total > p->capacity - o->texts) {
        r->status = ERROR;
        return;
    }
    r->texts = (char *)realloc(r->texts, total ? total : 1);
    memcpy(r->texts, p->c->data + o->texts, total);
    for (i = 0, total = 0; i < r->n_values; i++) {
        ((char **)r->values)[i] = r->texts + total;
        total += r->sizes[i] + 1;
        r->texts[total - 1] = 0;
    }
}

static int read_values(Proxy *p, uint32_t code, const uint32_t *references, size_t n, size_t n_values, size_t *sizes,
                       void *values) {
    Reading *r = reading_for(p, code, references, n, n_values);
    if (!r) return ERROR;
    r->used = 1;
    if (!r->fresh) {
        int status;
        if (!ask(p, r, 0)) {
            status = flush(p);
            if (status > WARNING) return status;
            if (!ask(p, r, 0)) return too_large(p);
        }
        status = exchange(p);
        if (status <= WARNING) take(p, r);
        begin_batch(p);
        if (status > WARNING) return status;
    }
    if (r->status > WARNING) return r->status;
    memcpy(values, r->values, n_values * (is_text(code) ? sizeof(char *) : WIDTHS[code]));
    if (sizes) memcpy(sizes, r->sizes, n_values * sizeof(size_t));
    return r->status;
}

/* ---- writing ---- */

static int write_values(Proxy *p, uint32_t code, const uint32_t *references, size_t n, size_t n_values,
                        const size_t *sizes, const void *values) {
    size_t i, bytes = n_values * WIDTHS[code];
    int attempt;
    if (p->dead) return FATAL;
    if (is_text(code))
        for (i = 0; i < n_values; i++)
            bytes += 8 + 1 + (sizes ? sizes[i] : strlen(((const char *const *)values)[i]));
    for (attempt = 0; attempt < 2; attempt++) {
        Operation *o = append(p, OP_SET, code, references, n, n_values, bytes);
        if (o) {
            char *target = values_of(o);
            if (!is_text(code)) {
                memcpy(target, values, bytes);
            } else {
                char *text = target + 8 * n_values;
                for (i = 0; i < n_values; i++) {
                    const char *from = ((const char *const *)values)[i];
                    size_t size = sizes ? sizes[i] : strlen(from);
                    ((uint64_t *)target)[i] = size;
                    memcpy(text, from, size);
                    text[size] = 0;
                    text += size + 1;
                }
            }
            stale(p);
            return OK;
        }
        {
            int status = flush(p);
            if (status > WARNING) return status;
        }
    }
    return too_large(p);
}

/* ---- stepping ---- */

static int advance(Proxy *p, double t, double h, Operation *answer) {
    Operation *o = append(p, OP_STEP, 0, NULL, 0, 0, 0);
    size_t i, offset;
    int status;
    if (!o) {
        status = flush(p);
        if (status > WARNING) return status;
        o = append(p, OP_STEP, 0, NULL, 0, 0, 0);
    }
    o->a = t;
    o->b = h;
    offset = (size_t)((char *)o - p->c->data);
    for (i = 0; i < p->n_readings; i++) {
        Reading *r = &p->readings[i];
        r->fresh = 0;
        r->used = (char)(r->used && ask(p, r, 1)); /* what was not read after this step, the next one leaves out */
    }
    status = exchange(p);
    if (!p->dead) *answer = *(Operation *)(p->c->data + offset);
    if (status <= WARNING) {
        for (i = 0; i < p->n_readings; i++) {
            if (p->readings[i].used) take(p, &p->readings[i]);
            p->readings[i].used = 0;
        }
        status = answer->status;
    }
    begin_batch(p);
    return status;
}

static int proxy_step1(Proxy *p, double t, double h, char new_step) {
    Operation answer = {0};
    (void)new_step;
    return advance(p, t, h, &answer);
}
static int proxy_step2(Proxy *p, double t, double h, int no_rollback) {
    Operation answer = {0};
    (void)no_rollback;
    return advance(p, t, h, &answer);
}
static int proxy_step3(Proxy *p, double t, double h, unsigned char no_rollback, unsigned char *event,
                       unsigned char *terminate, unsigned char *early, double *reached) {
    Operation answer = {0};
    int status = advance(p, t, h, &answer);
    (void)no_rollback;
    *event = answer.flags & 1;
    *terminate = answer.flags >> 1 & 1;
    *early = answer.flags >> 2 & 1;
    *reached = answer.a;
    return status;
}

/* ---- states: the handle is the number of a place in the other process, counted from 1 ---- */

static int with_state(Proxy *p, uint32_t kind, uintptr_t handle) {
    Operation *o = append(p, kind, (uint32_t)handle, NULL, 0, 0, 0);
    if (!o) {
        int status = flush(p);
        if (status > WARNING) return status;
        append(p, kind, (uint32_t)handle, NULL, 0, 0, 0);
    }
    return p->dead ? FATAL : OK;
}

static int proxy_save(Proxy *p, void **place) {
    uintptr_t handle = (uintptr_t)*place;
    if (!handle) {
        for (handle = 1; handle < MAX_STATES && p->taken[handle]; handle++) {}
        if (handle == MAX_STATES) return ERROR;
        p->taken[handle] = 1;
        *place = (void *)handle;
    }
    return with_state(p, OP_SAVE, handle);
}

static int proxy_restore(Proxy *p, void *place) {
    stale(p);
    return with_state(p, OP_RESTORE, (uintptr_t)place);
}

static int proxy_forget(Proxy *p, void **place) {
    uintptr_t handle = (uintptr_t)*place;
    *place = NULL;
    if (!handle || p->dead) return OK;
    p->taken[handle] = 0;
    return with_state(p, OP_FORGET, handle);
}

/* ---- directional derivatives ---- */

static int derive(Proxy *p, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k, const double *seed,
                  size_t n_seed, double *sensitivity, size_t n_sensitivity) {
    Operation *o;
    double *data;
    size_t offset;
    int status = flush(p);
    if (status > WARNING) return status;
    o = append(p, OP_DERIVE, (uint32_t)n_seed, unknowns, n, k, aligned(4 * k) + 8 * (n_seed + n_sensitivity));
    if (!o) return too_large(p);
    o->flags = (uint32_t)n_sensitivity;
    memcpy(values_of(o), knowns, 4 * k);
    data = (double *)(values_of(o) + aligned(4 * k));
    memcpy(data, seed, 8 * n_seed);
    offset = (size_t)((char *)(data + n_seed) - p->c->data);
    status = exchange(p);
    if (status <= WARNING) memcpy(sensitivity, p->c->data + offset, 8 * n_sensitivity);
    begin_batch(p);
    return status;
}

static int proxy_derive2(Proxy *p, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k,
                         const double *seed, double *sensitivity) {
    return derive(p, unknowns, n, knowns, k, seed, k, sensitivity, n);
}
static int proxy_derive3(Proxy *p, const uint32_t *unknowns, size_t n, const uint32_t *knowns, size_t k,
                         const double *seed, size_t n_seed, double *sensitivity, size_t n_sensitivity) {
    return derive(p, unknowns, n, knowns, k, seed, n_seed, sensitivity, n_sensitivity);
}

/* ---- control: the other process leaves the batch and listens to its socket ---- */

static int call_attention(Proxy *p) {
    int status = flush(p);
    if (p->dead) return FATAL;
    stale(p);
    append(p, OP_CONTROL, 0, NULL, 0, 0, 0);
    store(&p->c->request, p->c->request + 1);
    if (load(&p->c->worker_sleeps)) wake(&p->c->request);
    begin_batch(p);
    return status;
}

#define ACCESS(K)                                                                                                      \
    static int proxy_get2_##K(Proxy *p, const uint32_t *r, size_t n, void *v) {                                        \
        return read_values(p, K, r, n, n, NULL, v);                                                                    \
    }                                                                                                                  \
    static int proxy_set2_##K(Proxy *p, const uint32_t *r, size_t n, void *v) {                                        \
        return write_values(p, K, r, n, n, NULL, v);                                                                   \
    }                                                                                                                  \
    static int proxy_get3_##K(Proxy *p, const uint32_t *r, size_t n, void *v, size_t k) {                              \
        return read_values(p, K, r, n, k, NULL, v);                                                                    \
    }                                                                                                                  \
    static int proxy_set3_##K(Proxy *p, const uint32_t *r, size_t n, void *v, size_t k) {                              \
        return write_values(p, K, r, n, k, NULL, v);                                                                   \
    }
ACCESS(0) ACCESS(1) ACCESS(2) ACCESS(3) ACCESS(4) ACCESS(5) ACCESS(6)
ACCESS(7) ACCESS(8) ACCESS(9) ACCESS(10) ACCESS(11) ACCESS(12)

static int proxy_get_binary(Proxy *p, const uint32_t *r, size_t n, size_t *sizes, void *v, size_t k) {
    return read_values(p, CODE_BINARY, r, n, k, sizes, v);
}
static int proxy_set_binary(Proxy *p, const uint32_t *r, size_t n, size_t *sizes, void *v, size_t k) {
    return write_values(p, CODE_BINARY, r, n, k, sizes, v);
}

#define ALL(NAME)                                                                                                      \
    {(void *)NAME##0, (void *)NAME##1, (void *)NAME##2, (void *)NAME##3, (void *)NAME##4, (void *)NAME##5,             \
     (void *)NAME##6, (void *)NAME##7, (void *)NAME##8, (void *)NAME##9, (void *)NAME##10, (void *)NAME##11,           \
     (void *)NAME##12}
static void *GET2[] = ALL(proxy_get2_);
static void *SET2[] = ALL(proxy_set2_);
static void *GET3[] = ALL(proxy_get3_);
static void *SET3[] = ALL(proxy_set3_);

static void *accessor(int fmi, int code, int setting) {
    if (code == CODE_BINARY) return setting ? (void *)proxy_set_binary : (void *)proxy_get_binary;
    if (fmi == 3) return setting ? SET3[code] : GET3[code];
    return setting ? SET2[code] : GET2[code];
}
static void *stepper(int fmi) {
    return fmi == 1 ? (void *)proxy_step1 : fmi == 2 ? (void *)proxy_step2 : (void *)proxy_step3;
}
static void *deriver(int fmi) { return fmi == 3 ? (void *)proxy_derive3 : (void *)proxy_derive2; }

/* ---- the side of the FMU ---- */

typedef struct { /* the functions of the component, as an Entry has them */
    int fmi;
    void *instance, *stepper, *keeper;
    void *get[N_CODES], *set[N_CODES];
    void *do_step, *get_status, *get_state, *set_state, *free_state, *directional;
    void *states[MAX_STATES];
    char *scratch; /* pointers to texts */
    size_t scratch_size;
} Server;

static void **scratch(Server *s, size_t n) {
    if (s->scratch_size < n * 2 * sizeof(void *)) {
        s->scratch_size = n * 2 * sizeof(void *);
        s->scratch = (char *)realloc(s->scratch, s->scratch_size);
    }
    return (void **)s->scratch;
}

static int call_access(Server *s, void *function, Operation *o, size_t *sizes, void *values) {
    const uint32_t *r = references_of(o);
    if (!function) return ERROR;
    if (s->fmi < 3)
        return ((int (*)(void *, const uint32_t *, size_t, void *))function)(s->instance, r, o->n_references, values);
    if (o->code == CODE_BINARY)
        return ((int (*)(void *, const uint32_t *, size_t, size_t *, void *, size_t))function)(
            s->instance, r, o->n_references, sizes, values, o->n_values);
    return ((int (*)(void *, const uint32_t *, size_t, void *, size_t))function)(s->instance, r, o->n_references, values,
                                                                                 o->n_values);
}

static int serve_set(Server *s, Operation *o) {
    char *values = values_of(o), *text;
    void **pointers;
    uint32_t i;
    if (!is_text(o->code)) return call_access(s, s->set[o->code], o, NULL, values);
    pointers = scratch(s, o->n_values);
    text = values + 8 * (size_t)o->n_values;
    for (i = 0; i < o->n_values; i++) {
        pointers[i] = text;
        text += ((uint64_t *)values)[i] + 1;
    }
    return call_access(s, s->set[o->code], o, (size_t *)values, pointers);
}

/* Texts of an answer go behind the batch. */
static int serve_get(Server *s, Channel *c, size_t capacity, size_t *end, Operation *o) {
    void **pointers;
    size_t *sizes;
    uint32_t i;
    int status;
    if (!is_text(o->code)) return call_access(s, s->get[o->code], o, NULL, values_of(o));
    pointers = scratch(s, o->n_values);
    sizes = (size_t *)(pointers + o->n_values);
    status = call_access(s, s->get[o->code], o, sizes, pointers);
    if (status > WARNING) return status;
    o->texts = *end;
    for (i = 0; i < o->n_values; i++) {
        const char *text = pointers[i] ? (const char *)pointers[i] : "";
        size_t size = !pointers[i] ? 0 : o->code == CODE_BINARY ? sizes[i] : strlen(text);
        if (*end + size + 1 > capacity) return ERROR;
        ((uint64_t *)values_of(o))[i] = size;
        memcpy(c->data + *end, text, size);
        c->data[*end + size] = 0;
        *end += size + 1;
    }
    return status;
}

static int serve_step(Server *s, Operation *o) {
    double t = o->a, h = o->b;
    if (s->fmi == 1)
        return settled(((int (*)(void *, double, double, char))s->do_step)(s->stepper, t, h, 1), s->get_status, NULL, s->stepper);
    if (s->fmi == 2)
        return settled(((int (*)(void *, double, double, int))s->do_step)(s->stepper, t, h, 0), s->get_status, NULL, s->stepper);
    {
        unsigned char event = 0, terminate = 0, early = 0;
        double reached = t + h;
        int status = ((int (*)(void *, double, double, unsigned char, unsigned char *, unsigned char *, unsigned char *,
                               double *))s->do_step)(s->stepper, t, h, 0, &event, &terminate, &early, &reached);
        o->flags = (uint32_t)(event != 0) | (uint32_t)(terminate != 0) << 1 | (uint32_t)(early != 0) << 2;
        o->a = reached;
        return status;
    }
}

static int serve_derive(Server *s, Operation *o) {
    size_t n_seed = o->code, n_sensitivity = o->flags;
    uint32_t *knowns = (uint32_t *)values_of(o);
    double *seed = (double *)(values_of(o) + aligned(4 * (size_t)o->n_values));
    if (s->fmi == 2)
        return ((int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, double *))
                    s->directional)(s->instance, references_of(o), o->n_references, knowns, o->n_values, seed,
                                    seed + n_seed);
    return ((int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *, size_t, double *,
                     size_t))s->directional)(s->instance, references_of(o), o->n_references, knowns, o->n_values, seed,
                                             n_seed, seed + n_seed, n_sensitivity);
}

static int serve_one(Server *s, Channel *c, size_t capacity, size_t *end, Operation *o) {
    typedef int (*Keep)(void *, void **);
    typedef int (*Back)(void *, void *);
    switch (o->kind) {
        case OP_SET: return serve_set(s, o);
        case OP_GET: return serve_get(s, c, capacity, end, o);
        case OP_STEP: return serve_step(s, o);
        case OP_SAVE: return ((Keep)s->get_state)(s->keeper, &s->states[o->code]);
        case OP_RESTORE: return ((Back)s->set_state)(s->keeper, s->states[o->code]);
        case OP_FORGET: {
            int status = s->states[o->code] ? ((Keep)s->free_state)(s->keeper, &s->states[o->code]) : OK;
            s->states[o->code] = NULL;
            return status;
        }
        case OP_DERIVE: return serve_derive(s, o);
    }
    return ERROR;
}

/* Waits for batches and works them off; returns when control is asked for (0), or when the owner is gone (1). */
static int serve(Server *s, void *memory, size_t size, uint32_t *seen, int owner) {
    Channel *c = (Channel *)memory;
    size_t capacity = size - sizeof(Channel), end;
    Operation *o;
    uint32_t k;
    for (;;) {
        while (load(&c->request) == *seen) {
            if (spin(&c->request, *seen)) break;
            store(&c->worker_sleeps, 1);
            nap(&c->request, *seen);
            store(&c->worker_sleeps, 0);
            if (getppid() != owner) return 1;
        }
        ++*seen;
        o = (Operation *)c->data;
        if (o->kind == OP_CONTROL) {
            store(&c->reply, *seen);
            return 0;
        }
        end = c->size;
        for (k = 0; k < c->n_operations; k++, o = (Operation *)((char *)o + o->size)) {
            o->status = serve_one(s, c, capacity, &end, o);
            if (o->status > WARNING && !o->optional) {
                c->status = o->status;
                c->failed = k;
                break;
            }
        }
        store(&c->reply, *seen);
        if (load(&c->owner_sleeps)) wake(&c->reply);
    }
}

#endif
