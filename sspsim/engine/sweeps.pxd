"""One pass over components that are stepped together: one after the other, or all at once."""

from libc.string cimport memcpy

from sspsim.engine.banks cimport at_work, fail, System
from sspsim.engine.calls cimport get_outputs, roll_back, save_state, set_inputs, step
from sspsim.engine.component cimport Component, F_STEP
from sspsim.engine.norm cimport farthest, weighted
from sspsim.engine.signatures cimport WARNING
from sspsim.engine.team cimport is_worth_sharing, step_all, Team

cdef struct Late:       # a handed-on real that a member of its own cycle uses
    int slot
    bint broken         # used before it is computed when one follows the other
    double before

cdef struct Group:      # components that are stepped together
    Component** components
    int n
    int first           # their iterated reals are `count` slots from `first` on
    int count
    bint simultaneous
    bint keeps          # whether the states at the beginning of each step are kept, to roll back to
    bint rolled_back    # the next pass repeats a step
    Team* team          # that steps them, if they step at once
    double* before      # the iterated reals before the last pass
    int* assumed        # iterated reals (0 to count - 1) that are used before they are computed
    int n_assumed
    Late* late
    int n_late
    long long passes
    bint watched        # whether the defect of each step is noted
    int defect_slot     # where the greatest defect since the last row stands; -1: nowhere
    double defect_max
    double defect_time
    double defect_step  # how long the step was that ended then
    int defect_at       # the iterated real that was farthest off then
    double defect_sum
    long long defects


cdef inline bint sweep(System* s, Group* g, double t, double h) noexcept nogil:
    """Gauss-Seidel: one after the other, each with the newest values."""
    cdef Component** members = g.components
    cdef Component* c
    cdef int k
    for k in range(g.n):
        c = members[k]
        at_work(s.mark, c, t)
        if not (set_inputs(s, c, t) and step(s, c, t, h) and get_outputs(s, c, t + h)):
            return False
    return True


cdef inline bint evaluate(System* s, Group* g, double t, double h) noexcept nogil:
    """Gauss-Jacobi: all get their inputs first, so nobody sees a value of this step."""
    cdef Component* c
    cdef int k
    for k in range(g.n):
        c = g.components[k]
        at_work(s.mark, c, t)
        if not set_inputs(s, c, t):
            return False
    if g.team != NULL and is_worth_sharing(g.team, g.components, g.n):
        return share(s, g, t, h)
    for k in range(g.n):
        c = g.components[k]
        at_work(s.mark, c, t)
        if not (step(s, c, t, h) and get_outputs(s, c, t + h)):
            return False
    return True


cdef inline bint share(System* s, Group* g, double t, double h) noexcept nogil:
    """Steps the components in several threads; everything else stays in order, so the result is the same."""
    cdef int k
    cdef int* status = step_all(g.team, g.components, g.n, t, h)
    for k in range(g.n):
        if status[k] > WARNING:
            return fail(s, g.components[k], F_STEP, status[k], -1, t, h)
    for k in range(g.n):
        if not get_outputs(s, g.components[k], t + h):
            return False
    return True


cdef inline bint visit(System* s, Group* g, bint simultaneous, double t, double h) noexcept nogil:
    """One pass over a cycle; notes what the values were before, and keeps the states if this is a new step."""
    cdef int k
    cdef bint ok
    s.time = t
    if g.keeps and not g.rolled_back and not keep_states(s, g, t):
        return False
    g.rolled_back = False
    if g.count:
        memcpy(g.before, s.r + g.first, g.count * sizeof(double))
    for k in range(g.n_late):
        g.late[k].before = s.r[g.late[k].slot]
    s.changed = False
    g.passes += 1
    ok = evaluate(s, g, t, h) if simultaneous else sweep(s, g, t, h)
    for k in range(g.n_late):
        if (simultaneous or g.late[k].broken) and g.late[k].before != s.r[g.late[k].slot]:
            s.changed = True
    return ok


cdef inline bint keep_states(System* s, Group* g, double t) noexcept nogil:
    """Unless those of the whole system have just been kept."""
    cdef int k
    if s.origin != NULL:
        return True
    for k in range(g.n):
        if not save_state(s, g.components[k], &g.components[k].state, t):
            return False
    return True


cdef inline bint roll_back_group(System* s, Group* g) noexcept nogil:
    """Puts all components back to the beginning of the step."""
    cdef int k
    g.rolled_back = True
    for k in range(g.n):
        if not roll_back(s, g.components[k]):
            return False
    return True


cdef inline bint is_slow(Group* g) noexcept nogil:
    """Whether a pass takes so long that other Python threads should not wait for it."""
    cdef int k
    for k in range(g.n):
        if g.components[k].timers[F_STEP].slow:
            return True
    return False


cdef inline void watch(System* s, Group* g, double t, double h) noexcept nogil:
    """Notes how far assumed values were from those computed in the same step."""
    cdef double defect = weighted(g.before, s.r + g.first, g.assumed, g.n_assumed, s.rtol, s.atol)
    g.defects += 1
    g.defect_sum += defect
    if defect > g.defect_max:
        g.defect_max = defect
        g.defect_time = t + h
        g.defect_step = h
        g.defect_at = farthest(g.before, s.r + g.first, g.assumed, g.n_assumed, s.rtol, s.atol)
    if g.defect_slot >= 0 and defect > s.r[g.defect_slot]:
        s.r[g.defect_slot] = defect
