"""Which class brings an FMU to life."""

from __future__ import annotations

from sspsim.fmi.description import Description, Interface
from sspsim.fmi.library import Library
from sspsim.fmi.slave import SLAVES, Slave


def make_slave(name: str, description: Description, interface: Interface, library: Library) -> Slave:
    """An instance that is not instantiated yet, for co-simulation or model exchange."""
    if interface.kind == "ModelExchange":
        from sspsim.fmi.modelexchange.slaves import MODEL_EXCHANGE  # needs SUNDIALS, which few systems do

        return MODEL_EXCHANGE[description.fmi](name, description, interface, library)
    if description.fmi == 3 and interface.event_mode:
        from sspsim.fmi.eventmode.slave import EventSlave

        return EventSlave(name, description, interface, library)
    return SLAVES[description.fmi](name, description, interface, library)
