/* An FMU that is well except at one MOMENT, when it does HARM; both are defined in front of this text. */
#include "fmi2Functions.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for_ever(void) {
    for (;;) pause();
}

static void *other_thread(void *crash) {
    if (crash) raise(SIGSEGV);
    wait_for_ever();
    return NULL;
}

static void start_thread(int crash) {
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, crash ? &thread : NULL);
    if (crash) pthread_join(thread, NULL);
}

static void start_process(void) {
    if (fork() == 0) wait_for_ever();
}

static void at(const char *moment) {
    (void)start_thread, (void)start_process;
    if (strcmp(moment, MOMENT) == 0) {
        HARM;
    }
}

__attribute__((constructor)) static void load(void) { at("load"); }
__attribute__((destructor)) static void unload(void) { at("unload"); }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    at("instantiate");
    return calloc(1, 1);
}

void fmi2FreeInstance(fmi2Component c) {
    at("free");
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)c, (void)defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return at("setup"), fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return (void)c, at("enter"), fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (void)c, at("exit"), fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return (void)c, at("terminate"), fmi2OK; }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]) {
    (void)c, (void)r;
    at("get");
    for (size_t i = 0; i < n; i++) v[i] = 0;
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_rollback) {
    (void)c, (void)h, (void)no_rollback;
    if (t > 0.45) at("step");
    return fmi2OK;
}
