"""A component as the kernel sees it: a table of C functions and the get and set calls of its plan."""

from libc.stdint cimport int64_t, uint32_t

from sspsim.engine.signatures cimport ReadState, SetState, State, StateSize, WriteState
from sspsim.engine.timer cimport Timer

cdef enum:  # sspsim.fmi.codes.Bank
    REAL, INTEGER, TEXT

cdef enum:  # what a failure happened in; kernel.FUNCTIONS gives the words
    F_SET, F_STEP, F_GET, F_SAVE, F_RESTORE, F_DERIVE, F_SERIALIZE, F_VALUE, F_RANGE

cdef enum:
    TIMERS = 6          # F_SET to F_DERIVE

cdef struct Feed:
    int bank
    int slot
    double factor
    double offset
    int n_table
    int64_t* table      # n_table pairs (source, target)

cdef struct Transfer:   # one get or set call
    int code
    int n_references
    uint32_t* references
    void* function
    int n_values
    int first           # first slot of an output
    Feed* feeds         # of an input, else NULL
    bint plain          # all values are FLOAT64 fed by reals as they are
    void* buffer        # n_values of the FMU's type
    size_t* sizes       # of binaries

cdef struct Component:
    int version
    void* instance
    void* stepper       # first argument of do_step; the instance unless something wraps it
    void* do_step
    void* keeper        # first argument of the state functions
    State get_state
    SetState set_state
    State free_state
    StateSize state_size
    WriteState write_state
    ReadState read_state
    void* derive
    int n_sets, n_iterated, n_handed_on, n_recorded
    Transfer* sets
    Transfer* iterated
    Transfer* handed_on
    Transfer* recorded
    void* state         # at the beginning of the step, for a cycle that is iterated
    bint can_restore
    void* get_status    # of FMI 1 and 2: asks how far a pending step is
    const char* name    # for the last words of a crash
    Timer timers[TIMERS]


cdef void build(Component* c, entry, wiring, bytes name) except *
cdef void dismantle(Component* c) noexcept
cdef Transfer part(Transfer* whole, int variable, int first, int count) noexcept
cdef Feed* feed_list(feeds) except NULL
cdef void free_feeds(Feed* list_, int n) noexcept
