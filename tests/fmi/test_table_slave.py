"""Tables as components: values over time, through the kernel as in a run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sspsim.engine.cycle import Cycle
from sspsim.engine.kernel import Kernel

from sspsim.errors import InputError
from sspsim.fmi.codes import Code
from sspsim.fmi.table import describe, read
from sspsim.fmi.table_slave import TableSlave
from sspsim.plan import GetCall, Wiring
from sspsim.structure import Type

TYPES = {"x": Type.REAL, "n": Type.INTEGER, "b": Type.BOOLEAN, "s": Type.STRING}
ROWS = "t,x,n,b,s\n1,10,1,0,one\n2,20,2,1,two\n2,50,3,0,\n4,60,4,1,four\n"


def slave(text: str = ROWS, types: dict[str, Type] = TYPES) -> TableSlave:
    table, findings = read(text.encode(), "t.csv")
    assert findings == []
    description, findings = describe(table, types)
    assert findings == []
    return TableSlave("table", description)


def values(table: TableSlave, t: float) -> list[Any]:
    table.setup(t, None, None)
    return [table.get(variable)[0] for variable in table.description.variables]


@pytest.mark.parametrize(
    ("t", "expected"),
    [
        (-5.0, [10.0, 1, False, "one"]),
        (1.0, [10.0, 1, False, "one"]),
        (1.25, [12.5, 1, False, "one"]),
        (1.999, [19.99, 1, False, "one"]),
        (2.0, [50.0, 3, False, ""]),
        (3.0, [55.0, 3, False, ""]),
        (4.0, [60.0, 4, True, "four"]),
        (99.0, [60.0, 4, True, "four"]),
    ],
)
def test_values_between_at_and_beyond_rows(t: float, expected: list[Any]) -> None:
    found = values(slave(), t)
    assert found[0] == pytest.approx(expected[0], rel=1e-14)
    assert found[1:] == expected[1:]


def test_three_rows_at_one_time_jump_from_the_first_to_the_last() -> None:
    table = slave("t,x\n0,0\n1,1\n1,77\n1,5\n2,6\n", {})
    assert values(table, 0.5) == [0.5]
    assert values(table, 1.0) == [5.0]
    assert values(table, 1.5) == [5.5]


def test_rounding_does_not_miss_a_row() -> None:
    table = slave("t,n\n0,0\n0.3,1\n", {"n": Type.INTEGER})
    assert 0.1 + 0.2 > 0.3 > 3 * 0.1 - 1e-15
    assert values(table, np.nextafter(0.3, 0)) == [1]
    assert values(table, 0.29999) == [0]


def test_single_row_is_constant() -> None:
    assert [values(slave("t,x\n5,7\n", {}), t) for t in (0.0, 5.0, 9.0)] == [[7.0], [7.0], [7.0]]


def test_nothing_can_be_set() -> None:
    table = slave()
    with pytest.raises(InputError, match=r"table\.x comes from a table"):
        table.set([(table.description.variables[0], [1.0])])


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(-9, 9)), min_size=1, max_size=20),
    st.lists(st.floats(-5, 35), min_size=1, max_size=20),
)
def test_reals_equal_numpy_interpolation_in_any_order_of_questions(
    rows: list[tuple[int, int]], questions: list[float]
) -> None:
    known = sorted(dict(rows).items())
    table = slave("t,x\n" + "".join(f"{t},{x}\n" for t, x in known), {})
    times, xs = zip(*known, strict=True)
    for t in questions:
        assert values(table, t)[0] == pytest.approx(np.interp(t, times, xs), rel=1e-12, abs=1e-12)


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=30).map(sorted),
    st.lists(st.floats(-5, 35), min_size=1, max_size=20),
)
def test_others_hold_the_last_row_that_was_reached(times: list[int], questions: list[float]) -> None:
    rows = "".join(f"{t},{k}\n" for k, t in enumerate(times))
    table = slave("t,n\n" + rows, {"n": Type.INTEGER})
    for t in questions:
        reached = [k for k, time in enumerate(times) if time <= t + 1e-12 * abs(t)]
        assert values(table, t) == [reached[-1] if reached else 0]


def kernel_of(table: TableSlave) -> Any:
    calls = tuple(
        GetCall(code, (reference,), first, 1)
        for code, reference, first in (
            (Code.FLOAT64, 0, 0),
            (Code.INT32, 1, 0),
            (Code.BOOLEAN32, 2, 1),
            (Code.STRING, 3, 0),
        )
    )

    def explain(*facts: Any) -> Exception:
        return AssertionError(facts)

    return Kernel([table.entry()], [Wiring(handed_on=calls)], (1, 2, 1), explain)


def test_the_kernel_steps_and_rolls_back_a_table() -> None:
    table = slave()
    table.setup(1.0, 4.0, None)
    kernel = kernel_of(table)
    cycle = Cycle(kernel, (0,))
    kernel.get_all_outputs(0, 1.0)
    assert (kernel.reals[0], kernel.integers.tolist()) == (10.0, [1, 0])
    kept = kernel.save(None, 1.0)
    cycle.sweep(1.0, 3.0)
    assert (kernel.reals[0], kernel.integers.tolist()) == (60.0, [4, 1])
    kernel.restore(kept, 1.0)
    cycle.sweep(1.0, 0.5)
    assert (kernel.reals[0], kernel.integers.tolist()) == (15.0, [1, 0])
