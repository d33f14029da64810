"""Options that several commands have, each with one name and one explanation; `panel` is the group in the help."""

from __future__ import annotations

from typing import Any

import typer

from sspsim.cli import choices


def variant(panel: str | None = None) -> Any:
    """Which document of an archive."""
    return typer.Option(
        metavar="NAME", help="Which system structure of the archive (file or name).", rich_help_panel=panel
    )


def allow_parent(panel: str | None = None) -> Any:
    """How far references may lead."""
    return typer.Option(
        "--allow-parent", help="Follow references out of the system's folder.", rich_help_panel=panel
    )


def conversions(panel: str | None = None) -> Any:
    """Between types."""
    return typer.Option(
        metavar="NAME",
        help="Which conversions between types are allowed: safe or all.",
        autocompletion=choices.conversions,
        rich_help_panel=panel,
    )


def order(panel: str | None = None) -> Any:
    """Of the components of a cycle."""
    return typer.Option(
        metavar="NAMES",
        help="Order inside a cycle: component names, separated by commas.",
        rich_help_panel=panel,
    )


def time_only(panel: str | None = None) -> Any:
    """What the analysis cannot prove."""
    return typer.Option(
        "--time-only",
        metavar="NAME",
        help="component.output (or .*) that depends on time alone; repeatable.",
        rich_help_panel=panel,
    )
