# cython: language_level=3
"""The Python face of channel.h: the proxy in the kernel's process, the server in that of the FMU."""

from libc.stdint cimport uint32_t, uintptr_t
from libc.stdlib cimport free

from sspsim.fmi.codes import Code

cdef extern from "channel.h" nogil:
    ctypedef struct Proxy "Proxy":
        int dead
        char problem[256]
        long long exchanges
    ctypedef struct Server:
        int fmi
        void* instance
        void* stepper
        void* keeper
        void* get[14]
        void* set[14]
        void* do_step
        void* get_status
        void* get_state
        void* set_state
        void* free_state
        void* directional
        char* scratch
    Proxy* proxy_new(void* memory, size_t size, int fmi, int pid, double timeout)
    void proxy_free(Proxy* p)
    int call_attention(Proxy* p)
    int describe_end(Proxy* p)
    void* accessor(int fmi, int code, int setting)
    void* c_stepper "stepper"(int fmi)
    void* deriver(int fmi)
    int proxy_save(Proxy* p, void** place)
    int proxy_restore(Proxy* p, void* place)
    int proxy_forget(Proxy* p, void** place)
    int serve(Server* s, void* memory, size_t size, uint32_t* seen, int owner)


cdef class Channel:
    """The kernel's end; `functions` are what the kernel calls with `address` as first argument."""

    cdef Proxy* proxy
    cdef unsigned char[::1] memory

    def __cinit__(self, unsigned char[::1] memory, int fmi, int pid, double timeout):
        """`timeout`: seconds that an answer may take, 0 for any."""
        self.memory = memory
        self.proxy = proxy_new(&self.memory[0], len(self.memory), fmi, pid, timeout)

    def __dealloc__(self):
        if self.proxy != NULL:
            proxy_free(self.proxy)

    @property
    def address(self):
        """The first argument of all functions."""
        return <uintptr_t>self.proxy

    @property
    def dead(self):
        """Whether the other process is gone."""
        return bool(self.proxy.dead)

    @property
    def problem(self):
        """Why the last call failed, if it was not the FMU itself."""
        return (<bytes>self.proxy.problem).decode("utf-8", "replace")

    @property
    def exchanges(self):
        """How often a batch went over and back."""
        return self.proxy.exchanges

    def call_attention(self):
        """Sends what was collected and makes the other process listen to its socket; gives an FMI status."""
        return call_attention(self.proxy)

    def describe_end(self):
        """Finds out how the other process ended."""
        describe_end(self.proxy)

    def functions(self, int fmi, names):
        """The addresses for an Entry that has functions of the given names."""
        found = {"doStep": <uintptr_t>c_stepper(fmi)}
        for code in Code:
            for setting, verb in enumerate(("get", "set")):
                if f"{verb}.{code.name}" in names:
                    found[f"{verb}.{code.name}"] = <uintptr_t>accessor(fmi, code, setting)
        if "getState" in names:
            found.update(
                getState=<uintptr_t>&proxy_save, setState=<uintptr_t>&proxy_restore, freeState=<uintptr_t>&proxy_forget
            )
        if "directional" in names:
            found["directional"] = <uintptr_t>deriver(fmi)
        return found


cdef class Service:
    """The FMU's end: works batches off until somebody asks for control."""

    cdef Server server
    cdef unsigned char[::1] memory
    cdef uint32_t seen
    cdef int owner

    def __cinit__(self, unsigned char[::1] memory, int owner):
        self.memory = memory
        self.owner = owner
        self.seen = 0

    def __dealloc__(self):
        free(self.server.scratch)

    def connect(self, entry):
        """Takes the functions of a component over."""
        cdef dict found = dict(entry.functions)
        self.server.fmi = entry.version
        self.server.instance = <void*><uintptr_t>entry.instance
        self.server.stepper = <void*><uintptr_t>(entry.stepper or entry.instance)
        self.server.keeper = <void*><uintptr_t>(entry.keeper or entry.instance)
        for code in Code:
            self.server.get[<int>code] = <void*><uintptr_t>found.get(f"get.{code.name}", 0)
            self.server.set[<int>code] = <void*><uintptr_t>found.get(f"set.{code.name}", 0)
        self.server.do_step = <void*><uintptr_t>found.get("doStep", 0)
        self.server.get_status = <void*><uintptr_t>found.get("getStatus", 0)
        self.server.get_state = <void*><uintptr_t>found.get("getState", 0)
        self.server.set_state = <void*><uintptr_t>found.get("setState", 0)
        self.server.free_state = <void*><uintptr_t>found.get("freeState", 0)
        self.server.directional = <void*><uintptr_t>found.get("directional", 0)

    def serve(self):
        """Returns when control is asked for; False when the owner is gone."""
        cdef int gone
        with nogil:
            gone = serve(&self.server, &self.memory[0], len(self.memory), &self.seen, self.owner)
        return not gone
