/* Asynchronous doStep of FMI 1 and 2: a step that is still pending is asked for until it is done. */
#ifndef SSPSIM_PENDING_H
#define SSPSIM_PENDING_H

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

enum { STATUS_ERROR_WHEN_LOST = 3, STATUS_PENDING = 5, STATUS_OF_STEP = 0 };

/* The status of the step in the end; `get_status` is the FMU's function, or NULL if it has none. */
static int settled(int status, void *get_status, void *instance) {
    while (status == STATUS_PENDING) {
        int value = STATUS_PENDING, answer;
        if (!get_status) return STATUS_ERROR_WHEN_LOST;
        pause_briefly();
        answer = ((int (*)(void *, int, int *))get_status)(instance, STATUS_OF_STEP, &value);
        status = answer > 1 ? answer : value;
    }
    return status;
}

#endif
