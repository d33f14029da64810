"""What the shell offers for options with a few names to choose from; looked up when it asks."""

from __future__ import annotations


def masters() -> list[str]:
    """For --master."""
    from sspsim.masters import MASTERS

    return list(MASTERS)


def steppings() -> list[str]:
    """For --stepping."""
    from sspsim.masters import STEPPINGS

    return list(STEPPINGS)


def formats() -> list[str]:
    """For --format."""
    from sspsim.results.folder import FORMATS

    return list(FORMATS)


def layouts() -> list[str]:
    """For --layout."""
    from sspsim.cli.workplace import LAYOUTS

    return list(LAYOUTS)


def time_units() -> list[str]:
    """For --time-unit."""
    from sspsim.structure.time import TIME_UNITS

    return list(TIME_UNITS)


def conversions() -> list[str]:
    """For --conversions."""
    return ["safe", "all"]
