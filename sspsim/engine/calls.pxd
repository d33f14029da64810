"""What is done with one component: set inputs, step, get outputs, save and restore its state.

A call that fails leaves a note in the system and returns False.
"""

from libc.math cimport isfinite

from sspsim.engine.banks cimport at_work, fail, System
from sspsim.engine.component cimport (
    Component,
    F_GET,
    F_RESTORE,
    F_SAVE,
    F_SET,
    F_STEP,
    F_VALUE,
    Transfer,
)
from sspsim.engine.signatures cimport (
    BINARY,
    bint8,
    Call2,
    Call3,
    CallBinary,
    DISCARD,
    ENDS,
    ERROR,
    FLOAT32,
    PENDING,
    Step1,
    Step2,
    Step3,
    WARNING,
)
from sspsim.engine.timer cimport start, stop
from sspsim.engine.translation cimport gather, scatter

cdef extern from "pending.h" nogil:
    int settled(int status, void* get_status, void* cancel, void* instance)


cdef inline int call_transfer(Component* c, Transfer* x) noexcept nogil:
    """The FMU's get or set function, in the calling convention of its FMI version."""
    if c.version < 3:
        return (<Call2>x.function)(c.instance, x.references, x.n_references, x.values)
    if x.code == BINARY:
        return (<CallBinary>x.function)(c.instance, x.references, x.n_references, x.sizes, x.values, x.n_values)
    return (<Call3>x.function)(c.instance, x.references, x.n_references, x.values, x.n_values)


# ---- inputs ------------------------------------------------------------------------------------------------


cdef inline bint set_inputs(System* s, Component* c, double t) noexcept nogil:
    cdef int k
    start(&c.timers[F_SET])
    for k in range(c.n_sets):
        if not set_call(s, c, &c.sets[k], t):
            return False
    stop(&c.timers[F_SET])
    return True


cdef inline bint set_call(System* s, Component* c, Transfer* x, double t) noexcept nogil:
    cdef int status
    if not (x.in_one_piece or fill(s, c, x, t)):
        return False
    status = call_transfer(c, x)
    return status <= WARNING or fail(s, c, F_SET, status, -1, t, 0)


cdef inline bint fill(System* s, Component* c, Transfer* x, double t) noexcept nogil:
    """Puts what the inputs are fed with into the buffer."""
    cdef int k
    if not x.plain:
        return gather(s, c, x, t)
    for k in range(x.n_values):
        (<double*>x.values)[k] = s.r[x.feeds[k].slot]
    return True


# ---- outputs -----------------------------------------------------------------------------------------------


cdef inline bint get_outputs(System* s, Component* c, double t) noexcept nogil:
    """Everything that other components may need."""
    cdef int k
    start(&c.timers[F_GET])
    for k in range(c.n_gets):
        if not get_call(s, c, &c.gets[k], t, True):
            return False
    stop(&c.timers[F_GET])
    return True


cdef inline bint get_call(System* s, Component* c, Transfer* x, double t, bint check) noexcept nogil:
    """`check`: a value that is not finite is a failure."""
    cdef int status = call_transfer(c, x)
    if status > WARNING:
        return fail(s, c, F_GET, status, -1, t, 0)
    if not x.in_one_piece:
        scatter(s, x)
        check = check and x.code == FLOAT32
    return not check or all_finite(s, c, x, t)


cdef inline bint all_finite(System* s, Component* c, Transfer* x, double t) noexcept nogil:
    cdef int slot
    for slot in range(x.first, x.first + x.n_values):
        if not isfinite(s.r[slot]):
            return fail(s, c, F_VALUE, ERROR, slot, t, 0)
    return True


cdef inline bint read_recorded(System* s, double t) noexcept nogil:
    """Gets what is recorded, but not handed on."""
    cdef int i, k
    cdef Component* c
    for i in range(s.n_components):
        c = &s.components[i]
        if c.n_recorded == 0:
            continue
        at_work(s.mark, c, t)
        start(&c.timers[F_GET])
        for k in range(c.n_recorded):
            if not get_call(s, c, &c.recorded[k], t, False):
                return False
        stop(&c.timers[F_GET])
    return True


# ---- steps -------------------------------------------------------------------------------------------------


cdef inline bint step(System* s, Component* c, double t, double h) noexcept nogil:
    cdef int status = do_step(c, t, h)
    return status <= WARNING or fail(s, c, F_STEP, status, -1, t, h)


cdef inline int do_step(Component* c, double t, double h) noexcept nogil:
    """The status; what is shared with other components is not touched."""
    cdef int status
    start(&c.timers[F_STEP])
    if c.version == 2:
        status = (<Step2>c.do_step)(c.stepper, t, h, 0)
    elif c.version == 3:
        status = do_step3(c, t, h)
    else:
        status = (<Step1>c.do_step)(c.stepper, t, h, 1)
    if status == PENDING:
        status = settled(status, c.get_status, c.cancel, c.stepper)
    stop(&c.timers[F_STEP])
    return status


cdef inline int do_step3(Component* c, double t, double h) noexcept nogil:
    """doStep of FMI 3; an early return counts as a refused step, a wish to end the simulation as a failed one."""
    cdef bint8 event = 0, terminate = 0, early = 0
    cdef double reached = t + h
    cdef int status = (<Step3>c.do_step)(c.stepper, t, h, 0, &event, &terminate, &early, &reached)
    if status > WARNING:
        return status
    return ENDS if terminate else DISCARD if early else status


# ---- states ------------------------------------------------------------------------------------------------


cdef inline bint save_state(System* s, Component* c, void** state, double t) noexcept nogil:
    cdef int status = ERROR
    start(&c.timers[F_SAVE])
    at_work(s.mark, c, t)
    if c.can_restore:
        status = c.get_state(c.keeper, state)
    stop(&c.timers[F_SAVE])
    return status <= WARNING or fail(s, c, F_SAVE, status, -1, t, 0)


cdef inline bint restore_state(System* s, Component* c, void* state, double t) noexcept nogil:
    cdef int status = ERROR
    start(&c.timers[F_RESTORE])
    at_work(s.mark, c, t)
    if c.can_restore and state != NULL:
        status = c.set_state(c.keeper, state)
    stop(&c.timers[F_RESTORE])
    return status <= WARNING or fail(s, c, F_RESTORE, status, -1, t, 0)


cdef inline void release_state(Component* c, void** state) noexcept nogil:
    if state[0] != NULL and c.free_state != NULL:
        c.free_state(c.keeper, state)
    state[0] = NULL


cdef inline bint roll_back(System* s, Component* c) noexcept nogil:
    """Puts a component back to the beginning of the step."""
    return restore_state(s, c, s.origin[c.index] if s.origin != NULL else c.state, s.time)
