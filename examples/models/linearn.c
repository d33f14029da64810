#include "interface.h"

enum { N = 10 };

/* A matrix without zeros and without a pattern that an algorithm could profit from, the same in every run. */
static double a(int i, int j) {
    return ((7 * i + 13 * j + 3) % 12 - 5.5) / 55;
}

static void multiply(double scale, const double *u, double offset, double *y) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += a(i, j) * u[j];
        y[i] = scale * sum + offset;
    }
}

static void evaluate(Model *m) {
    multiply(m->scale, m->u, m->offset, m->y);
}

static void tangent(const Model *m, Model *d) {
    multiply(m->scale, d->u, 0, d->y);
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
