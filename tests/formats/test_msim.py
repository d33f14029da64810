"""Reading and writing MasterSim projects."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sspsim.formats import msim
from sspsim.formats.msim_project import (
    ERROR_CONTROLS,
    MASTER_MODES,
    Edge,
    ParameterValue,
    Project,
    Quantity,
    Reference,
    Settings,
    Simulator,
)
from sspsim.formats.msim_text import KEYWORDS
from sspsim.structure.time import TIME_UNITS

PROJECT = """\
# Created:	Mi. Aug. 22 13:03:50 2018
# LastModified:	Mo. Nov. 4 17:21:36 2019

# Two species
#
#   indented

tStart                   0 a
tEnd                     100 s
# small enough
hMax                     30 min   # half an hour
hMin                     1e-08 s
hFallBackLimit           1e-10 s
hStart                   0.01 s
hOutputMin               9 ms
outputTimeUnit           h
adjustStepSize           Yes
preventOversteppingOfEndTime 0
absTol                   1e-07
relTol                   2e-06 # tight
MasterMode               NEWTON
ErrorControlMode         ADAPT_STEP
maxIterations            5
writeInternalVariables   true
writeUnconnectedFileReaderVars yes

simulator 0 0 Prey #ffff8c00 "fmus with spaces/Prey.fmu"
# the hunter
simulator 1 3 Predator #008000 fmus/Predator.FMU
simulator 2 1 Table 255 "input.tsv"

graph Predator.y Prey.y
graph Prey.x.deep Predator.x 1.5 -2
graph "Table.wind speed" "Predator.wind speed" 0 1 2.5 #ff0000

