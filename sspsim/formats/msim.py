"""MasterSim projects (.msim): a line-oriented text. Reading never stops at the first problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from sspsim.formats.msim_project import (
    SUFFIXES,
    Comments,
    Edge,
    ParameterValue,
    Project,
    Settings,
    Simulator,
)
from sspsim.formats.msim_rules import check
from sspsim.formats.msim_text import (
    KEYWORDS,
    NAME,
    TOKENS,
    Keyword,
    MalformedError,
    cut_comment,
    escape,
    format_number,
    parse_colour,
    parse_count,
    parse_number,
    parse_reference,
    parse_switch,
    quoted,
    unescape,
    words,
)
from sspsim.structure.diagnostic import Diagnostic, Origin, error, info, warning

UNKNOWN, NO_VALUE, SPELLING, OBSOLETE, ENCODING = "M01", "M02", "M14", "M15", "M16"
REPEATED = "M17"

STATEMENTS = ("simulator", "graph", "parameter", "outputOnly")
REMOVED = {"binaryOutputFiles": "MasterSim has no binary output files any more; the line has no effect"}
WIDTH = 32
NEWER_THAN_MANY_INSTALLATIONS = ("writeUnconnectedFileReaderVars",)


def read(data: bytes, file: str) -> tuple[Project, list[Diagnostic]]:
    """The project in `data`, and what was noticed on the way; `file` only serves the messages."""
    reader = _Reader(file)
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        reader.line(number, line)
    project = reader.project()
    return project, sorted(
        [*reader.diagnostics, *check(project, file, reader.setting_lines)],
        key=lambda finding: finding.origin.line if finding.origin else 0,
    )


class _Reader:
    """Takes line after line; comments wait for the statement that follows them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.diagnostics: list[Diagnostic] = []
        self.origin = Origin(file)
        self.in_header = True
        self.header: dict[str, str] = {}
        self.comments: list[str] = []
        self.description: Comments = ()
        self.settings: dict[str, Any] = {}
        self.setting_comments: dict[str, Comments] = {}
        self.setting_lines: dict[str, int] = {}
        self.simulators: list[Simulator] = []
        self.edges: list[Edge] = []
        self.parameters: list[ParameterValue] = []
        self.output_only: list[str] = []

    def line(self, number: int, data: bytes) -> None:
        """Takes a line."""
        self.origin = Origin(self.file, number)
        try:
            text = data.decode().strip()
        except UnicodeDecodeError:
            text = data.decode(errors="replace").strip()
            harm = warning if text.startswith("#") else error
            self.report(harm, ENCODING, "the line is not UTF-8", "save the file as UTF-8")
        if text.startswith("#"):
            self.comment(text[1:].removeprefix(" "))
        elif text:
            if self.in_header:
                self.description, self.in_header = self.taken_comments(), False
            try:
                self.statement(text)
            except MalformedError as problem:
                self.report(error, problem.code, problem.message, problem.hint)

    def comment(self, text: str) -> None:
        """Takes a comment; two of them have a meaning in the header."""
        if self.in_header:
            for mark in ("Created", "LastModified"):
                _, found, rest = text.partition(mark)
                if found:
                    self.header[mark] = rest[1:].strip()
                    return
        self.comments.append(text)

    def taken_comments(self) -> Comments:
        """The comments that have been waiting."""
        taken = tuple(self.comments)
        self.comments.clear()
        return taken

    def statement(self, text: str) -> None:
        """Takes a line that says something."""
        name, *rest = text.split(None, 1)
        value = rest[0] if rest else ""
        if name in REMOVED:
            self.report(info, OBSOLETE, f"{name}: {REMOVED[name]}", "remove the line")
            return
        if name not in KEYWORDS and name not in STATEMENTS:
            raise MalformedError(UNKNOWN, f"unknown keyword {name!r}", _similar(name))
        if not value:
            raise MalformedError(NO_VALUE, f"{name} has no value", f"write '{name} <value>'")
        if name in KEYWORDS:
            self.setting(KEYWORDS[name], value)
        else:
            take: Callable[[str], None] = getattr(self, f"take_{name}")
            take(value)

    def setting(self, keyword: Keyword, text: str) -> None:
        """Takes a keyword with one value."""
        if keyword.comment_behind:
            text, behind = cut_comment(text)
            self.comments += [behind] if behind else []
        value = keyword.parse(text)
        if keyword.parse is parse_switch and value and text not in ("yes", "true", "1"):
            self.report(warning, SPELLING, f"MasterSim takes {text!r} as no, sspsim as yes", "write yes")
        if text == "ADAPT_STEP":
            self.report(info, OBSOLETE, "ADAPT_STEP is the older name of STEP_DOUBLING")
        if keyword.name in self.setting_lines:
            first = self.setting_lines[keyword.name]
            self.report(warning, REPEATED, f"{keyword.name} stands in line {first} already; this one counts")
        self.settings[keyword.field] = value
        self.setting_lines[keyword.name] = self.origin.line
        if self.comments:
            self.setting_comments[keyword.name] = self.taken_comments()

    def take_simulator(self, text: str) -> None:
        """`simulator <priority> <cycle> <name> <colour> <path>`"""
        parts = words(text)
        if len(parts) != 5:
            raise MalformedError(
                TOKENS,
                f"a simulator has 5 properties, here are {len(parts)}",
                'write: simulator <priority> <cycle> <name> <#rrggbb> "<path>"',
            )
        priority, cycle, name, colour, path = parts
        for mark, what in ((".", "dot"), (" ", "blank"), ("\t", "tab")):
            if mark in name:
                hint = "connections could not refer to it"
                raise MalformedError(NAME, f"the name {name!r} has a {what}", hint)
        if not path.lower().endswith(SUFFIXES):
            raise MalformedError(
                NAME, f"{path!r} is neither FMU nor table", f"known are {', '.join(SUFFIXES)}"
            )
        simulator = Simulator(name, path, parse_count(cycle), priority, parse_colour(colour))
        self.simulators.append(replace(simulator, comments=self.taken_comments(), origin=self.origin))

    def take_graph(self, text: str) -> None:
        """`graph <out> <in> [<offset> <scale> [<linewidth> <colour>]]`"""
        parts = words(text)
        if len(parts) not in (2, 4, 6):
            raise MalformedError(
                TOKENS,
                f"a graph has 2, 4 or 6 properties, here are {len(parts)}",
                "write: graph <from> <to> [<offset> <scale> [<line width> <#rrggbb>]]",
            )
        edge = Edge(parse_reference(parts[0]), parse_reference(parts[1]))
        if len(parts) > 2:
            edge = replace(edge, offset=parse_number(parts[2]), scale=parse_number(parts[3]))
        if len(parts) > 4:
            edge = replace(edge, line_width=max(0.2, parse_number(parts[4])), colour=parse_colour(parts[5]))
        self.edges.append(replace(edge, comments=self.taken_comments(), origin=self.origin))

    def take_parameter(self, text: str) -> None:
        """`parameter <simulator>.<variable> <value>`"""
        name, *value = text.split(None, 1)
        target = parse_reference(name)
        if not value:
            raise MalformedError(
                NO_VALUE, f"the parameter {target} has no value", 'an empty text is written as ""'
            )
        self.parameters.append(
            ParameterValue(target, unescape(value[0]), self.taken_comments(), origin=self.origin)
        )

    def take_outputOnly(self, text: str) -> None:  # noqa: N802 (named after the keyword)
        """MasterSim reads these names and never uses them."""
        self.output_only.append(text)
        self.report(info, OBSOLETE, "outputOnly has no effect in MasterSim, nor here", "choose with --record")

    def report(
        self,
        kind: Callable[[str, str, Origin | None, str], Diagnostic],
        code: str,
        message: str,
        hint: str = "",
    ) -> None:
        """Notes a finding in the current line."""
        self.diagnostics.append(kind(code, message, self.origin, hint))

    def project(self) -> Project:
        """Everything that has been read."""
        rest = self.taken_comments()
        return Project(
            Settings(**self.settings),
            tuple(self.simulators),
            tuple(self.edges),
            tuple(self.parameters),
            created=self.header.get("Created", ""),
            last_modified=self.header.get("LastModified", ""),
            description=rest if self.in_header else self.description,
            output_only=tuple(self.output_only),
            setting_comments=self.setting_comments,
            last_comments=() if self.in_header else rest,
        )


