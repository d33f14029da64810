"""Algebraic loops among initial values: fixed point first, then Newton."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sspsim.fmi.codes import Bank
from sspsim.graph.initial import Block, InitialGraph, Node
from sspsim.masters.initial_exchange import Exchange

FIXED_POINT_PASSES = 30
NEWTON_ITERATIONS = 50
SETTLED = 1e-3  # of the tolerance: without steps it costs little, and every later value builds on it
STALLED = 0.5  # a pass that reduces the change by less is slower than Newton
HALVINGS = 8
ROUNDING = 1e-8  # relative: differences of less are rounding more than slope

Vector = NDArray[np.float64]


class Loop:
    """y = F(y), F is setting all inputs that y feeds and getting y again.

    y are the real variables of the loop; integers, booleans and texts follow and have to stay as they are.
    On the way to a solution values may be infinite or no numbers: such a trial is a bad one, not an error.
    """

    def __init__(self, exchange: Exchange, graph: InitialGraph, block: Block) -> None:
        self.exchange = exchange
        self.kernel = exchange.kernel
        self.block = block
        self.members = list(dict.fromkeys(i for i, _ in block.outputs))
        self.outputs = {m: [node for node in block.outputs if node[0] == m] for m in self.members}
        inside = set(block.outputs)
        sources: dict[Node, set[Node]] = {}
        for link in exchange.system.links:
            target = (link.target.instance, link.target.variable)
            sources.setdefault(target, set()).add((link.source.instance, link.source.variable))
        needed = dict.fromkeys((node[0], name) for node in block.outputs for name in graph.needs[node])
        self.inputs = {m: [n for n in needed if n[0] == m and sources[n] & inside] for m in self.members}
        self.outer = {m: [n for n in needed if n[0] == m and not sources[n] & inside] for m in self.members}
        self.slots = np.array(exchange.slots(block.outputs, Bank.REAL), dtype=np.intp)
        self.columns = [output for output in block.outputs for _ in exchange.slots([output], Bank.REAL)]
        self.feeds = {output: [n for n in needed if output in sources[n]] for output in block.outputs}

    def solve(self) -> str | None:
        """What went wrong, or None."""
        for m in self.members:
            new = [n for n in self.outer[m] if n not in self.exchange.done]
            self.exchange.ask(m, new, self.outputs[m], check=False)
            self.exchange.done.update(self.outer[m])
        for m in self.members:
            self.exchange.done.update(self.inputs[m])
        return None if self.fixed_point() or self.newton() else self.explain()

    # ---- fixed point --------------------------------------------------------------------------------------

    def fixed_point(self) -> bool:
        """Passes until nothing changes; gives up early when that would take long."""
        last, start = np.inf, self.y.copy()
        for k in range(FIXED_POINT_PASSES):
            y, others = self.y.copy(), self.others()
            for m in self.members:
                self.exchange.ask(m, self.inputs[m], self.outputs[m], check=False)
            change = self.distance(y, self.y)
            same = self.others() == others
            self.last_two = [*y, *others], [*self.y, *self.others()]
            if same and change <= SETTLED:
                return True
            if not np.isfinite(change):
                self.kernel.reals[self.slots] = start
                return False
            if same and k > 1 and change > STALLED * last:
                return False
            last = change
        return False

    # ---- Newton -------------------------------------------------------------------------------------------

    def newton(self) -> bool:
        """Finite differences on the real variables; steps that make it worse are halved."""
        if not len(self.slots):
            return False
        change, y = np.inf, self.y.copy()
        image = self.evaluate(y)
        for _ in range(NEWTON_ITERATIONS):
            others = self.others()
            correction = self.correction(y, image)
            if correction is None:
                return False
            residual = self.distance(y, image)
            for _ in range(HALVINGS):
                new = y + correction
                image = self.evaluate(new)
                if self.distance(new, image) <= residual:
                    break
                correction = correction / 2
            change = self.distance(y, new) if self.others() == others else np.inf
            self.last_two = [*y, *others], [*new, *self.others()]
            if change <= SETTLED:
                return True
            y = new
        return change <= 1.0  # rounding may keep it from settling

    def correction(self, y: Vector, image: Vector) -> Vector | None:
        """Solves (I - dF/dy) d = F(y) - y; None if there is no such d."""
        matrix = np.eye(len(y)) - self.jacobian(y, image)
        if not np.isfinite(matrix).all():
            return None
        try:
            return np.asarray(np.linalg.solve(matrix, image - y), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None

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
            changed[j] += max(self.kernel.rtol, ROUNDING) * abs(y[j]) + 0.01 * self.kernel.atol
            for m in {node[0] for node in self.feeds[output]}:
                inputs = [node for node in self.feeds[output] if node[0] == m]
                self.ask(m, inputs, changed, answer)
                self.kernel.reals[self.slots] = y
                self.exchange.set(inputs)
            matrix[:, j] = (answer - image) / (changed[j] - y[j])
        self.kernel.reals[self.slots] = image
        return matrix

    def ask(self, m: int, inputs: Sequence[Node], y: Vector, answer: Vector) -> None:
        """What one component answers to y, into its places of `answer`."""
        self.kernel.reals[self.slots] = y
        self.exchange.ask(m, inputs, self.outputs[m], check=False)
        mine = [k for k, output in enumerate(self.columns) if output[0] == m]
        answer[mine] = self.y[mine]

    # ---- values -------------------------------------------------------------------------------------------

    @property
    def y(self) -> Vector:
        """The real variables of the loop."""
        values: Vector = self.kernel.reals[self.slots]
        return values

    def others(self) -> list[Any]:
        """Integers, booleans and texts of the loop."""
        return self.exchange.values(self.block.outputs)[len(self.slots) :]

    def distance(self, a: Vector, b: Vector) -> float:
        """The weighted norm of the convergence test."""
        if not len(a):
            return 0.0
        weights = self.kernel.rtol * np.abs(b) + self.kernel.atol
        with np.errstate(invalid="ignore", over="ignore"):
            return float(np.sqrt(np.mean(((a - b) / weights) ** 2)))

    def explain(self) -> str:
        """Names of the loop's variables and their last two iterates."""
        names = self.exchange.names(self.block.outputs)
        iterates = ", ".join(f"{n} {a} then {b}" for n, a, b in zip(names, *self.last_two, strict=True))
        return f"the initial values of an algebraic loop do not converge at t={self.exchange.start!r}: {iterates}"
