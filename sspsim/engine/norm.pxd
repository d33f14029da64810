"""How far two vectors are apart, by the measure of the masters."""

from libc.math cimport fabs, sqrt


cdef inline double weighted(double* a, double* b, int* which, int n, double rtol, double atol) noexcept nogil:
    """WRMS: distance of a and b, weighted by b, over all or the given elements; converged at 1 or less."""
    cdef double total = 0.0, d
    cdef int i, k
    for k in range(n):
        i = which[k] if which != NULL else k
        d = (a[i] - b[i]) / (rtol * fabs(b[i]) + atol)
        total += d * d
    return sqrt(total / n) if n else 0.0


cdef inline int farthest(double* a, double* b, int* which, int n, double rtol, double atol) noexcept nogil:
    """The element that contributes most to the distance."""
    cdef double greatest = -1.0, d
    cdef int i, k, found = 0
    for k in range(n):
        i = which[k] if which != NULL else k
        d = fabs(a[i] - b[i]) / (rtol * fabs(b[i]) + atol)
        if d > greatest:
            greatest = d
            found = i
    return found
