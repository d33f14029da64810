"""The states of all components and all values at one moment."""

cimport cython
from libc.stdint cimport int64_t

from sspsim.engine.banks cimport System, Text


@cython.final
@cython.no_gc_clear      # the system must still be there when the states are freed
cdef class Snapshot:
    cdef object __weakref__
    cdef object kernel                  # owns the system
    cdef System* system
    cdef void** states
    cdef double* r
    cdef int64_t* z
    cdef Text* texts
    cdef readonly object reals          # the saved values, as an array

    cdef bint save(self, double t) noexcept
    cdef bint restore(self, double t) noexcept
    cdef void release(self) noexcept
    cdef require(self, int i, int status)


cdef Snapshot new_snapshot(kernel, System* system)
