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
    int first           # first slot of outputs, or of inputs that are in one piece
    bint in_one_piece   # FLOAT64 that lie in the bank just as the FMU wants them
    void* values        # what the FMU's function is told: there in the bank, or the buffer
    bint plain          # inputs: FLOAT64 fed by reals as they are
    bint leaves         # outputs: nobody in the own cycle uses them, so that they need not settle
    Feed* feeds         # of inputs, else NULL
    void* buffer        # n_values of the FMU's type
    size_t* sizes       # of binaries

cdef struct Component:  # what every step needs comes first
    int index
    int version
    int n_sets, n_gets, n_iterated, n_recorded
    const char* name    # for the last words of a crash
    void* instance
    void* stepper       # first argument of do_step; the instance unless something wraps it
    void* do_step
    Transfer* sets
    Transfer* gets      # of what other components may need; the first n_iterated are about iterated values
    Timer timers[TIMERS]
    Transfer* recorded  # of what nobody but the recorder needs
    void* keeper        # first argument of the state functions
    State get_state
    SetState set_state
    State free_state
    StateSize state_size
    WriteState write_state
    ReadState read_state
    void* derive
    void* state         # at the beginning of the step, for a cycle that is iterated
    bint can_restore
    void* get_status    # of FMI 1 and 2: asks how far a pending step is
    void* cancel        # and ends it


cdef void build(Component* c, int index, double* reals, entry, wiring, bytes name) except *
cdef void dismantle(Component* c) noexcept
cdef Transfer part(Transfer* whole, int variable, int first, int count) noexcept
cdef Feed* feed_list(feeds) except NULL
cdef void free_feeds(Feed* list_, int n) noexcept
