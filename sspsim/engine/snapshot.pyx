"""Saving, restoring and putting into bytes where a whole system stands."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.math cimport NAN
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from sspsim.engine.arrays cimport address
from sspsim.engine.banks cimport fail, replace_text, System, Text
from sspsim.engine.calls cimport release_state, restore_state, save_state
from sspsim.engine.component cimport Component, F_SERIALIZE
from sspsim.engine.signatures cimport ERROR, WARNING

import numpy as np


cdef Snapshot new_snapshot(kernel, System* system):
    """Room for a snapshot of the system that `kernel` owns; `kernel` raises what fails."""
    cdef Snapshot snapshot = Snapshot.__new__(Snapshot)
    snapshot.kernel = kernel
    snapshot.system = system
    snapshot.states = <void**>calloc(max(1, system.n_components), sizeof(void*))
    snapshot.reals = np.zeros(system.n_reals)
    snapshot.r = <double*>address(snapshot.reals)
    snapshot.z = <int64_t*>calloc(system.n_integers, sizeof(int64_t))
    snapshot.texts = <Text*>calloc(max(1, system.n_texts), sizeof(Text))
    return snapshot


cdef class Snapshot:
    """A moment of a system; made by `Kernel.save` or `Kernel.snapshot`."""

    def __dealloc__(self):
        cdef int i
        if self.system == NULL:
            return
        self.release()
        for i in range(self.system.n_texts):
            free(self.texts[i].data)
        free(self.texts)
        free(self.z)
        free(self.states)

    cdef bint save(self, double t) noexcept:
        """Takes the present states and values."""
        cdef System* s = self.system
        cdef int i
        for i in range(s.n_components):
            if not save_state(s, &s.components[i], &self.states[i], t):
                return False
        memcpy(self.r, s.r, s.n_reals * sizeof(double))
        memcpy(self.z, s.z, s.n_integers * sizeof(int64_t))
        for i in range(s.n_texts):
            replace_text(&self.texts[i], s.texts[i].data, s.texts[i].size)
        return True

    cdef bint restore(self, double t) noexcept:
        """Puts all components and values back."""
        cdef System* s = self.system
        cdef int i
        for i in range(s.n_components):
            if not restore_state(s, &s.components[i], self.states[i], t):
                return False
        memcpy(s.r, self.r, s.n_reals * sizeof(double))
        memcpy(s.z, self.z, s.n_integers * sizeof(int64_t))
        for i in range(s.n_texts):
            replace_text(&s.texts[i], self.texts[i].data, self.texts[i].size)
        return True

    cdef void release(self) noexcept:
        """Frees the states; to be called while the components still live."""
        cdef int i
        for i in range(self.system.n_components):
            release_state(&self.system.components[i], &self.states[i])

    def serialize(self):
        """All of it as bytes: the states of the components, reals, integers, texts."""
        cdef int i
        states = [self.serialize_state(i) for i in range(self.system.n_components)]
        texts = [PyBytes_FromStringAndSize(self.texts[i].data, self.texts[i].size) for i in range(self.system.n_texts)]
        integers = PyBytes_FromStringAndSize(<char*>self.z, self.system.n_integers * sizeof(int64_t))
        return states, self.reals.tobytes(), integers, texts

    def serialize_state(self, int i):
        """The state of component i as bytes."""
        cdef Component* c = &self.system.components[i]
        cdef size_t size = 0
        cdef int status = ERROR
        if c.state_size != NULL and c.write_state != NULL:
            status = c.state_size(c.keeper, self.states[i], &size)
        content = PyBytes_FromStringAndSize(NULL, size)
        if status <= WARNING:
            status = c.write_state(c.keeper, self.states[i], <char*>content, size)
        self.require(i, status)
        return content

    def deserialize(self, list states, bytes reals, bytes integers, list texts):
        """Takes the content back that `serialize` gave, in this or another process."""
        cdef int i, status
        cdef Component* c
        for i in range(self.system.n_components):
            c = &self.system.components[i]
            status = ERROR
            if c.read_state != NULL:
                status = c.read_state(c.keeper, <char*>states[i], len(states[i]), &self.states[i])
            self.require(i, status)
        self.reals[:] = np.frombuffer(reals)
        memcpy(self.z, <char*>integers, self.system.n_integers * sizeof(int64_t))
        for i in range(self.system.n_texts):
            replace_text(&self.texts[i], texts[i], len(texts[i]))

    cdef require(self, int i, int status):
        if status > WARNING:
            fail(self.system, &self.system.components[i], F_SERIALIZE, status, -1, NAN, 0)
            self.kernel.raise_failure()
