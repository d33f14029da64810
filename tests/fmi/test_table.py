"""Tables: what is read from csv files."""

from __future__ import annotations

import numpy as np
import pytest

from sspsim.fmi.table import describe, read
from sspsim.structure import Severity, Type

PLAIN = "Time [h]\tT [degC]\ton\n0\t1.5\t0\n0.5\t-2e1\t1\n"


def sound(text: str) -> tuple[list[float], dict[str, tuple[str | None, tuple[str, ...]]]]:
    table, findings = read(text.encode(), "t.csv")
    assert findings == []
    return table.times.tolist(), {c.name: (c.unit, c.cells) for c in table.columns}


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\t", ","),
        PLAIN.replace("\t", ";"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\t", "\t ").replace("\t 1.5", "\t1.5").replace("\t 0\n", "\t0\n"),
        "\ufeff" + PLAIN,
        PLAIN + "\n\n",
        PLAIN.rstrip("\n"),
        '"Time [h]","T [degC]","on"\r\n"0","1.5","0"\r\n0.5,-2e1,1\r\n',
        "Time [h];T [degC];on;\n0;1.5;0;\n0.5;-2e1;1;\n",
    ],
    ids=["tab", "comma", "semicolon", "crlf", "blanks", "bom", "empty lines", "no end", "quotes", "trailing"],
)
def test_flavours(text: str) -> None:
    times, columns = sound(text)
    assert times == [0.0, 1800.0]
    assert set(columns) == {"T", "on"}
    assert columns["T"][0] == "degC"
    assert [float(cell) for cell in columns["T"][1]] == [1.5, -20.0]
    assert columns["on"][0] is None
    assert [float(cell) for cell in columns["on"][1]] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("unit", "seconds"),
    [("", 9.0), (" [s]", 9.0), (" [ms]", 0.009), (" [min]", 540.0), ("[d]", 777600.0), (" [a]", 283824000.0)],
)
def test_unit_of_the_time(unit: str, seconds: float) -> None:
    assert sound(f"t{unit},x\n0,1\n9,1\n")[0] == [0.0, seconds]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_encodings_of_spreadsheets(encoding: str) -> None:
    table, findings = read("t\tgrün [°C]\n0\t1\n".encode(encoding), "t.csv")
    assert (findings, [(c.name, c.unit) for c in table.columns]) == ([], [("grün", "°C")])


def test_blanks_behind_separators_do_not_count() -> None:
    _, columns = sound('t, x, s\n0, 1, "a, b"\n')
    assert {name: cells for name, (_, cells) in columns.items()} == {"x": ("1",), "s": ("a, b",)}


def test_texts_may_have_anything() -> None:
    _, columns = sound('t;s\n0;"two\nlines"\n1;a\u2028b\x0bc\n')
    assert columns["s"][1] == ("two\nlines", "a\u2028b\x0bc")


def test_names_may_have_anything() -> None:
    _, columns = sound('t,"wind, speed [m/s]",a.b[2] [K],"say ""x"" [-]"\n0,1,2,3\n')
    assert {name: unit for name, (unit, _) in columns.items()} == {
        "wind, speed": "m/s",
        "a.b[2]": "K",
        'say "x"': "-",
    }


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        ("", "T01", 1, "the first line has no captions"),
        ("t,x\n", "T01", None, "a line of captions and a row are needed"),
        ("time\n0\n", "T01", 1, "separated by tabs, semicolons or commas"),
        ("t,x\n0,1,5\n", "T02", 2, "3 cells instead of 2 (is there a decimal comma?"),
        ("t\tx\n0\t1\n1\n", "T02", 3, "1 cells instead of 2"),
        ("t;x\n0;1\n1,5;2\n", "T03", 3, "the time: '1,5' has a decimal comma"),
        ("t;x\n0;1\none;2\n", "T03", 3, "the time: 'one' is not a number"),
        ("t,x\n0,1\n2,1\n1,1\n", "T04", 4, "the time goes back to 1"),
        ("t,x\n0,1\n,1\n", "T04", 3, "a row without a time"),
        ("t [K],x\n0,1\n", "T05", 1, "'K' is no unit of time"),
        ("t,x,x\n0,1,2\n", "T06", 1, "the caption 'x' occurs twice"),
        ("t,,x\n0,1,2\n", "T06", 1, "a column without a caption"),
        ('t,x\n0,"1\n1,2\n', "T01", 3, "is a quote not closed?"),
        (f"t,x\n0,{200_000 * 'x'}\n", "T01", 2, "field larger than field limit"),
    ],
)
def test_what_is_wrong_with_a_table(text: str, code: str, line: int | None, message: str) -> None:
    findings = read(text.encode(), "t.csv")[1]
    assert [(f.code, f.severity, f.origin and (f.origin.line or None)) for f in findings] == [
        (code, Severity.ERROR, line)
    ]
    assert message in str(findings[0])


