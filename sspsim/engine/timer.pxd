"""Counts and times calls; quick ones are only sampled, since reading the clock costs more than making them."""

cdef extern from "clock.h" nogil:
    long long clock_ns()
    long long clock_cost()

cdef enum:
    SAMPLE = 127       # a quick component is timed on every 127th call: a prime, not to beat with what repeats itself
    QUICK_NS = 2000    # shorter than this counts as quick

cdef struct Timer:
    long long calls
    long long due       # the next call that is measured
    long long measured  # the last call that was
    long long recent    # how long that took
    long long quick     # how long the last quick one took
    long long ns        # of all calls up to `measured`
    bint slow           # worth measuring every time


cdef inline void reset(Timer* timer) noexcept nogil:
    """Before the first call, which is always measured."""
    timer.due = 1
    timer.slow = True


cdef inline long long start(Timer* timer) noexcept nogil:
    """The time now if this call is to be measured, else 0."""
    timer.calls += 1
    return clock_ns() if timer.calls == timer.due else 0


cdef inline void stop(Timer* timer, long long started) noexcept nogil:
    """Adds the call if it was measured."""
    if started != 0:
        add(timer, max(<long long>0, clock_ns() - started - clock_cost()))


cdef inline void add(Timer* timer, long long ns) noexcept nogil:
    """A quick call stands for all since the last measured one, an outlier only for itself."""
    timer.slow = ns > QUICK_NS
    if not timer.slow:
        timer.quick = ns
    timer.ns += ns + timer.quick * (timer.calls - timer.measured - 1)
    timer.recent = ns
    timer.measured = timer.calls
    timer.due = timer.calls + (1 if timer.slow else SAMPLE)


cdef inline double seconds(Timer* timer) noexcept nogil:
    """Of all calls."""
    return 1e-9 * (timer.ns + timer.quick * (timer.calls - timer.measured))
