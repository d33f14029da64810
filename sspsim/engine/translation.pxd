"""Values of all types on their way between the banks and the calls of FMUs; plain reals need none of it.

Not inline: the calls of a step stay small, which is what makes them quick.
"""

from sspsim.engine.banks cimport System
from sspsim.engine.component cimport Component, Transfer

cdef bint gather(System* s, Component* c, Transfer* x, double t) noexcept nogil
cdef void scatter(System* s, Transfer* x) noexcept nogil
