"""Every malformed line of a MasterSim project gets the intended finding, with its line."""

from __future__ import annotations

import pytest

from sspsim.formats import msim
from sspsim.structure import Severity

SOUND = [
    "# a sound project",
    "tStart 0 s",
    "tEnd 10 s",
    "hStart 0.1 s",
    'simulator 0 0 prey #ff8c00 "prey.fmu"',
    'simulator 1 0 predator #008000 "predator.fmu"',
    'simulator 2 1 weather #008000 "weather.tsv"',
    "graph predator.y prey.y",
    "parameter prey.a 1.5",
]
LINE = len(SOUND) + 1

# line, code, severity, part of the message
CASES = [
    ("tBegin 0 s", "M01", "error", "unknown keyword 'tBegin'"),
    ("TEND 10 s", "M01", "error", "did you mean 'tEnd'"),
    ("mastermode NEWTON", "M01", "error", "did you mean 'MasterMode'"),
    ("simulators 0 0 a #ffffff a.fmu", "M01", "error", "unknown keyword 'simulators'"),
    ("simulatorX 0 0 a #ffffff a.fmu", "M01", "error", "unknown keyword 'simulatorX'"),
    ("graphs a.y b.u", "M01", "error", "unknown keyword 'graphs'"),
    ("parameters prey.a 1", "M01", "error", "did you mean 'parameter'"),
    ("; a comment of another language", "M01", "error", "unknown keyword ';'"),
    ("tEnd=10 s", "M01", "error", "unknown keyword 'tEnd=10'"),
    ("tEnd", "M02", "error", "tEnd has no value"),
    ("maxIterations", "M02", "error", "maxIterations has no value"),
    ("simulator", "M02", "error", "simulator has no value"),
    ("graph", "M02", "error", "graph has no value"),
    ("parameter", "M02", "error", "parameter has no value"),
    ("outputOnly", "M02", "error", "outputOnly has no value"),
    ("parameter prey.a", "M02", "error", "the parameter prey.a has no value"),
    ("hMax thirty min", "M03", "error", "'thirty' is not a number"),
    ("hMax 1,5 min", "M03", "error", "decimal comma"),
    ("hMax 30x min", "M03", "error", "unexpected text 'x' behind the number 30"),
    ("hMax 30 min or so", "M03", "error", "unexpected text 'or so' behind 30 min"),
    ("hMax 1e min", "M03", "error", "unexpected text 'e' behind the number 1"),
    ("hMax nan s", "M03", "error", "'nan' is not a number"),
    ("hMax inf s", "M03", "error", "'inf' is not a number"),
    ("absTol small", "M03", "error", "'small' is not a number"),
    ("absTol 1e-6abc", "M03", "error", "unexpected text 'abc'"),
    ("absTol 1,0", "M03", "error", "write a decimal point: 1.0"),
    ("relTol 1e-6 1e-7", "M03", "error", "unexpected text '1e-7'"),
    ("relTol 0x10", "M03", "error", "unexpected text 'x10' behind the number 0"),
    ("maxIterations -1", "M03", "error", "'-1' is not a whole number"),
    ("maxIterations 2.5", "M03", "error", "'2.5' is not a whole number"),
    ("maxIterations two", "M03", "error", "'two' is not a whole number"),
    ("maxIterations 2 3", "M03", "error", "unexpected text '3'"),
    ("graph prey.x predator.x zero 1", "M03", "error", "'zero' is not a number"),
    ("graph prey.x predator.x 0 1,5", "M03", "error", "decimal comma"),
    ("graph prey.x predator.x 0 1 thick #000000", "M03", "error", "'thick' is not a number"),
    ('simulator 3 first c #ffffff "c.fmu"', "M03", "error", "'first' is not a whole number"),
    ('simulator 3 -1 c #ffffff "c.fmu"', "M03", "error", "'-1' is not a whole number"),
    ("hMax 30", "M04", "error", "the unit behind 30 is missing"),
    ("tStart 0", "M04", "error", "the unit behind 0 is missing"),
    ("hMax 30min", "M04", "error", "no blank between number and unit"),
    ("hMax 30 K", "M04", "error", "'K' is no unit of time"),
    ("hMin 1 sqrt(s)", "M04", "error", "'sqrt(s)' is no unit of time"),
    ("tEnd 1 year", "M04", "error", "use one of ms, s, min, h, d, a"),
    ("hOutputMin 1 S", "M04", "error", "'S' is no unit of time"),
    ("outputTimeUnit m", "M04", "error", "'m' is no unit of time"),
    ("outputTimeUnit s # seconds", "M04", "error", "'s # seconds' is no unit of time"),
    ("adjustStepSize maybe", "M05", "error", "neither yes nor no"),
    ("adjustStepSize yes # adaptive", "M05", "error", "a comment needs a line of its own"),
    ("writeInternalVariables 2", "M05", "error", "'2' is neither yes nor no"),
    ("preventOversteppingOfEndTime ja", "M05", "error", "write yes or no"),
    ("writeUnconnectedFileReaderVars on", "M05", "error", "neither yes nor no"),
    ("MasterMode GAUSS", "M06", "error", "use one of GAUSS_JACOBI, GAUSS_SEIDEL, NEWTON"),
    ("MasterMode newton", "M06", "error", "'newton' is not allowed here"),
    ("MasterMode NEWTON # fast", "M06", "error", "'NEWTON # fast' is not allowed here"),
    ("ErrorControlMode RICHARDSON", "M06", "error", "use one of NONE, CHECK, STEP_DOUBLING"),
    ('simulator 3 0 c red "c.fmu"', "M06", "error", "'red' is no colour"),
    ('simulator 3 0 c #ff "c.fmu"', "M06", "error", "'#ff' is no colour"),
    ("graph prey.x predator.x 0 1 0.8 blue", "M06", "error", "'blue' is no colour"),
    ('simulator 3 0 c "c.fmu"', "M07", "error", "here are 4"),
    ('simulator 3 0 c #ffffff "c.fmu" more', "M07", "error", "here are 6"),
    ("simulator 3 0 c #ffffff my model.fmu", "M07", "error", "here are 6"),
    ('simulator 3 0 c #ffffff "c.fmu', "M07", "error", "a double quote is not closed"),
    ("graph prey.x", "M07", "error", "here are 1"),
    ("graph prey.x predator.x 0", "M07", "error", "here are 3"),
    ("graph prey.x predator.x 0 1 0.8", "M07", "error", "here are 5"),
    ('graph "prey.x predator.x', "M07", "error", "a double quote is not closed"),
    ("graph prey predator.x", "M08", "error", "'prey' is no variable of a simulator"),
    ("graph .x predator.x", "M08", "error", "'.x' is no variable"),
    ("graph prey.x predator.", "M08", "error", "'predator.' is no variable"),
    ("parameter a 1", "M08", "error", "'a' is no variable"),
    ('simulator 3 0 a.b #ffffff "c.fmu"', "M08", "error", "the name 'a.b' has a dot"),
    ('simulator 3 0 "a b" #ffffff "c.fmu"', "M08", "error", "the name 'a b' has a blank"),
    ('simulator 3 0 c #ffffff "c.dll"', "M08", "error", "'c.dll' is neither FMU nor table"),
    ('simulator 3 0 c #ffffff "fmu"', "M08", "error", "known are .fmu, .csv, .tsv"),
    ("tEnd 0 s", "M09", "error", "tEnd must be greater than tStart"),
    ("tStart 1 min", "M09", "error", "tEnd must be greater than tStart"),
    ("hOutputMin 0 s", "M09", "error", "hOutputMin must be greater than 0"),
    ("hMin -1 s", "M09", "error", "hMin must be greater than 0"),
    ("hMax 0 s", "M09", "error", "hMax must be greater than 0"),
    ("hStart -1 s", "M09", "error", "hStart must not be negative"),
    ("hFallBackLimit -1 s", "M09", "error", "hFallBackLimit must not be negative"),
    ("absTol 0", "M09", "error", "absTol must be greater than 0"),
    ("relTol -1", "M09", "error", "relTol must not be negative"),
    ("relTol 1e999", "M09", "error", "1e999 is too large"),
    ("tEnd 1e308 a", "M09", "error", "1e308 a is too large"),
    ("graph prey.x predator.x 0 -1e999", "M09", "error", "-1e999 is too large"),
    ("maxIterations 0", "M09", "error", "maxIterations must be at least 1"),
    ('simulator 3 0 prey #ffffff "c.fmu"', "M10", "error", "'prey' is the name of a simulator in line 5"),
    ("graph prey.x prey.y", "M11", "error", "prey.y is connected in line 8 already"),
    ("graph nobody.x predator.x", "M12", "error", "there is no simulator 'nobody'"),
    ("graph prey.x nobody.x", "M12", "error", "there is no simulator 'nobody'"),
    ("parameter nobody.x 1", "M12", "error", "there is no simulator 'nobody'"),
    ("adjustStepSize yes", "M13", "error", "nothing to go by"),
    ("ErrorControlMode STEP_DOUBLING", "M13", "error", "STEP_DOUBLING needs adjustStepSize yes"),
    ("ErrorControlMode CHECK", "M13", "warning", "CHECK has no effect"),
    ("writeInternalVariables TRUE", "M14", "warning", "MasterSim takes 'TRUE' as no"),
    ("binaryOutputFiles yes", "M15", "info", "no binary output files any more"),
    ("outputOnly prey.x", "M15", "info", "outputOnly has no effect"),
    ("preventOversteppingOfEndTime no", "M15", "info", "the last step always ends at tEnd"),
    ("tEnd 11 s", "M17", "warning", "tEnd stands in line 3 already"),
    ("parameter prey.a 2", "M17", "warning", "prey.a has a value already"),
    ("graph prey.x weather.T", "M18", "error", "'weather' is a table"),
    ("parameter weather.T 1", "M18", "warning", "'weather' is a table"),
]


