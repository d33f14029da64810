"""The command line: each command parses, calls the API and prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sspsim.cli import check, compare, convert, crosscheck, explain, graph, info, new, plot, report, run
from sspsim.cli.many_words import ManyWords
from sspsim.cli.terminal import complain
from sspsim.errors import InputError, SspsimError, UsageError
from sspsim.version import __version__

FAILED, USAGE, INVALID = 1, 2, 3
INTERRUPTED = 130

app = typer.Typer(
    name="sspsim",
    help="Co-simulation of SSP systems: reads a system of FMUs, orders it and runs it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
app.command("run", cls=ManyWords)(run.run)
app.command("new")(new.new)
app.command("info")(info.info)
app.command("check")(check.check)
app.command("explain")(explain.explain)
app.command("graph")(graph.graph)
app.command("plot")(plot.plot)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("crosscheck")(crosscheck.crosscheck)
app.command("convert")(convert.convert)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sspsim {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Co-simulation of SSP systems: reads a system of FMUs, orders it and runs it."""


def main() -> None:
    """The program: errors that sspsim raises on purpose become one line and an exit code."""
    try:
        app()
    except SspsimError as problem:
        complain("error", str(problem))
        sys.exit(exit_code(problem))
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)


def exit_code(problem: SspsimError) -> int:
    """1: the run failed; 2: wrong usage; 3: the input files are invalid."""
    if isinstance(problem, InputError):
        return INVALID
    return USAGE if isinstance(problem, UsageError) else FAILED
