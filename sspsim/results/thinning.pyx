# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Finds the points of signals that straight lines between the other points do not reproduce."""

from libc.math cimport fabs, INFINITY

import numpy as np

cdef double ROUNDING = 16 * 2.220446049250313e-16


cdef inline double larger(double a, double b) noexcept nogil:
    return a if a > b else b


def needed_points(const double[:, ::1] rows, double rtol, double atol):
    """True where a value must be kept; the first column holds the times and is always kept.

    From the last kept point of a signal, the anchor, a fan of straight lines passes all points since then within
    their tolerance rtol*|value| + atol. As long as the line to the newest point lies in the fan, the points in
    between are not needed. Otherwise the point before the newest becomes the anchor. What is not finite never lies
    in a fan, so it is kept. So are both sides of a jump, where a time stands twice, and the first and last rows.
    """
    cdef Py_ssize_t n = rows.shape[0], k, r, anchor
    cdef double low, high, slope, base, span, tolerance
    kept = np.zeros((n, rows.shape[1]), dtype=np.uint8)
    cdef unsigned char[:, ::1] keep = kept
    if n == 0:
        return kept.view(bool)
    with nogil:
        for r in range(n):
            keep[r, 0] = 1
        for k in range(1, rows.shape[1]):
            keep[0, k] = 1
            anchor, low, high = 0, -INFINITY, INFINITY
            base = rows[0, k]
            for r in range(1, n):
                if rows[r, 0] == rows[r - 1, 0]:
                    keep[r - 1, k] = keep[r, k] = 1
                    anchor, low, high = r, -INFINITY, INFINITY
                    base = rows[anchor, k]
                    continue
                if r - 1 > anchor:
                    span = rows[r - 1, 0] - rows[anchor, 0]
                    # rounding in the reader's interpolation must not carry the error over the tolerance
                    tolerance = (rtol * fabs(rows[r - 1, k]) + atol
                                 - ROUNDING * larger(fabs(base), fabs(rows[r - 1, k])))
                    slope = (rows[r - 1, k] - tolerance - base) / span
                    if not slope <= low:    # also true for NaN, which then closes the fan
                        low = slope
                    slope = (rows[r - 1, k] + tolerance - base) / span
                    if not slope >= high:
                        high = slope
                slope = (rows[r, k] - base) / (rows[r, 0] - rows[anchor, 0])
                if not (low <= slope and slope <= high and fabs(slope) < INFINITY):
                    keep[r - 1, k] = 1
                    anchor, low, high = r - 1, -INFINITY, INFINITY
                    base = rows[anchor, k]
            keep[n - 1, k] = 1
    return kept.view(bool)