@pytest.mark.parametrize(("line", "code", "severity", "message"), CASES)
def test_malformed_line(line: str, code: str, severity: str, message: str) -> None:
    _, findings = msim.read("\n".join([*SOUND, line]).encode(), "p.msim")
    matching = [f for f in findings if f.code == code and f.origin and f.origin.line == LINE]
    assert len(matching) == 1, [str(f) for f in findings]
    assert str(matching[0].severity) == severity
    assert message in str(matching[0])
    assert str(matching[0]).startswith(f"p.msim:{LINE}: {severity}[{code}]: ")


def test_sound_project_has_no_findings() -> None:
    assert msim.read("\n".join(SOUND).encode(), "p.msim")[1] == []


def test_reading_goes_on_after_a_problem() -> None:
    text = "\n".join(["nonsense 1", *SOUND, "hMax 1 K", "absTol x"])
    project, findings = msim.read(text.encode(), "p.msim")
    assert [(f.code, f.origin.line) for f in findings if f.origin] == [("M01", 1), ("M04", 11), ("M03", 12)]
    assert [s.name for s in project.simulators] == ["prey", "predator", "weather"]
    assert project.settings.h_max.seconds == 1800.0


def test_gauss_jacobi_with_iterations_is_refused() -> None:
    text = "\n".join([*SOUND, "MasterMode GAUSS_JACOBI", "maxIterations 3"])
    findings = msim.read(text.encode(), "p.msim")[1]
    assert [(f.code, f.severity, f.origin and f.origin.line) for f in findings] == [
        ("M13", Severity.ERROR, LINE + 1)
    ]


@pytest.mark.parametrize(
    ("line", "severity"), [("# grün", Severity.WARNING), ("parameter prey.colour grün", Severity.ERROR)]
)
def test_line_that_is_not_utf8(line: str, severity: Severity) -> None:
    data = "\n".join([*SOUND, line]).encode("latin-1")
    findings = msim.read(data, "p.msim")[1]
    assert [(f.code, f.severity, f.origin and f.origin.line) for f in findings] == [("M16", severity, LINE)]
