/* Names the component that was at work when the process crashes or is left by exit().

   Whoever calls an FMU says so before and after; a handler for the signals of a crash writes one line to the terminal
   and to the log of the run, and then lets the process die as it would have. */
#ifndef SSPSIM_CRASH_H
#define SSPSIM_CRASH_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <io.h>
#define THREAD_LOCAL __declspec(thread)
#else
#include <unistd.h>
#define THREAD_LOCAL __thread
#endif

static THREAD_LOCAL struct crash_mark {
    const char *name; /* the component, or NULL while no FMU runs */
    double time;
} at_work;
static struct crash_mark *of_the_run; /* the mark of the thread that runs the system: FMUs may have threads of their own */
static char log_path[4096];
static int installed = 0;

/* For those who call FMUs very often: asking once where the mark of this thread is costs less than going there
   through a function. */
static struct crash_mark *crash_here(void) { return &at_work; }

static void crash_enter(const char *name, double t) {
    at_work.name = name;
    at_work.time = t;
}

static void write_all(int file, const char *text, size_t size) {
    while (size) {
        long n = (long)write(file, text, (unsigned)size);
        if (n <= 0) return;
        text += n;
        size -= (size_t)n;
    }
}

/* Who is to be blamed for what happens in this thread. */
static const struct crash_mark *culprit(void) { return at_work.name || !of_the_run ? &at_work : of_the_run; }

static void tell(const char *what) {
    const struct crash_mark *mark = culprit();
    char line[1024];
    char when[40] = "";
    int size;
    size_t length;
    int file;
    if (mark->time == mark->time) snprintf(when, sizeof when, " at t=%.12g", mark->time);
    size = snprintf(line, sizeof line, "error: %s: %s%s; with --isolate a run ends in order and keeps all results\n",
                    mark->name, what, when);
    length = size < (int)sizeof line ? (size_t)size : sizeof line - 1;
    write_all(2, line, length);
    if (!log_path[0]) return;
    file = open(log_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0) return;
    write_all(file, line, length);
    close(file);
}

#ifndef _WIN32
static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const WORDS[] = {"SIGSEGV (segmentation fault)", "SIGBUS (bus error)",
                                    "SIGFPE (arithmetic error)", "SIGILL (illegal instruction)", "SIGABRT (abort)"};
enum { N_SIGNALS = 5 };
static struct sigaction former[N_SIGNALS];

static void on_crash(int number) {
    int k;
    for (k = 0; k < N_SIGNALS; k++) {
        if (SIGNALS[k] != number) continue;
        sigaction(number, &former[k], NULL);
        if (culprit()->name) tell(WORDS[k]);
    }
    raise(number);
}

static void on_exit_in_fmu(void) {
    if (!culprit()->name) return;
    tell("the FMU called exit()");
    _exit(1);
}

static void crash_install(void) {
    static char stack[65536];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 0};
    struct sigaction action;
    int k;
    of_the_run = &at_work;
    if (installed) return;
    installed = 1;
    sigaltstack(&other, NULL); /* a stack that has run over cannot carry a handler */
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (k = 0; k < N_SIGNALS; k++) sigaction(SIGNALS[k], &action, &former[k]);
    atexit(on_exit_in_fmu);
}

static void crash_remove(void) {
    int k;
    of_the_run = NULL;
    if (!installed) return;
    installed = 0;
    for (k = 0; k < N_SIGNALS; k++) sigaction(SIGNALS[k], &former[k], NULL);
}
#else
static void crash_install(void) { installed = 1; }
static void crash_remove(void) { installed = 0; }
#endif

static void crash_log(const char *path) { snprintf(log_path, sizeof log_path, "%s", path); }

#endif
