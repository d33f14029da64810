"""Threads that wait for components to step. Each takes the next one that nobody has taken."""

cimport cython
from cpython.pythread cimport PyThread_acquire_lock, PyThread_release_lock, PyThread_type_lock, WAIT_LOCK

from sspsim.engine.banks cimport at_work, Mark, System
from sspsim.engine.calls cimport do_step
from sspsim.engine.component cimport Component, F_STEP

cdef enum:
    WAKING_NS = 50000  # what threads have to save to be worth waking
    PATIENCE = 63      # steps of light components until that is asked again; they are not measured more often

cdef struct Team:
    System* system
    int n
    PyThread_type_lock* go      # released when there is work
    PyThread_type_lock* ready   # released when a thread finds no more
    PyThread_type_lock taking
    int next
    Component** components
    int n_components
    double t, h
    int* status
    bint ended
    int patience                # steps that are not worth a thought


@cython.final
cdef class Workers:
    cdef Team team
    cdef object kernel          # keeps the components alive
    cdef list threads


cdef inline bint is_worth_sharing(Team* team, Component** components, int n) noexcept nogil:
    """Whether several threads save more time than waking them costs."""
    cdef long long total = 0, longest = 0, ns
    cdef int k
    if team.patience > 0:
        team.patience -= 1
        return False
    for k in range(n):
        ns = components[k].timers[F_STEP].recent
        total += ns
        longest = max(longest, ns)
    if total < WAKING_NS and components[0].timers[F_STEP].measured > 0:
        team.patience = PATIENCE
    return total - max(longest, total // (1 + team.n)) > WAKING_NS


cdef inline void take(Team* team) noexcept nogil:
    """Steps components as long as there are any left."""
    cdef int k
    cdef Mark* mark = team.system.here()
    while True:
        PyThread_acquire_lock(team.taking, WAIT_LOCK)
        k = team.next
        team.next += 1
        PyThread_release_lock(team.taking)
        if k >= team.n_components:
            break
        at_work(mark, team.components[k], team.t)
        team.status[k] = do_step(team.components[k], team.t, team.h)
    mark.name = NULL


cdef inline int* step_all(Team* team, Component** components, int n, double t, double h) noexcept nogil:
    """The status of each component's step."""
    cdef int i
    team.components = components
    team.n_components = n
    team.next = 0
    team.t = t
    team.h = h
    for i in range(team.n):
        PyThread_release_lock(team.go[i])
    take(team)
    for i in range(team.n):
        PyThread_acquire_lock(team.ready[i], WAIT_LOCK)
    return team.status
