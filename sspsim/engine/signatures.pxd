"""The C functions of FMI 1, 2 and 3 that the kernel calls, as it sees them, and what they return."""

from libc.stdint cimport uint32_t

cdef enum:  # fmi status
    OK = 0
    WARNING = 1
    DISCARD = 2
    ERROR = 3
    PENDING = 5
    ENDS = 6            # no status of FMI: the FMU wants to end the simulation

cdef enum:  # sspsim.fmi.codes.Code
    FLOAT64, FLOAT32, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BOOLEAN8, BOOLEAN32, STRING, BINARY

ctypedef unsigned char bint8
ctypedef int (*Call2)(void*, const uint32_t*, size_t, void*) noexcept nogil
ctypedef int (*Call3)(void*, const uint32_t*, size_t, void*, size_t) noexcept nogil
ctypedef int (*CallBinary)(void*, const uint32_t*, size_t, size_t*, void*, size_t) noexcept nogil
ctypedef int (*Step1)(void*, double, double, char) noexcept nogil
ctypedef int (*Step2)(void*, double, double, int) noexcept nogil
ctypedef int (*Step3)(void*, double, double, bint8, bint8*, bint8*, bint8*, double*) noexcept nogil
ctypedef int (*State)(void*, void**) noexcept nogil
ctypedef int (*SetState)(void*, void*) noexcept nogil
ctypedef int (*StateSize)(void*, void*, size_t*) noexcept nogil
ctypedef int (*WriteState)(void*, void*, void*, size_t) noexcept nogil
ctypedef int (*ReadState)(void*, const void*, size_t, void**) noexcept nogil
ctypedef int (*Derive2)(void*, const uint32_t*, size_t, const uint32_t*, size_t, double*, double*) noexcept nogil
ctypedef int (*Derive3)(
    void*, const uint32_t*, size_t, const uint32_t*, size_t, double*, size_t, double*, size_t) noexcept nogil
