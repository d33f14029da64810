# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Rows of numbers as text with 14 significant digits, quickly."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t

cdef enum:
    PRECISION = 14
    COLUMN = 15
    PROGRESS_LINE = 80

cdef extern from "digits.h" nogil:
    int MAX_TEXT
    int SCRATCH
    int write_double(char* out, double v, int precision)
    int write_column(char* out, double v, int precision, int width)
    int write_integer(char* out, int64_t n)


def format_double(double v):
    """One number, as in `"%.14g" % v`."""
    cdef char text[64]
    cdef int n = write_double(text, v, PRECISION)
    return text[:n].decode()


def format_progress(const double[::1] times, const double[::1] seconds, const double[::1] percentages):
    """Lines of three numbers with 14, 7 and 2 significant digits in columns of 15."""
    cdef Py_ssize_t n = times.shape[0], k
    cdef bytes text = PyBytes_FromStringAndSize(NULL, n * PROGRESS_LINE + 1)
    cdef char* begin = PyBytes_AS_STRING(text)
    cdef char* out = begin
    with nogil:
        for k in range(n):
            out += write_column(out, times[k], PRECISION, COLUMN)
            out[0] = b"\t"
            out += 1 + write_column(out + 1, seconds[k], 7, COLUMN)
            out[0] = b"\t"
            out += 1 + write_column(out + 1, percentages[k], 2, COLUMN)
            out[0] = b"\n"
            out += 1
    return text[:out - begin]


def format_rows(const double[:, :] reals, const int64_t[:, :] integers, const int[:, ::1] cells):
    """One line per row, cells separated by tabs; `cells` says for each whether it is an integer, and which."""
    cdef Py_ssize_t n = reals.shape[0], k
    cdef int c, width = cells.shape[0]
    cdef bytes text = PyBytes_FromStringAndSize(NULL, n * width * (MAX_TEXT + 1) + SCRATCH)
    cdef char* begin = PyBytes_AS_STRING(text)
    cdef char* out = begin
    with nogil:
        for k in range(n):
            for c in range(width):
                if cells[c, 0]:
                    out += write_integer(out, integers[k, cells[c, 1]])
                else:
                    out += write_double(out, reals[k, cells[c, 1]], PRECISION)
                out[0] = b"\t"
                out += 1
            (out - 1)[0] = b"\n"
    return text[:out - begin]
