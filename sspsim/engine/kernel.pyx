# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel: moves numbers between FMUs through their own C functions, without Python in between.

A component is a table of C functions with the get and set calls of its plan. `Kernel` owns the banks of values, the
tables and the saved states; `Cycle` is the part of it that a master algorithm works with. All FMU calls run without
the GIL. A failing call is noted (component, function, status) and raised as an exception once the GIL is back.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pythread cimport (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
    WAIT_LOCK,
)
from libc.math cimport fabs, INFINITY, isfinite, llround, NAN, sqrt
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset, strlen

from threading import Thread
from weakref import WeakSet

import numpy as np

from sspsim.fmi import crash

cdef extern from "pending.h" nogil:
    int settled(int status, void* get_status, void* instance)

cdef extern from "clock.h" nogil:
    long long clock_ns()

cdef enum:  # sspsim.plan.Bank
    REAL, INTEGER, TEXT

cdef enum:  # sspsim.plan.Code
    FLOAT64, FLOAT32, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BOOLEAN8, BOOLEAN32, STRING, BINARY

cdef enum:  # what a failure happened in; FUNCTIONS gives the words
    F_SET, F_STEP, F_GET, F_SAVE, F_RESTORE, F_DERIVE, F_SERIALIZE, F_VALUE, F_RANGE

FUNCTIONS = (
    "set", "doStep", "get", "getState", "setState", "getDirectionalDerivative", "serializeState", "value", "range",
)

cdef enum:
    OK = 0
    WARNING = 1
    DISCARD = 2
    ERROR = 3
    PENDING = 5

cdef enum:
    TIMERS = 6         # F_SET to F_DERIVE
    SAMPLE = 64        # a quick component is timed on every 64th call: reading the clock costs more than stepping it
    QUICK_NS = 2000    # shorter than this counts as quick
    WAKING_NS = 50000  # what threads have to save to be worth waking

ctypedef unsigned char bint8
ctypedef int (*Call2)(void*, const uint32_t*, size_t, void*) noexcept nogil
ctypedef int (*Call3)(void*, const uint32_t*, size_t, void*, size_t) noexcept nogil
ctypedef int (*CallBinary)(void*, const uint32_t*, size_t, size_t*, void*, size_t) noexcept nogil
ctypedef int (*Step1)(void*, double, double, char) noexcept nogil
ctypedef int (*Step2)(void*, double, double, int) noexcept nogil
ctypedef int (*Step3)(void*, double, double, bint8, bint8*, bint8*, bint8*, double*) noexcept nogil
ctypedef int (*State)(void*, void**) noexcept nogil
ctypedef int (*SetState)(void*, void*) noexcept nogil
ctypedef int (*StateSize)(void*, void*, size_t*) noexcept nogil
ctypedef int (*WriteState)(void*, void*, void*, size_t) noexcept nogil
ctypedef int (*ReadState)(void*, const void*, size_t, void**) noexcept nogil
ctypedef int (*Derive2)(void*, const uint32_t*, size_t, const uint32_t*, size_t, double*, double*) noexcept nogil
ctypedef int (*Derive3)(
    void*, const uint32_t*, size_t, const uint32_t*, size_t, double*, size_t, double*, size_t) noexcept nogil

ctypedef void (*Mark)(const char*, double) noexcept nogil
cdef Mark at_work = <Mark><uintptr_t>crash.ENTER  # names the component that a crash is to be blamed on

cdef struct Text:
    char* data
    size_t size

cdef struct Feed:
    int bank
    int slot
    double factor
    double offset
    int n_table
    int64_t* table      # n_table pairs (source, target)

cdef struct Transfer:   # one get or set call
    int code
    int n_references
    uint32_t* references
    void* function
    int n_values
    int first           # first slot of an output
    Feed* feeds         # of an input, else NULL
    bint plain          # all values are FLOAT64 fed by reals as they are
    void* buffer        # n_values of the FMU's type
    size_t* sizes       # of binaries

cdef struct Timer:
    long long calls
    long long ns
    long long last      # the last quick call that was measured
    long long recent    # the last call that was measured
    bint slow           # worth measuring every time

cdef struct Component:
    int version
    void* instance
    void* stepper       # first argument of do_step; the instance unless something wraps it
    void* do_step
    void* keeper        # first argument of the state functions
    State get_state
    SetState set_state
    State free_state
    StateSize state_size
    WriteState write_state
    ReadState read_state
    void* derive
    int n_sets, n_iterated, n_handed_on, n_recorded
    Transfer* sets
    Transfer* iterated
    Transfer* handed_on
    Transfer* recorded
    void* state         # at the beginning of the step, for a cycle that is iterated
    bint can_restore
    void* get_status    # of FMI 1 and 2: asks how far a pending step is
    const char* name    # for the last words of a crash
    Timer timers[TIMERS]

cdef struct Failure:
    int component
    int function
    int status
    int slot
    double time
    double step


cdef long long clock_cost() noexcept nogil:
    """What reading the clock adds to a measured call."""
    cdef long long least = 1000, ns
    cdef int k
    for k in range(1000):
        ns = clock_ns()
        ns = clock_ns() - ns
        least = min(least, ns)
    return least

cdef long long CLOCK_NS = clock_cost()


cdef inline long long start(Timer* timer) noexcept nogil:
    """The time now if this call is to be measured, else 0."""
    timer.calls += 1
    if timer.slow or (timer.calls & (SAMPLE - 1)) == 0:
        return clock_ns()
    return 0


cdef inline void stop(Timer* timer, long long started) noexcept nogil:
    """Adds a measured call; a quick one stands for all since the last sample, an outlier only for itself."""
    cdef long long ns
    if started == 0:
        return
    ns = max(<long long>0, clock_ns() - started - CLOCK_NS)
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


cdef inline void store_integer(int code, void* buffer, int i, int64_t v) noexcept nogil:
    if code == INT32 or code == BOOLEAN32:
        (<int32_t*>buffer)[i] = <int32_t>v
    elif code == BOOLEAN8 or code == INT8 or code == UINT8:
        (<int8_t*>buffer)[i] = <int8_t>v
    elif code == INT64 or code == UINT64:
        (<int64_t*>buffer)[i] = v
    elif code == INT16 or code == UINT16:
        (<int16_t*>buffer)[i] = <int16_t>v
    else:
        (<uint32_t*>buffer)[i] = <uint32_t>v


cdef inline int64_t load_integer(int code, void* buffer, int i) noexcept nogil:
    if code == INT32:
        return (<int32_t*>buffer)[i]
    if code == BOOLEAN32:
        return (<int32_t*>buffer)[i] != 0
    if code == BOOLEAN8:
        return (<int8_t*>buffer)[i] != 0
    if code == INT64 or code == UINT64:
        return (<int64_t*>buffer)[i]
    if code == UINT32:
        return (<uint32_t*>buffer)[i]
    if code == INT16:
        return (<int16_t*>buffer)[i]
    if code == UINT16:
        return (<uint16_t*>buffer)[i]
    if code == INT8:
        return (<int8_t*>buffer)[i]
    return (<uint8_t*>buffer)[i]


cdef inline bint in_range(int code, double v) noexcept nogil:
    """Whether a rounded number fits the integer type."""
    if code == INT32:
        return -2147483648.0 <= v <= 2147483647.0
    if code == BOOLEAN8 or code == BOOLEAN32:
        return v == 0.0 or v == 1.0
    if code == INT8:
        return -128.0 <= v <= 127.0
    if code == UINT8:
        return 0.0 <= v <= 255.0
    if code == INT16:
        return -32768.0 <= v <= 32767.0
    if code == UINT16:
        return 0.0 <= v <= 65535.0
    if code == UINT32:
        return 0.0 <= v <= 4294967295.0
    if code == UINT64:
        return 0.0 <= v < 9223372036854775808.0
    return -9223372036854775808.0 <= v < 9223372036854775808.0