def _similar(name: str) -> str:
    known = {word.lower(): word for word in (*KEYWORDS, *STATEMENTS)}
    found = get_close_matches(name.lower(), known, 1)
    return f"did you mean {known[found[0]]!r}? Upper and lower case count" if found else ""


def write(project: Project) -> bytes:
    """The text of a project, as MasterSim would lay it out, with all comments and all digits."""
    lines = _header(project)
    for keyword in KEYWORDS.values():
        value = getattr(project.settings, keyword.field)
        if keyword.name in NEWER_THAN_MANY_INSTALLATIONS and not value:
            continue
        lines += _commented(project.setting_comments.get(keyword.name, ()))
        lines.append(f"{keyword.name:{WIDTH}} {keyword.format(value)}")
    lines.append("")
    for simulator in project.simulators:
        lines += [*_commented(simulator.comments), _simulator(simulator)]
    lines.append("")
    for edge in project.edges:
        lines += [*_commented(edge.comments), _edge(edge)]
    lines.append("")
    for parameter in project.parameters:
        lines += [*_commented(parameter.comments), f"parameter {parameter.target} {escape(parameter.value)}"]
    lines += [f"outputOnly {name}" for name in project.output_only]
    lines += _commented(project.last_comments)
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


def _header(project: Project) -> list[str]:
    lines = []
    if project.created:
        lines.append(f"# Created:\t{project.created}")
    if project.last_modified:
        lines.append(f"# LastModified:\t{project.last_modified}")
    if lines:
        lines.append("")
    if project.description:
        lines += [*_commented(project.description), ""]
    return lines


def _commented(comments: Iterable[str]) -> list[str]:
    return [f"# {comment}".rstrip() for comment in comments]


def _simulator(simulator: Simulator) -> str:
    head = f"simulator {simulator.priority} {simulator.cycle} {simulator.name} {simulator.colour}"
    return f'{head} "{simulator.path}"'


def _edge(edge: Edge) -> str:
    parts = ["graph", quoted(str(edge.source)), quoted(str(edge.target))]
    drawn = (edge.line_width, edge.colour) != (0.8, "#000000")
    if drawn or (edge.offset, edge.scale) != (0.0, 1.0):
        parts += [format_number(edge.offset), format_number(edge.scale)]
    if drawn:
        parts += [format_number(edge.line_width), edge.colour]
    return " ".join(parts)
