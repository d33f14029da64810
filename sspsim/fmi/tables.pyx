# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Tables behind the C functions of FMI 2, so that the kernel cannot tell them from an FMU.

Reals are interpolated, everything else is held from its row on. Beyond the ends the first and the last row count. Rows
with equal times are a jump: before it the first of them counts, from it on the last one.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, uint32_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

cdef enum:
    OK = 0
    ERROR = 3

cdef double REACHED = 1e-12     # relative: t + h may miss the time of a row by a rounding error

cdef struct Column:
    int n
    double* times
    double* reals       # NULL for other types
    int32_t* integers
    char** texts
    int cursor          # the row of the last answer: the next question is mostly nearby

cdef struct Table:
    int n
    Column* columns
    double clock


cdef int row_at(Column* c, double t) noexcept nogil:
    """The last row whose time has been reached; -1 before the first."""
    cdef int low, high, middle
    t += REACHED * fabs(t)
    low = c.cursor
    if c.times[low] <= t:
        while low + 1 < c.n and low < c.cursor + 4 and c.times[low + 1] <= t:
            low += 1
        if low + 1 == c.n or c.times[low + 1] > t:
            c.cursor = low
            return low
        high = c.n
    else:
        high = low
        low = -1
    while high - low > 1:   # times[low] <= t < times[high]
        middle = (low + high) // 2
        if c.times[middle] <= t:
            low = middle
        else:
            high = middle
    c.cursor = low if low > 0 else 0
    return low


cdef double real_at(Column* c, double t) noexcept nogil:
    cdef int k = row_at(c, t)
    cdef double share
    if k < 0:
        return c.reals[0]
    if k + 1 == c.n or t <= c.times[k]:
        return c.reals[k]
    share = (t - c.times[k]) / (c.times[k + 1] - c.times[k])
    return c.reals[k] + share * (c.reals[k + 1] - c.reals[k])


cdef int get_real(void* instance, const uint32_t* references, size_t n, double* values) noexcept nogil:
    cdef Table* table = <Table*>instance
    cdef size_t k
    for k in range(n):
        values[k] = real_at(&table.columns[references[k]], table.clock)
    return OK


cdef int get_integer(void* instance, const uint32_t* references, size_t n, int32_t* values) noexcept nogil:
    cdef Table* table = <Table*>instance
    cdef Column* c
    cdef size_t k
    for k in range(n):
        c = &table.columns[references[k]]
        values[k] = c.integers[max(0, row_at(c, table.clock))]
    return OK


cdef int get_string(void* instance, const uint32_t* references, size_t n, char** values) noexcept nogil:
    cdef Table* table = <Table*>instance
    cdef Column* c
    cdef size_t k
    for k in range(n):
        c = &table.columns[references[k]]
        values[k] = c.texts[max(0, row_at(c, table.clock))]
    return OK


cdef int do_step(void* instance, double t, double h, int keeps_state) noexcept nogil:
    (<Table*>instance).clock = t + h
    return OK


cdef int get_state(void* instance, void** state) noexcept nogil:
    if state[0] == NULL:
        state[0] = malloc(sizeof(double))
        if state[0] == NULL:
            return ERROR
    (<double*>state[0])[0] = (<Table*>instance).clock
    return OK


cdef int set_state(void* instance, void* state) noexcept nogil:
    (<Table*>instance).clock = (<double*>state)[0]
    return OK


cdef int free_state(void* instance, void** state) noexcept nogil:
    free(state[0])
    state[0] = NULL
    return OK


cdef int state_size(void* instance, void* state, size_t* size) noexcept nogil:
    size[0] = sizeof(double)
    return OK


cdef int write_state(void* instance, void* state, void* content, size_t size) noexcept nogil:
    memcpy(content, state, sizeof(double))
    return OK


cdef int read_state(void* instance, const void* content, size_t size, void** state) noexcept nogil:
    if size != sizeof(double) or get_state(instance, state) != OK:
        return ERROR
    memcpy(state[0], content, sizeof(double))
    return OK


FUNCTIONS = {
    "get.FLOAT64": <uintptr_t>&get_real,
    "get.INT32": <uintptr_t>&get_integer,
    "get.BOOLEAN32": <uintptr_t>&get_integer,
    "get.STRING": <uintptr_t>&get_string,
    "doStep": <uintptr_t>&do_step,
    "getState": <uintptr_t>&get_state,
    "setState": <uintptr_t>&set_state,
    "freeState": <uintptr_t>&free_state,
    "stateSize": <uintptr_t>&state_size,
    "serialize": <uintptr_t>&write_state,
    "deserialize": <uintptr_t>&read_state,
}


cdef class TableInstance:
    """Owns the C side of one table; the arrays of `series` are lent and kept alive."""

    cdef Table table
    cdef object series

    def __cinit__(self, tuple series):
        self.series = series
        self.table.n = len(series)
        self.table.columns = <Column*>calloc(max(1, self.table.n), sizeof(Column))
        for k in range(self.table.n):
            self.fill(&self.table.columns[k], series[k])

    cdef fill(self, Column* c, series):
        cdef const double[::1] times = series.times
        cdef const double[::1] reals
        cdef const int32_t[::1] integers
        cdef int k
        c.n = len(times)
        c.times = <double*>&times[0]
        if isinstance(series.values, list):
            c.texts = <char**>calloc(c.n, sizeof(char*))
            for k in range(c.n):
                c.texts[k] = <char*>(<bytes>series.values[k])
        elif series.values.dtype.kind == "f":
            reals = series.values
            c.reals = <double*>&reals[0]
        else:
            integers = series.values
            c.integers = <int32_t*>&integers[0]

    def __dealloc__(self):
        cdef int k
        for k in range(self.table.n):
            free(self.table.columns[k].texts)
        free(self.table.columns)

    @property
    def address(self):
        """The instance pointer for the C functions."""
        return <uintptr_t>&self.table

    @property
    def clock(self):
        """The time at which the columns are read."""
        return self.table.clock

    @clock.setter
    def clock(self, double t):
        self.table.clock = t

    def value(self, int column):
        """The value of a column at the clock."""
        cdef Column* c = &self.table.columns[column]
        if c.reals != NULL:
            return real_at(c, self.table.clock)
        k = max(0, row_at(c, self.table.clock))
        return c.integers[k] if c.integers != NULL else (<bytes>c.texts[k]).decode("utf-8", "replace")
