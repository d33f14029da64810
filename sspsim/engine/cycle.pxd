"""The part of the kernel that a master algorithm works with."""

cimport cython

from sspsim.engine.kernel cimport Kernel
from sspsim.engine.newton cimport Tangent
from sspsim.engine.sweeps cimport Group


@cython.final
cdef class Cycle:
    cdef Kernel kernel
    cdef Group group
    cdef Tangent tangent
    cdef object workers                 # keeps the team alive
    cdef readonly object values
    cdef readonly object before
    cdef readonly object assumed        # positions in `values` that are used before they are computed
    cdef readonly tuple components
    cdef long long asked                # passes when `passes_since_asked` was asked last
    cdef readonly double last_norm      # as the last test gave it
    cdef public bint directional        # whether all components give directional derivatives
    cdef public object workspace        # whatever a master wants to keep for this cycle between two steps

    cdef connect(self, coupling)
    cdef visit(self, bint simultaneous, double t, double h)
    cdef double judge(self, double* a, double* b)
    cdef open_tangent(self)
