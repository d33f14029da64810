"""Components that are stepped together, as a master algorithm sees them."""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from sspsim.engine.arrays cimport address, doubles
from sspsim.engine.banks cimport enter, leave, System
from sspsim.engine.component cimport Component
from sspsim.engine.kernel cimport Kernel
from sspsim.engine.linear cimport factorize
from sspsim.engine.newton cimport correct, derive_all, difference_all
from sspsim.engine.norm cimport weighted
from sspsim.engine.sweeps cimport Group, is_slow, Late, roll_back_group
from sspsim.engine.sweeps cimport visit as visit_group
from sspsim.engine.team cimport Workers

import numpy as np

from sspsim.engine.coupling import couple
from sspsim.errors import UsageError


cdef Component** new_members(Kernel kernel, numbers) except NULL:
    cdef int k
    cdef Component** list_ = <Component**>malloc(max(1, len(numbers)) * sizeof(Component*))
    for k, number in enumerate(numbers):
        list_[k] = &kernel.system.components[<int>number]
    return list_


cdef int* new_list(numbers) except NULL:
    cdef int k
    cdef int* list_ = <int*>malloc(max(1, len(numbers)) * sizeof(int))
    for k, number in enumerate(numbers):
        list_[k] = number
    return list_


cdef class Cycle:
    """Some components of a kernel; their iterated reals are `count` slots from `first` on.

    `values` are these reals: a live view, so that writing to it changes what is handed on next. `before` are those
    that the last pass started from. `simultaneous`: how a single pass steps the components; `keeps`: the first pass of
    each step keeps the components' states, for `rollback`.
    """

    def __cinit__(self, Kernel kernel, components, int first=0, int count=0, *, bint simultaneous=False,
                  bint keeps=False):
        self.kernel = kernel
        self.components = tuple(components)
        self.group.n = len(self.components)
        self.group.components = new_members(kernel, self.components)
        self.group.first = first
        self.group.count = count
        self.group.simultaneous = simultaneous
        self.group.keeps = keeps
        self.group.defect_slot = -1
        self.before = np.zeros(count)
        self.group.before = <double*>address(self.before)
        self.values = kernel.reals[first:first + count]
        self.connect(couple(kernel.wirings, self.components, first, count, simultaneous=simultaneous))

    def __dealloc__(self):
        free(self.group.components)
        free(self.group.assumed)
        free(self.group.late)
        free(self.tangent.matrix)
        free(self.tangent.pivots)
        free(self.tangent.step)
        free(self.tangent.image)
        free(self.tangent.fed)
        free(self.tangent.fed_end)

    cdef connect(self, coupling):
        cdef int k
        self.assumed = np.array(coupling.assumed, dtype=np.intp)
        self.group.assumed = new_list(coupling.assumed)
        self.group.n_assumed = len(coupling.assumed)
        self.group.late = <Late*>calloc(max(1, len(coupling.late)), sizeof(Late))
        self.group.n_late = len(coupling.late)
        for k, (slot, broken) in enumerate(coupling.late):
            self.group.late[k] = Late(slot, broken, 0.0)
        for i, k in coupling.leaving:
            self.kernel.system.components[<int>i].gets[<int>k].leaves = True
        self.tangent.fed = new_members(self.kernel, [i for members in coupling.fed for i in members])
        self.tangent.fed_end = new_list(np.cumsum([len(members) for members in coupling.fed]))

    def share(self, Workers workers):
        """Lets threads step the components when they step at once."""
        self.workers = workers
        self.group.team = &workers.team

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
        return self.tangent.fed_end[self.group.count - 1] if self.group.count else 0

    def passes_since_asked(self):
        """How many passes there were since this was asked last."""
        cdef long long number = self.group.passes - self.asked
        self.asked = self.group.passes
        return number

    @property
    def changed(self):
        """Whether the last pass left something that is not an iteration variable other than it found it."""
        return self.kernel.system.changed

    @property
    def rtol(self):
        """Relative tolerance of the norm."""
        return self.kernel.system.rtol

    @property
    def atol(self):
        """Absolute tolerance of the norm."""
        return self.kernel.system.atol

    # ---- passes --------------------------------------------------------------------------------------------

    def sweep(self, double t, double h):
        """Steps the components one after the other, each with the newest values (Gauss-Seidel)."""
        self.visit(False, t, h)

    def evaluate(self, double t, double h):
        """Steps all components with the values as they are now (Gauss-Jacobi)."""
        self.visit(True, t, h)

    cdef visit(self, bint simultaneous, double t, double h):
        cdef System* s = &self.kernel.system
        cdef bint ok
        enter(s)
        if is_slow(&self.group):
            with nogil:
                ok = visit_group(s, &self.group, simultaneous, t, h)
        else:
            ok = visit_group(s, &self.group, simultaneous, t, h)
        if not leave(s, ok):
            self.kernel.raise_failure()

    def rollback(self):
        """Puts all components back to the beginning of the step."""
        if not self.group.keeps:
            raise UsageError("a master that rolls back must say so: its max_iterations must be greater than 1")
        enter(&self.kernel.system)
        if not leave(&self.kernel.system, roll_back_group(&self.kernel.system, &self.group)):
            self.kernel.raise_failure()

    # ---- norms ---------------------------------------------------------------------------------------------

    def norm(self, before):
        """Weighted distance between `before` and the present values; converged at 1 or less.

        Infinite if an integer, boolean or text changed in the last sweep.
        """
        if len(before) != self.group.count:
            raise UsageError(f"the norm compares all {self.group.count} values of the cycle, not {len(before)}")
        return self.judge(doubles(before, self.group.count), self.kernel.system.r + self.group.first)

    def change(self):
        """How far the last pass moved the values: `norm(before)`."""
        return self.judge(self.group.before, self.kernel.system.r + self.group.first)

    cdef double judge(self, double* a, double* b):
        cdef double distance = weighted(a, b, NULL, self.group.count, self.kernel.system.rtol, self.kernel.system.atol)
        self.last_norm = INFINITY if self.kernel.system.changed else distance
        return self.last_norm

    # ---- Newton --------------------------------------------------------------------------------------------

    cdef open_tangent(self):
        cdef int n = max(1, self.group.count)
        if self.tangent.matrix == NULL:
            self.tangent.matrix = <double*>malloc(n * n * sizeof(double))
            self.tangent.pivots = <int*>malloc(n * sizeof(int))
            self.tangent.step = <double*>malloc(n * sizeof(double))
            self.tangent.image = <double*>malloc(n * sizeof(double))

    def differentiate(self, double t, double h, double increment=1.0):
        """I - dS/dy at `before` by forward differences; False if singular.

        S(y) is what the last `evaluate` gave. Only the components that a variable feeds are stepped for its column.
        They do not stand at `before` afterwards: roll back before the next pass.
        """
        self.open_tangent()
        enter(&self.kernel.system)
        if not leave(&self.kernel.system,
                     difference_all(&self.kernel.system, &self.group, &self.tangent, t, h, increment)):
            self.kernel.raise_failure()
        return factorize(self.tangent.matrix, self.tangent.pivots, self.group.count)

    def differentiate_directionally(self, double t):
        """I - dS/dy from the components' directional derivatives, where they stand now; False if singular.

        These are derivatives of outputs by inputs at one moment: exact for algebraic loops.
        """
        self.open_tangent()
        enter(&self.kernel.system)
        if not leave(&self.kernel.system, derive_all(&self.kernel.system, &self.group, &self.tangent, t)):
            self.kernel.raise_failure()
        return factorize(self.tangent.matrix, self.tangent.pivots, self.group.count)

    def correction(self):
        """Solves for the correction of y = `before` by its residual S(y) - y; returns its norm."""
        correct(&self.kernel.system, &self.group, &self.tangent)
        return self.judge(self.group.before, self.tangent.image)

    def correct(self):
        """Applies the correction: `values` are y + correction."""
        memcpy(self.kernel.system.r + self.group.first, self.tangent.image, self.group.count * sizeof(double))

    # ---- the coupling defect -------------------------------------------------------------------------------

    def watch_defect(self, int slot=-1):
        """From now on notes the defect of each step; in `slot` stands the greatest since the last row."""
        self.group.watched = True
        self.group.defect_slot = slot

    def defects(self):
        """Greatest defect, when, after a step of what length, the slot of the real that was farthest off then; the mean
        and the number of steps.
        """
        cdef Group* g = &self.group
        mean = g.defect_sum / g.defects if g.defects else 0.0
        return g.defect_max, g.defect_time, g.defect_step, g.first + g.defect_at, mean, g.defects
