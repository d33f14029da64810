# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The kernel: moves numbers between FMUs through their own C functions, without Python in between.

A component is a table of C functions with the get and set calls of its plan. `Kernel` owns the banks of values, the
tables and the saved states; `Cycle` is the part of it that a master algorithm works with. All FMU calls run without
the GIL. A failing call is noted (component, function, status) and raised as an exception once the GIL is back.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport fabs, INFINITY, isfinite, llround, NAN, sqrt
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, strlen

import numpy as np

cdef extern from "clock.h" nogil:
    long long clock_ns()

cdef enum:  # sspsim.plan.Bank
    REAL, INTEGER, TEXT

cdef enum:  # sspsim.plan.Code
    FLOAT64, FLOAT32, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BOOLEAN8, BOOLEAN32, STRING, BINARY

cdef enum:  # what a failure happened in; FUNCTIONS gives the words
    F_SET, F_STEP, F_GET, F_SAVE, F_RESTORE, F_VALUE, F_RANGE

FUNCTIONS = ("set", "doStep", "get", "getState", "setState", "value", "range")

cdef enum:
    OK = 0
    WARNING = 1
    DISCARD = 2
    ERROR = 3

cdef enum:
    SAMPLE = 64        # a quick component is timed on every 64th call: reading the clock costs more than stepping it
    QUICK_NS = 2000    # shorter than this counts as quick

ctypedef unsigned char bint8
ctypedef int (*Call2)(void*, const uint32_t*, size_t, void*) noexcept nogil
ctypedef int (*Call3)(void*, const uint32_t*, size_t, void*, size_t) noexcept nogil
ctypedef int (*CallBinary)(void*, const uint32_t*, size_t, size_t*, void*, size_t) noexcept nogil
ctypedef int (*Step1)(void*, double, double, char) noexcept nogil
ctypedef int (*Step2)(void*, double, double, int) noexcept nogil
ctypedef int (*Step3)(void*, double, double, bint8, bint8*, bint8*, bint8*, double*) noexcept nogil
ctypedef int (*State)(void*, void**) noexcept nogil
ctypedef int (*SetState)(void*, void*) noexcept nogil

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
    int n_sets, n_iterated, n_handed_on, n_recorded
    Transfer* sets
    Transfer* iterated
    Transfer* handed_on
    Transfer* recorded
    void** states       # one per snapshot
    bint can_restore
    Timer timers[5]     # indexed by F_SET to F_RESTORE

cdef struct Failure:
    int component
    int function
    int status
    int slot
    double time
    double step


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
    ns = clock_ns() - started
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


cdef void free_transfers(Transfer* list_, int n) noexcept:
    cdef int i, k
    for i in range(n):
        if list_[i].feeds != NULL:
            for k in range(list_[i].n_values):
                free(list_[i].feeds[k].table)
        free(list_[i].feeds)
        free(list_[i].references)
        free(list_[i].buffer)
        free(list_[i].sizes)
    free(list_)


cdef struct Pass:       # one visit of a cycle
    int* components
    int n
    bint simultaneous


