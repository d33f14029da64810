"""The contract of a step-size control: how long a communication step is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf, ulp
from typing import Any, ClassVar, Protocol

from sspsim.errors import StepDiscarded
from sspsim.masters.grid import Grid, Raster

StepErrors = tuple[
    float, float
]  # Richardson and slope error in units of the tolerance; the greater one counts


class Run(Protocol):
    """What a step-size control drives."""

    start: float
    stop: float
    step_size: float  # the first step
    grid: Grid  # the communication points of fixed steps
    before_grid: int  # how many steps were done before they began
    time: float  # reached
    steps: int  # done
    next_step: float
    raster: Raster
    kernel: Any
    passage: Any  # all cycles, if a step passes once over each
    coupled: int  # how many reals travel between components
    order: int  # of the masters
    counts: dict[str, int]
    seconds: dict[str, float]

    @property
    def one_pass(self) -> bool:
        """Whether a step is one pass over each cycle and nobody wants to know about single ones."""

    @property
    def unobserved(self) -> bool:
        """Whether nobody wants to know about single steps."""

    def solve(self, t: float, h: float) -> bool:
        """Takes all cycles from t to t + h; True if all converged."""

    def keep(self) -> None:
        """Keeps states and values at the present time; the masters roll back to there."""

    def go_back(self) -> None:
        """To what `keep` kept."""

    def accept(self, t: float, *, extrapolate: bool = False) -> None:
        """The step that ended at t is done; keeps a row if one is due, extrapolated from a full and two half
        steps.
        """

    def reached(self, t: float, steps: int) -> None:
        """The same for `steps` steps at once, rows not included."""

    def record(self, t: float) -> None:
        """Keeps a row."""

    def flush(self) -> None:
        """Hands full rows on."""

    def log(self, t: float, h: float, outcome: str, errors: StepErrors | None = None) -> None:
        """Notes an attempted step in the step log."""


class Stepping(ABC):
    """Takes a run from one communication point to the next; settings only, what changes is in the run."""

    name: ClassVar[str] = ""
    adaptive: ClassVar[bool] = True  # needs components with variable step and rollback
    min_step: float = 0.0  # the shortest that is wanted; what is shorter need not converge

    def __init__(self, step: float | None = None) -> None:
        """`step`: the first one."""
        self.step = step

    @abstractmethod
    def advance(self, run: Run) -> None:
        """One communication step."""

    def march(self, run: Run) -> None:
        """From where the run is to its stop time."""
        while run.time < run.stop:
            self.advance(run)


class Adaptive(Stepping):
    """What all controls with variable steps share: limits, and how a failed attempt is repeated."""

    def __init__(
        self,
        step: float | None = None,
        *,
        min_step: float = 1e-5,
        max_step: float | None = None,
        reduction: float = 5.0,
        growth: float = 2.0,
    ) -> None:
        """`max_step`: a tenth of the run if not given; `reduction`: divides the step after a failure to
        converge.
        """
        super().__init__(step)
        if not 0 < min_step <= (max_step or min_step):
            raise ValueError(f"0 < min_step <= max_step must hold, but they are {min_step} and {max_step}")
        if not (1 < reduction < inf and 1 < growth < inf):
            raise ValueError(f"reduction and growth must be greater than 1, not {reduction} and {growth}")
        self.min_step = min_step
        self.max_step = max_step
        self.reduction = reduction
        self.growth = growth

    def first_try(self, run: Run) -> float:
        """The step to begin with: as proposed, but not beyond the stop time nor just short of it."""
        left, h, greatest = run.stop - run.time, run.next_step, self.greatest(run)
        h = greatest if h > greatest else h
        return left if left - h <= 1e-9 * h else h

    def greatest(self, run: Run) -> float:
        """The longest step."""
        return self.max_step or (run.stop - run.start) / 10

    def attempt(self, run: Run, t: float, h: float, *, last_chance: bool) -> bool:
        """Whether all converged; a component that refuses the step counts as not converged, but the last
        time.
        """
        try:
            return run.solve(t, h)
        except StepDiscarded:
            run.counts["discarded_steps"] += 1
            if last_chance:
                raise
            return False

    def shortened(self, run: Run, h: float) -> float:
        """Goes back to where the step began, to try a shorter one."""
        run.counts["shortened_steps"] += 1
        run.go_back()
        return h / self.reduction

    @staticmethod
    def end(run: Run, t: float) -> float:
        """The stop time if t is that but for rounding."""
        return run.stop if abs(t - run.stop) <= 4 * ulp(run.stop) else t


def check_tolerances(rtol: float, atol: float) -> None:
    """Whether rtol * |y| + atol can be a measure for every y."""
    if not (0 <= rtol < inf and 0 < atol < inf):
        raise ValueError(f"rtol must not be negative and atol must be greater than 0, not {rtol} and {atol}")
