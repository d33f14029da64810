"""The result of a run in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sspsim.errors import UsageError
from sspsim.results.block import Block, Layout
from sspsim.results.signal import Signal
from sspsim.structure import Type

if TYPE_CHECKING:
    from sspsim.results.comparison import Comparison


class Result(Mapping[str, Any]):
    """Recorded variables by name: `result["component.variable"]`, `result.time`.

    A slice is a span of time: `result[3600:7200]`. `signals` holds type, unit and description of each
    variable, `run` the complete summary of the run: settings, versions, checksums of the inputs, statistics.

    >>> result = Result(np.array([0.0, 1.0, 2.0]), {"tank.level": np.array([0.0, 2.0, 4.0])})
    >>> result["tank.level"]
    array([0., 2., 4.])
    >>> result[1:].time
    array([1., 2.])
    >>> result.resample([0.5, 1.5])["tank.level"]
    array([1., 3.])
    """

    def __init__(
        self,
        time: NDArray[np.float64],
        values: Mapping[str, NDArray[Any]],
        signals: Mapping[str, Signal] | None = None,
        run: Mapping[str, Any] | None = None,
    ) -> None:
        self.time = time
        self.values_by_name = dict(values)
        self.signals = {name: (signals or {}).get(name) or _guessed(name, v) for name, v in values.items()}
        self.run = dict(run or {})

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            if key.step is not None:
                raise UsageError(
                    "a span of time has no third number; resample() changes the distance of rows"
                )
            return self.between(key.start, key.stop)
        if key not in self:
            close = get_close_matches(str(key), self.values_by_name)
            raise KeyError(f"{key}; did you mean {' or '.join(close)}?" if close else key)
        return self.values_by_name[key]

    def __contains__(self, name: object) -> bool:
        return name in self.values_by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def __eq__(self, other: object) -> bool:
        """The same variables with the same values at the same times; NaN is equal to NaN."""
        if not isinstance(other, Result):
            return NotImplemented
        return (
            self.signals == other.signals
            and np.array_equal(self.time, other.time)
            and all(_equal(values, other[name]) for name, values in self.items())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts and seconds of the run, if they are known."""
        found: dict[str, Any] = self.run.get("statistics", {})
        return found

    @property
    def name(self) -> str:
        """The name of the system."""
        return str(self.run.get("system", ""))

    # ---- parts and other times -----------------------------------------------------------------------------

    def select(self, names: Sequence[str]) -> Result:
        """Only the given variables."""
        return self._with(self.time, {name: self[name] for name in names})

    def between(self, start: float | None = None, stop: float | None = None) -> Result:
        """The rows of a span of time, both ends included."""
        first = 0 if start is None else int(np.searchsorted(self.time, start, "left"))
        last = len(self.time) if stop is None else int(np.searchsorted(self.time, stop, "right"))
        return self._with(self.time[first:last], {name: v[first:last] for name, v in self.items()})

    def resample(self, at: float | ArrayLike) -> Result:
        """Values at other times, given as a distance or as the times themselves.

        Straight lines between the values of reals; everything else keeps its last value. At a jump, where a
        time stands twice, the later value counts.
        """
        if not len(self.time):
            raise UsageError("a result without rows cannot be resampled")
        given = np.asarray(at, dtype=float)
        times = given if given.ndim else _raster(self.time, float(given))
        if len(times) and (times.min() < self.time[0] or times.max() > self.time[-1]):
            raise UsageError(f"the result only reaches from t={self.time[0]} to t={self.time[-1]} s")
        held = np.maximum(np.searchsorted(self.time, times, "right") - 1, 0)
        values = {
            name: np.interp(times, self.time, v) if self.signals[name].continuous else v[held]
            for name, v in self.items()
        }
        return self._with(times, values)

    def compare(self, other: Result, *, rtol: float = 1e-5, atol: float = 1e-8) -> Comparison:
        """How far another result is from this one, variable by variable, at the times of this one."""
        from sspsim.results.comparison import compare

        return compare(self, other, rtol=rtol, atol=atol)

    def _with(self, time: NDArray[np.float64], values: Mapping[str, NDArray[Any]]) -> Result:
        return Result(time, values, self.signals, self.run)

    # ---- to other packages ---------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A DataFrame with the time as index; units, types, descriptions and the run stand in its `attrs`."""
        import pandas as pd

        frame = pd.DataFrame(self.values_by_name, index=pd.Index(self.time, name="time"))
        frame.attrs["units"] = {name: signal.unit for name, signal in self.signals.items()}
        frame.attrs["descriptions"] = {name: signal.description for name, signal in self.signals.items()}
        frame.attrs["types"] = {name: str(signal.type) for name, signal in self.signals.items()}
        frame.attrs["run"] = self.run
        return frame

    def to_xarray(self) -> Any:
        """A Dataset over the dimension `time`; units, types and descriptions stand in the variables' `attrs`.

        Its own `attrs` hold the name of the system, and the run as JSON.
        """
        import xarray as xr

        variables = {name: ("time", v, _attributes(self.signals[name])) for name, v in self.items()}
        time = ("time", self.time, {"units": "s"})
        run = {"system": self.name, "run": json.dumps(self.run)}
        return xr.Dataset(variables, coords={"time": time}, attrs=run)

    def plot(self, *names: str, **options: Any) -> Any:
        """A matplotlib figure of the named variables, or of all; the options are those of `draw`."""
        from sspsim.results.picture import figure

        return figure({self.name: self}, names, **options)

    def save_plot(self, target: str | Path, *names: str, **options: Any) -> None:
        """A picture file of the named variables, or of all; .html is interactive."""
        from sspsim.results.picture import draw

        draw({self.name: self}, Path(target), names, **options)

    def __repr__(self) -> str:
        span = f", t={self.time[0]:g} to {self.time[-1]:g} s" if len(self.time) else ""
        return f"<Result {self.name}: {len(self)} variables, {len(self.time)} rows{span}>"

    def _repr_html_(self) -> str:
        from sspsim.results.notebook import as_html

        return as_html(self)