cdef class Kernel:
    """The banks of values and the components that read and write them.

    `reals` and `integers` are the live banks: writing to them changes what the components get next.
    """

    cdef Component* components
    cdef int n_components
    cdef double* r
    cdef int64_t* z
    cdef Text* texts
    cdef int n_texts
    cdef int n_snapshots
    cdef bint changed                   # an integer or text output changed in the last sweep
    cdef Failure failure
    cdef readonly object reals
    cdef readonly object integers
    cdef readonly object owners         # keeps what the C pointers point to alive
    cdef object explain                 # turns a failure into an exception
    cdef public double rtol
    cdef public double atol
    # recording
    cdef int* real_columns
    cdef int n_real_columns
    cdef int* integer_columns
    cdef int n_integer_columns
    cdef object text_columns
    cdef readonly object real_rows      # time first
    cdef readonly object integer_rows
    cdef readonly list text_rows
    cdef double* real_block
    cdef int64_t* integer_block
    cdef int capacity
    cdef readonly int rows

    def __cinit__(self, list entries, list wirings, tuple sizes, object explain, int snapshots=3):
        """`entries[i]`: C functions of component i; `wirings[i]`: its calls; `sizes`: of the three banks."""
        cdef int i
        self.reals = np.zeros(max(1, sizes[0]))
        self.integers = np.zeros(max(1, sizes[1]), dtype=np.int64)
        cdef double[::1] reals = self.reals
        cdef int64_t[::1] integers = self.integers
        self.r = &reals[0]
        self.z = &integers[0]
        self.n_texts = sizes[2]
        self.texts = <Text*>calloc(max(1, self.n_texts), sizeof(Text))
        for i in range(self.n_texts):
            replace_text(&self.texts[i], b"", 0)
        self.n_components = len(entries)
        self.components = <Component*>calloc(max(1, self.n_components), sizeof(Component))
        self.n_snapshots = snapshots
        self.explain = explain
        self.owners = (entries, wirings)
        self.rtol = 1e-5
        self.atol = 1e-6
        for i in range(self.n_components):
            self.build(&self.components[i], entries[i], wirings[i])

    cdef build(self, Component* c, entry, wiring):
        cdef int k
        c.version = entry.version
        c.instance = <void*><uintptr_t>entry.instance
        c.stepper = <void*><uintptr_t>(entry.stepper or entry.instance)
        c.keeper = <void*><uintptr_t>(entry.keeper or entry.instance)
        c.do_step = <void*><uintptr_t>entry.address("doStep")
        c.get_state = <State><uintptr_t>entry.functions.get("getState", 0)
        c.set_state = <SetState><uintptr_t>entry.functions.get("setState", 0)
        c.free_state = <State><uintptr_t>entry.functions.get("freeState", 0)
        c.can_restore = entry.can_restore and c.get_state != NULL and c.set_state != NULL
        c.states = <void**>calloc(self.n_snapshots, sizeof(void*))
        for k in range(5):
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
        cdef int i, k
        x.feeds = <Feed*>calloc(max(1, x.n_values), sizeof(Feed))
        x.plain = x.code == FLOAT64
        for i, feed in enumerate(feeds):
            x.feeds[i].bank = feed.bank
            x.feeds[i].slot = feed.slot
            x.feeds[i].factor = feed.factor
            x.feeds[i].offset = feed.offset
            x.plain = x.plain and feed.bank == REAL and feed.factor == 1.0 and feed.offset == 0.0
            x.feeds[i].n_table = len(feed.table)
            x.feeds[i].table = <int64_t*>malloc(max(1, 2 * len(feed.table)) * sizeof(int64_t))
            for k, (source, target) in enumerate(feed.table):
                x.feeds[i].table[2 * k] = source
                x.feeds[i].table[2 * k + 1] = target

    def __dealloc__(self):
        cdef int i
        for i in range(self.n_components):
            free_transfers(self.components[i].sets, self.components[i].n_sets)
            free_transfers(self.components[i].iterated, self.components[i].n_iterated)
            free_transfers(self.components[i].handed_on, self.components[i].n_handed_on)
            free_transfers(self.components[i].recorded, self.components[i].n_recorded)
            free(self.components[i].states)
        free(self.components)
        for i in range(self.n_texts):
            free(self.texts[i].data)
        free(self.texts)
        free(self.real_columns)
        free(self.integer_columns)

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

    cdef bint gather(self, int i, Transfer* x, double t) noexcept nogil:
        """The general way: values through their conversions into the buffer of one set call."""
        cdef int k
        cdef Feed* f
        cdef double v
        for k in range(x.n_values):
            f = &x.feeds[k]
            if x.code <= FLOAT32:
                v = self.r[f.slot] if f.bank == REAL else <double>look_up(f, self.z[f.slot])
                store_real(x, k, f.factor * v + f.offset)
            elif x.code >= STRING:
                (<char**>x.buffer)[k] = self.texts[f.slot].data
                if x.code == BINARY:
                    x.sizes[k] = self.texts[f.slot].size
            elif f.bank == INTEGER:
                store_integer(x.code, x.buffer, k, look_up(f, self.z[f.slot]))
            else:
                v = f.factor * self.r[f.slot] + f.offset
                if not in_range(x.code, v):
                    return self.fail(i, F_RANGE, ERROR, f.slot, t, 0)
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
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_STEP])
        cdef int status
        if c.version == 2:
            status = (<Step2>c.do_step)(c.stepper, t, h, 0)
        elif c.version == 3:
            status = step3(c, t, h)
        else:
            status = (<Step1>c.do_step)(c.stepper, t, h, 1)
        stop(&c.timers[F_STEP], started)
        return status <= WARNING or self.fail(i, F_STEP, status, -1, t, h)

    cdef bint save_state(self, int i, int snapshot, double t) noexcept nogil:
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_SAVE])
        cdef int status = ERROR
        if c.can_restore:
            status = c.get_state(c.keeper, &c.states[snapshot])
        stop(&c.timers[F_SAVE], started)
        return status <= WARNING or self.fail(i, F_SAVE, status, -1, t, 0)

    cdef bint restore_state(self, int i, int snapshot, double t) noexcept nogil:
        cdef Component* c = &self.components[i]
        cdef long long started = start(&c.timers[F_RESTORE])
        cdef int status = ERROR
        if c.can_restore and c.states[snapshot] != NULL:
            status = c.set_state(c.keeper, c.states[snapshot])
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
        for k in range(n):
            if not (self.step(list_[k], t, h) and self.get_outputs(list_[k], t + h)):
                return False
        return True

    def cycle(self, components, int first=0, int count=0):
        """The part of the kernel that a master works with; its iterated reals are `count` slots from `first` on."""
        return Cycle(self, components, first, count)

    def raise_failure(self):
        """Raises what the last failed call left behind."""
        cdef Failure f = self.failure
        raise self.explain(f.component, FUNCTIONS[f.function], f.status, f.slot, f.time, f.step)

    def run(self, list cycles, double start, double h, long long k, long long end, long long every):
        """Passes once over all cycles per step, for the steps k to `end` of the grid start + k*h.

        Records after each `every`-th step (0: never); returns the step reached, earlier than `end` when the rows
        are full.
        """
        cdef int n = len(cycles), i
        cdef Pass* passes = <Pass*>malloc(max(1, n) * sizeof(Pass))
        cdef Cycle cycle
        cdef bint ok
        for i in range(n):
            cycle = cycles[i]
            passes[i] = Pass(cycle.list_, cycle.n, cycle.simultaneous)
        with nogil:
            ok = self.run_passes(passes, n, start, h, &k, end, every)
        free(passes)
        if not ok:
            self.raise_failure()
        self.keep_texts()
        return k

    cdef bint run_passes(self, Pass* passes, int n, double start, double h,
                         long long* k, long long end, long long every) noexcept nogil:
        cdef int i
        cdef double t
        while k[0] < end:
            t = start + k[0] * h
            for i in range(n):
                if passes[i].simultaneous:
                    if not self.evaluate(passes[i].components, passes[i].n, t, h):
                        return False
                elif not self.sweep(passes[i].components, passes[i].n, t, h):
                    return False
            k[0] += 1
            if every and k[0] % every == 0:
                if not self.record_numbers(start + k[0] * h):
                    return False
                if self.rows == self.capacity:
                    return True
        return True

    def statistics(self, int i):
        """Calls and seconds of set, doStep, get, getState and setState of component i."""
        cdef Component* c = &self.components[i]
        return {FUNCTIONS[k]: (c.timers[k].calls, 1e-9 * c.timers[k].ns) for k in range(5)}

    # ---- values outside of steps ---------------------------------------------------------------------------

    def set_all_inputs(self, int i, double t):
        """Hands component i all its connected inputs."""
        if not self.set_inputs(i, t):
            self.raise_failure()

    def get_all_outputs(self, int i, double t):
        """Reads all coupled outputs of component i."""
        if not self.get_outputs(i, t):
            self.raise_failure()

    def text(self, int slot):
        """The bytes in a text slot."""
        return PyBytes_FromStringAndSize(self.texts[slot].data, self.texts[slot].size)

    # ---- states --------------------------------------------------------------------------------------------

    def release_states(self):
        """Frees all saved states; to be called while the components still live."""
        cdef Component* c
        cdef int i, k
        for i in range(self.n_components):
            c = &self.components[i]
            for k in range(self.n_snapshots):
                if c.states[k] != NULL and c.free_state != NULL:
                    c.free_state(c.keeper, &c.states[k])
                c.states[k] = NULL

    # ---- recording -----------------------------------------------------------------------------------------

    def open_rows(self, real_slots, integer_slots, text_slots, int capacity):
        """Prepares `capacity` rows: time and the given slots."""
        self.n_real_columns = len(real_slots)
        self.n_integer_columns = len(integer_slots)
        self.real_columns = slot_list(self.real_columns, real_slots)
        self.integer_columns = slot_list(self.integer_columns, integer_slots)
        self.text_columns = tuple(text_slots)
        self.real_rows = np.empty((capacity, 1 + self.n_real_columns))
        self.integer_rows = np.empty((capacity, max(1, self.n_integer_columns)), dtype=np.int64)
        cdef double[:, ::1] reals = self.real_rows
        cdef int64_t[:, ::1] integers = self.integer_rows
        self.real_block = &reals[0, 0]
        self.integer_block = &integers[0, 0]
        self.text_rows = []
        self.capacity = capacity
        self.rows = 0

    def record(self, double t):
        """Appends a row; True when there is no room for another."""
        cdef bint ok
        with nogil:
            ok = self.record_numbers(t)
        if not ok:
            self.raise_failure()
        self.keep_texts()
        return self.rows == self.capacity

    cdef keep_texts(self):
        """Adds the texts to the newest row; with texts there is room for one row only, so there is no other."""
        if self.text_columns and len(self.text_rows) < self.rows:
            self.text_rows.append([self.text(slot) for slot in self.text_columns])

    def clear_rows(self):
        """Makes room after the rows have been written elsewhere."""
        self.rows = 0
        self.text_rows = []

    cdef bint record_numbers(self, double t) noexcept nogil:
        cdef int i, k
        cdef double* row = self.real_block + <long long>self.rows * (1 + self.n_real_columns)
        cdef int64_t* whole = self.integer_block + <long long>self.rows * max(1, self.n_integer_columns)
        for i in range(self.n_components):
            for k in range(self.components[i].n_recorded):
                if not self.get_call(i, &self.components[i], &self.components[i].recorded[k], t, False):
                    return False
        row[0] = t
        for k in range(self.n_real_columns):
            row[1 + k] = self.r[self.real_columns[k]]
        for k in range(self.n_integer_columns):
            whole[k] = self.z[self.integer_columns[k]]
        self.rows += 1
        return True


