# cython: language_level=3
"""Says which component was at work when the process crashes; the story is told in crash.h."""

from libc.math cimport NAN
from libc.stdint cimport uintptr_t

cdef extern from "crash.h":
    struct crash_mark:
        pass
    crash_mark* crash_here() nogil
    void crash_enter(const char* name, double t) nogil
    void crash_install()
    void crash_remove()
    void crash_log(const char* path)

HERE = <uintptr_t>&crash_here  # for C: where this thread keeps the name (NULL: no FMU at work) and the time


cdef class Marked:
    """`with Marked(name, function): ...` around a call into an FMU that belongs to no step."""

    cdef bytes name
    cdef double time

    def __cinit__(self, str name, str function, time=None):
        self.name = f"{name}: {function}".encode()
        self.time = NAN if time is None else time

    def __enter__(self):
        crash_enter(self.name, self.time)

    def __exit__(self, *exception):
        crash_enter(NULL, 0.0)


def install():
    """Listens to the signals of a crash."""
    crash_install()


def remove():
    """Puts the former handlers back."""
    crash_remove()


def log_to(path):
    """Where the line goes besides the terminal; None: nowhere else."""
    cdef bytes text = str(path).encode() if path else b""
    crash_log(text)
