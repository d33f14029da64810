"""Takes values through their conversions into the buffer of a set call, and out of that of a get call."""

from libc.math cimport llround
from libc.stdint cimport int64_t
from libc.string cimport strlen

from sspsim.engine.banks cimport fail, is_whole, look_up, real_value, replace_text, System
from sspsim.engine.component cimport Component, F_RANGE, Feed, REAL, Transfer
from sspsim.engine.conversion cimport in_range, load_integer, store_integer, width
from sspsim.engine.signatures cimport BINARY, ERROR, FLOAT32, FLOAT64, STRING


cdef bint gather(System* s, Component* c, Transfer* x, double t) noexcept nogil:
    """The general way: values through their conversions into the buffer of one set call."""
    cdef int k
    cdef Feed* f
    for k in range(x.n_values):
        f = &x.feeds[k]
        if x.code == FLOAT64:
            (<double*>x.buffer)[k] = real_value(s, f)
        elif x.code == FLOAT32:
            (<float*>x.buffer)[k] = <float>real_value(s, f)
        elif x.code >= STRING:
            (<char**>x.buffer)[k] = s.texts[f.slot].data
            if x.code == BINARY:
                x.sizes[k] = s.texts[f.slot].size
        elif not gather_integer(s, x, k, f):
            return fail(s, c, F_RANGE, ERROR, f.slot if f.bank == REAL else -1 - f.slot, t, 0)
    return True


cdef inline bint gather_integer(System* s, Transfer* x, int k, Feed* f) noexcept nogil:
    """False if the value does not fit the type."""
    cdef double v
    cdef int64_t z
    if is_whole(f):
        z = look_up(f, s.z[f.slot])
        if width(x.code) < 8 and not in_range(x.code, <double>z):
            return False
    else:
        v = real_value(s, f)
        if not in_range(x.code, v):
            return False
        z = llround(v)
    store_integer(x.code, x.buffer, k, z)
    return True


cdef void scatter(System* s, Transfer* x) noexcept nogil:
    """From the buffer of a get call into the banks."""
    cdef int k
    cdef int64_t v
    cdef const char* data
    cdef bint changed = s.changed
    for k in range(x.n_values):
        if x.code == FLOAT32:
            s.r[x.first + k] = (<float*>x.buffer)[k]
        elif x.code < STRING:
            v = load_integer(x.code, x.buffer, k)
            s.changed = s.changed or s.z[x.first + k] != v
            s.z[x.first + k] = v
        else:
            data = (<const char**>x.buffer)[k]
            if data == NULL:
                data = b""
            if replace_text(&s.texts[x.first + k], data, x.sizes[k] if x.code == BINARY else strlen(data)):
                s.changed = True
    if x.leaves:
        s.changed = changed