cdef inline int64_t look_up(Feed* feed, int64_t v) noexcept nogil:
    cdef int i
    for i in range(feed.n_table):
        if feed.table[2 * i] == v:
            return feed.table[2 * i + 1]
    return v


cdef size_t width(int code) noexcept nogil:
    if code == FLOAT64 or code == INT64 or code == UINT64:
        return 8
    if code == FLOAT32 or code == INT32 or code == UINT32 or code == BOOLEAN32:
        return 4
    if code == INT16 or code == UINT16:
        return 2
    if code == INT8 or code == UINT8 or code == BOOLEAN8:
        return 1
    return sizeof(void*)


cdef bint replace_text(Text* text, const char* data, size_t size) noexcept nogil:
    """Keeps a copy of the FMU's text (its own is gone after the next call); True if it differs from the old one."""
    if text.data != NULL and text.size == size and memcmp(text.data, data, size) == 0:
        return False
    text.data = <char*>realloc(text.data, size + 1)
    memcpy(text.data, data, size)
    text.data[size] = 0
    text.size = size
    return True


cdef inline void store_real(Transfer* x, int k, double v) noexcept nogil:
    if x.code == FLOAT64:
        (<double*>x.buffer)[k] = v
    else:
        (<float*>x.buffer)[k] = <float>v


cdef inline int call_transfer(Component* c, Transfer* x, void* values) noexcept nogil:
    """The FMU's get or set function, in the calling convention of its FMI version."""
    if c.version < 3:
        return (<Call2>x.function)(c.instance, x.references, x.n_references, values)
    if x.code == BINARY:
        return (<CallBinary>x.function)(c.instance, x.references, x.n_references, x.sizes, values, x.n_values)
    return (<Call3>x.function)(c.instance, x.references, x.n_references, values, x.n_values)


cdef int step3(Component* c, double t, double h) noexcept nogil:
    """doStep of FMI 3; an early return counts as a refused step."""
    cdef bint8 event = 0, terminate = 0, early = 0
    cdef double reached = t + h
    cdef int status = (<Step3>c.do_step)(c.stepper, t, h, 0, &event, &terminate, &early, &reached)
    return DISCARD if early and status <= WARNING else status


cdef Feed* feed_list(feeds) except NULL:
    cdef Feed* list_ = <Feed*>calloc(len(feeds) + 1, sizeof(Feed))
    cdef int i, k
    for i, feed in enumerate(feeds):
        list_[i].bank = feed.bank
        list_[i].slot = feed.slot
        list_[i].factor = feed.factor
        list_[i].offset = feed.offset
        list_[i].n_table = len(feed.table)
        list_[i].table = <int64_t*>malloc(max(1, 2 * len(feed.table)) * sizeof(int64_t))
        for k, (source, target) in enumerate(feed.table):
            list_[i].table[2 * k] = source
            list_[i].table[2 * k + 1] = target
    return list_


cdef void free_feeds(Feed* list_, int n) noexcept:
    cdef int i
    if list_ != NULL:
        for i in range(n):
            free(list_[i].table)
    free(list_)


cdef void free_transfers(Transfer* list_, int n) noexcept:
    cdef int i
    for i in range(n):
        free_feeds(list_[i].feeds, list_[i].n_values)
        free(list_[i].references)
        free(list_[i].buffer)
        free(list_[i].sizes)
    free(list_)


cdef struct Late:       # a handed-on real that a member of its own cycle uses
    int slot
    bint broken         # used before it is computed when one follows the other
    double before


cdef struct Group:      # components that are stepped together
    int* components
    int n
    int first           # their iterated reals are `count` slots from `first` on
    int count
    bint simultaneous
    bint keeps          # whether the states at the beginning of each step are kept, to roll back to
    bint rolled_back    # the next pass repeats a step
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
    double defect_sum
    long long defects


cdef double weighted(double* a, double* b, int* which, int n, double rtol, double atol) noexcept nogil:
    """WRMS: distance of a and b, weighted by b, over all or the given elements; converged at 1 or less."""
    cdef double total = 0.0, d
    cdef int i, k
    for k in range(n):
        i = which[k] if which != NULL else k
        d = (a[i] - b[i]) / (rtol * fabs(b[i]) + atol)
        total += d * d
    return sqrt(total / n) if n else 0.0


cdef bint factorize(double* m, int* pivots, int n) noexcept nogil:
    """LU with partial pivoting in place, row by row; False if singular."""
    cdef int i, j, k, p
    cdef double swap
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if fabs(m[i * n + k]) > fabs(m[p * n + k]):
                p = i
        pivots[k] = p
        if m[p * n + k] == 0.0:
            return False
        if p != k:
            for j in range(n):
                swap = m[k * n + j]
                m[k * n + j] = m[p * n + j]
                m[p * n + j] = swap
        for i in range(k + 1, n):
            m[i * n + k] /= m[k * n + k]
            for j in range(k + 1, n):
                m[i * n + j] -= m[i * n + k] * m[k * n + j]
    return True


