"""`sspsim run`: simulates a system and writes the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sspsim.cli import choices, shared_options
from sspsim.cli.ending import exit_code, in_words
from sspsim.cli.watch import repeat_on_change
from sspsim.cli.workplace import workplace
from sspsim.errors import UsageError

if TYPE_CHECKING:
    from sspsim.structure.settings import MasterSettings

CHECKPOINT = "run.checkpoint"

# Headings of the help, in the order of the options below.
TIME = "Time and steps"
MASTER = "Master"
VALUES = "Values"
RESULTS = "Results"
FILES = "Files and FMUs"
TALK = "Messages"


def run(
    file: Annotated[
        Path, typer.Argument(help="System to run: .ssp, .ssd, a folder with SystemStructure.ssd, or .msim.")
    ],
    start: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Start time in s (default: the system's, else 0).", rich_help_panel=TIME
        ),
    ] = None,
    stop: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Stop time in s (default: the system's or its FMUs').",
            rich_help_panel=TIME,
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Communication step in s (default: the FMUs', else a thousandth of the run).",
            rich_help_panel=TIME,
        ),
    ] = None,
    output_step: Annotated[
        float | None,
        typer.Option(
            "--output-step",
            metavar="SECONDS",
            help="Distance of output rows in s (default: every step).",
            rich_help_panel=TIME,
        ),
    ] = None,
    stepping: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Length of steps: fixed, convergence or error (default: the system's).",
            autocompletion=choices.steppings,
            rich_help_panel=TIME,
        ),
    ] = None,
    min_step: Annotated[
        float | None,
        typer.Option(
            "--min-step",
            metavar="SECONDS",
            help="Shortest step in s that the step control may choose.",
            rich_help_panel=TIME,
        ),
    ] = None,
    max_step: Annotated[
        float | None,
        typer.Option(
            "--max-step",
            metavar="SECONDS",
            help="Longest step in s that the step control may choose.",
            rich_help_panel=TIME,
        ),
    ] = None,
    fallback_step: Annotated[
        float | None,
        typer.Option(
            "--fallback-step",
            metavar="SECONDS",
            help="Steps shorter than this (in s) are taken without iteration.",
            rich_help_panel=TIME,
        ),
    ] = None,
    time_unit: Annotated[
        str | None,
        typer.Option(
            "--time-unit",
            metavar="NAME",
            help="Unit in which times are shown, and written for MasterSim (default: s).",
            autocompletion=choices.time_units,
            rich_help_panel=TIME,
        ),
    ] = None,
    reference_time: Annotated[
        str | None,
        typer.Option(
            "--reference-time",
            metavar="DATE",
            help="What t=0 is, such as 2024-01-01T00:00:00, for FMUs and dates.",
            rich_help_panel=TIME,
        ),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How cycles are solved: auto, gauss-jacobi, gauss-seidel, newton or anderson "
            "(default: the system's, else auto).",
            autocompletion=choices.masters,
            rich_help_panel=MASTER,
        ),
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option(
            "--max-iterations",
            metavar="NUMBER",
            help="Most iterations of one communication step (default: the master's).",
            rich_help_panel=MASTER,
        ),
    ] = None,
    rtol: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Relative tolerance of iterations and of the step control (default: 1e-5).",
            rich_help_panel=MASTER,
        ),
    ] = None,
    atol: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Absolute tolerance of iterations and of the step control (default: 1e-6).",
            rich_help_panel=MASTER,
        ),
    ] = None,
    accept_initial: Annotated[
        bool,
        typer.Option(
            "--accept-initial", help="Go on when initial values do not converge.", rich_help_panel=MASTER
        ),
    ] = False,
    order: Annotated[str | None, shared_options.order(MASTER)] = None,
    time_only: Annotated[list[str] | None, shared_options.time_only(MASTER)] = None,
    keep_cycles: Annotated[
        bool,
        typer.Option(
            "--keep-cycles",
            help="Step a MasterSim project in the cycles that it names.",
            rich_help_panel=MASTER,
        ),
    ] = False,
    threads: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="Threads for the components of gauss-jacobi, if they are slow enough.",
            rich_help_panel=MASTER,
        ),
    ] = 1,
    verify_rollback: Annotated[
        bool,
        typer.Option(
            "--verify-rollback",
            help="Try rollback out first; do not rely on components where it fails.",
            rich_help_panel=MASTER,
        ),
    ] = False,
    set_values: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Value of a component.variable or of a connector of the system; repeatable.",
            rich_help_panel=VALUES,
        ),
    ] = None,
    parameters: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Parameter set (.ssv) that wins over the system's; repeatable.",
            rich_help_panel=VALUES,
        ),
    ] = None,
    input_table: Annotated[
        list[Path] | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="csv file whose columns feed the system's inputs; repeatable.",
            rich_help_panel=VALUES,
        ),
    ] = None,
    conversions: Annotated[str, shared_options.conversions(VALUES)] = "safe",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            "--working-dir",
            metavar="FOLDER",
            help="Folder for the results (default: <name>.results).",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATTERN",
            help="Variables to record, such as 'plant.*'; repeatable (default: all outputs).",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    record_all: Annotated[
        bool,
        typer.Option(
            "--record-all", help="Record every variable of every component.", rich_help_panel=RESULTS
        ),
    ] = False,
    record_defects: Annotated[
        bool,
        typer.Option(
            "--record-defects",
            help="Record the coupling defects of cycles that are passed once.",
            rich_help_panel=RESULTS,
        ),
    ] = False,
    format: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="csv, parquet or mat; repeatable (default: csv).",
            autocompletion=choices.formats,
            rich_help_panel=RESULTS,
        ),
    ] = None,
    compress: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Leave out values that straight lines reproduce within this relative tolerance.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Write report.html too: picture, curves, steps, defects, statistics.",
            rich_help_panel=RESULTS,
        ),
    ] = False,
    step_log: Annotated[
        Path | None,
        typer.Option(
            "--step-log",
            metavar="FILE",
            help="csv file for time, length and norms of each step.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Files in that folder: sspsim, or mastersim (default for .msim, beside the project).",
            autocompletion=choices.layouts,
            rich_help_panel=RESULTS,
        ),
    ] = None,
    checkpoint_every: Annotated[
        float | None,
        typer.Option(
            "--checkpoint-every",
            metavar="SECONDS",
            help="Save the whole run in its folder every so many s.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on from the last checkpoint in the folder.", rich_help_panel=RESULTS
        ),
    ] = False,
    variant: Annotated[str | None, shared_options.variant(FILES)] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse files and FMUs that violate their schemas.", rich_help_panel=FILES
        ),
    ] = False,
    allow_missing: Annotated[
        bool,
        typer.Option(
            "--allow-missing", help="Run although components have no implementation.", rich_help_panel=FILES
        ),
    ] = False,
    allow_parent: Annotated[bool, shared_options.allow_parent(FILES)] = False,
    allow_compile: Annotated[
        bool,
        typer.Option(
            "--allow-compile",
            help="Compile FMUs that bring only sources, with the C compiler of this machine.",
            rich_help_panel=FILES,
        ),
    ] = False,
    skip_unzip: Annotated[
        bool,
        typer.Option(
            "--skip-unzip",
            help="Use the FMUs in <folder>/fmus as they are, after changes by hand.",
            rich_help_panel=FILES,
        ),
    ] = False,
    fmu_tolerance: Annotated[
        float | None,
        typer.Option(
            "--fmu-tolerance",
            metavar="NUMBER",
            help="Relative tolerance of the solvers inside the components.",
            rich_help_panel=FILES,
        ),
    ] = None,
    input_order: Annotated[
        int,
        typer.Option(
            "--input-order",
            help="Order of the polynomials that inputs follow during a step, where FMUs can interpolate: 0, 1 or 2.",
            metavar="NUMBER",
            rich_help_panel=FILES,
        ),
    ] = 0,
    isolate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Components to run in processes of their own; without names all of them; "
            "'auto': only those that must be.",
            rich_help_panel=FILES,
        ),
    ] = None,
    step_timeout: Annotated[
        float | None,
        typer.Option(
            "--step-timeout",
            metavar="SECONDS",
            help="Seconds that an isolated call may take.",
            rich_help_panel=FILES,
        ),
    ] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            "--memory-limit",
            metavar="MEGABYTES",
            help="Megabytes that an isolated FMU may use.",
            rich_help_panel=FILES,
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Run again whenever an input file changes.", rich_help_panel=TALK)
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON instead of text.", rich_help_panel=TALK)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print nothing but errors.", rich_help_panel=TALK)
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "-v", "--verbose", help="Let the FMUs log everything into run.log.", rich_help_panel=TALK
        ),
    ] = False,
    verbosity_level: Annotated[
        int,
        typer.Option(
            "--verbosity-level",
            min=0,
            max=4,
            metavar="LEVEL",
            help="As MasterSim's: from 2 on a log of the steps, 4 is --verbose.",
            rich_help_panel=TALK,
        ),
    ] = 1,
) -> None:
    """Simulate a system and write its results into a folder.

    The folder holds values, summary.json and run.log. Ctrl-C ends a run early and keeps its results.
    """
    place = workplace(file, output, layout)
    if watch:
        repeat_on_change(file, [*(parameters or ()), *(input_table or ())], place.folder)
    from sspsim.cli.progress import Progress
    from sspsim.cli.terminal import complain, names_in, print_findings, print_json, print_summary
    from sspsim.fmi.isolation.settings import Isolation
    from sspsim.graph.recording import EVERYTHING
    from sspsim.loading import load
    from sspsim.results.compress import Compression
    from sspsim.results.folder import run_into
    from sspsim.results.steps import STEP_LOG
    from sspsim.simulation import Simulation
    from sspsim.structure.settings import MasterSettings
    from sspsim.structure.time import show_time

    _check_spans(
        {
            "--step": step,
            "--min-step": min_step,
            "--max-step": max_step,
            "--output-step": output_step,
            "--checkpoint-every": checkpoint_every,
            "--step-timeout": step_timeout,
            "--memory-limit": memory_limit,
        }
    )
    compression = Compression(compress) if compress is not None else None
    if resume and (compression or format not in (None, ["csv"])):
        raise UsageError("--resume goes on with values.csv only; leave out --format and --compress")
    wanted = MasterSettings(
        master=master,
        max_iterations=max_iterations,
        rtol=rtol,
        atol=atol,
        stepping=stepping,
        step=step,
        min_step=min_step,
        max_step=max_step,
        fallback_step=fallback_step,
        output_step=output_step,
        time_unit=_time_unit(time_unit),
    )
    system = load(
        file,
        variant,
        parameters=given_values(set_values or ()),
        parameter_files=parameters or (),
        settings=wanted,
        time_only=time_only or (),
        order=names_in(order),
        conversions=conversions,
        allow_missing=allow_missing,
        allow_parent=allow_parent,
        strict=strict,
        keep_cycles=keep_cycles,
        unpacked=place.fmus if skip_unzip else None,
        input_tables=input_table or (),
    )
    reference = _reference(reference_time)
    show = partial(show_time, unit=system.settings.time_unit or "s", reference=reference)
    each_step = verbosity_level >= 2
    progress = Progress(show, enabled=not quiet and not json)
    simulation = Simulation(
        system,
        start=start,
        stop=stop,
        record=[EVERYTHING] if record_all else record or (),
        record_defects=record_defects or report,
        step_log=step_log
        or (place.folder / STEP_LOG if report or (each_step and not place.is_mastersim) else None),
        threads=threads,
        strict_initial=not accept_initial,
        checkpoint=None if checkpoint_every is None else place.folder / CHECKPOINT,
        checkpoint_every=checkpoint_every,
        resume=place.folder / CHECKPOINT if resume else None,
        progress=progress.at,
        logging=verbose or verbosity_level >= 4,
        folder=place.folder.resolve(),
        reference_time=reference,
        unpack_to=place.fmus if place.is_mastersim or skip_unzip else None,
        skip_unzip=skip_unzip,
        isolation=Isolation.of(isolate or (), step_timeout, memory_limit),
        verify_rollback=verify_rollback,
        fmu_tolerance=fmu_tolerance,
        input_order=input_order,
        allow_compile=allow_compile,
    )
    simulation.notices += _notices_of_unused(wanted, system.settings)
    progress.watch(simulation)
    if not quiet and not json:
        print_findings(simulation.problems())
    try:
        if place.is_mastersim:
            from sspsim.results import mastersim_folder

            outcome = mastersim_folder.run_into(place.folder, simulation, step_statistics=each_step)
        else:
            outcome = run_into(place.folder, simulation, format or ("csv",), compression)
    finally:
        progress.close()
    summary = outcome.summary
    if outcome.failure and not outcome.has_results:
        raise outcome.failure
    if report:
        from sspsim.cli.report import picture_of
        from sspsim.results.report import write_report

        write_report(place.folder, picture_of(system, summary))
    if json:
        print_json(summary)
    elif not quiet:
        print_summary(summary, place.values, show)
    if outcome.interrupted:
        complain("warning", f"interrupted at t={summary['reached']:g} s; the results so far are kept")
        raise typer.Exit(128 + progress.interrupted)
    if outcome.failure:
        complain("error", f"{in_words(outcome.failure)}; the results so far are kept")
        raise typer.Exit(exit_code(outcome.failure))


def given_values(words: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE words by name.

    >>> given_values(["plant.k=2.5"])
    {'plant.k': '2.5'}
    """
    for word in words:
        if "=" not in word:
            raise UsageError(f"--set {word!r}: write it as NAME=VALUE, such as --set plant.k=2.5")
    return dict(word.split("=", 1) for word in words)


def _check_spans(options: Mapping[str, float | None]) -> None:
    for name, value in options.items():
        if value is not None and not 0 < value < inf:
            raise UsageError(f"{name} must be greater than 0, not {value:g}")


def _notices_of_unused(asked: MasterSettings, settings: MasterSettings) -> list[str]:
    from sspsim.experiment import unused_settings

    names = ", ".join(f"--{name.replace('_', '-')}" for name in unused_settings(asked, settings))
    return [f"{names}: not used by this master and step control"] if names else []


def _time_unit(text: str | None) -> str | None:
    from sspsim.structure.time import known_time_unit

    try:
        return known_time_unit(text) if text else None
    except ValueError as problem:
        raise UsageError(f"--time-unit: {problem}") from None


def _reference(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"--reference-time {text!r} is no date; write it like 2024-01-31T12:00:00") from None
