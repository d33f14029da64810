"""The command line: each command parses, calls the API and prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sspsim.cli import check, compare, convert, crosscheck, explain, graph, info, new, plot, report, run
from sspsim.cli.ending import INTERRUPTED, USAGE, end_as_json, end_with, exit_code, in_words
from sspsim.errors import SspsimError
from sspsim.version import __version__

app = typer.Typer(
    name="sspsim",
    help="Co-simulation of SSP systems: reads a system of FMUs, orders it and runs it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
app.command("run")(run.run)
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
    """The program: errors that sspsim raises on purpose, and those of files, become one line and an exit code."""
    try:
        app()
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