parameter Prey.path C:\\\\new\\\\data
parameter Prey.text "  two\\nlines "
parameter Prey.empty ""
parameter Prey.quoted ""q""
# the end
"""


@pytest.fixture(scope="module")
def project() -> Project:
    project, findings = msim.read(PROJECT.replace("\n", "\r\n").encode("utf-8-sig"), "p.msim")
    assert {f.code for f in findings} == {"M14", "M15"}
    return project


def test_settings(project: Project) -> None:
    assert project.settings == Settings(
        start=Quantity(0.0, "a"),
        stop=Quantity(100.0, "s"),
        h_max=Quantity(30.0, "min"),
        h_min=Quantity(1e-8, "s"),
        h_fallback=Quantity(1e-10, "s"),
        h_start=Quantity(0.01, "s"),
        h_output=Quantity(9.0, "ms"),
        output_time_unit="h",
        adjust_step=True,
        prevent_overstepping=False,
        abs_tol=1e-7,
        rel_tol=2e-6,
        master_mode="NEWTON",
        error_control="STEP_DOUBLING",
        max_iterations=5,
        write_internal=True,
        write_unconnected=True,
    )
    assert project.settings.h_output.seconds == 0.009
    assert project.settings.h_max.seconds == 1800.0


def test_header_and_comments(project: Project) -> None:
    assert project.created == "Mi. Aug. 22 13:03:50 2018"
    assert project.last_modified == "Mo. Nov. 4 17:21:36 2019"
    assert project.description == ("Two species", "", "  indented")
    assert project.setting_comments == {"hMax": ("small enough", "half an hour"), "relTol": ("tight",)}
    assert project.simulators[1].comments == ("the hunter",)
    assert project.last_comments == ("the end",)


def test_simulators(project: Project) -> None:
    prey, predator, table = project.simulators
    assert (prey.name, prey.path, prey.cycle, prey.colour) == (
        "Prey",
        "fmus with spaces/Prey.fmu",
        0,
        "#ffff8c00",
    )
    assert (predator.path, predator.cycle, predator.is_table) == ("fmus/Predator.FMU", 3, False)
    assert (table.colour, table.is_table) == ("255", True)


def test_edges_split_at_the_first_dot(project: Project) -> None:
    assert project.edges == (
        Edge(Reference("Predator", "y"), Reference("Prey", "y")),
        Edge(Reference("Prey", "x.deep"), Reference("Predator", "x"), 1.5, -2.0),
        Edge(
            Reference("Table", "wind speed"),
            Reference("Predator", "wind speed"),
            0.0,
            1.0,
            2.5,
            "#ff0000",
        ),
    )


def test_parameter_texts(project: Project) -> None:
    values = {parameter.target.variable: parameter.value for parameter in project.parameters}
    assert values == {"path": "C:\\new\\data", "text": "  two\nlines ", "empty": "", "quoted": '"q"'}


def test_round_trip_of_the_example(project: Project) -> None:
    again, findings = msim.read(msim.write(project), "p.msim")
    assert again == project
    assert [f.code for f in findings] == ["M15"]  # preventOversteppingOfEndTime no


def test_defaults_are_those_of_mastersim() -> None:
    settings = msim.read(b'simulator 0 0 a #000000 "a.fmu"\n', "p.msim")[0].settings
    assert settings == Settings()
    assert (settings.stop.seconds, settings.h_start.seconds) == (365 * 86400.0, 600.0)
    assert (settings.abs_tol, settings.rel_tol) == (1e-6, 1e-5)


def test_order_of_lines_is_free() -> None:
    text = b"parameter a.x 1\ngraph a.y b.u\nsimulator 0 0 a #000000 a.fmu\nsimulator 0 0 b #000000 b.fmu\n"
    project, findings = msim.read(text, "p.msim")
    assert findings == []
    assert msim.write(project).index(b"simulator 0 0 a") < msim.write(project).index(b"parameter a.x")


def test_written_numbers_keep_all_digits() -> None:
    project = Project(Settings(abs_tol=0.1 + 0.2, stop=Quantity(1 / 3, "h")))
    again = msim.read(msim.write(project), "p.msim")[0]
    assert again.settings.abs_tol == 0.1 + 0.2
    assert again.settings.stop.value == 1 / 3


def test_comment_of_a_line_without_effect_is_kept() -> None:
    project, _ = msim.read(b"tEnd 1 s\n# about files\nbinaryOutputFiles no\nhMin 1 s\n", "p.msim")
    assert project.setting_comments == {"hMin": ("about files",)}


def test_every_keyword_has_a_field_of_its_own() -> None:
    assert sorted(keyword.field for keyword in KEYWORDS.values()) == sorted(Settings.__slots__)


# ---- round trip of whatever can be written

words = st.text("abcXYZ019_-äß/+(){}[]", min_size=1, max_size=12)
line = st.text("abc XYZ#\"'\\.,;äß", max_size=20).map(str.strip)
comments = st.lists(line, max_size=2).map(tuple)
numbers = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(1e-9, 1e9)
colours = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")
names = st.builds(" ".join, st.lists(words, min_size=1, max_size=2))
durations = st.builds(Quantity, positive, st.sampled_from(sorted(TIME_UNITS)))
settings = st.builds(
    Settings,
    start=durations,
    stop=durations,
    h_max=durations,
    h_min=durations,
    h_fallback=durations,
    h_start=durations,
    h_output=durations,
    output_time_unit=st.sampled_from(sorted(TIME_UNITS)),
    abs_tol=positive,
    rel_tol=positive,
    master_mode=st.sampled_from(MASTER_MODES),
    error_control=st.sampled_from(ERROR_CONTROLS),
    max_iterations=st.integers(1, 1000),
)
simulators = st.builds(
    Simulator,
    name=words,
    path=st.builds("{}.{}".format, names, st.sampled_from(["fmu", "csv", "TSV"])),
    cycle=st.integers(0, 99),
    priority=st.integers(0, 99).map(str),
    colour=colours,
    comments=comments,
)
edges = st.builds(
    Edge,
    st.builds(Reference, words, names),
    st.builds(Reference, words, names),
    numbers,
    numbers,
    st.floats(0.2, 9),
    colours,
    comments,
)
values = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029")
)
parameters = st.builds(ParameterValue, st.builds(Reference, words, words), values, comments)
projects = st.builds(
    Project,
    settings,
    st.lists(simulators, max_size=4).map(tuple),
    st.lists(edges, max_size=4).map(tuple),
    st.lists(parameters, max_size=4).map(tuple),
    created=line,
    last_modified=line,
    description=comments,
    # a comment of the very first line belongs to the description
    setting_comments=st.dictionaries(
        st.sampled_from([k for k in KEYWORDS if k not in ("tStart", "writeUnconnectedFileReaderVars")]),
        st.lists(line, min_size=1, max_size=2).map(tuple),
        max_size=3,
    ),
    last_comments=comments,
)


@given(projects)
def test_round_trip(project: Project) -> None:
    again, _ = msim.read(msim.write(project), "p.msim")
    assert again == project
    assert msim.write(again) == msim.write(project)


def test_project_with_a_comment_only_is_a_description() -> None:
    project, _ = msim.read(b"# nothing yet\n", "p.msim")
    assert project == replace(Project(), description=("nothing yet",))
