/* A monotonic clock in nanoseconds on every platform. */
#ifndef SSPSIM_CLOCK_H
#define SSPSIM_CLOCK_H

#ifdef _WIN32
#include <windows.h>
static inline long long clock_ns(void) {
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&frequency);
    return (long long)((double)ticks.QuadPart * 1e9 / (double)frequency.QuadPart);
}
#else
#include <time.h>
static inline long long clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000LL + now.tv_nsec;
}
#endif

/* What reading the clock adds to a measured call; found out when it is asked for first. */
static inline long long clock_cost(void) {
    static long long least = -1;
    int k;
    if (least < 0) {
        long long cost = 1000;
        for (k = 0; k < 1000; k++) {
            long long before = clock_ns(), took = clock_ns() - before;
            if (took < cost) cost = took;
        }
        least = cost;
    }
    return least;
}

#endif
