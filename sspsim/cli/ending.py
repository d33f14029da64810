"""How commands end: one line for people or one object for programs, and an exit code."""

from __future__ import annotations

import json
import sys

import typer

from sspsim.cli.terminal import complain
from sspsim.errors import InputError, UsageError

FAILED, USAGE, INVALID = 1, 2, 3
INTERRUPTED = 130


def exit_code(problem: BaseException) -> int:
    """1: the run failed; 2: wrong usage; 3: the input files are invalid."""
    if isinstance(problem, InputError):
        return INVALID
    return USAGE if isinstance(problem, UsageError) else FAILED


def in_words(problem: BaseException) -> str:
    """What happened; the system's own errors begin with the file."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem)


def wants_json() -> bool:
    """Whether a program reads the standard output."""
    return "--json" in sys.argv[1:]


def end_with(text: str, code: int) -> None:
    """Says what went wrong, where people and programs look for it."""
    complain("error", text)
    end_as_json(text, code)


def end_as_json(text: str, code: int) -> None:
    """With --json there is an object on standard output, whatever happens."""
    if wants_json():
        typer.echo(json.dumps({"error": text, "exit_code": code}, indent=2))
