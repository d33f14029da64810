"""The threads of a team: made, set to work, ended."""

from cpython.pythread cimport (
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
    WAIT_LOCK,
)
from libc.stdlib cimport calloc, free

from sspsim.engine.kernel cimport Kernel

from threading import Thread


cdef class Workers:
    """`n` more threads that step the components of cycles that step at once."""

    def __cinit__(self, Kernel kernel, int n):
        cdef Team* team = &self.team
        cdef int i
        self.kernel = kernel
        team.system = &kernel.system
        team.n = n
        team.status = <int*>calloc(max(1, team.system.n_components), sizeof(int))
        team.taking = PyThread_allocate_lock()
        team.go = <PyThread_type_lock*>calloc(max(1, n), sizeof(PyThread_type_lock))
        team.ready = <PyThread_type_lock*>calloc(max(1, n), sizeof(PyThread_type_lock))
        for i in range(n):
            team.go[i] = PyThread_allocate_lock()
            team.ready[i] = PyThread_allocate_lock()
            PyThread_acquire_lock(team.go[i], WAIT_LOCK)
            PyThread_acquire_lock(team.ready[i], WAIT_LOCK)
        self.threads = [Thread(target=self.serve, args=(i,), daemon=True) for i in range(n)]
        for thread in self.threads:
            thread.start()

    def __dealloc__(self):
        cdef int i
        for i in range(self.team.n):
            PyThread_free_lock(self.team.go[i])
            PyThread_free_lock(self.team.ready[i])
        PyThread_free_lock(self.team.taking)
        free(self.team.go)
        free(self.team.ready)
        free(self.team.status)

    def serve(self, int i):
        """The life of one thread."""
        with nogil:
            while True:
                PyThread_acquire_lock(self.team.go[i], WAIT_LOCK)
                if self.team.ended:
                    break
                take(&self.team)
                PyThread_release_lock(self.team.ready[i])

    def stop(self):
        """Ends the threads."""
        cdef int i
        self.team.ended = True
        for i in range(self.team.n):
            PyThread_release_lock(self.team.go[i])
        for thread in self.threads:
            thread.join()
        self.threads.clear()
