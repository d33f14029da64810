# cython: language_level=3
"""The Python face of polynomials.h: the inputs of one FMU."""

from libc.stdint cimport uint32_t, uintptr_t
from libc.stdlib cimport calloc, free

cdef extern from "polynomials.h":
    ctypedef struct Functions:
        pass
    ctypedef struct Source:
        void* get
        void* instance
        uint32_t reference
        int order
        double factor
    ctypedef struct History:
        pass
    ctypedef struct C_Polynomials "Polynomials":
        void* instance
        Functions f
        int fmi
        int order
        size_t n
        uint32_t* references
        char* ahead
        Source* sources
        History* histories
        uint32_t* set_references
        int* set_orders
        double* set_values
        void* inner
        void* set_inside
    void step1()
    void step2()
    void step3()
    void follow()
    void set_real()
    void get_real()
    void get_integer()
    void set_integer()
    void get_boolean()
    void set_boolean()
    void get_string()
    void set_string()
    void get_status()
    void cancel()
    void save()
    void restore()
    void free_saved()
    void directional()

cdef dict BOOLEANS = {1: "BOOLEAN8", 2: "BOOLEAN32", 3: "BOOLEAN8"}
cdef dict STEPS = {1: <uintptr_t><void*>step1, 2: <uintptr_t><void*>step2, 3: <uintptr_t><void*>step3}
# FMUs of FMI 3 get everything else directly, and their states with ours.
cdef tuple LED_THROUGH = ("doStep", "getState", "setState", "freeState")


cdef list _functions(int fmi):
    """The FMU's functions in the order of struct Functions, with what stands in for them."""
    boolean = BOOLEANS[fmi]
    return [
        ("doStep", STEPS[fmi]),
        ("set.FLOAT64", <uintptr_t><void*>set_real),
        ("setDerivatives", 0),
        ("get.FLOAT64", <uintptr_t><void*>get_real),
        ("get.INT32", <uintptr_t><void*>get_integer),
        ("set.INT32", <uintptr_t><void*>set_integer),
        (f"get.{boolean}", <uintptr_t><void*>get_boolean),
        (f"set.{boolean}", <uintptr_t><void*>set_boolean),
        ("get.STRING", <uintptr_t><void*>get_string),
        ("set.STRING", <uintptr_t><void*>set_string),
        ("getStatus", <uintptr_t><void*>get_status),
        ("cancel", <uintptr_t><void*>cancel),
        ("getState", <uintptr_t><void*>save),
        ("setState", <uintptr_t><void*>restore),
        ("freeState", <uintptr_t><void*>free_saved),
        ("directional", <uintptr_t><void*>directional),
    ]


cdef class Polynomials:
    """Owns the C side; `functions` are what the kernel calls with `address` as first argument."""

    cdef C_Polynomials* p
    cdef readonly dict functions

    def __cinit__(self, int fmi, uintptr_t instance, dict found, int order, list inputs):
        """`found`: the addresses of the FMU's functions; `inputs`: (reference, whether its value at the end of a step
        is known before, source), the source being None or (function, instance, reference, order, factor).
        """
        cdef int k
        cdef size_t n = max(1, len(inputs))
        self.p = <C_Polynomials*>calloc(1, sizeof(C_Polynomials))
        self.p.instance = <void*>instance
        self.p.fmi = fmi
        self.p.order = order
        self.functions = {}
        for k, (name, ours) in enumerate(_functions(fmi)):
            (<void**>&self.p.f)[k] = <void*><uintptr_t>found.get(name, 0)
            if ours and name in found and (fmi < 3 or name in LED_THROUGH):
                self.functions[name] = ours
        self.p.n = len(inputs)
        self.p.references = <uint32_t*>calloc(n, sizeof(uint32_t))
        self.p.ahead = <char*>calloc(n, 1)
        self.p.sources = <Source*>calloc(n, sizeof(Source))
        self.p.histories = <History*>calloc(n, sizeof(History))
        self.p.set_references = <uint32_t*>calloc(n * (order + 1), sizeof(uint32_t))
        self.p.set_orders = <int*>calloc(n * (order + 1), sizeof(int))
        self.p.set_values = <double*>calloc(n * (order + 1), sizeof(double))
        for k, (reference, ahead, source) in enumerate(inputs):
            self.p.references[k] = reference
            self.p.ahead[k] = ahead
            if source is not None:
                self.p.sources[k].get = <void*><uintptr_t>source[0]
                self.p.sources[k].instance = <void*><uintptr_t>source[1]
                self.p.sources[k].reference = source[2]
                self.p.sources[k].order = source[3]
                self.p.sources[k].factor = source[4]

    def __dealloc__(self):
        if self.p == NULL:
            return
        free(self.p.references)
        free(self.p.ahead)
        free(self.p.sources)
        free(self.p.histories)
        free(self.p.set_references)
        free(self.p.set_orders)
        free(self.p.set_values)
        free(self.p)

    def inside(self, uintptr_t instance, uintptr_t set_real):
        """How to set reals of the FMU itself while it makes a step; gives the function that does it at a time."""
        self.p.inner = <void*>instance
        self.p.set_inside = <void*>set_real
        return <uintptr_t><void*>follow

    @property
    def address(self):
        """The first argument of all functions."""
        return <uintptr_t>self.p
