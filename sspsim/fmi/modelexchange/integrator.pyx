# cython: language_level=3
"""The Python face of integrator.h: one model-exchange FMU with its CVODE."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free

from sspsim.fmi.codes import Code
from sspsim.fmi.modelexchange import sundials

cdef extern from "integrator.h":
    int N_CODES
    ctypedef struct Sundials:
        pass
    ctypedef struct Functions:
        pass
    ctypedef struct Model:
        double t
        double rtol
        long long events
        char problem[256]
    Model* model_new(int fmi, void* instance, const Functions* f, void** get, void** set, Sundials* cv, size_t n,
                     size_t n_indicators, double rtol, int needs_completed_step, int saves_own_state)
    void model_free(Model* m)
    int model_resize(Model* m, size_t n, size_t n_indicators) nogil
    int model_start(Model* m, double t) nogil
    int begin_event(Model* m) nogil
    void* accessor(int fmi, int code, int setting)
    void* stepper(int fmi)
    void* directional(int fmi)
    int save(Model* m, void** place)
    int restore(Model* m, void* place)
    int free_saved(Model* m, void** place)

FUNCTIONS = (  # in the order of struct Functions
    "setTime", "setStates", "getStates", "getDerivatives", "getIndicators", "getNominals", "completedStep", "update",
    "enterEvent", "enterContinuous", "getState", "setState", "freeState", "directional",
)


cdef class Integrator:
    """Owns the C side; `functions` are what the kernel calls with `address` as first argument."""

    cdef Model* model
    cdef void* table[14]
    cdef Sundials* solver
    cdef readonly dict functions

    def __cinit__(self, int fmi, uintptr_t instance, dict found, size_t states, size_t indicators, double rtol,
                  bint needs_completed_step, bint can_restore, bint saves_own_state):
        """`found`: the addresses of the FMU's functions under our names."""
        cdef void* own[14]
        cdef void* getters[14]
        cdef void* setters[14]
        cdef int k
        addresses = sundials.addresses()
        self.solver = <Sundials*>calloc(len(addresses), sizeof(void*))
        for k, address in enumerate(addresses):
            (<void**>self.solver)[k] = <void*><uintptr_t>address
        for k, name in enumerate(FUNCTIONS):
            own[k] = <void*><uintptr_t>found.get(name, 0)
        self.functions = {"doStep": <uintptr_t>stepper(fmi)}
        for code in Code:
            k = code
            getters[k] = <void*><uintptr_t>found.get(f"get.{code.name}", 0)
            setters[k] = <void*><uintptr_t>found.get(f"set.{code.name}", 0)
            if getters[k]:
                self.functions[f"get.{code.name}"] = <uintptr_t>accessor(fmi, k, 0)
            if setters[k]:
                self.functions[f"set.{code.name}"] = <uintptr_t>accessor(fmi, k, 1)
        if own[13]:
            self.functions["directional"] = <uintptr_t>directional(fmi)
        if can_restore:
            self.functions.update(
                getState=<uintptr_t>&save, setState=<uintptr_t>&restore, freeState=<uintptr_t>&free_saved
            )
        self.model = model_new(fmi, <void*>instance, <Functions*>own, getters, setters, self.solver, states, indicators,
                               rtol, needs_completed_step, saves_own_state)

    def __dealloc__(self):
        if self.model != NULL:
            model_free(self.model)
        free(self.solver)

    @property
    def address(self):
        """The first argument of all functions."""
        return <uintptr_t>self.model

    @property
    def problem(self):
        """Why the last call failed, if it was not the FMU itself."""
        return (<bytes>self.model.problem).decode()

    @property
    def events(self):
        """How many events there have been."""
        return self.model.events

    def set_tolerance(self, double rtol):
        """The relative tolerance; to be told before `start`."""
        self.model.rtol = rtol

    def resize(self, size_t states, size_t indicators):
        """To be told before `start`; False if there is no memory."""
        return bool(model_resize(self.model, states, indicators))

    def start(self, double t):
        """After the initialisation: settles the first event and goes to continuous time; gives an FMI status."""
        return model_start(self.model, t)

    def begin_event(self):
        """Lets inputs jump; gives an FMI status."""
        return begin_event(self.model)
