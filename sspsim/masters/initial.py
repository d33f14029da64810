"""Consistent initial values before the first step: in order where there is one, loops by iteration.

Only inputs are set and outputs got, no step is made and no state is kept, so it works for every FMI version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.errors import SimulationError
from sspsim.fmi.codes import Bank, code_of
from sspsim.fmi.slave import Slave
from sspsim.graph.flat import FlatSystem, Port
from sspsim.graph.initial import Block, InitialGraph, Node, initial_graph
from sspsim.plan import GetCall, Plan, SetCall, element_count

FIXED_POINT_PASSES = 30
NEWTON_ITERATIONS = 50
SETTLED = 1e-3  # of the tolerance: without steps it costs little, and every later value builds on it
STALLED = 0.5  # a pass that reduces the change by less is slower than Newton
HALVINGS = 8

Vector = NDArray[np.float64]


def initialize(
    kernel: Any, slaves: Sequence[Slave], system: FlatSystem, plan: Plan, start: float, *, strict: bool = True
) -> list[str]:
    """Makes all values at the start time consistent and leaves the initialisation.

    A loop that does not converge is an error, or one of the returned warnings if not `strict`.
    """
    run = _Initialization(kernel, slaves, system, plan, start)
    warnings = run.solve(strict)
    for slave in slaves:
        slave.exit_initialization()
    for i in range(len(slaves)):
        kernel.get_all_outputs(i, start)
    return warnings


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a variable stands in get or set calls: the call, which of its variables, from which value on."""

    call: int
    variable: int
    first: int
    count: int


class _Initialization:
    def __init__(
        self, kernel: Any, slaves: Sequence[Slave], system: FlatSystem, plan: Plan, start: float
    ) -> None:
        self.kernel = kernel
        self.slaves = slaves
        self.system = system
        self.plan = plan
        self.start = start
        self.graph: InitialGraph = initial_graph(system)
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

    # ---- the whole ----------------------------------------------------------------------------------------

    def solve(self, strict: bool) -> list[str]:
        """All blocks in order; then every component has all its inputs."""
        warnings = []
        for i, slave in enumerate(self.slaves):
            if slave.fmi > 1:  # FMI 1 is initialised when its outputs are asked for: inputs first
                self.wake(i)
        for block in self.graph.blocks:
            if not block.loop:
                self.compute(block.outputs[0])
                continue
            problem = _Loop(self, block).solve()
            if problem and strict:
                raise SimulationError(problem, time=self.start)
            if problem:
                warnings.append(problem)
        for i in range(len(self.slaves)):
            if i not in self.awake:
                self.kernel.set_all_inputs(i, self.start)
                self.wake(i)
            self.kernel.set_all_inputs(i, self.start)
        return warnings

    def wake(self, i: int) -> None:
        """Enters the initialisation of one component."""
        self.slaves[i].enter_initialization()
        self.awake.add(i)

    def compute(self, output: Node) -> None:
        """One output from inputs that are all known."""
        i = output[0]
        new = [(i, name) for name in self.graph.needs[output] if (i, name) not in self.done]
        self.done.update(new)
        self.exchange(i, new, [output])

    # ---- one component ------------------------------------------------------------------------------------

    def exchange(self, i: int, inputs: Sequence[Node], outputs: Sequence[Node]) -> None:
        """Sets inputs and gets outputs of one component."""
        if self.slaves[i].fmi == 1:
            self.exchange1(i, inputs, outputs)
            return
        self.set(inputs)
        self.get(outputs)

    def exchange1(self, i: int, inputs: Sequence[Node], outputs: Sequence[Node]) -> None:
        """FMI 1 has no initialisation mode: what does not answer is initialised anew with the new inputs."""
        if i not in self.awake:
            self.set(inputs)
            self.wake(i)
            self.get(outputs)
            self.heard.update((node, self.values([node])) for node in outputs)
            return
        unheard = [node for node in outputs if node not in self.heard]
        self.get(unheard, check=False)
        self.heard.update((node, self.values([node])) for node in unheard)
        before = [self.heard[node] for node in outputs]
        self.set(inputs)
        self.get(outputs)
        if (
            inputs
            and not self.deaf.issuperset(outputs)
            and [self.values([node]) for node in outputs] == before
        ):
            self.initialize_anew(i, outputs, before)
        self.heard.update((node, self.values([node])) for node in outputs)

    def initialize_anew(self, i: int, outputs: Sequence[Node], before: Sequence[Any]) -> None:
        """FMI 1: all inputs that are known by now take part in a new initialisation."""
        slave = self.slaves[i]
        if not slave.reset():
            return
        slave.set((value.variable, value.values) for value in self.system.instances[i].starts)
        self.set(node for node in self.done if node[0] == i)
        self.wake(i)
        self.get(outputs)
        if [self.values([node]) for node in outputs] == before:
            self.deaf.update(outputs)

    def set(self, inputs: Iterable[Node]) -> None:
        """Hands inputs on from the banks."""
        for i, name in inputs:
            for p in self.inputs[i][self.key(i, name)]:
                self.kernel.set_variable(i, p.call, p.variable, p.first, p.count, self.start)

    def get(self, outputs: Iterable[Node], check: bool = True) -> None:
        """Reads outputs into the banks; `check`: what is not finite is an error."""
        for i, name in outputs:
            key = self.key(i, name)
            iterated = key in self.iterated[i]
            for p in (self.iterated if iterated else self.handed_on)[i][key]:
                self.kernel.get_variable(i, iterated, p.call, p.variable, p.first, p.count, self.start, check)

    def key(self, i: int, name: str) -> tuple[int, int]:
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

    def values(self, outputs: Sequence[Node]) -> tuple[Any, ...]:
        """The present values of outputs, for comparison."""
        reals, integers, texts = (self.slots(outputs, bank) for bank in Bank)
        return (
            tuple(self.kernel.reals[reals]),
            tuple(self.kernel.integers[integers]),
            tuple(map(self.kernel.text, texts)),
        )


