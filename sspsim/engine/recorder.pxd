"""Rows of recorded values, kept in blocks until they are handed on."""

cimport cython
from libc.stdint cimport int64_t

from sspsim.engine.banks cimport integer_value, real_value, System
from sspsim.engine.calls cimport read_recorded
from sspsim.engine.component cimport Feed

cdef struct Rows:
    Feed* real_columns
    int n_real_columns
    Feed* integer_columns
    int n_integer_columns
    double* reals           # time first
    int64_t* integers
    int first_defect        # the reals from there on start anew after each row
    int capacity
    int n


@cython.final
cdef class Recorder:
    cdef object kernel
    cdef System* system
    cdef Rows rows
    cdef tuple text_columns
    cdef readonly object real_rows
    cdef readonly object integer_rows
    cdef readonly list text_rows

    cdef keep_texts(self)


cdef inline double* newest(Rows* rows) noexcept nogil:
    """Where the reals of the next row go."""
    return rows.reals + <long long>rows.n * (1 + rows.n_real_columns)


cdef inline bint record_numbers(System* s, Rows* rows, double t) noexcept nogil:
    """Adds a row; there has to be room for it."""
    cdef int k
    cdef double* row = newest(rows)
    cdef int64_t* whole = rows.integers + <long long>rows.n * max(1, rows.n_integer_columns)
    if not read_recorded(s, t):
        return False
    row[0] = t
    for k in range(rows.n_real_columns):
        row[1 + k] = real_value(s, &rows.real_columns[k])
    for k in range(rows.n_integer_columns):
        whole[k] = integer_value(s, &rows.integer_columns[k])
    for k in range(rows.first_defect, s.n_reals):
        s.r[k] = 0.0
    rows.n += 1
    return True
