"""Cycles that are passed once per step, one after the other: no decision is needed in between."""

from libc.stdlib cimport free, malloc

from sspsim.engine.banks cimport enter, leave, System
from sspsim.engine.cycle cimport Cycle
from sspsim.engine.kernel cimport Kernel
from sspsim.engine.recorder cimport record_numbers, Recorder, Rows
from sspsim.engine.sweeps cimport Group, is_slow, visit, watch


cdef class Passage:
    """Steps the `cycles` of a kernel; the `recorder` gets the rows of many steps."""

    cdef Kernel kernel
    cdef Recorder recorder
    cdef list cycles
    cdef Group** groups
    cdef int n
    cdef readonly long long position    # the step that the last `run` reached, also if it failed

    def __cinit__(self, Kernel kernel, list cycles, Recorder recorder):
        cdef int i
        self.kernel = kernel
        self.recorder = recorder
        self.cycles = cycles
        self.n = len(cycles)
        self.groups = <Group**>malloc(max(1, self.n) * sizeof(Group*))
        for i in range(self.n):
            self.groups[i] = &(<Cycle>cycles[i]).group

    def __dealloc__(self):
        free(self.groups)

    def step(self, double t, double h):
        """From t to t + h."""
        cdef System* s = &self.kernel.system
        cdef bint ok, slow = False
        cdef int i
        enter(s)
        for i in range(self.n):
            slow = slow or is_slow(self.groups[i])
        if slow:
            with nogil:
                ok = pass_once(s, self.groups, self.n, t, h)
        else:
            ok = pass_once(s, self.groups, self.n, t, h)
        if not leave(s, ok):
            self.kernel.raise_failure()

    def run(self, double start, double h, long long k, long long end, long long every):
        """The steps k to `end` of the grid start + k*h.

        Records after each `every`-th step (0: never); returns the step reached, earlier than `end` when the rows
        are full.
        """
        cdef bint ok
        self.position = k
        enter(&self.kernel.system)
        with nogil:
            ok = self.go_on(start, h, end, every)
        if not leave(&self.kernel.system, ok):
            self.kernel.raise_failure()
        self.recorder.keep_texts()
        return self.position

    cdef bint go_on(self, double start, double h, long long end, long long every) noexcept nogil:
        cdef System* s = &self.kernel.system
        cdef Rows* rows = &self.recorder.rows
        cdef long long next_row = self.position - self.position % every + every if every else end + 1
        while self.position < end:
            if not pass_once(s, self.groups, self.n, start + self.position * h, h):
                return False
            self.position += 1
            if self.position == next_row:
                next_row += every
                if not record_numbers(s, rows, start + self.position * h):
                    return False
                if rows.n == rows.capacity:
                    return True
        return True


cdef inline bint pass_once(System* s, Group** groups, int n, double t, double h) noexcept nogil:
    cdef int i
    for i in range(n):
        if not visit(s, groups[i], groups[i].simultaneous, t, h):
            return False
        if groups[i].watched:
            watch(s, groups[i], t, h)
    return True