@pytest.mark.parametrize(
    ("cells", "type_", "code", "severity", "line", "message"),
    [
        (["1", "1,5"], Type.REAL, "T03", "error", 3, "column 'x': '1,5' has a decimal comma"),
        (["1", "3.5abc"], Type.REAL, "T03", "error", 3, "'3.5abc' is not a number"),
        (["nan", "1"], Type.REAL, "T03", "error", 2, "'nan' is not a number"),
        (["1_0", "1"], Type.REAL, "T03", "error", 2, "'1_0' is not a number"),
        (["", ""], Type.REAL, "T03", "error", 0, "column 'x' has no values"),
        (["on", "0"], Type.BOOLEAN, "T03", "error", 2, "'on' is not a number"),
        (["0", "0.4"], Type.BOOLEAN, "T07", "warning", 3, "0.4 is taken as Boolean 1"),
        (["", "-2.7"], Type.INTEGER, "T07", "warning", 3, "-2.7 is taken as Integer -2"),
        (["1", "2"], Type.BINARY, "T07", "error", 0, "no values of type Binary"),
    ],
)
def test_cells_that_do_not_fit_their_type(
    cells: list[str], type_: Type, code: str, severity: str, line: int, message: str
) -> None:
    text = "t;x\n" + "".join(f"{k};{cell}\n" for k, cell in enumerate(cells))
    table, reading = read(text.encode(), "t.csv")
    assert reading == []
    findings = describe(table, {"x": type_})[1]
    assert [(f.code, str(f.severity), f.origin and f.origin.line) for f in findings] == [
        (code, severity, line)
    ]
    assert message in str(findings[0])


def test_types_of_columns() -> None:
    table, _ = read(b"t,x,n,b,s,free,words\n0,1,2,TRUE,a,3,b\n1,,-3,false,,4,c\n", "t.csv")
    types = {"x": Type.REAL, "n": Type.INTEGER, "b": Type.BOOLEAN, "s": Type.STRING}
    description, findings = describe(table, {**types, "free": None, "words": None})
    assert findings == []
    free = {"free": Type.REAL, "words": Type.STRING}
    assert {v.name: v.type for v in description.variables} == {**types, **free}
    x, n, b, s, _, _ = description.series
    assert (x.times.tolist(), x.values.tolist()) == ([0.0], [1.0])
    assert (n.values.tolist(), b.values.tolist(), s.values) == ([2, -3], [1, 0], [b"a", b""])
    assert n.values.dtype == np.int32
    assert all(u.dependencies == () for u in description.outputs)
    assert not description.inputs
    assert description.co_simulation
    assert description.co_simulation.rollback
    assert description.co_simulation.variable_step


def test_named_columns_are_outputs_in_that_order() -> None:
    table, _ = read(b"t,a,b,c\n0,1,2,x\n", "t.csv")
    assert [v.name for v in describe(table, {"b": None, "a": Type.INTEGER})[0].variables] == ["b", "a"]
    assert [v.name for v in describe(table, {})[0].variables] == ["a", "b", "c"]


def test_findings_of_a_column_are_limited() -> None:
    text = "t;x\n" + "".join(f"{k};1,5\n" for k in range(1000))
    assert len(describe(read(text.encode(), "t.csv")[0], {"x": Type.REAL})[1]) == 10
