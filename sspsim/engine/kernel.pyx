"""The kernel: moves numbers between FMUs through their own C functions, without Python in between.

A component is a table of C functions with the get and set calls of its plan. `Kernel` owns the banks of values, the
tables and the saved states; a `Cycle` is the part of it that a master algorithm works with. All FMU calls of slow
components run without the GIL. A failing call is noted (component, function, status) and raised as an exception once
the GIL is back.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport fabs, NAN, sqrt
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from sspsim.engine.arrays cimport address
from sspsim.engine.banks cimport at_work, enter, Failure, Here, leave, replace_text, System, Text
from sspsim.engine.calls cimport get_call, get_outputs, read_recorded, release_state, set_call, set_inputs
from sspsim.engine.component cimport build, Component, dismantle, INTEGER, part, REAL, TIMERS, Transfer
from sspsim.engine.snapshot cimport new_snapshot, Snapshot
from sspsim.engine.timer cimport calls, seconds

from weakref import WeakSet

import numpy as np

from sspsim.fmi import crash

FUNCTIONS = (
    "set", "doStep", "get", "getState", "setState", "getDirectionalDerivative", "serializeState", "value", "range",
)


cdef class Kernel:
    """The banks of values and the components that read and write them.

    `reals` and `integers` are the live banks: writing to them changes what the components get next.
    """

    def __cinit__(self, list entries, list wirings, tuple sizes, object explain):
        """`entries[i]`: C functions of component i; `wirings[i]`: its calls; `sizes`: of the three banks."""
        cdef System* s = &self.system
        cdef int i
        self.explain = explain
        self.entries = entries
        self.wirings = wirings
        self.snapshots = WeakSet()
        self.open_banks(sizes[0], sizes[1], sizes[2])
        s.rtol = 1e-5
        s.atol = 1e-6
        s.here = <Here><uintptr_t>crash.HERE
        s.n_components = len(entries)
        s.components = <Component*>calloc(max(1, s.n_components), sizeof(Component))
        self.names = [entry.name.encode() for entry in entries]
        for i in range(s.n_components):
            build(&s.components[i], i, s.r, entries[i], wirings[i], self.names[i])

    cdef open_banks(self, int n_reals, int n_integers, int n_texts):
        cdef System* s = &self.system
        cdef int i
        self.reals = np.zeros(max(1, n_reals))
        self.integers = np.zeros(max(1, n_integers), dtype=np.int64)
        s.r = <double*>address(self.reals)
        s.n_reals = len(self.reals)
        s.z = <int64_t*>address(self.integers)
        s.n_integers = len(self.integers)
        s.full = <double*>calloc(s.n_reals, sizeof(double))
        s.half = <double*>calloc(s.n_reals, sizeof(double))
        s.texts = <Text*>calloc(max(1, n_texts), sizeof(Text))
        s.n_texts = n_texts
        for i in range(n_texts):
            replace_text(&s.texts[i], b"", 0)

    def __dealloc__(self):
        cdef System* s = &self.system
        cdef int i
        for i in range(s.n_components):
            dismantle(&s.components[i])
        free(s.components)
        for i in range(s.n_texts):
            free(s.texts[i].data)
        free(s.texts)
        free(s.full)
        free(s.half)

    def raise_failure(self):
        """Raises what the last failed call left behind."""
        cdef Failure f = self.system.failure
        raise self.explain(f.component, FUNCTIONS[f.function], f.status, f.slot, f.time, f.step)

    def statistics(self, int i):
        """Calls and seconds of the functions of component i."""
        cdef Component* c = &self.system.components[i]
        return {FUNCTIONS[k]: (calls(&c.timers[k]), seconds(&c.timers[k])) for k in range(TIMERS)}

    @property
    def rtol(self):
        """Relative tolerance of the norms."""
        return self.system.rtol

    @rtol.setter
    def rtol(self, double value):
        self.system.rtol = value

    @property
    def atol(self):
        """Absolute tolerance of the norms."""
        return self.system.atol

    @atol.setter
    def atol(self, double value):
        self.system.atol = value

    # ---- values outside of steps ---------------------------------------------------------------------------

    cdef Component* go_to(self, int i, double t) noexcept:
        """Component i, which is about to be at work."""
        enter(&self.system)
        at_work(self.system.mark, &self.system.components[i], t)
        return &self.system.components[i]

    def set_all_inputs(self, int i, double t):
        """Hands component i all its connected inputs."""
        if not leave(&self.system, set_inputs(&self.system, self.go_to(i, t), t)):
            self.raise_failure()

    def get_all_outputs(self, int i, double t):
        """Reads all coupled outputs of component i."""
        if not leave(&self.system, get_outputs(&self.system, self.go_to(i, t), t)):
            self.raise_failure()

    def set_variable(self, int i, int call, int variable, int first, int count, double t):
        """Sets one input: the `variable`-th of a set call, `count` values from its `first` on."""
        cdef Component* c = self.go_to(i, t)
        cdef Transfer x = part(&c.sets[call], variable, first, count)
        if not leave(&self.system, set_call(&self.system, c, &x, t)):
            self.raise_failure()

    def get_variable(self, int i, bint iterated, int call, int variable, int first, int count, double t, bint check):
        """Gets one output: the `variable`-th of a get call, `count` values from its `first` on."""
        cdef Component* c = self.go_to(i, t)
        cdef Transfer x = part(&c.gets[call if iterated else c.n_iterated + call], variable, first, count)
        if not leave(&self.system, get_call(&self.system, c, &x, t, check)):
            self.raise_failure()

    def place(self, int bank, int slot, value):
        """Puts a value into a slot that no component writes."""
        if bank == REAL:
            self.system.r[slot] = value
        elif bank == INTEGER:
            self.system.z[slot] = <int64_t><uint64_t>(int(value) % 2**64)
        else:
            data = value if isinstance(value, bytes) else str(value).encode()
            replace_text(&self.system.texts[slot], data, len(data))

    def text(self, int slot):
        """The bytes in a text slot."""
        return PyBytes_FromStringAndSize(self.system.texts[slot].data, self.system.texts[slot].size)

    # ---- states --------------------------------------------------------------------------------------------

    def snapshot(self):
        """Room for the states of all components and all values."""
        snapshot = new_snapshot(self, &self.system)
        self.snapshots.add(snapshot)
        return snapshot

    def save(self, Snapshot snapshot=None, double t=NAN):
        """Keeps the states of all components and all values; in `snapshot` if given."""
        if snapshot is None:
            snapshot = self.snapshot()
        enter(&self.system)
        if not leave(&self.system, snapshot.save(t)):
            self.raise_failure()
        return snapshot

    def restore(self, Snapshot snapshot, double t=NAN):
        """Puts all components and values back to where they were saved."""
        enter(&self.system)
        if not leave(&self.system, snapshot.restore(t)):
            self.raise_failure()

    def release_states(self):
        """Frees all saved states; to be called while the components still live."""
        cdef int i
        self.origin = None
        for i in range(self.system.n_components):
            release_state(&self.system.components[i], &self.system.components[i].state)
        for snapshot in list(self.snapshots):
            (<Snapshot>snapshot).release()

    @property
    def origin(self):
        """Where the whole system is rolled back to; None: each cycle keeps its own states."""
        return self.origin_

    @origin.setter
    def origin(self, Snapshot snapshot):
        self.origin_ = snapshot
        self.system.origin = snapshot.states if snapshot is not None else NULL

    def keep(self, double t):
        """Keeps everything as the origin: where the whole system is rolled back to."""
        if self.origin_ is None:
            self.origin_ = self.snapshot()
        self.system.origin = self.origin_.states
        enter(&self.system)
        if not leave(&self.system, self.origin_.save(t)):
            self.raise_failure()

    # ---- step doubling -------------------------------------------------------------------------------------

    def end_full_step(self, double t, read_at=None):
        """Keeps all reals, those that are only recorded too if a time is given; back to the origin, at t."""
        enter(&self.system)
        if not leave(&self.system, read_at is None or read_recorded(&self.system, read_at)):
            self.raise_failure()
        memcpy(self.system.full, self.system.r, self.system.n_reals * sizeof(double))
        self.restore(self.origin_, t)

    def end_half_step(self):
        """Keeps all reals as the middle; the second half does not begin at the origin: cycles keep their own states."""
        memcpy(self.system.half, self.system.r, self.system.n_reals * sizeof(double))
        self.system.origin = NULL

    def step_errors(self, int n, double rtol, double atol):
        """Richardson and slope error of the first n reals, now at the end of the second half step."""
        cdef System* s = &self.system
        cdef Snapshot begin = self.origin_
        cdef double ends = 0.0, slopes = 0.0, weight, d
        cdef int i
        s.origin = begin.states
        for i in range(n):
            weight = rtol * fabs(s.r[i]) + atol
            d = (s.full[i] - s.r[i]) / weight
            ends += d * d
            d = (s.half[i] - 0.5 * (begin.r[i] + s.r[i])) / weight
            slopes += d * d
        return (sqrt(ends / n), sqrt(slopes / n)) if n else (0.0, 0.0)