class _Loop:
    """An algebraic loop: y = F(y), F is setting all inputs that y feeds and getting y again."""

    def __init__(self, run: _Initialization, block: Block) -> None:
        self.run = run
        self.kernel = run.kernel
        self.block = block
        self.members = list(dict.fromkeys(i for i, _ in block.outputs))
        self.outputs = {m: [node for node in block.outputs if node[0] == m] for m in self.members}
        inside = set(block.outputs)
        sources: dict[Node, set[Node]] = {}
        for link in run.system.links:
            target = (link.target.instance, link.target.variable)
            sources.setdefault(target, set()).add((link.source.instance, link.source.variable))
        needed = dict.fromkeys((node[0], name) for node in block.outputs for name in run.graph.needs[node])
        self.inputs = {m: [n for n in needed if n[0] == m and sources[n] & inside] for m in self.members}
        self.outer = {m: [n for n in needed if n[0] == m and not sources[n] & inside] for m in self.members}
        self.slots = np.array(run.slots(block.outputs, Bank.REAL), dtype=np.intp)
        self.columns = [output for output in block.outputs for _ in run.slots([output], Bank.REAL)]
        self.feeds = {output: [n for n in needed if output in sources[n]] for output in block.outputs}

    def solve(self) -> str | None:
        """Fixed point first, then Newton; what went wrong, or None."""
        for m in self.members:
            self.run.exchange(m, [n for n in self.outer[m] if n not in self.run.done], self.outputs[m])
            self.run.done.update(self.outer[m])
        for m in self.members:
            self.run.done.update(self.inputs[m])
        return None if self.fixed_point() or self.newton() else self.explain()

    def fixed_point(self) -> bool:
        """Passes until nothing changes; gives up early when that would take long."""
        last = np.inf
        for k in range(FIXED_POINT_PASSES):
            self.before, others = self.y.copy(), self.others()
            for m in self.members:
                self.run.exchange(m, self.inputs[m], self.outputs[m])
            change = self.distance(self.before, self.y)
            same = self.others() == others
            if same and change <= SETTLED:
                return True
            if same and k > 1 and change > STALLED * last:
                return False
            last = change
        return False

    def newton(self) -> bool:
        """Newton with finite differences on the real variables, halving steps that make it worse."""
        if not len(self.slots):
            return False
        y = self.y.copy()
        image = self.evaluate(y)
        for _ in range(NEWTON_ITERATIONS):
            others = self.others()
            matrix = np.eye(len(y)) - self.jacobian(y, image)
            try:
                correction = np.linalg.solve(matrix, image - y)
            except np.linalg.LinAlgError:
                return False
            residual = self.distance(y, image)
            for _ in range(HALVINGS):
                self.before, new = y, y + correction
                image = self.evaluate(new)
                if self.distance(new, image) <= residual:
                    break
                correction = correction / 2
            y = new
            if self.distance(self.before, y) <= SETTLED and self.others() == others:
                return True
        return False

    def evaluate(self, y: Vector) -> Vector:
        """F(y): all components of the loop get y."""
        image = y.copy()
        for m in self.members:
            self.ask(m, self.inputs[m], y, image)
        self.kernel.reals[self.slots] = image
        return image

    def jacobian(self, y: Vector, image: Vector) -> Vector:
        """dF/dy; only the components that a variable feeds are asked."""
        matrix = np.zeros((len(y), len(y)))
        for j, output in enumerate(self.columns):
            changed, answer = y.copy(), image.copy()
            changed[j] += self.kernel.rtol * abs(y[j]) + 0.01 * self.kernel.atol
            for m in {node[0] for node in self.feeds[output]}:
                inputs = [node for node in self.feeds[output] if node[0] == m]
                self.ask(m, inputs, changed, answer)
                self.kernel.reals[self.slots] = y
                self.run.set(inputs)
            matrix[:, j] = (answer - image) / (changed[j] - y[j])
        self.kernel.reals[self.slots] = image
        return matrix

    def ask(self, m: int, inputs: Sequence[Node], y: Vector, answer: Vector) -> None:
        """What one component answers to y, into its places of `answer`."""
        self.kernel.reals[self.slots] = y
        self.run.exchange(m, inputs, self.outputs[m])
        mine = [k for k, output in enumerate(self.columns) if output[0] == m]
        answer[mine] = self.y[mine]

    @property
    def y(self) -> Vector:
        """The real variables of the loop."""
        values: Vector = self.kernel.reals[self.slots]
        return values

    def others(self) -> tuple[Any, ...]:
        """Integers, booleans and texts of the loop."""
        return self.run.values(self.block.outputs)[1:]

    def distance(self, a: Vector, b: Vector) -> float:
        """The weighted norm of the convergence test."""
        if not len(a):
            return 0.0
        weights = self.kernel.rtol * np.abs(b) + self.kernel.atol
        return float(np.sqrt(np.mean(((a - b) / weights) ** 2)))

    def explain(self) -> str:
        """Names of the loop's variables and their last two iterates."""
        lines = [
            f"{self.run.plan.slot_names[slot]} {a!r} then {b!r}"
            for slot, a, b in zip(self.slots, self.before.tolist(), self.y.tolist(), strict=True)
        ]
        if not lines:
            lines = [f"{self.run.plan.names[i]}.{name}" for i, name in self.block.outputs]
        return (
            f"the initial values of an algebraic loop do not converge at t={self.run.start!r}: "
            f"{', '.join(lines)}; "
            "give start values near a solution to the inputs of the loop, or accept the last values with "
            "strict_initial=False (--accept-initial)"
        )
