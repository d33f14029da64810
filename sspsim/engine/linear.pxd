"""Small dense linear systems: LU with partial pivoting."""

from libc.math cimport fabs


cdef inline bint factorize(double* m, int* pivots, int n) noexcept nogil:
    """LU with partial pivoting in place, row by row; False if singular."""
    cdef int i, j, k, p
    cdef double swap
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if fabs(m[i * n + k]) > fabs(m[p * n + k]):
                p = i
        pivots[k] = p
        if m[p * n + k] == 0.0:
            return False
        if p != k:
            for j in range(n):
                swap = m[k * n + j]
                m[k * n + j] = m[p * n + j]
                m[p * n + j] = swap
        for i in range(k + 1, n):
            m[i * n + k] /= m[k * n + k]
            for j in range(k + 1, n):
                m[i * n + j] -= m[i * n + k] * m[k * n + j]
    return True


cdef inline void substitute(double* lu, int* pivots, int n, double* x) noexcept nogil:
    """Solves with a factorised matrix, in place."""
    cdef int i, j
    cdef double swap
    for i in range(n):
        swap = x[pivots[i]]
        x[pivots[i]] = x[i]
        x[i] = swap
        for j in range(i):
            x[i] -= lu[i * n + j] * x[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= lu[i * n + j] * x[j]
        x[i] /= lu[i * n + i]