cdef void substitute(double* lu, int* pivots, int n, double* x) noexcept nogil:
    """Solves with a factorised matrix, in place."""
    cdef int i, j
    cdef double swap
    for i in range(n):
        swap = x[pivots[i]]
        x[pivots[i]] = x[i]
        x[i] = swap
        for j in range(i):
            x[i] -= lu[i * n + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= lu[i * n + j] * x[j]
        x[i] /= lu[i * n + i]


cdef class Kernel:
    """The banks of values and the components that read and write them.

    `reals` and `integers` are the live banks: writing to them changes what the components get next.
    """

    cdef Component* components
    cdef int n_components
    cdef double* r
    cdef int n_reals
    cdef int64_t* z
    cdef Text* texts
    cdef int n_texts
    cdef Snapshot origin_               # where all components stand at the beginning of the step, if it was kept
    cdef void** origin_states
    cdef object snapshots
    cdef Workers workers_
    cdef bint changed                   # an integer or text output changed in the last sweep
    cdef Failure failure
    cdef double* full                   # the reals at the end of a full step, for error control
    cdef double* half                   # and in the middle of its two halves
    cdef readonly object reals
    cdef readonly object integers
    cdef list names
    cdef readonly object owners         # keeps what the C pointers point to alive
    cdef object explain                 # turns a failure into an exception
    cdef public double rtol
    cdef public double atol
    # recording
    cdef Feed* real_columns
    cdef int n_real_columns
    cdef Feed* integer_columns
    cdef int n_integer_columns
    cdef object text_columns
    cdef readonly object real_rows      # time first
    cdef readonly object integer_rows
    cdef readonly list text_rows
    cdef int* defect_slots
    cdef int n_defect_slots
    cdef double* real_block
    cdef int64_t* integer_block
    cdef int capacity
    cdef readonly int rows
    cdef readonly long long position    # the step that the last `run` reached, also if it failed

    def __cinit__(self, list entries, list wirings, tuple sizes, object explain):
        """`entries[i]`: C functions of component i; `wirings[i]`: its calls; `sizes`: of the three banks."""
        cdef int i
        self.reals = np.zeros(max(1, sizes[0]))
        self.integers = np.zeros(max(1, sizes[1]), dtype=np.int64)
        cdef double[::1] reals = self.reals
        cdef int64_t[::1] integers = self.integers
        self.r = &reals[0]
        self.z = &integers[0]
        self.n_reals = len(self.reals)
        self.full = <double*>calloc(self.n_reals, sizeof(double))
        self.half = <double*>calloc(self.n_reals, sizeof(double))
        self.n_texts = sizes[2]
        self.texts = <Text*>calloc(max(1, self.n_texts), sizeof(Text))
        for i in range(self.n_texts):
            replace_text(&self.texts[i], b"", 0)
        self.n_components = len(entries)
        self.components = <Component*>calloc(max(1, self.n_components), sizeof(Component))
        self.names = []
        self.snapshots = WeakSet()
        self.explain = explain
        self.owners = (entries, wirings)
        self.rtol = 1e-5
        self.atol = 1e-6
        for i in range(self.n_components):
            self.build(&self.components[i], entries[i], wirings[i])

    cdef build(self, Component* c, entry, wiring):
        cdef int k
        cdef bytes name = entry.name.encode()
        c.version = entry.version
        c.name = name
        self.names.append(name)     # keeps it alive
        c.instance = <void*><uintptr_t>entry.instance
        c.stepper = <void*><uintptr_t>(entry.stepper or entry.instance)
        c.keeper = <void*><uintptr_t>(entry.keeper or entry.instance)
        c.do_step = <void*><uintptr_t>entry.address("doStep")
        c.get_state = <State><uintptr_t>entry.functions.get("getState", 0)
        c.set_state = <SetState><uintptr_t>entry.functions.get("setState", 0)
        c.free_state = <State><uintptr_t>entry.functions.get("freeState", 0)
        c.can_restore = entry.can_restore and c.get_state != NULL and c.set_state != NULL
        c.state_size = <StateSize><uintptr_t>entry.functions.get("stateSize", 0)
        c.write_state = <WriteState><uintptr_t>entry.functions.get("serialize", 0)
        c.read_state = <ReadState><uintptr_t>entry.functions.get("deserialize", 0)
        c.derive = <void*><uintptr_t>entry.functions.get("directional", 0)
        c.get_status = <void*><uintptr_t>entry.functions.get("getStatus", 0)
        for k in range(TIMERS):
            c.timers[k].slow = True     # the first call is always measured
        c.sets = self.transfers(wiring.sets, entry, "set")
        c.n_sets = len(wiring.sets)
        c.iterated = self.transfers(wiring.iterated, entry, "get")
        c.n_iterated = len(wiring.iterated)
        c.handed_on = self.transfers(wiring.handed_on, entry, "get")
        c.n_handed_on = len(wiring.handed_on)
        c.recorded = self.transfers(wiring.recorded, entry, "get")
        c.n_recorded = len(wiring.recorded)

    cdef Transfer* transfers(self, calls, entry, str verb) except NULL:
        cdef Transfer* list_ = <Transfer*>calloc(len(calls) + 1, sizeof(Transfer))
        cdef Transfer* x
        cdef int i, k
        for i, call in enumerate(calls):
            x = &list_[i]
            x.code = call.code
            x.n_references = len(call.references)
            x.references = <uint32_t*>malloc(max(1, x.n_references) * sizeof(uint32_t))
            for k in range(x.n_references):
                x.references[k] = call.references[k]
            x.function = <void*><uintptr_t>entry.address(f"{verb}.{call.code.name}")
            x.n_values = len(call.feeds) if verb == "set" else call.count
            x.buffer = calloc(max(1, x.n_values), width(x.code))
            if x.code == BINARY:
                x.sizes = <size_t*>calloc(max(1, x.n_values), sizeof(size_t))
            if verb == "set":
                self.connect(x, call.feeds)
            else:
                x.first = call.first
        return list_

    cdef connect(self, Transfer* x, feeds):
        x.feeds = feed_list(feeds)
        x.plain = x.code == FLOAT64 and all(
            feed.bank == REAL and feed.factor == 1.0 and feed.offset == 0.0 for feed in feeds
        )

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_components):
            free_transfers(self.components[i].sets, self.components[i].n_sets)
            free_transfers(self.components[i].iterated, self.components[i].n_iterated)
            free_transfers(self.components[i].handed_on, self.components[i].n_handed_on)
            free_transfers(self.components[i].recorded, self.components[i].n_recorded)
        free(self.components)
        for i in range(self.n_texts):
            free(self.texts[i].data)
        free(self.texts)
        free_feeds(self.real_columns, self.n_real_columns)
        free_feeds(self.integer_columns, self.n_integer_columns)
        free(self.defect_slots)
        free(self.full)
        free(self.half)

    # ---- one component -------------------------------------------------------------------------------------

    cdef bint fail(self, int component, int function, int status, int slot, double t, double h) noexcept nogil:
        self.failure = Failure(component, function, status, slot, t, h)
        return False

    cdef inline bint set_inputs(self, int i, double t) noexcept nogil:
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_SET])
        cdef int k
        for k in range(c.n_sets):
            if not self.set_call(i, c, &c.sets[k], t):
                return False
        stop(&c.timers[F_SET], started)
        return True

    cdef inline bint set_call(self, int i, Component* c, Transfer* x, double t) noexcept nogil:
        cdef int k, status
        cdef double* out = <double*>x.buffer
        if x.plain:
            for k in range(x.n_values):
                out[k] = self.r[x.feeds[k].slot]
        elif not self.gather(i, x, t):
            return False
        status = call_transfer(c, x, x.buffer)
        return status <= WARNING or self.fail(i, F_SET, status, -1, t, 0)

    cdef inline double real_value(self, Feed* f) noexcept nogil:
        cdef double v = self.r[f.slot] if f.bank == REAL else <double>look_up(f, self.z[f.slot])
        return v if f.factor == 1.0 and f.offset == 0.0 else f.factor * v + f.offset

    cdef inline int64_t integer_value(self, Feed* f) noexcept nogil:
        if f.bank == INTEGER and f.factor == 1.0 and f.offset == 0.0:
            return look_up(f, self.z[f.slot])
        return llround(self.real_value(f))

    cdef bint gather(self, int i, Transfer* x, double t) noexcept nogil:
        """The general way: values through their conversions into the buffer of one set call."""
        cdef int k
        cdef Feed* f
        cdef double v
        cdef int64_t z
        for k in range(x.n_values):
            f = &x.feeds[k]
            if x.code <= FLOAT32:
                store_real(x, k, self.real_value(f))
            elif x.code >= STRING:
                (<char**>x.buffer)[k] = self.texts[f.slot].data
                if x.code == BINARY:
                    x.sizes[k] = self.texts[f.slot].size
            elif f.bank == INTEGER and f.factor == 1.0 and f.offset == 0.0:
                z = look_up(f, self.z[f.slot])
                if width(x.code) < 8 and not in_range(x.code, <double>z):
                    return self.fail(i, F_RANGE, ERROR, f.slot if f.bank == REAL else -1 - f.slot, t, 0)
                store_integer(x.code, x.buffer, k, z)
            else:
                v = self.real_value(f)
                if not in_range(x.code, v):
                    return self.fail(i, F_RANGE, ERROR, f.slot if f.bank == REAL else -1 - f.slot, t, 0)
                store_integer(x.code, x.buffer, k, llround(v))
        return True

    cdef inline bint get_outputs(self, int i, double t) noexcept nogil:
        """Everything that other components may need."""
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_GET])
        cdef int k
        for k in range(c.n_iterated):
            if not self.get_call(i, c, &c.iterated[k], t, True):
                return False
        for k in range(c.n_handed_on):
            if not self.get_call(i, c, &c.handed_on[k], t, True):
                return False
        stop(&c.timers[F_GET], started)
        return True

    cdef inline bint get_call(self, int i, Component* c, Transfer* x, double t, bint check) noexcept nogil:
        """`check`: a value that is not finite is a failure."""
        cdef int k, status
        cdef double* target = &self.r[x.first]
        status = call_transfer(c, x, target if x.code == FLOAT64 else x.buffer)
        if status > WARNING:
            return self.fail(i, F_GET, status, -1, t, 0)
        if x.code != FLOAT64:
            self.scatter(x)
        if check and x.code <= FLOAT32:
            for k in range(x.n_values):
                if not isfinite(target[k]):
                    return self.fail(i, F_VALUE, ERROR, x.first + k, t, 0)
        return True

    cdef void scatter(self, Transfer* x) noexcept nogil:
        """From the buffer of a get call into the banks."""
        cdef int k
        cdef int64_t v
        cdef const char* data
        for k in range(x.n_values):
            if x.code == FLOAT32:
                self.r[x.first + k] = (<float*>x.buffer)[k]
            elif x.code < STRING:
                v = load_integer(x.code, x.buffer, k)
                self.changed = self.changed or self.z[x.first + k] != v
                self.z[x.first + k] = v
            else:
                data = (<const char**>x.buffer)[k]
                if data == NULL:
                    data = b""
                if replace_text(&self.texts[x.first + k], data, x.sizes[k] if x.code == BINARY else strlen(data)):
                    self.changed = True

    cdef inline bint step(self, int i, double t, double h) noexcept nogil:
        cdef int status = self.do_step(i, t, h)
        return status <= WARNING or self.fail(i, F_STEP, status, -1, t, h)

    cdef inline int do_step(self, int i, double t, double h) noexcept nogil:
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_STEP])
        cdef int status
        at_work(c.name, t)
        if c.version == 2:
            status = (<Step2>c.do_step)(c.stepper, t, h, 0)
        elif c.version == 3:
            status = step3(c, t, h)
        else:
            status = (<Step1>c.do_step)(c.stepper, t, h, 1)
        if status == PENDING:
            status = settled(status, c.get_status, c.stepper)
        at_work(NULL, t)
        stop(&c.timers[F_STEP], started)
        return status

    cdef inline bint save_state(self, int i, void** state, double t) noexcept nogil:
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_SAVE])
        cdef int status = ERROR
        if c.can_restore:
            status = c.get_state(c.keeper, state)
        stop(&c.timers[F_SAVE], started)
        return status <= WARNING or self.fail(i, F_SAVE, status, -1, t, 0)

    cdef inline bint restore_state(self, int i, void* state, double t) noexcept nogil:
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_RESTORE])
        cdef int status = ERROR
        if c.can_restore and state != NULL:
            status = c.set_state(c.keeper, state)
        stop(&c.timers[F_RESTORE], started)
        return status <= WARNING or self.fail(i, F_RESTORE, status, -1, t, 0)

    # ---- many components -----------------------------------------------------------------------------------

    cdef bint sweep(self, int* list_, int n, double t, double h) noexcept nogil:
        """Gauss-Seidel: one after the other, each with the newest values."""
        cdef int k
        for k in range(n):
            if not (self.set_inputs(list_[k], t) and self.step(list_[k], t, h)
                    and self.get_outputs(list_[k], t + h)):
                return False
        return True

    cdef bint evaluate(self, int* list_, int n, double t, double h) noexcept nogil:
        """Gauss-Jacobi: all get their inputs first, so nobody sees a value of this step."""
        cdef int k
        for k in range(n):
            if not self.set_inputs(list_[k], t):
                return False
        if self.workers_ is not None and self.is_worth_sharing(list_, n):
            return self.share(list_, n, t, h)
        for k in range(n):
            if not (self.step(list_[k], t, h) and self.get_outputs(list_[k], t + h)):
                return False
        return True

    cdef bint is_worth_sharing(self, int* list_, int n) noexcept nogil:
        """Whether several threads save more time than waking them costs."""
        cdef long long total = 0, longest = 0, ns
        cdef int k
        for k in range(n):
            ns = self.components[list_[k]].timers[F_STEP].recent
            total += ns
            longest = max(longest, ns)
        return total - max(longest, total // (1 + self.workers_.n)) > WAKING_NS

    cdef bint share(self, int* list_, int n, double t, double h) noexcept nogil:
        """Steps the components in several threads; everything else stays in order, so the result is the same."""
        cdef int k
        cdef int* status = self.workers_.step_all(list_, n, t, h)
        for k in range(n):
            if status[k] > WARNING:
                return self.fail(list_[k], F_STEP, status[k], -1, t, h)
        for k in range(n):
            if not self.get_outputs(list_[k], t + h):
                return False
        return True

    cdef bint visit(self, Group* g, bint simultaneous, double t, double h) noexcept nogil:
        """One pass over a cycle; notes what the values were before, and keeps the states if this is a new step."""
        cdef int k
        cdef bint ok
        if g.keeps and not g.rolled_back and not self.keep_states(g, t):
            return False
        g.rolled_back = False
        memcpy(g.before, self.r + g.first, g.count * sizeof(double))
        for k in range(g.n_late):
            g.late[k].before = self.r[g.late[k].slot]
        self.changed = False
        g.passes += 1
        if simultaneous:
            ok = self.evaluate(g.components, g.n, t, h)
        else:
            ok = self.sweep(g.components, g.n, t, h)
        for k in range(g.n_late):
            if (simultaneous or g.late[k].broken) and g.late[k].before != self.r[g.late[k].slot]:
                self.changed = True
        return ok

    cdef bint keep_states(self, Group* g, double t) noexcept nogil:
        """Unless those of the whole system have just been kept."""
        cdef int k
        if self.origin_states != NULL:
            return True
        for k in range(g.n):
            if not self.save_state(g.components[k], &self.components[g.components[k]].state, t):
                return False
        return True

    cdef inline bint roll_back(self, int i) noexcept nogil:
        """Puts component i back to the beginning of the step."""
        if self.origin_states != NULL:
            return self.restore_state(i, self.origin_states[i], NAN)
        return self.restore_state(i, self.components[i].state, NAN)

    cdef bint is_slow(self, Group* g) noexcept nogil:
        """Whether a pass takes so long that other Python threads should not wait for it."""
        cdef int k
        for k in range(g.n):
            if self.components[g.components[k]].timers[F_STEP].slow:
                return True
        return False

    cdef void watch(self, Group* g, double t) noexcept nogil:
        """Notes how far assumed values were from those computed in the same step."""
        cdef double defect = weighted(g.before, self.r + g.first, g.assumed, g.n_assumed, self.rtol, self.atol)
        g.defects += 1
        g.defect_sum += defect
        if defect > g.defect_max:
            g.defect_max = defect
            g.defect_time = t
        if g.defect_slot >= 0 and defect > self.r[g.defect_slot]:
            self.r[g.defect_slot] = defect

    @property
    def origin(self):
        """Where the whole system is rolled back to; None: each cycle keeps its own states."""
        return self.origin_

    @origin.setter
    def origin(self, Snapshot snapshot):
        self.origin_ = snapshot
        self.origin_states = snapshot.states if snapshot is not None else NULL

    def cycle(self, components, int first=0, int count=0, *, bint simultaneous=False, bint keeps=False):
        """The part of the kernel that a master works with; its iterated reals are `count` slots from `first` on.

        `keeps`: the first pass of each step keeps the components' states, for `rollback`.
        """
        return Cycle(self, components, first, count, simultaneous, keeps)

    def start_workers(self, int n):
        """Lets `n` more threads step the components of cycles that step at once."""
        self.workers_ = Workers(self, n)

    def stop_workers(self):
        """Ends the threads."""
        if self.workers_ is not None:
            self.workers_.stop()
            self.workers_ = None

    def raise_failure(self):
        """Raises what the last failed call left behind."""
        cdef Failure f = self.failure
        raise self.explain(f.component, FUNCTIONS[f.function], f.status, f.slot, f.time, f.step)

    cdef bint pass_once(self, Group** groups, int n, double t, double h) noexcept nogil:
        cdef int i
        for i in range(n):
            if not self.visit(groups[i], groups[i].simultaneous, t, h):
                return False
            if groups[i].watched:
                self.watch(groups[i], t + h)
        return True

    cdef bint run_passes(self, Group** groups, int n, double start, double h,
                         long long end, long long every) noexcept nogil:
        while self.position < end:
            if not self.pass_once(groups, n, start + self.position * h, h):
                return False
            self.position += 1
            if every and self.position % every == 0:
                if not self.record_numbers(start + self.position * h):
                    return False
                if self.rows == self.capacity:
                    return True
        return True

    def statistics(self, int i):
        """Calls and seconds of the functions of component i."""
        cdef Component* c = &self.components[i]
        return {FUNCTIONS[k]: (c.timers[k].calls, 1e-9 * c.timers[k].ns) for k in range(TIMERS)}

    # ---- values outside of steps ---------------------------------------------------------------------------

    def set_all_inputs(self, int i, double t):
        """Hands component i all its connected inputs."""
        if not self.set_inputs(i, t):
            self.raise_failure()

    def get_all_outputs(self, int i, double t):
        """Reads all coupled outputs of component i."""
        if not self.get_outputs(i, t):
            self.raise_failure()

    def set_variable(self, int i, int call, int variable, int first, int count, double t):
        """Sets one input: the `variable`-th of a set call, `count` values from its `first` on."""
        cdef Component* c = &self.components[i]
        cdef Transfer x = part(&c.sets[call], variable, first, count)
        if not self.set_call(i, c, &x, t):
            self.raise_failure()

    def get_variable(self, int i, bint iterated, int call, int variable, int first, int count, double t, bint check):
        """Gets one output: the `variable`-th of a get call, `count` values from its `first` on."""
        cdef Component* c = &self.components[i]
        cdef Transfer x = part(&c.iterated[call] if iterated else &c.handed_on[call], variable, first, count)
        if not self.get_call(i, c, &x, t, check):
            self.raise_failure()

    def place(self, int bank, int slot, value):
        """Puts a value into a slot that no component writes."""
        if bank == REAL:
            self.r[slot] = value
        elif bank == INTEGER:
            self.z[slot] = <int64_t><uint64_t>(int(value) % 2**64)
        else:
            data = value if isinstance(value, bytes) else str(value).encode()
            replace_text(&self.texts[slot], data, len(data))

    def text(self, int slot):
        """The bytes in a text slot."""
        return PyBytes_FromStringAndSize(self.texts[slot].data, self.texts[slot].size)

    # ---- states --------------------------------------------------------------------------------------------

    def save(self, Snapshot snapshot=None, double t=NAN):
        """Keeps the states of all components and all values; in `snapshot` if given."""
        cdef int i
        if snapshot is None:
            snapshot = Snapshot(self)
        for i in range(self.n_components):
            if not self.save_state(i, &snapshot.states[i], t):
                self.raise_failure()
        self.save_values(snapshot)
        return snapshot

    cdef void save_values(self, Snapshot snapshot) noexcept:
        cdef int i
        memcpy(snapshot.r, self.r, snapshot.n_reals * sizeof(double))
        memcpy(snapshot.z, self.z, snapshot.n_integers * sizeof(int64_t))
        for i in range(self.n_texts):
            replace_text(&snapshot.texts[i], self.texts[i].data, self.texts[i].size)

    def restore(self, Snapshot snapshot, double t=NAN):
        """Puts all components and values back to where they were saved."""
        cdef int i
        for i in range(self.n_components):
            if not self.restore_state(i, snapshot.states[i], t):
                self.raise_failure()
        memcpy(self.r, snapshot.r, snapshot.n_reals * sizeof(double))
        memcpy(self.z, snapshot.z, snapshot.n_integers * sizeof(int64_t))
        for i in range(self.n_texts):
            replace_text(&self.texts[i], snapshot.texts[i].data, snapshot.texts[i].size)

    def hold_full_step(self, read_at=None):
        """Keeps all reals as the end of the full step, those that are only recorded too if a time is given."""
        if read_at is not None and not self.read_recorded(read_at):
            self.raise_failure()
        memcpy(self.full, self.r, self.n_reals * sizeof(double))

    def hold_half_step(self):
        """Keeps all reals as the middle of two half steps."""
        memcpy(self.half, self.r, self.n_reals * sizeof(double))

    def step_errors(self, Snapshot begin, int n, double rtol, double atol):
        """Richardson and slope error of the first n reals, now at the end of the second half step."""
        cdef double ends = 0.0, slopes = 0.0, weight, d
        cdef int i
        for i in range(n):
            weight = rtol * fabs(self.r[i]) + atol
            d = (self.full[i] - self.r[i]) / weight
            ends += d * d
            d = (self.half[i] - 0.5 * (begin.r[i] + self.r[i])) / weight
            slopes += d * d
        return (sqrt(ends / n), sqrt(slopes / n)) if n else (0.0, 0.0)

    def release_states(self):
        """Frees all saved states; to be called while the components still live."""
        cdef int i
        self.origin = None
        for i in range(self.n_components):
            self.release_state(i, &self.components[i].state)
        for snapshot in list(self.snapshots):
            (<Snapshot>snapshot).release()

    cdef void release_state(self, int i, void** state) noexcept:
        cdef Component* c = &self.components[i]
        if state[0] != NULL and c.free_state != NULL:
            c.free_state(c.keeper, state)
        state[0] = NULL

    # ---- recording -----------------------------------------------------------------------------------------

    def open_rows(self, real_feeds, integer_feeds, text_feeds, int capacity):
        """Prepares `capacity` rows: time and what the given feeds lead to."""
        self.n_real_columns = len(real_feeds)
        self.n_integer_columns = len(integer_feeds)
        self.real_columns = feed_list(real_feeds)
        self.integer_columns = feed_list(integer_feeds)
        self.text_columns = tuple(feed.slot for feed in text_feeds)
        self.real_rows = np.empty((capacity, 1 + self.n_real_columns))
        self.integer_rows = np.empty((capacity, max(1, self.n_integer_columns)), dtype=np.int64)
        cdef double[:, ::1] reals = self.real_rows
        cdef int64_t[:, ::1] integers = self.integer_rows
        self.real_block = &reals[0, 0]
        self.integer_block = &integers[0, 0]
        self.text_rows = []
        self.capacity = capacity
        self.rows = 0

    def record(self, double t, int extrapolate=0):
        """Appends a row; True when there is no room for another.

        The first `extrapolate` reals are extrapolated from the full step and its halves.
        """
        cdef double* row = self.real_block + <long long>self.rows * (1 + self.n_real_columns)
        cdef Feed* feed
        cdef int k
        if not self.record_numbers(t):
            self.raise_failure()
        for k in range(self.n_real_columns if extrapolate else 0):
            feed = &self.real_columns[k]
            if feed.bank == REAL and feed.slot < extrapolate:
                row[1 + k] = 2 * row[1 + k] - (feed.factor * self.full[feed.slot] + feed.offset)
        self.keep_texts()
        return self.rows == self.capacity

    cdef keep_texts(self):
        """Adds the texts to the newest row; with texts there is room for one row only, so there is no other."""
        if self.text_columns and len(self.text_rows) < self.rows:
            self.text_rows.append([self.text(slot) for slot in self.text_columns])

    def mark_defects(self, slots):
        """Lets the given real slots start anew after each row."""
        self.defect_slots = slot_list(self.defect_slots, slots)
        self.n_defect_slots = len(slots)

    def clear_rows(self):
        """Makes room after the rows have been written elsewhere."""
        self.rows = 0
        self.text_rows = []

    cdef bint read_recorded(self, double t) noexcept nogil:
        """Gets what is recorded, but not handed on."""
        cdef int i, k
        cdef Component* c
        cdef long long started
        for i in range(self.n_components):
            c = &self.components[i]
            if c.n_recorded == 0:
                continue
            started = start(&c.timers[F_GET])
            for k in range(c.n_recorded):
                if not self.get_call(i, c, &c.recorded[k], t, False):
                    return False
            stop(&c.timers[F_GET], started)
        return True

    cdef bint record_numbers(self, double t) noexcept nogil:
        cdef int k
        cdef double* row = self.real_block + <long long>self.rows * (1 + self.n_real_columns)
        cdef int64_t* whole = self.integer_block + <long long>self.rows * max(1, self.n_integer_columns)
        if not self.read_recorded(t):
            return False
        row[0] = t
        for k in range(self.n_real_columns):
            row[1 + k] = self.real_value(&self.real_columns[k])
        for k in range(self.n_integer_columns):
            whole[k] = self.integer_value(&self.integer_columns[k])
        for k in range(self.n_defect_slots):
            self.r[self.defect_slots[k]] = 0.0
        self.rows += 1
        return True


cdef Transfer part(Transfer* whole, int variable, int first, int count) noexcept:
    """The part of a get or set call that is about one variable."""
    cdef Transfer x = whole[0]
    x.references += variable
    x.n_references = 1
    x.n_values = count
    x.first += first
    x.buffer = <char*>x.buffer + first * width(x.code)
    if x.feeds != NULL:
        x.feeds += first
    if x.sizes != NULL:
        x.sizes += first
    return x


cdef int* slot_list(int* old, slots) except NULL:
    cdef int k
    cdef int* list_ = <int*>realloc(old, max(1, len(slots)) * sizeof(int))
    for k, slot in enumerate(slots):
        list_[k] = slot
    return list_


cdef class Snapshot:
    """The states of all components and all values at one moment."""

    cdef object __weakref__
    cdef Kernel kernel
    cdef void** states
    cdef double* r
    cdef int64_t* z
    cdef Text* texts
    cdef int n_reals, n_integers
    cdef readonly object reals          # the saved values, as an array

    def __cinit__(self, Kernel kernel):
        self.kernel = kernel
        self.states = <void**>calloc(max(1, kernel.n_components), sizeof(void*))
        self.n_reals = len(kernel.reals)
        self.n_integers = len(kernel.integers)
        self.reals = np.zeros(self.n_reals)
        cdef double[::1] reals = self.reals
        self.r = &reals[0]
        self.z = <int64_t*>calloc(self.n_integers, sizeof(int64_t))
        self.texts = <Text*>calloc(max(1, kernel.n_texts), sizeof(Text))
        kernel.snapshots.add(self)

    def __dealloc__(self):
        cdef int i
        self.release()
        for i in range(self.kernel.n_texts):
            free(self.texts[i].data)
        free(self.texts)
        free(self.z)
        free(self.states)

    cdef void release(self) noexcept:
        cdef int i
        for i in range(self.kernel.n_components):
            self.kernel.release_state(i, &self.states[i])

    def serialize(self):
        """All of it as bytes: the states of the components, reals, integers, texts."""
        cdef int i
        states = [self.serialize_state(i) for i in range(self.kernel.n_components)]
        texts = [PyBytes_FromStringAndSize(self.texts[i].data, self.texts[i].size) for i in range(self.kernel.n_texts)]
        integers = PyBytes_FromStringAndSize(<char*>self.z, self.n_integers * sizeof(int64_t))
        return states, self.reals.tobytes(), integers, texts

    cdef bytes serialize_state(self, int i):
        cdef Component* c = &self.kernel.components[i]
        cdef size_t size = 0
        cdef int status = ERROR
        if c.state_size != NULL and c.write_state != NULL:
            status = c.state_size(c.keeper, self.states[i], &size)
        content = PyBytes_FromStringAndSize(NULL, size)
        if status <= WARNING:
            status = c.write_state(c.keeper, self.states[i], <char*>content, size)
        if status > WARNING:
            self.kernel.fail(i, F_SERIALIZE, status, -1, NAN, 0)
            self.kernel.raise_failure()
        return content

    def deserialize(self, list states, bytes reals, bytes integers, list texts):
        """Takes the content back that `serialize` gave, in this or another process."""
        cdef int i, status
        cdef Component* c
        for i in range(self.kernel.n_components):
            c = &self.kernel.components[i]
            status = ERROR
            if c.read_state != NULL:
                status = c.read_state(c.keeper, <char*>states[i], len(states[i]), &self.states[i])
            if status > WARNING:
                self.kernel.fail(i, F_SERIALIZE, status, -1, NAN, 0)
                self.kernel.raise_failure()
        self.reals[:] = np.frombuffer(reals)
        memcpy(self.z, <char*>integers, self.n_integers * sizeof(int64_t))
        for i in range(self.kernel.n_texts):
            replace_text(&self.texts[i], texts[i], len(texts[i]))


cdef class Workers:
    """Threads that wait for components to step. Each takes the next one that nobody has taken."""

    cdef Kernel kernel
    cdef int n
    cdef PyThread_type_lock* go         # released when there is work
    cdef PyThread_type_lock* ready      # released when a thread finds no more
    cdef PyThread_type_lock taking
    cdef int next
    cdef int* components
    cdef int n_components
    cdef double t, h
    cdef int* status
    cdef bint ended
    cdef list threads

    def __cinit__(self, Kernel kernel, int n):
        cdef int i
        self.kernel = kernel
        self.n = n
        self.status = <int*>calloc(max(1, kernel.n_components), sizeof(int))
        self.taking = PyThread_allocate_lock()
        self.go = <PyThread_type_lock*>calloc(max(1, n), sizeof(PyThread_type_lock))
        self.ready = <PyThread_type_lock*>calloc(max(1, n), sizeof(PyThread_type_lock))
        for i in range(n):
            self.go[i] = PyThread_allocate_lock()
            self.ready[i] = PyThread_allocate_lock()
            PyThread_acquire_lock(self.go[i], WAIT_LOCK)
            PyThread_acquire_lock(self.ready[i], WAIT_LOCK)
        self.threads = [Thread(target=self.serve, args=(i,), daemon=True) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def __dealloc__(self):
        cdef int i
        for i in range(self.n):
            PyThread_free_lock(self.go[i])
            PyThread_free_lock(self.ready[i])
        PyThread_free_lock(self.taking)
        free(self.go)
        free(self.ready)
        free(self.status)

    def serve(self, int i):
        """The life of one thread."""
        with nogil:
            while True:
                PyThread_acquire_lock(self.go[i], WAIT_LOCK)
                if self.ended:
                    break
                self.take()
                PyThread_release_lock(self.ready[i])

    cdef void take(self) noexcept nogil:
        cdef int k
        while True:
            PyThread_acquire_lock(self.taking, WAIT_LOCK)
            k = self.next
            self.next += 1
            PyThread_release_lock(self.taking)
            if k >= self.n_components:
                return
            self.status[k] = self.kernel.do_step(self.components[k], self.t, self.h)

    cdef int* step_all(self, int* components, int n, double t, double h) noexcept nogil:
        """The status of each component's step."""
        cdef int i
        self.components = components
        self.n_components = n
        self.next = 0
        self.t = t
        self.h = h
        for i in range(self.n):
            PyThread_release_lock(self.go[i])
        self.take()
        for i in range(self.n):
            PyThread_acquire_lock(self.ready[i], WAIT_LOCK)
        return self.status

    def stop(self):
        """Ends the threads."""
        cdef int i
        self.ended = True
        for i in range(self.n):
            PyThread_release_lock(self.go[i])
        for thread in self.threads:
            thread.join()
        self.threads.clear()


cdef class Passage:
    """Cycles that are passed once per step, one after the other: no decision is needed in between."""

    cdef Kernel kernel
    cdef list cycles
    cdef Group** groups
    cdef int n

    def __cinit__(self, Kernel kernel, list cycles):
        cdef int i
        self.kernel = kernel
        self.cycles = cycles
        self.n = len(cycles)
        self.groups = <Group**>malloc(max(1, self.n) * sizeof(Group*))
        for i in range(self.n):
            self.groups[i] = &(<Cycle>cycles[i]).group

    def __dealloc__(self):
        free(self.groups)

    def step(self, double t, double h):
        """From t to t + h."""
        cdef bint ok, slow = False
        cdef int i
        for i in range(self.n):
            slow = slow or self.kernel.is_slow(self.groups[i])
        if slow:
            with nogil:
                ok = self.kernel.pass_once(self.groups, self.n, t, h)
        else:
            ok = self.kernel.pass_once(self.groups, self.n, t, h)
        if not ok:
            self.kernel.raise_failure()

    def run(self, double start, double h, long long k, long long end, long long every):
        """The steps k to `end` of the grid start + k*h.

        Records after each `every`-th step (0: never); returns the step reached, earlier than `end` when the rows
        are full.
        """
        cdef bint ok
        self.kernel.position = k
        with nogil:
            ok = self.kernel.run_passes(self.groups, self.n, start, h, end, every)
        if not ok:
            self.kernel.raise_failure()
        self.kernel.keep_texts()
        return self.kernel.position


cdef class Cycle:
    """Components that are stepped together, as a master algorithm sees them.

    `values` are the real iteration variables: a live view, so that writing to it changes what is handed on next.
    `before` are those that the last pass started from.
    """

    cdef Kernel kernel
    cdef Group group
    cdef double* matrix                 # I - dS/dy, factorised
    cdef int* pivots
    cdef double* step_                  # the correction of `values`
    cdef double* image                  # S(y) while the columns are computed
    cdef int* fed                       # components that each iterated real feeds, one list after the other
    cdef int* fed_end                   # where the list of each ends
    cdef readonly object values
    cdef readonly object before
    cdef readonly object assumed        # positions in `values` that are used before they are computed
    cdef readonly tuple components
    cdef long long asked                # passes when `passes_since_asked` was asked last
    cdef readonly double last_norm      # as the last test gave it
    cdef public bint directional        # whether all components give directional derivatives
    cdef public object workspace        # whatever a master wants to keep for this cycle between two steps

    def __cinit__(self, Kernel kernel, components, int first, int count, bint simultaneous, bint keeps):
        self.kernel = kernel
        self.group.keeps = keeps
        self.components = tuple(components)
        self.group.n = len(self.components)
        self.group.components = slot_list(NULL, self.components)
        self.group.first = first
        self.group.count = count
        self.group.simultaneous = simultaneous
        self.group.defect_slot = -1
        self.values = kernel.reals[first:first + count]
        self.before = np.zeros(max(1, count))
        cdef double[::1] before = self.before
        self.group.before = &before[0]
        self.before = self.before[:count]
        self.connect()

    def __dealloc__(self):
        free(self.group.components)
        free(self.group.assumed)
        free(self.group.late)
        free(self.matrix)
        free(self.pivots)
        free(self.step_)
        free(self.image)
        free(self.fed)
        free(self.fed_end)

    cdef connect(self):
        """Who feeds whom within the cycle."""
        cdef int first = self.group.first, count = self.group.count
        made = {}                       # real slot -> (position of its component, whether iterated)
        used = {}                       # real slot -> positions of the components that use it
        for position, i in enumerate(self.components):
            wiring = self.kernel.owners[1][i]
            for calls, iterated in ((wiring.iterated, True), (wiring.handed_on, False)):
                for call in calls:
                    if call.code <= FLOAT32:
                        made.update({call.first + k: (position, iterated) for k in range(call.count)})
            for call in wiring.sets:
                for feed in call.feeds:
                    if feed.bank == REAL:
                        used.setdefault(feed.slot, set()).add(position)
        broken = {slot for slot, (position, _) in made.items() if min(used.get(slot, [self.group.n])) <= position}
        assumed = [j for j in range(count) if first + j in (used if self.group.simultaneous else broken)]
        self.assumed = np.array(assumed, dtype=np.intp)
        self.group.assumed = slot_list(NULL, assumed)
        self.group.n_assumed = len(assumed)
        late = [slot for slot, (_, iterated) in sorted(made.items()) if slot in used and not iterated]
        self.group.late = <Late*>calloc(max(1, len(late)), sizeof(Late))
        self.group.n_late = len(late)
        for k, slot in enumerate(late):
            self.group.late[k] = Late(slot, slot in broken, 0.0)
        fed, ends = [], []
        for j in range(count):
            fed += [self.components[position] for position in sorted(used.get(first + j, ()))]
            ends.append(len(fed))
        self.fed = slot_list(NULL, fed)
        self.fed_end = slot_list(NULL, ends)

    @property
    def simultaneous(self):
        """Whether a single pass steps all components at once."""
        return self.group.simultaneous

    @property
    def passes(self):
        """How often the components have been stepped together."""
        return self.group.passes

    @property
    def difference_steps(self):
        """How many steps of components `differentiate` makes."""
        return self.fed_end[self.group.count - 1] if self.group.count else 0

    def passes_since_asked(self):
        """How many passes there were since this was asked last."""
        cdef long long number = self.group.passes - self.asked
        self.asked = self.group.passes
        return number

    @property
    def changed(self):
        """Whether the last pass left something that is not an iteration variable other than it found it."""
        return self.kernel.changed

    @property
    def rtol(self):
        """Relative tolerance of the norm."""
        return self.kernel.rtol

    @property
    def atol(self):
        """Absolute tolerance of the norm."""
        return self.kernel.atol

    # ---- passes --------------------------------------------------------------------------------------------

    def sweep(self, double t, double h):
        """Steps the components one after the other, each with the newest values (Gauss-Seidel)."""
        self.visit(False, t, h)

    def evaluate(self, double t, double h):
        """Steps all components with the values as they are now (Gauss-Jacobi)."""
        self.visit(True, t, h)

    cdef inline visit(self, bint simultaneous, double t, double h):
        cdef bint ok
        if self.kernel.is_slow(&self.group):
            with nogil:
                ok = self.kernel.visit(&self.group, simultaneous, t, h)
        else:
            ok = self.kernel.visit(&self.group, simultaneous, t, h)
        if not ok:
            self.kernel.raise_failure()

    def rollback(self):
        """Puts all components back to the beginning of the step."""
        cdef int k
        self.group.rolled_back = True
        for k in range(self.group.n):
            if not self.kernel.roll_back(self.group.components[k]):
                self.kernel.raise_failure()

    # ---- norms ---------------------------------------------------------------------------------------------

    def norm(self, const double[::1] before):
        """Weighted distance between `before` and the present values; converged at 1 or less.

        Infinite if an integer, boolean or text changed in the last sweep.
        """
        return self.judge(weighted(<double*>&before[0] if self.group.count else NULL, self.kernel.r + self.group.first,
                                   NULL, self.group.count, self.kernel.rtol, self.kernel.atol))

    def change(self):
        """How far the last pass moved the values: `norm(before)`."""
        return self.judge(weighted(self.group.before, self.kernel.r + self.group.first, NULL, self.group.count,
                                   self.kernel.rtol, self.kernel.atol))

    def defect(self):
        """How far the assumed values were from what the last sweep computed for them: the residual of the coupling."""
        return self.judge(weighted(self.group.before, self.kernel.r + self.group.first, self.group.assumed,
                                   self.group.n_assumed, self.kernel.rtol, self.kernel.atol))

    cdef inline double judge(self, double distance):
        self.last_norm = INFINITY if self.kernel.changed else distance
        return self.last_norm

    # ---- Newton --------------------------------------------------------------------------------------------

    cdef begin_matrix(self):
        cdef int n = self.group.count, i
        if self.matrix == NULL:
            self.matrix = <double*>malloc(max(1, n * n) * sizeof(double))
            self.pivots = <int*>malloc(max(1, n) * sizeof(int))
            self.step_ = <double*>malloc(max(1, n) * sizeof(double))
            self.image = <double*>malloc(max(1, n) * sizeof(double))
        memset(self.matrix, 0, n * n * sizeof(double))
        for i in range(n):
            self.matrix[i * n + i] = 1.0

    def differentiate(self, double t, double h, double increment=1.0):
        """I - dS/dy at `before` by forward differences; False if singular.

        S(y) is what the last `evaluate` gave. Only the components that a variable feeds are stepped for its column.
        They do not stand at `before` afterwards: roll back before the next pass.
        """
        cdef int n = self.group.count, j
        cdef double* values = self.kernel.r + self.group.first
        cdef bint ok = True
        self.begin_matrix()
        memcpy(self.image, values, n * sizeof(double))
        for j in range(n):
            if not self.difference(j, values, t, h, increment):
                ok = False
                break
        memcpy(values, self.image, n * sizeof(double))
        if not ok:
            self.kernel.raise_failure()
        return factorize(self.matrix, self.pivots, n)

    cdef bint difference(self, int j, double* values, double t, double h, double increment):
        """Column j: y_j + e instead of y_j."""
        cdef int n = self.group.count, k, m, q, i
        cdef int begin = self.fed_end[j - 1] if j else 0
        cdef double e = increment * (self.kernel.rtol * fabs(self.group.before[j]) + 0.01 * self.kernel.atol)
        cdef Component* c
        memcpy(values, self.group.before, n * sizeof(double))
        values[j] += e
        e = values[j] - self.group.before[j]
        for k in range(begin, self.fed_end[j]):
            if not (self.kernel.roll_back(self.fed[k]) and self.kernel.set_inputs(self.fed[k], t)):
                return False
        for k in range(begin, self.fed_end[j]):
            i = self.fed[k]
            c = &self.kernel.components[i]
            if not self.kernel.step(i, t, h):
                return False
            for m in range(c.n_iterated):
                if c.iterated[m].code > FLOAT32:
                    continue
                if not self.kernel.get_call(i, c, &c.iterated[m], t + h, True):
                    return False
                for q in range(c.iterated[m].first - self.group.first,
                               c.iterated[m].first - self.group.first + c.iterated[m].n_values):
                    self.matrix[q * n + j] -= (values[q] - self.image[q]) / e
        return True

    def differentiate_directionally(self, double t):
        """I - dS/dy from the components' directional derivatives, where they stand now; False if singular.

        These are derivatives of outputs by inputs at one moment: exact for algebraic loops.
        """
        cdef int n = self.group.count, j, k
        self.begin_matrix()
        for j in range(n):
            for k in range(self.fed_end[j - 1] if j else 0, self.fed_end[j]):
                if not self.derive(self.fed[k], j, t):
                    self.kernel.raise_failure()
        return factorize(self.matrix, self.pivots, n)

    cdef bint derive(self, int i, int j, double t):
        """What component i adds to column j."""
        cdef Component* c = &self.kernel.components[i]
        cdef Transfer* knowns = NULL
        cdef Transfer* unknowns = NULL
        cdef int k, status = ERROR, n = self.group.count, q
        cdef double* seed
        cdef long long started
        for k in range(c.n_sets):
            if c.sets[k].code == FLOAT64:
                knowns = &c.sets[k]
        for k in range(c.n_iterated):
            if c.iterated[k].code == FLOAT64:
                unknowns = &c.iterated[k]
        if knowns == NULL or unknowns == NULL:
            return True
        seed = <double*>knowns.buffer
        for k in range(knowns.n_values):
            seed[k] = 0.0
            if knowns.feeds[k].bank == REAL and knowns.feeds[k].slot == self.group.first + j:
                seed[k] = knowns.feeds[k].factor
        started = start(&c.timers[F_DERIVE])
        if c.version == 2:
            status = (<Derive2>c.derive)(c.instance, unknowns.references, unknowns.n_references,
                                         knowns.references, knowns.n_references, seed, <double*>unknowns.buffer)
        else:
            status = (<Derive3>c.derive)(c.instance, unknowns.references, unknowns.n_references, knowns.references,
                                         knowns.n_references, seed, knowns.n_values, <double*>unknowns.buffer,
                                         unknowns.n_values)
        stop(&c.timers[F_DERIVE], started)
        if status > WARNING:
            return self.kernel.fail(i, F_DERIVE, status, -1, t, 0)
        for q in range(unknowns.n_values):
            self.matrix[(unknowns.first - self.group.first + q) * n + j] -= (<double*>unknowns.buffer)[q]
        return True

    def correction(self):
        """Solves for the correction of y = `before` by its residual S(y) - y; returns its norm."""
        cdef int n = self.group.count, i
        cdef double* values = self.kernel.r + self.group.first
        cdef double* y = self.image     # the corrected values
        for i in range(n):
            self.step_[i] = values[i] - self.group.before[i]
        substitute(self.matrix, self.pivots, n, self.step_)
        for i in range(n):
            y[i] = self.group.before[i] + self.step_[i]
        return self.judge(weighted(self.group.before, y, NULL, n, self.kernel.rtol, self.kernel.atol))

    def correct(self):
        """Applies the correction: `values` are y + correction."""
        memcpy(self.kernel.r + self.group.first, self.image, self.group.count * sizeof(double))

    # ---- the coupling defect -------------------------------------------------------------------------------

    def watch_defect(self, int slot=-1):
        """From now on notes the defect of each step; in `slot` stands the greatest since the last row."""
        self.group.watched = True
        self.group.defect_slot = slot

    def defects(self):
        """Greatest defect, when, mean, number of steps."""
        cdef Group* g = &self.group
        return g.defect_max, g.defect_time, g.defect_sum / g.defects if g.defects else 0.0, g.defects
