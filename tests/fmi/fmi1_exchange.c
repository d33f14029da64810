/* A ball that falls from 1 m and bounces, for FMI 1 model exchange; a time event sets `late` at t = 1.5. */
#include <stdlib.h>

typedef struct { char converged, references, values, terminate, upcoming; double next; } Info;
typedef struct { void *logger, *allocate, *free; } Callbacks;
typedef struct { double t, x[2], u; int late, touching; } Ball;

#define F(NAME) Ball1_fmi##NAME
void *F(InstantiateModel)(const char *name, const char *guid, Callbacks functions, char logging) {
    Ball *b = calloc(1, sizeof *b);
    (void)name, (void)guid, (void)functions, (void)logging;
    b->x[0] = 1;
    return b;
}
void F(FreeModelInstance)(void *c) { free(c); }
int F(SetTime)(Ball *b, double t) { b->t = t; return 0; }
int F(SetContinuousStates)(Ball *b, const double *x, size_t n) { for (size_t i = 0; i < n; i++) b->x[i] = x[i]; return 0; }
int F(GetContinuousStates)(Ball *b, double *x, size_t n) { for (size_t i = 0; i < n; i++) x[i] = b->x[i]; return 0; }
int F(GetDerivatives)(Ball *b, double *d, size_t n) { (void)n; d[0] = b->x[1]; d[1] = -9.81 + b->u; return 0; }
int F(GetEventIndicators)(Ball *b, double *z, size_t n) { (void)n; z[0] = b->x[0]; return 0; }
int F(CompletedIntegratorStep)(Ball *b, char *call) { (void)b; *call = 0; return 0; }
static void tell(Ball *b, Info *info) {
    *info = (Info){1, 0, 0, 0, b->t < 1.5, 1.5};
}
int F(Initialize)(Ball *b, char controlled, double tolerance, Info *info) { (void)controlled, (void)tolerance; tell(b, info); return 0; }
int F(EventUpdate)(Ball *b, char intermediate, Info *info) {
    (void)intermediate;
    tell(b, info);
    if (b->t >= 1.5) b->late = 1;
    if (b->x[0] <= 0 && b->x[1] < 0) { b->x[0] = 0; b->x[1] *= -0.7; info->values = 1; }
    return 0;
}
int F(GetReal)(Ball *b, const unsigned *r, size_t n, double *v) { for (size_t i = 0; i < n; i++) v[i] = r[i] < 2 ? b->x[r[i]] : b->u; return 0; }
int F(SetReal)(Ball *b, const unsigned *r, size_t n, const double *v) { for (size_t i = 0; i < n; i++) { if (r[i] < 2) b->x[r[i]] = v[i]; else b->u = v[i]; } return 0; }
int F(GetInteger)(Ball *b, const unsigned *r, size_t n, int *v) { (void)r; for (size_t i = 0; i < n; i++) v[i] = b->late; return 0; }
int F(Terminate)(Ball *b) { (void)b; return 0; }
