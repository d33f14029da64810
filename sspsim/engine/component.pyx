"""Makes the tables of a component from its C functions (`entry`) and its plan (`wiring`)."""

from libc.stdint cimport int64_t, uint32_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc

from sspsim.engine.conversion cimport width
from sspsim.engine.signatures cimport BINARY, FLOAT64, ReadState, SetState, State, StateSize, WriteState
from sspsim.engine.timer cimport reset


cdef void build(Component* c, int index, double* reals, entry, wiring, bytes name) except *:
    """Fills `c`; `name` and the bank of `reals` have to live as long as it."""
    cdef int k
    c.index = index
    c.version = entry.version
    c.name = name
    c.instance = <void*><uintptr_t>entry.instance
    c.stepper = <void*><uintptr_t>(entry.stepper or entry.instance)
    c.keeper = <void*><uintptr_t>(entry.keeper or entry.instance)
    c.do_step = <void*><uintptr_t>entry.address("doStep")
    c.get_state = <State><uintptr_t>entry.functions.get("getState", 0)
    c.set_state = <SetState><uintptr_t>entry.functions.get("setState", 0)
    c.free_state = <State><uintptr_t>entry.functions.get("freeState", 0)
    c.can_restore = entry.can_restore and c.get_state != NULL and c.set_state != NULL
    c.state_size = <StateSize><uintptr_t>entry.functions.get("stateSize", 0)
    c.write_state = <WriteState><uintptr_t>entry.functions.get("serialize", 0)
    c.read_state = <ReadState><uintptr_t>entry.functions.get("deserialize", 0)
    c.derive = <void*><uintptr_t>entry.functions.get("directional", 0)
    c.get_status = <void*><uintptr_t>entry.functions.get("getStatus", 0)
    c.cancel = <void*><uintptr_t>entry.functions.get("cancel", 0)
    for k in range(TIMERS):
        reset(&c.timers[k])
    c.sets = transfers(wiring.sets, reals, entry, "set")
    c.n_sets = len(wiring.sets)
    c.gets = transfers(wiring.iterated + wiring.handed_on, reals, entry, "get")
    c.n_gets = len(wiring.iterated) + len(wiring.handed_on)
    c.n_iterated = len(wiring.iterated)
    c.recorded = transfers(wiring.recorded, reals, entry, "get")
    c.n_recorded = len(wiring.recorded)


cdef void dismantle(Component* c) noexcept:
    """Frees the tables."""
    free_transfers(c.sets, c.n_sets)
    free_transfers(c.gets, c.n_gets)
    free_transfers(c.recorded, c.n_recorded)


cdef Transfer* transfers(calls, double* reals, entry, str verb) except NULL:
    cdef Transfer* list_ = <Transfer*>calloc(len(calls) + 1, sizeof(Transfer))
    cdef Transfer* x
    cdef int i, k
    for i, call in enumerate(calls):
        x = &list_[i]
        x.code = call.code
        x.n_references = len(call.references)
        x.references = <uint32_t*>malloc(max(1, x.n_references) * sizeof(uint32_t))
        for k in range(x.n_references):
            x.references[k] = call.references[k]
        x.function = <void*><uintptr_t>entry.address(f"{verb}.{call.code.name}")
        x.n_values = len(call.feeds) if verb == "set" else call.count
        x.buffer = calloc(max(1, x.n_values), width(x.code))
        if x.code == BINARY:
            x.sizes = <size_t*>calloc(max(1, x.n_values), sizeof(size_t))
        if verb == "set":
            x.feeds = feed_list(call.feeds)
            x.plain = x.code == FLOAT64 and all(
                feed.bank == REAL and feed.factor == 1.0 and feed.offset == 0.0 for feed in call.feeds
            )
            x.first = x.feeds[0].slot
            x.in_one_piece = x.plain and all(x.feeds[k].slot == x.first + k for k in range(x.n_values))
        else:
            x.first = call.first
            x.in_one_piece = x.code == FLOAT64
        x.values = <void*>(reals + x.first) if x.in_one_piece else x.buffer
    return list_


cdef void free_transfers(Transfer* list_, int n) noexcept:
    cdef int i
    for i in range(n):
        free_feeds(list_[i].feeds, list_[i].n_values)
        free(list_[i].references)
        free(list_[i].buffer)
        free(list_[i].sizes)
    free(list_)


cdef Feed* feed_list(feeds) except NULL:
    """The C side of a list of `sspsim.plan.Feed`."""
    cdef Feed* list_ = <Feed*>calloc(len(feeds) + 1, sizeof(Feed))
    cdef int i, k
    for i, feed in enumerate(feeds):
        list_[i].bank = feed.bank
        list_[i].slot = feed.slot
        list_[i].factor = feed.factor
        list_[i].offset = feed.offset
        list_[i].n_table = len(feed.table)
        list_[i].table = <int64_t*>malloc(max(1, 2 * len(feed.table)) * sizeof(int64_t))
        for k, (source, target) in enumerate(feed.table):
            list_[i].table[2 * k] = source
            list_[i].table[2 * k + 1] = target
    return list_


cdef void free_feeds(Feed* list_, int n) noexcept:
    cdef int i
    if list_ != NULL:
        for i in range(n):
            free(list_[i].table)
    free(list_)


cdef Transfer part(Transfer* whole, int variable, int first, int count) noexcept:
    """The part of a get or set call that is about one variable."""
    cdef Transfer x = whole[0]
    x.references += variable
    x.n_references = 1
    x.n_values = count
    x.first += first
    x.buffer = <char*>x.buffer + first * width(x.code)
    x.values = <char*>x.values + first * width(x.code)
    if x.feeds != NULL:
        x.feeds += first
    if x.sizes != NULL:
        x.sizes += first
    return x