cdef int* slot_list(int* old, slots) except NULL:
    cdef int k
    cdef int* list_ = <int*>realloc(old, max(1, len(slots)) * sizeof(int))
    for k, slot in enumerate(slots):
        list_[k] = slot
    return list_


cdef class Cycle:
    """Components that are stepped together, as a master algorithm sees them.

    `values` are the real iteration variables: a live view, so that writing to it changes what is handed on next.
    """

    cdef Kernel kernel
    cdef int* list_
    cdef int n
    cdef int first
    cdef int count
    cdef readonly object values
    cdef readonly tuple components
    cdef public bint simultaneous       # how `Kernel.run` passes over it: all at once or one after the other

    def __cinit__(self, Kernel kernel, components, int first, int count):
        self.kernel = kernel
        self.components = tuple(components)
        self.n = len(self.components)
        self.list_ = slot_list(NULL, self.components)
        self.first = first
        self.count = count
        self.values = kernel.reals[first:first + count]

    def __dealloc__(self):
        free(self.list_)

    def sweep(self, double t, double h):
        """Steps the components one after the other, each with the newest values (Gauss-Seidel)."""
        cdef bint ok
        self.kernel.changed = False
        with nogil:
            ok = self.kernel.sweep(self.list_, self.n, t, h)
        if not ok:
            self.kernel.raise_failure()

    def evaluate(self, double t, double h):
        """Steps all components with the values as they are now (Gauss-Jacobi)."""
        cdef bint ok
        self.kernel.changed = False
        with nogil:
            ok = self.kernel.evaluate(self.list_, self.n, t, h)
        if not ok:
            self.kernel.raise_failure()

    def save(self, double t, int snapshot=0):
        """Keeps the states of all components."""
        cdef int k
        for k in range(self.n):
            if not self.kernel.save_state(self.list_[k], snapshot, t):
                self.kernel.raise_failure()

    def rollback(self, int snapshot=0):
        """Puts all components back to where they were saved."""
        cdef int k
        for k in range(self.n):
            if not self.kernel.restore_state(self.list_[k], snapshot, NAN):
                self.kernel.raise_failure()

    def norm(self, const double[::1] before):
        """Weighted distance between `before` and the present values; converged at 1 or less.

        Infinite if an integer, boolean or text changed in the last sweep.
        """
        cdef double total = 0.0, d
        cdef double* now = self.kernel.r + self.first
        cdef int i
        if self.kernel.changed:
            return INFINITY
        for i in range(self.count):
            d = (before[i] - now[i]) / (self.kernel.rtol * fabs(now[i]) + self.kernel.atol)
            total += d * d
        return sqrt(total / self.count) if self.count else 0.0
