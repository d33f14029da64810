"""The numbers of numpy arrays as C sees them; memoryviews would do too, but take long to compile."""

from cpython.buffer cimport PyBUF_FORMAT, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uintptr_t


cdef inline void* address(array) except NULL:
    """Where the content of a new array stands; it stays there as long as the array lives."""
    return <void*><uintptr_t>array.__array_interface__["data"][0]


cdef inline double* doubles(array, Py_ssize_t count) except NULL:
    """Those of an array that somebody hands in, who keeps it alive: `count` in one piece."""
    cdef Py_buffer view
    cdef bint fits
    PyObject_GetBuffer(array, &view, PyBUF_FORMAT)
    fits = view.format[0] == b"d" and view.len == count * <Py_ssize_t>sizeof(double)
    PyBuffer_Release(&view)
    if not fits:
        raise ValueError(f"expected {count} float64 values")
    return <double*>view.buf
