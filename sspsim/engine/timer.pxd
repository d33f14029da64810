"""Counts and times calls; quick ones are only sampled, since reading the clock costs more than making them."""

cdef extern from "clock.h" nogil:
    long long clock_ns()
    long long clock_cost()

cdef enum:
    SAMPLE = 64        # a quick component is timed on every 64th call
    QUICK_NS = 2000    # shorter than this counts as quick

cdef struct Timer:
    long long calls
    long long ns
    long long last      # the last quick call that was measured
    long long recent    # the last call that was measured
    bint slow           # worth measuring every time


cdef inline long long start(Timer* timer) noexcept nogil:
    """The time now if this call is to be measured, else 0."""
    timer.calls += 1
    if timer.slow or (timer.calls & (SAMPLE - 1)) == 0:
        return clock_ns()
    return 0


cdef inline void stop(Timer* timer, long long started) noexcept nogil:
    """Adds the call if it was measured."""
    if started != 0:
        add(timer, max(<long long>0, clock_ns() - started - clock_cost()))


cdef inline void add(Timer* timer, long long ns) noexcept nogil:
    """A quick call stands for all since the last sample, an outlier only for itself."""
    timer.recent = ns
    if timer.slow:
        timer.ns += ns
        timer.slow = ns > QUICK_NS
    elif ns <= QUICK_NS:
        timer.ns += ns * SAMPLE
        timer.last = ns
    else:
        timer.ns += ns + timer.last * (SAMPLE - 1)
        timer.slow = True
