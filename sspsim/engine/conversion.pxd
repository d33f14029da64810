"""Numbers and texts on their way between the banks (doubles, 64 bit integers) and the types of the FMUs."""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

from sspsim.engine.signatures cimport (
    BOOLEAN8,
    BOOLEAN32,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
)


cdef inline size_t width(int code) noexcept nogil:
    if code == FLOAT64 or code == INT64 or code == UINT64:
        return 8
    if code == FLOAT32 or code == INT32 or code == UINT32 or code == BOOLEAN32:
        return 4
    if code == INT16 or code == UINT16:
        return 2
    if code == INT8 or code == UINT8 or code == BOOLEAN8:
        return 1
    return sizeof(void*)


cdef inline void store_integer(int code, void* buffer, int i, int64_t v) noexcept nogil:
    if code == INT32 or code == BOOLEAN32:
        (<int32_t*>buffer)[i] = <int32_t>v
    elif code == BOOLEAN8 or code == INT8 or code == UINT8:
        (<int8_t*>buffer)[i] = <int8_t>v
    elif code == INT64 or code == UINT64:
        (<int64_t*>buffer)[i] = v
    elif code == INT16 or code == UINT16:
        (<int16_t*>buffer)[i] = <int16_t>v
    else:
        (<uint32_t*>buffer)[i] = <uint32_t>v


cdef inline int64_t load_integer(int code, void* buffer, int i) noexcept nogil:
    if code == INT32:
        return (<int32_t*>buffer)[i]
    if code == BOOLEAN32:
        return (<int32_t*>buffer)[i] != 0
    if code == BOOLEAN8:
        return (<int8_t*>buffer)[i] != 0
    if code == INT64 or code == UINT64:
        return (<int64_t*>buffer)[i]
    if code == UINT32:
        return (<uint32_t*>buffer)[i]
    if code == INT16:
        return (<int16_t*>buffer)[i]
    if code == UINT16:
        return (<uint16_t*>buffer)[i]
    if code == INT8:
        return (<int8_t*>buffer)[i]
    return (<uint8_t*>buffer)[i]


cdef inline bint in_range(int code, double v) noexcept nogil:
    """Whether a rounded number fits the integer type."""
    if code == INT32:
        return -2147483648.0 <= v <= 2147483647.0
    if code == BOOLEAN8 or code == BOOLEAN32:
        return v == 0.0 or v == 1.0
    if code == INT8:
        return -128.0 <= v <= 127.0
    if code == UINT8:
        return 0.0 <= v <= 255.0
    if code == INT16:
        return -32768.0 <= v <= 32767.0
    if code == UINT16:
        return 0.0 <= v <= 65535.0
    if code == UINT32:
        return 0.0 <= v <= 4294967295.0
    if code == UINT64:
        return 0.0 <= v < 9223372036854775808.0
    return -9223372036854775808.0 <= v < 9223372036854775808.0
