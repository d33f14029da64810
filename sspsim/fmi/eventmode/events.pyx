# cython: language_level=3
"""The Python face of events.h: one FMI 3 FMU with event mode."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

from sspsim.fmi.codes import Code

cdef extern from "events.h":
    ctypedef struct Functions:
        pass
    ctypedef struct Clock:
        uint32_t reference
        int kind
        double interval
        double shift
        double next
    ctypedef struct Held:
        uint32_t reference
        uint64_t clocks
    ctypedef struct Events:
        void* instance
        Functions f
        void** get
        void** set
        Clock* clocks
        size_t n_clocks
        Held* held
        size_t n_held
        char variable_step
        char listens
        double next_event
        long long events
        char problem[256]
    int events_start(Events* e, double t) nogil
    void* GETTERS[14]
    void* SETTERS[14]
    void step3()
    void save()
    void restore()
    void free_saved()
    void directional()

FUNCTIONS = (  # in the order of struct Functions
    "doStep", "enterEvent", "enterStep", "update", "getClock", "setClock", "getInterval",
    "getState", "setState", "freeState", "directional",
)


cdef class EventMode:
    """Owns the C side; `functions` are what the kernel calls with `address` as first argument."""

    cdef Events* events_
    cdef readonly dict functions

    def __cinit__(self, uintptr_t instance, dict found, list clocks, list held, bint listens, bint variable_step,
                  bint can_restore):
        """`found`: the addresses of the FMU's functions; `clocks`: (reference, kind, interval, shift); `held`:
        (reference, positions of its clocks) of clocked inputs.
        """
        cdef Events* e = <Events*>calloc(1, sizeof(Events))
        cdef int k
        self.events_ = e
        e.instance = <void*>instance
        e.next_event = INFINITY
        e.listens = listens
        e.variable_step = variable_step
        for k, name in enumerate(FUNCTIONS):
            (<void**>&e.f)[k] = <void*><uintptr_t>found.get(name, 0)
        self.functions = {"doStep": <uintptr_t><void*>step3}
        for code in Code:
            k = code
            for verb in ("get", "set"):
                address = found.get(f"{verb}.{code.name}")
                if not address and not (clocks and code is Code.BOOLEAN8):  # clocks travel as booleans
                    continue
                if verb == "get":
                    e.get[k] = <void*><uintptr_t>(address or 0)
                    self.functions["get." + code.name] = <uintptr_t>GETTERS[k]
                else:
                    e.set[k] = <void*><uintptr_t>(address or 0)
                    self.functions["set." + code.name] = <uintptr_t>SETTERS[k]
        if "directional" in found:
            self.functions["directional"] = <uintptr_t><void*>directional
        if can_restore:
            self.functions.update(
                getState=<uintptr_t><void*>save, setState=<uintptr_t><void*>restore, freeState=<uintptr_t><void*>free_saved
            )
        self.take_clocks(clocks, held)

    cdef take_clocks(self, clocks, held):
        cdef Events* e = self.events_
        e.clocks = <Clock*>calloc(max(1, len(clocks)), sizeof(Clock))
        e.n_clocks = len(clocks)
        for k, (reference, kind, interval, shift) in enumerate(clocks):
            e.clocks[k].reference = reference
            e.clocks[k].kind = kind
            e.clocks[k].interval = interval
            e.clocks[k].shift = shift
            e.clocks[k].next = INFINITY
        e.held = <Held*>calloc(max(1, len(held)), sizeof(Held))
        e.n_held = len(held)
        for k, (reference, positions) in enumerate(held):
            e.held[k].reference = reference
            for position in positions:
                e.held[k].clocks |= (<uint64_t>1) << (<int>position)

    def __dealloc__(self):
        if self.events_ != NULL:
            free(self.events_.clocks)
            free(self.events_.held)
        free(self.events_)

    @property
    def address(self):
        """The first argument of all functions."""
        return <uintptr_t>self.events_

    @property
    def problem(self):
        """Why the last call failed, if it was not the FMU itself."""
        return (<bytes>self.events_.problem).decode()

    @property
    def events(self):
        """How many events there have been."""
        return self.events_.events

    def start(self, double t):
        """After the initialisation: settles the first event; gives an FMI status."""
        return events_start(self.events_, t)
