"""The values that travel: reals, integers and texts in flat banks, with the components that read and write them."""

from libc.math cimport llround
from libc.stdint cimport int64_t
from libc.stdlib cimport realloc
from libc.string cimport memcmp, memcpy

from sspsim.engine.component cimport Component, Feed, INTEGER, REAL

cdef struct Text:
    char* data
    size_t size

cdef struct Mark:           # crash.h: who is to be blamed for a crash of this thread
    const char* name
    double time

ctypedef Mark* (*Here)() noexcept nogil

cdef struct Failure:
    int component
    int function
    int status
    int slot
    double time
    double step

cdef struct System:
    Component* components
    int n_components
    double* r
    int n_reals
    int64_t* z
    int n_integers
    Text* texts
    int n_texts
    double time             # where the present step of a cycle begins
    bint changed            # an integer or text output changed in the last sweep
    Failure failure         # the last call that failed
    void** origin           # states of all components at the beginning of the step, if they were kept
    double rtol, atol       # of the norms
    double* full            # the reals at the end of a full step, for error control
    double* half            # and in the middle of its two halves
    Here here               # the mark of the thread that asks
    Mark* mark              # that of the thread that has entered


cdef inline void enter(System* s) noexcept nogil:
    """To be called before FMUs are: asking once for the mark of this thread costs less than for each FMU."""
    s.mark = s.here()


cdef inline void at_work(Mark* mark, Component* c, double t) noexcept nogil:
    mark.time = t
    mark.name = c.name


cdef inline bint leave(System* s, bint ok) noexcept nogil:
    """No FMU is at work any more; hands `ok` on."""
    s.mark.name = NULL
    return ok


cdef inline bint fail(System* s, Component* c, int function, int status, int slot, double t, double h) noexcept nogil:
    """Notes what went wrong; always False."""
    s.failure = Failure(c.index, function, status, slot, t, h)
    return False


cdef inline bint replace_text(Text* text, const char* data, size_t size) noexcept nogil:
    """Keeps a copy of the FMU's text (its own is gone after the next call); True if it differs from the old one."""
    if text.data != NULL and text.size == size and memcmp(text.data, data, size) == 0:
        return False
    text.data = <char*>realloc(text.data, size + 1)
    memcpy(text.data, data, size)
    text.data[size] = 0
    text.size = size
    return True


cdef inline int64_t look_up(Feed* feed, int64_t v) noexcept nogil:
    cdef int i
    for i in range(feed.n_table):
        if feed.table[2 * i] == v:
            return feed.table[2 * i + 1]
    return v


cdef inline double real_value(System* s, Feed* f) noexcept nogil:
    """What a feed leads to, after its conversion."""
    cdef double v = s.r[f.slot] if f.bank == REAL else <double>look_up(f, s.z[f.slot])
    return v if f.factor == 1.0 and f.offset == 0.0 else f.factor * v + f.offset


cdef inline bint is_whole(Feed* f) noexcept nogil:
    """Whether a feed hands an integer on without arithmetic."""
    return f.bank == INTEGER and f.factor == 1.0 and f.offset == 0.0


cdef inline int64_t integer_value(System* s, Feed* f) noexcept nogil:
    return look_up(f, s.z[f.slot]) if is_whole(f) else llround(real_value(s, f))
