/* A ring of lags stepped by hand: the least that any master must do. Prints microseconds per communication step. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi2Functions.h"

static void logger(void *e, fmi2String n, fmi2Status s, fmi2String c, fmi2String m, ...) {
    (void)e, (void)n, (void)s, (void)c, (void)m;
}

int main(int argc, char **argv) {
    const char *library = argv[1], *guid = argv[2];
    int n = atoi(argv[3]), steps = atoi(argv[4]), i, k, round;
    unsigned input = (unsigned)atoi(argv[5]), output = (unsigned)atoi(argv[6]);
    double h = 1e-3, best = 1e9, *y = calloc((size_t)n, sizeof(double));
    void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL), **c = calloc((size_t)n, sizeof(void *));
    fmi2CallbackFunctions callbacks = {logger, calloc, free, NULL, NULL};
    fmi2InstantiateTYPE *instantiate = (fmi2InstantiateTYPE *)dlsym(lib, "fmi2Instantiate");
    fmi2SetupExperimentTYPE *setup = (fmi2SetupExperimentTYPE *)dlsym(lib, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE *enter = (fmi2EnterInitializationModeTYPE *)dlsym(lib, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE *leave = (fmi2ExitInitializationModeTYPE *)dlsym(lib, "fmi2ExitInitializationMode");
    fmi2SetRealTYPE *set = (fmi2SetRealTYPE *)dlsym(lib, "fmi2SetReal");
    fmi2GetRealTYPE *get = (fmi2GetRealTYPE *)dlsym(lib, "fmi2GetReal");
    fmi2DoStepTYPE *step = (fmi2DoStepTYPE *)dlsym(lib, "fmi2DoStep");
    (void)argc;
    for (i = 0; i < n; i++) {
        c[i] = instantiate("lag", fmi2CoSimulation, guid, "", &callbacks, 0, 0);
        setup(c[i], 0, 0, 0, 0, 0);
        enter(c[i]);
        leave(c[i]);
    }
    for (round = 0; round < 5; round++) {
        struct timespec a, b;
        double us;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (k = 0; k < steps; k++)
            for (i = 0; i < n; i++) {
                double u = y[i ? i - 1 : n - 1];
                if (set(c[i], &input, 1, &u) > fmi2Warning) return 1;
                if (step(c[i], (round * steps + k) * h, h, 0) > fmi2Warning) return 1;
                if (get(c[i], &output, 1, &y[i]) > fmi2Warning) return 1;
            }
        clock_gettime(CLOCK_MONOTONIC, &b);
        us = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / 1e3 / steps;
        if (us < best) best = us;
    }
    printf("%.6f\n", best);
    return 0;
}
