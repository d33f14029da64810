/* What FMUs say through their logger callbacks, kept until somebody asks.

   The callbacks of FMI 1 and 2 are variadic, which only C can write. Each component has a log of its last messages;
   FMI 1 hands no environment to its logger, so its logs are found by instance name. */
#ifndef SSPSIM_LOG_H
#define SSPSIM_LOG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MESSAGES 64
#define LOG_TEXT 1024

typedef struct {
    int status;
    char category[64];
    char text[LOG_TEXT];
} Message;

typedef struct Log {
    char name[256];
    Message *messages; /* made at the first message: most components never say anything */
    long long written; /* number of messages ever */
    void *follow;      /* hands inputs over inside a step; NULL: they stay as they are */
    void *follower;
    struct Log *next;
} Log;

static Log *all_logs = NULL;

static Log *log_new(const char *name) {
    Log *log = (Log *)calloc(1, sizeof(Log));
    snprintf(log->name, sizeof log->name, "%s", name);
    log->next = all_logs;
    all_logs = log;
    return log;
}

static void log_free(Log *log) {
    Log **place = &all_logs;
    while (*place && *place != log) place = &(*place)->next;
    if (*place) *place = log->next;
    free(log->messages);
    free(log);
}

static Log *log_named(const char *name) {
    Log *log = all_logs;
    while (log && name && strcmp(log->name, name)) log = log->next;
    return log;
}

static void log_write(Log *log, int status, const char *category, const char *format, va_list *arguments) {
    Message *message;
    if (!log || !format) return;
    if (!log->messages) log->messages = (Message *)calloc(LOG_MESSAGES, sizeof(Message));
    message = &log->messages[log->written % LOG_MESSAGES];
    message->status = status;
    snprintf(message->category, sizeof message->category, "%s", category ? category : "");
    if (arguments)
        vsnprintf(message->text, LOG_TEXT, format, *arguments);
    else
        snprintf(message->text, LOG_TEXT, "%s", format);
    log->written++;
}

static void fmi1_logger(void *component, const char *name, int status, const char *category, const char *format, ...) {
    va_list arguments;
    (void)component;
    va_start(arguments, format);
    log_write(log_named(name), status, category, format, &arguments);
    va_end(arguments);
}

static void fmi2_logger(void *environment, const char *name, int status, const char *category, const char *format,
                        ...) {
    va_list arguments;
    (void)name;
    va_start(arguments, format);
    log_write((Log *)environment, status, category, format, &arguments);
    va_end(arguments);
}

/* Asynchronous steps are asked for (pending.h), but FMUs may insist on telling. */
static void step_finished(void *environment, int status) { (void)environment, (void)status; }

/* The FMU is inside a step and takes new values of inputs, if it says so. */
static void intermediate_update(void *environment, double t, unsigned char takes_inputs, unsigned char gives_outputs,
                                unsigned char step_finished, unsigned char can_return, unsigned char *return_early,
                                double *return_time) {
    const Log *log = (const Log *)environment;
    (void)gives_outputs, (void)step_finished, (void)can_return, (void)return_time;
    *return_early = 0;
    if (takes_inputs && log && log->follow) ((void (*)(void *, double))log->follow)(log->follower, t);
}

static void fmi3_logger(void *environment, int status, const char *category, const char *text) {
    log_write((Log *)environment, status, category, text, NULL);
}

#endif
