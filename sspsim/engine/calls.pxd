"""What is done with one component: set inputs, step, get outputs, save and restore its state.

A call that fails leaves a note in the system and returns False.
"""

from libc.math cimport isfinite, llround, NAN
from libc.stdint cimport int64_t
from libc.string cimport strlen

from sspsim.engine.banks cimport at_work, fail, is_whole, look_up, Mark, real_value, replace_text, System
from sspsim.engine.component cimport (
    Component,
    F_GET,
    F_RANGE,
    F_RESTORE,
    F_SAVE,
    F_SET,
    F_STEP,
    F_VALUE,
    Feed,
    REAL,
    Transfer,
)
from sspsim.engine.conversion cimport in_range, load_integer, store_integer, width
from sspsim.engine.signatures cimport (
    BINARY,
    bint8,
    Call2,
    Call3,
    CallBinary,
    DISCARD,
    ERROR,
    FLOAT32,
    FLOAT64,
    PENDING,
    Step1,
    Step2,
    Step3,
    STRING,
    WARNING,
)
from sspsim.engine.timer cimport start, stop

cdef extern from "pending.h" nogil:
    int settled(int status, void* get_status, void* instance)


cdef inline int call_transfer(Component* c, Transfer* x, void* values) noexcept nogil:
    """The FMU's get or set function, in the calling convention of its FMI version."""
    if c.version < 3:
        return (<Call2>x.function)(c.instance, x.references, x.n_references, values)
    if x.code == BINARY:
        return (<CallBinary>x.function)(c.instance, x.references, x.n_references, x.sizes, values, x.n_values)
    return (<Call3>x.function)(c.instance, x.references, x.n_references, values, x.n_values)


# ---- inputs ------------------------------------------------------------------------------------------------


cdef inline bint set_inputs(System* s, int i, double t) noexcept nogil:
    cdef Component* c = &s.components[i]
    cdef long long started = start(&c.timers[F_SET])
    cdef int k
    for k in range(c.n_sets):
        if not set_call(s, i, c, &c.sets[k], t):
            return False
    stop(&c.timers[F_SET], started)
    return True


cdef inline bint set_call(System* s, int i, Component* c, Transfer* x, double t) noexcept nogil:
    cdef int k, status
    cdef double* out = <double*>x.buffer
    if x.plain:
        for k in range(x.n_values):
            out[k] = s.r[x.feeds[k].slot]
    elif not gather(s, i, x, t):
        return False
    status = call_transfer(c, x, x.buffer)
    return status <= WARNING or fail(s, i, F_SET, status, -1, t, 0)


cdef inline bint gather(System* s, int i, Transfer* x, double t) noexcept nogil:
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
            return fail(s, i, F_RANGE, ERROR, f.slot if f.bank == REAL else -1 - f.slot, t, 0)
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


# ---- outputs -----------------------------------------------------------------------------------------------


cdef inline bint get_outputs(System* s, int i, double t) noexcept nogil:
    """Everything that other components may need."""
    cdef Component* c = &s.components[i]
    cdef long long started = start(&c.timers[F_GET])
    cdef int k
    for k in range(c.n_iterated):
        if not get_call(s, i, c, &c.iterated[k], t, True):
            return False
    for k in range(c.n_handed_on):
        if not get_call(s, i, c, &c.handed_on[k], t, True):
            return False
    stop(&c.timers[F_GET], started)
    return True


cdef inline bint get_call(System* s, int i, Component* c, Transfer* x, double t, bint check) noexcept nogil:
    """`check`: a value that is not finite is a failure."""
    cdef int k, status
    cdef double* target = &s.r[x.first]
    status = call_transfer(c, x, target if x.code == FLOAT64 else x.buffer)
    if status > WARNING:
        return fail(s, i, F_GET, status, -1, t, 0)
    if x.code != FLOAT64:
        scatter(s, x)
    if check and x.code <= FLOAT32:
        for k in range(x.n_values):
            if not isfinite(target[k]):
                return fail(s, i, F_VALUE, ERROR, x.first + k, t, 0)
    return True


cdef inline void scatter(System* s, Transfer* x) noexcept nogil:
    """From the buffer of a get call into the banks."""
    cdef int k
    cdef int64_t v
    cdef const char* data
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


cdef inline bint read_recorded(System* s, double t) noexcept nogil:
    """Gets what is recorded, but not handed on."""
    cdef int i, k
    cdef Component* c
    cdef Mark* mark = s.here()
    cdef long long started
    for i in range(s.n_components):
        c = &s.components[i]
        if c.n_recorded == 0:
            continue
        at_work(mark, c, t)
        started = start(&c.timers[F_GET])
        for k in range(c.n_recorded):
            if not get_call(s, i, c, &c.recorded[k], t, False):
                return False
        stop(&c.timers[F_GET], started)
    mark.name = NULL
    return True


# ---- steps -------------------------------------------------------------------------------------------------


cdef inline bint step(System* s, int i, double t, double h) noexcept nogil:
    cdef int status = do_step(&s.components[i], t, h)
    return status <= WARNING or fail(s, i, F_STEP, status, -1, t, h)


cdef inline int do_step(Component* c, double t, double h) noexcept nogil:
    """The status; what is shared with other components is not touched."""
    cdef long long started = start(&c.timers[F_STEP])
    cdef int status
    if c.version == 2:
        status = (<Step2>c.do_step)(c.stepper, t, h, 0)
    elif c.version == 3:
        status = do_step3(c, t, h)
    else:
        status = (<Step1>c.do_step)(c.stepper, t, h, 1)
    if status == PENDING:
        status = settled(status, c.get_status, c.stepper)
    stop(&c.timers[F_STEP], started)
    return status


cdef inline int do_step3(Component* c, double t, double h) noexcept nogil:
    """doStep of FMI 3; an early return counts as a refused step."""
    cdef bint8 event = 0, terminate = 0, early = 0
    cdef double reached = t + h
    cdef int status = (<Step3>c.do_step)(c.stepper, t, h, 0, &event, &terminate, &early, &reached)
    return DISCARD if early and status <= WARNING else status


# ---- states ------------------------------------------------------------------------------------------------


cdef inline bint save_state(System* s, int i, void** state, double t) noexcept nogil:
    cdef Component* c = &s.components[i]
    cdef long long started = start(&c.timers[F_SAVE])
    cdef int status = ERROR
    if c.can_restore:
        status = c.get_state(c.keeper, state)
    stop(&c.timers[F_SAVE], started)
    return status <= WARNING or fail(s, i, F_SAVE, status, -1, t, 0)


cdef inline bint restore_state(System* s, int i, void* state, double t) noexcept nogil:
    cdef Component* c = &s.components[i]
    cdef long long started = start(&c.timers[F_RESTORE])
    cdef int status = ERROR
    if c.can_restore and state != NULL:
        status = c.set_state(c.keeper, state)
    stop(&c.timers[F_RESTORE], started)
    return status <= WARNING or fail(s, i, F_RESTORE, status, -1, t, 0)


cdef inline void release_state(System* s, int i, void** state) noexcept nogil:
    cdef Component* c = &s.components[i]
    if state[0] != NULL and c.free_state != NULL:
        c.free_state(c.keeper, state)
    state[0] = NULL


cdef inline bint roll_back(System* s, int i) noexcept nogil:
    """Puts component i back to the beginning of the step."""
    return restore_state(s, i, s.origin[i] if s.origin != NULL else s.components[i].state, NAN)
