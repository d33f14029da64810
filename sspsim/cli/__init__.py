"""The command line: each command parses, calls the API and prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from sspsim.cli.command import Command
from sspsim.cli.ending import INTERRUPTED, USAGE, end_as_json, end_with, exit_code, in_words
from sspsim.errors import SspsimError
from sspsim.version import __version__

# Each is a function in the module of the same name.
COMMANDS = (
    "run", "new", "info", "check", "explain", "graph", "plot", "report", "compare", "crosscheck", "convert"
)  # fmt: skip


def program(commands: Sequence[str] = COMMANDS) -> typer.Typer:
    """The command line with these commands."""
    app = typer.Typer(
        name="sspsim",
        help="Co-simulation of SSP systems: reads a system of FMUs, orders it and runs it.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
    app.callback()(options)
    for name in commands:
        app.command(name, cls=Command)(getattr(import_module(f"sspsim.cli.{name}"), name))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sspsim {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Co-simulation of SSP systems: reads a system of FMUs, orders it and runs it."""


def main() -> None:
    """The program: errors that sspsim raises on purpose, and those of files, become one line and an exit code."""
    wanted = sys.argv[1:2]
    try:
        program(wanted if set(wanted) & set(COMMANDS) else COMMANDS)()  # to make the others takes time
    except (SspsimError, OSError) as problem:
        code = exit_code(problem)
        end_with(in_words(problem), code)
        sys.exit(code)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        if end.code == USAGE:  # said by the parser of the command line
            end_as_json("wrong usage, as told on standard error", USAGE)
        raise
