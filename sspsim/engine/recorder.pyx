"""Makes, fills and clears the blocks of rows."""

from libc.stdint cimport int64_t

from sspsim.engine.arrays cimport address
from sspsim.engine.banks cimport enter, leave
from sspsim.engine.component cimport Feed, feed_list, free_feeds, REAL
from sspsim.engine.kernel cimport Kernel

import numpy as np


cdef class Recorder:
    """Room for `capacity` rows: time and what the given feeds lead to.

    The reals from `first_defect` on start anew after each row: they hold the greatest defects since the last one.
    """

    def __cinit__(self, Kernel kernel, real_feeds, integer_feeds, text_feeds, int capacity, int first_defect):
        cdef Rows* rows = &self.rows
        self.kernel = kernel
        self.system = &kernel.system
        rows.n_real_columns = len(real_feeds)
        rows.n_integer_columns = len(integer_feeds)
        rows.real_columns = feed_list(real_feeds)
        rows.integer_columns = feed_list(integer_feeds)
        rows.first_defect = first_defect
        rows.capacity = capacity
        self.text_columns = tuple(feed.slot for feed in text_feeds)
        self.text_rows = []
        self.real_rows = np.empty((capacity, 1 + rows.n_real_columns))
        self.integer_rows = np.empty((capacity, max(1, rows.n_integer_columns)), dtype=np.int64)
        rows.reals = <double*>address(self.real_rows)
        rows.integers = <int64_t*>address(self.integer_rows)

    def __dealloc__(self):
        free_feeds(self.rows.real_columns, self.rows.n_real_columns)
        free_feeds(self.rows.integer_columns, self.rows.n_integer_columns)

    def __len__(self):
        return self.rows.n

    def record(self, double t, int extrapolate=0):
        """Appends a row; True when there is no room for another.

        The first `extrapolate` reals are extrapolated from the full step and its halves.
        """
        cdef Rows* rows = &self.rows
        cdef double* row = newest(rows)
        cdef Feed* feed
        cdef int k
        enter(self.system)
        if not leave(self.system, record_numbers(self.system, rows, t)):
            self.kernel.raise_failure()
        for k in range(rows.n_real_columns if extrapolate else 0):
            feed = &rows.real_columns[k]
            if feed.bank == REAL and feed.slot < extrapolate:
                row[1 + k] = 2 * row[1 + k] - (feed.factor * self.system.full[feed.slot] + feed.offset)
        self.keep_texts()
        return rows.n == rows.capacity

    cdef keep_texts(self):
        """Adds the texts to the newest row; with texts there is room for one row only, so there is no other."""
        if self.text_columns and len(self.text_rows) < self.rows.n:
            self.text_rows.append([self.kernel.text(slot) for slot in self.text_columns])

    def clear(self):
        """Makes room after the rows have been written elsewhere."""
        self.rows.n = 0
        self.text_rows = []
