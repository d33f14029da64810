"""The owner of the banks and the components."""

cimport cython

from sspsim.engine.banks cimport System
from sspsim.engine.component cimport Component
from sspsim.engine.snapshot cimport Snapshot


@cython.final
cdef class Kernel:
    cdef System system
    cdef readonly object reals
    cdef readonly object integers
    cdef readonly list wirings
    cdef list entries                   # keep what the C pointers point to alive
    cdef list names
    cdef object snapshots
    cdef Snapshot origin_
    cdef object explain                 # turns a failure into an exception

    cdef Component* go_to(self, int i, double t) noexcept
    cdef open_banks(self, int n_reals, int n_integers, int n_texts)
