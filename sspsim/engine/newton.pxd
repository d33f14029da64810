"""Newton's method on the iterated reals y of a cycle: the matrix I - dS/dy, where S is one simultaneous pass."""

from libc.math cimport fabs, fmax
from libc.string cimport memcpy, memset

from sspsim.engine.banks cimport at_work, fail, System
from sspsim.engine.calls cimport get_call, roll_back, set_inputs, step
from sspsim.engine.component cimport Component, F_DERIVE, F_GET, REAL, Transfer
from sspsim.engine.linear cimport factorize, substitute
from sspsim.engine.signatures cimport Derive2, Derive3, FLOAT32, FLOAT64, WARNING
from sspsim.engine.sweeps cimport Group
from sspsim.engine.timer cimport start, stop

cdef struct Tangent:
    double* matrix          # I - dS/dy, factorised
    int* pivots
    double* step            # the correction of y
    double* image           # S(y) while the columns are computed, then the corrected values
    Component** fed         # components that each iterated real feeds, one list after the other
    int* fed_end            # where the list of each ends


cdef inline int fed_begin(Tangent* a, int j) noexcept nogil:
    return a.fed_end[j - 1] if j else 0


cdef inline void set_identity(Tangent* a, int n) noexcept nogil:
    cdef int i
    memset(a.matrix, 0, n * n * sizeof(double))
    for i in range(n):
        a.matrix[i * n + i] = 1.0


cdef inline bint difference_all(System* s, Group* g, Tangent* a, double t, double h, double increment) noexcept nogil:
    """All columns by forward differences at `before`; the values stay as they are."""
    cdef double* values = s.r + g.first
    cdef bint ok = True
    cdef int j
    set_identity(a, g.count)
    memcpy(a.image, values, g.count * sizeof(double))
    for j in range(g.count):
        if not difference(s, g, a, j, t, h, increment):
            ok = False
            break
    memcpy(values, a.image, g.count * sizeof(double))
    return ok


cdef inline bint difference(
        System* s, Group* g, Tangent* a, int j, double t, double h, double increment) noexcept nogil:
    """Column j: y_j + e instead of y_j; e is never so small that rounding swallows it."""
    cdef int n = g.count, k, m, q
    cdef double* values = s.r + g.first
    cdef double e = fmax(increment * (s.rtol * fabs(g.before[j]) + 0.01 * s.atol), 1e-12 * fabs(g.before[j]))
    cdef Component* c
    memcpy(values, g.before, n * sizeof(double))
    values[j] += e
    e = values[j] - g.before[j]
    for k in range(fed_begin(a, j), a.fed_end[j]):
        if not (roll_back(s, a.fed[k]) and set_inputs(s, a.fed[k], t)):
            return False
    for k in range(fed_begin(a, j), a.fed_end[j]):
        c = a.fed[k]
        at_work(s.mark, c, t)
        if not step(s, c, t, h):
            return False
        start(&c.timers[F_GET])
        for m in range(c.n_iterated):
            if c.gets[m].code > FLOAT32:
                continue
            if not get_call(s, c, &c.gets[m], t + h, True):
                return False
            for q in range(c.gets[m].first - g.first, c.gets[m].first - g.first + c.gets[m].n_values):
                a.matrix[q * n + j] -= (values[q] - a.image[q]) / e
        stop(&c.timers[F_GET])
    return True


cdef inline bint derive_all(System* s, Group* g, Tangent* a, double t) noexcept nogil:
    """All columns from the components' directional derivatives."""
    cdef int j, k
    set_identity(a, g.count)
    for j in range(g.count):
        for k in range(fed_begin(a, j), a.fed_end[j]):
            if not derive(s, g, a, a.fed[k], j, t):
                return False
    return True


cdef inline Transfer* doubles_of(Transfer* calls, int n) noexcept nogil:
    """The call about FLOAT64, or NULL."""
    cdef int k
    for k in range(n):
        if calls[k].code == FLOAT64:
            return &calls[k]
    return NULL


cdef inline bint derive(System* s, Group* g, Tangent* a, Component* c, int j, double t) noexcept nogil:
    """What a component adds to column j."""
    cdef Transfer* knowns = doubles_of(c.sets, c.n_sets)
    cdef Transfer* unknowns = doubles_of(c.gets, c.n_iterated)
    cdef int k, q, status
    cdef double* seed
    if knowns == NULL or unknowns == NULL:
        return True
    seed = <double*>knowns.buffer
    for k in range(knowns.n_values):
        seed[k] = 0.0
        if knowns.feeds[k].bank == REAL and knowns.feeds[k].slot == g.first + j:
            seed[k] = knowns.feeds[k].factor
    at_work(s.mark, c, t)
    status = call_derive(c, unknowns, knowns)
    if status > WARNING:
        return fail(s, c, F_DERIVE, status, -1, t, 0)
    for q in range(unknowns.n_values):
        a.matrix[(unknowns.first - g.first + q) * g.count + j] -= (<double*>unknowns.buffer)[q]
    return True


cdef inline int call_derive(Component* c, Transfer* unknowns, Transfer* knowns) noexcept nogil:
    """The FMU's function, in the calling convention of its FMI version; seed and answer are in the buffers."""
    cdef double* seed = <double*>knowns.buffer
    cdef double* answer = <double*>unknowns.buffer
    cdef int status
    start(&c.timers[F_DERIVE])
    if c.version == 2:
        status = (<Derive2>c.derive)(c.instance, unknowns.references, unknowns.n_references, knowns.references,
                                     knowns.n_references, seed, answer)
    else:
        status = (<Derive3>c.derive)(c.instance, unknowns.references, unknowns.n_references, knowns.references,
                                     knowns.n_references, seed, knowns.n_values, answer, unknowns.n_values)
    stop(&c.timers[F_DERIVE])
    return status


cdef inline void correct(System* s, Group* g, Tangent* a) noexcept nogil:
    """Solves for the correction of y = `before` by its residual S(y) - y; `image` becomes the corrected values."""
    cdef double* values = s.r + g.first
    cdef int i
    for i in range(g.count):
        a.step[i] = values[i] - g.before[i]
    substitute(a.matrix, a.pivots, g.count, a.step)
    for i in range(g.count):
        a.image[i] = g.before[i] + a.step[i]
