"""Setting inputs and getting outputs of components during the initialisation, variable by variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sspsim.fmi.codes import Bank, code_of
from sspsim.fmi.slave import Slave
from sspsim.graph.flat import FlatSystem, Port
from sspsim.graph.initial import Node
from sspsim.plan import GetCall, Plan, SetCall, element_count


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a variable stands in get or set calls: the call, which of its variables, from which value on."""

    call: int
    variable: int
    first: int
    count: int


class Exchange:
    """All components on their way through the initialisation; values lie in the banks of the kernel."""

    def __init__(
        self, kernel: Any, slaves: Sequence[Slave], system: FlatSystem, plan: Plan, start: float
    ) -> None:
        self.kernel = kernel
        self.slaves = slaves
        self.system = system
        self.plan = plan
        self.start = start
        self.awake: set[int] = set()
        self.done: set[Node] = set()  # inputs that have their value
        self.heard: dict[Node, Any] = {}  # what the outputs of FMI 1 components were when last read
        self.deaf: set[Node] = set()  # outputs that do not answer even to a new initialisation
        self.inputs = [self._places(i, wiring.sets) for i, wiring in enumerate(plan.wirings)]
        self.iterated = [self._places(i, wiring.iterated) for i, wiring in enumerate(plan.wirings)]
        self.handed_on = [self._places(i, wiring.handed_on) for i, wiring in enumerate(plan.wirings)]

    def _places(self, i: int, calls: Sequence[SetCall | GetCall]) -> dict[tuple[int, int], list[_Place]]:
        """The places of all variables in the calls of instance i, by C type and value reference (aliases
        share it).
        """
        description = self.system.instances[i].description
        counts = {v.reference: element_count(v) for v in description.variables if v.dimensions}
        found: dict[tuple[int, int], list[_Place]] = {}
        for n, call in enumerate(calls):
            first = 0
            for k, reference in enumerate(call.references):
                count = counts.get(reference, 1)
                found.setdefault((call.code, reference), []).append(_Place(n, k, first, count))
                first += count
        return found

    # ---- all components -----------------------------------------------------------------------------------

    def wake_all_with_initialization_mode(self) -> None:
        """All but FMI 1, which is initialised when its outputs are asked for: inputs first."""
        for i, slave in enumerate(self.slaves):
            if slave.fmi > 1:
                self.wake(i)

    def set_all_inputs(self) -> None:
        """Every component gets all its inputs, also those that no output needed."""
        for i in range(len(self.slaves)):
            if i not in self.awake:
                self.kernel.set_all_inputs(i, self.start)
                self.wake(i)
            self.kernel.set_all_inputs(i, self.start)

    # ---- one component ------------------------------------------------------------------------------------

    def wake(self, i: int) -> None:
        """Enters the initialisation of one component."""
        self.slaves[i].enter_initialization()
        self.awake.add(i)

    def compute(self, output: Node, needs: Iterable[str]) -> None:
        """One output from inputs that are all known."""
        i = output[0]
        new = [(i, name) for name in needs if (i, name) not in self.done]
        self.done.update(new)
        self.ask(i, new, [output])

    def ask(self, i: int, inputs: Sequence[Node], outputs: Sequence[Node], *, check: bool = True) -> None:
        """Sets inputs and gets outputs of one component; `check`: what is not finite is an error."""
        if self.slaves[i].fmi == 1:
            self._ask_fmi1(i, inputs, outputs, check)
            return
        self.set(inputs)
        self.get(outputs, check)

    def _ask_fmi1(self, i: int, inputs: Sequence[Node], outputs: Sequence[Node], check: bool) -> None:
        """FMI 1 has no initialisation mode: what does not answer is initialised anew with the new inputs."""
        if i not in self.awake:
            self.set(inputs)
            self.wake(i)
            self.get(outputs, check)
            self.heard.update((node, self.values([node])) for node in outputs)
            return
        unheard = [node for node in outputs if node not in self.heard]
        self.get(unheard, check=False)
        self.heard.update((node, self.values([node])) for node in unheard)
        before = [self.heard[node] for node in outputs]
        self.set(inputs)
        self.get(outputs, check)
        if (
            inputs
            and not self.deaf.issuperset(outputs)
            and [self.values([node]) for node in outputs] == before
        ):
            self._initialize_anew(i, outputs, before, check)
        self.heard.update((node, self.values([node])) for node in outputs)

    def _initialize_anew(self, i: int, outputs: Sequence[Node], before: Sequence[Any], check: bool) -> None:
        """FMI 1: all inputs that are known by now take part in a new initialisation."""
        slave = self.slaves[i]
        if not slave.reset():
            return
        slave.set((value.variable, value.values) for value in self.system.instances[i].starts)
        self.set(node for node in self.done if node[0] == i)
        self.wake(i)
        self.get(outputs, check)
        if [self.values([node]) for node in outputs] == before:
            self.deaf.update(outputs)

    # ---- variables ----------------------------------------------------------------------------------------

    def set(self, inputs: Iterable[Node]) -> None:
        """Hands inputs on from the banks."""
        for i, name in inputs:
            for p in self.inputs[i][self._key(i, name)]:
                self.kernel.set_variable(i, p.call, p.variable, p.first, p.count, self.start)

    def get(self, outputs: Iterable[Node], check: bool = True) -> None:
        """Reads outputs into the banks; `check`: what is not finite is an error."""
        for i, name in outputs:
            key = self._key(i, name)
            iterated = key in self.iterated[i]
            for p in (self.iterated if iterated else self.handed_on)[i][key]:
                self.kernel.get_variable(i, iterated, p.call, p.variable, p.first, p.count, self.start, check)

    def _key(self, i: int, name: str) -> tuple[int, int]:
        """How `_places` names a variable."""
        description = self.system.instances[i].description
        variable = description.by_name[name]
        return code_of(variable.type, description.fmi), variable.reference

    def slots(self, outputs: Iterable[Node], bank: Bank) -> list[int]:
        """The slots of all scalars of some outputs in one bank."""
        found = []
        for i, name in outputs:
            for index in range(element_count(self.system.instances[i].description.by_name[name])):
                where, slot = self.plan.places[Port(i, name, index)]
                if where is bank:
                    found.append(slot)
        return found

    def names(self, outputs: Sequence[Node]) -> list[str]:
        """Of all scalars of some outputs, in the order of `values`."""
        banks = (self.plan.slot_names, self.plan.integer_names, self.plan.text_names)
        return [banks[bank][slot] for bank in Bank for slot in self.slots(outputs, bank)]

    def values(self, outputs: Sequence[Node]) -> list[Any]:
        """The present values of outputs: reals, then integers, then texts."""
        reals, integers, texts = (self.slots(outputs, bank) for bank in Bank)
        return [
            *self.kernel.reals[reals].tolist(),
            *self.kernel.integers[integers].tolist(),
            *map(self.kernel.text, texts),
        ]
