/* Asynchronous doStep of FMI 1 and 2: a step that is still pending is asked for until it is done, or cancelled. */
#ifndef SSPSIM_PENDING_H
#define SSPSIM_PENDING_H

#include <Python.h>
#include <stddef.h>
#ifdef _WIN32
#include <windows.h>
static void pause_briefly(void) { Sleep(0); }
#else
#include <time.h>
static void pause_briefly(void) {
    struct timespec pause = {0, 20000};
    nanosleep(&pause, NULL);
}
#endif

enum { STATUS_ERROR_WHEN_LOST = 3, STATUS_PENDING = 5, STATUS_OF_STEP = 0, PAUSES_PER_LOOK = 1000 };

/* Whether somebody presses Ctrl-C: for those who wait for an FMU without Python. It is raised again in Python. */
static int interrupted(void) {
    PyGILState_STATE state = PyGILState_Ensure();
    int found = PyErr_CheckSignals() != 0;
    if (found) {
        PyErr_Clear();
        PyErr_SetInterrupt();
    }
    PyGILState_Release(state);
    return found;
}

/* The status of the step in the end; `get_status` and `cancel` are the FMU's functions, or NULL if it has none. */
static int settled(int status, void *get_status, void *cancel, void *instance) {
    long pauses = 0;
    while (status == STATUS_PENDING) {
        int value = STATUS_PENDING, answer;
        if (!get_status) return STATUS_ERROR_WHEN_LOST;
        pause_briefly();
        if (++pauses % PAUSES_PER_LOOK == 0 && interrupted()) {
            if (cancel) ((int (*)(void *))cancel)(instance);
            return STATUS_ERROR_WHEN_LOST;
        }
        answer = ((int (*)(void *, int, int *))get_status)(instance, STATUS_OF_STEP, &value);
        status = answer > 1 ? answer : value;
    }
    return status;
}

#endif
