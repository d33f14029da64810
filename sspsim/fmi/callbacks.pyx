# cython: language_level=3
"""The C callbacks that FMUs are given: loggers and memory functions."""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc, free

cdef extern from "log.h":
    int LOG_MESSAGES
    ctypedef struct Message:
        int status
        char category[64]
        char text[1024]
    ctypedef struct Log:
        Message* messages
        long long written
        void* follow
        void* follower
    Log* log_new(const char* name)
    void log_free(Log* log)
    void fmi1_logger()
    void fmi2_logger()
    void fmi3_logger()
    void step_finished()
    void intermediate_update()

ALLOCATE = <uintptr_t>&calloc
FREE = <uintptr_t>&free
STEP_FINISHED = <uintptr_t>&step_finished
INTERMEDIATE_UPDATE = <uintptr_t>&intermediate_update
LOGGERS = {1: <uintptr_t>&fmi1_logger, 2: <uintptr_t>&fmi2_logger, 3: <uintptr_t>&fmi3_logger}


cdef class MessageLog:
    """The last messages of one component; `address` is what its logger callback gets as environment."""

    cdef Log* log
    cdef long long taken

    def __cinit__(self, str name):
        self.log = log_new(name.encode())

    def __dealloc__(self):
        log_free(self.log)

    @property
    def address(self):
        """The pointer to hand to the FMU."""
        return <uintptr_t>self.log

    def follow(self, uintptr_t function, uintptr_t follower):
        """What hands inputs over in intermediate updates."""
        self.log.follow = <void*>function
        self.log.follower = <void*>follower

    def take(self):
        """The messages since the last call as (status, category, text), oldest first; the ring keeps the newest."""
        cdef Message* message
        first = max(self.taken, self.log.written - LOG_MESSAGES)
        found = []
        for k in range(first, self.log.written):
            message = &self.log.messages[k % LOG_MESSAGES]
            text = (<bytes>message.text).decode("utf-8", "replace").strip()
            found.append((message.status, (<bytes>message.category).decode("utf-8", "replace"), text))
        self.taken = self.log.written
        return found