def _guessed(name: str, values: NDArray[Any]) -> Signal:
    kinds = {"f": Type.REAL, "b": Type.BOOLEAN, "i": Type.INT64, "u": Type.UINT64}
    return Signal(name, kinds.get(values.dtype.kind, Type.STRING))


def _equal(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return np.array_equal(a, b, equal_nan=a.dtype.kind == b.dtype.kind == "f")


def _attributes(signal: Signal) -> dict[str, str]:
    return {"units": signal.unit or "", "type": str(signal.type), "description": signal.description}


def _raster(time: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Multiples of the step from the first time on; the last time belongs to it if it is one."""
    if not step > 0:
        raise UsageError(f"the distance of rows must be greater than 0, not {step}")
    count = int(np.floor((time[-1] - time[0]) / step * (1 + 1e-9)))
    times: NDArray[np.float64] = np.minimum(time[0] + step * np.arange(count + 1), time[-1])
    return times


class MemorySink:
    """Keeps all rows."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.times: list[NDArray[np.float64]] = []
        self.columns: list[list[Any]] = [[] for _ in layout.columns]

    def write(self, block: Block) -> None:
        """Copies rows."""
        self.times.append(block.time.copy())
        for k, (column, values) in enumerate(zip(self.layout.columns, self.columns, strict=True)):
            found = self.layout.values(block, k)
            if column.type is Type.STRING:
                found = [text.decode("utf-8", "replace") for text in found]
            values.append(np.array(found, dtype=object if column.type is Type.BINARY else None))

    def close(self) -> None:
        """Nothing to do."""

    def result(self, run: Mapping[str, Any]) -> Result:
        """All rows as arrays."""
        signals = {column.name: Signal.of(column) for column in self.layout.columns}
        if not self.times:
            return Result(np.empty(0), {name: np.empty(0) for name in signals}, signals, run)
        values = {name: np.concatenate(v) for name, v in zip(signals, self.columns, strict=True)}
        return Result(np.concatenate(self.times), values, signals, run)
