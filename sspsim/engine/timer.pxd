"""Counts and times calls; quick ones are only sampled, since reading the clock costs more than making them."""

cdef extern from "clock.h" nogil:
    long long clock_ns()
    long long clock_cost()

cdef enum:
    SAMPLE = 127       # a quick component is timed on every 127th call: a prime, not to beat with what repeats itself
    QUICK_NS = 2000    # shorter than this counts as quick

cdef struct Timer:
    long long left      # calls up to the next one that is measured; counted down, which is the quickest test
    long long due       # the number of that call
    long long began     # when it did
    long long measured  # the last call that was
    long long recent    # how long that took
    long long quick     # how long the last quick one took
    long long ns        # of all calls up to `measured`
    bint slow           # worth measuring every time


cdef inline void reset(Timer* timer) noexcept nogil:
    """Before the first call, which is always measured."""
    timer.left = timer.due = 1
    timer.slow = True


cdef inline long long calls(Timer* timer) noexcept nogil:
    """How many there were."""
    return timer.due - timer.left


cdef inline void start(Timer* timer) noexcept nogil:
    """A call begins."""
    timer.left -= 1
    if timer.left == 0:
        timer.began = clock_ns()


cdef inline void stop(Timer* timer) noexcept nogil:
    """The call has ended; adds it if it was measured."""
    if timer.left == 0:
        add(timer, max(<long long>0, clock_ns() - timer.began - clock_cost()))


cdef inline void add(Timer* timer, long long ns) noexcept nogil:
    """A quick call stands for all since the last measured one, an outlier only for itself."""
    timer.slow = ns > QUICK_NS
    if not timer.slow:
        timer.quick = ns
    timer.ns += ns + timer.quick * (calls(timer) - timer.measured - 1)
    timer.recent = ns
    timer.measured = calls(timer)
    timer.left = 1 if timer.slow else SAMPLE
    timer.due = timer.measured + timer.left


cdef inline double seconds(Timer* timer) noexcept nogil:
    """Of all calls."""
    return 1e-9 * (timer.ns + timer.quick * (calls(timer) - timer.measured))
