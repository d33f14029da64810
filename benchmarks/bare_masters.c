/* A ring of lags: the FMU calls of iterating masters by hand, without anything around them.
   Prints processor microseconds per communication step for the mode: seidel, newton or doubling. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi2Functions.h"

enum { N = 3 };

static void *c[N];
static fmi2FMUstate saved[N];
static double y[N];
static unsigned input, output;
static fmi2SetRealTYPE *set;
static fmi2GetRealTYPE *get;
static fmi2DoStepTYPE *step;
static fmi2GetFMUstateTYPE *save;
static fmi2SetFMUstateTYPE *restore;

static void logger(void *e, fmi2String n, fmi2Status s, fmi2String k, fmi2String m, ...) {
    (void)e, (void)n, (void)s, (void)k, (void)m;
}

static void visit(int i, double t, double h) {
    double u = y[i ? i - 1 : N - 1];
    set(c[i], &input, 1, &u);
    step(c[i], t, h, 0);
    get(c[i], &output, 1, &y[i]);
}

static void sweep(double t, double h) {
    for (int i = 0; i < N; i++) visit(i, t, h);
}

static void keep(void) {
    for (int i = 0; i < N; i++) save(c[i], &saved[i]);
}

static void go_back(void) {
    for (int i = 0; i < N; i++) restore(c[i], saved[i]);
}

static void seidel(double t, double h) {
    keep();
    sweep(t, h);
    go_back();
    sweep(t, h);
}

static void newton(double t, double h) {
    keep();
    sweep(t, h);
    for (int i = 0; i < N; i++) {
        restore(c[i], saved[i]);
        visit(i, t, h);
    }
    go_back();
    sweep(t, h);
}

static void doubling(double t, double h) {
    keep();
    sweep(t, h);
    go_back();
    sweep(t, h / 2);
    sweep(t + h / 2, h / 2);
}

int main(int argc, char **argv) {
    const char *library = argv[1], *guid = argv[2], *mode = argv[6];
    int steps = atoi(argv[3]);
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)dlsym(lib, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)dlsym(lib, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter = (fmi2EnterInitializationModeTYPE *)dlsym(lib, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave = (fmi2ExitInitializationModeTYPE *)dlsym(lib, "fmi2ExitInitializationMode");
    void (*master)(double, double) = !strcmp(mode, "seidel") ? seidel : !strcmp(mode, "newton") ? newton : doubling;
    double h = 1e-3, best = 1e9;
    (void)argc;
    input = (unsigned)atoi(argv[4]);
    output = (unsigned)atoi(argv[5]);
    set = (fmi2SetRealTYPE *)dlsym(lib, "fmi2SetReal");
    get = (fmi2GetRealTYPE *)dlsym(lib, "fmi2GetReal");
    step = (fmi2DoStepTYPE *)dlsym(lib, "fmi2DoStep");
    save = (fmi2GetFMUstateTYPE *)dlsym(lib, "fmi2GetFMUstate");
    restore = (fmi2SetFMUstateTYPE *)dlsym(lib, "fmi2SetFMUstate");
    for (int i = 0; i < N; i++) {
        c[i] = instantiate("lag", fmi2CoSimulation, guid, "", &callbacks, 0, 0);
        setup(c[i], 0, 0, 0, 0, 0);
        enter(c[i]);
        leave(c[i]);
    }
    for (int round = 0; round < 5; round++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        for (int k = 0; k < steps; k++) master((round * steps + k) * h, h);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        double us = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 1e3 / steps;
        if (us < best) best = us;
    }
    printf("%.6f\n", best);
    return 0;
}
