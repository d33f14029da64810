"""Where a run leaves its files, and in which layout."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sspsim.errors import UsageError

LAYOUTS = ("sspsim", "mastersim")


@dataclass(frozen=True, slots=True)
class Workplace:
    """The folder of a run."""

    folder: Path
    is_mastersim: bool

    @property
    def values(self) -> Path:
        """Where the recorded values are."""
        return self.folder / "results" if self.is_mastersim else self.folder

    @property
    def fmus(self) -> Path:
        """Where unpacked FMUs stay, if they stay."""
        return self.folder / "fmus"


def workplace(file: Path, output: Path | None, layout: str | None) -> Workplace:
    """As wanted, else beside a MasterSim project as MasterSim has it, else in a folder `<name>.results`.

    >>> workplace(Path("a/b.msim"), None, None).folder.as_posix()
    'a/b'
    """
    from sspsim.formats.sources import is_msim_project

    if layout not in (None, *LAYOUTS):
        raise UsageError(f"there is no layout {layout!r}; choose one of {', '.join(LAYOUTS)}")
    is_mastersim = layout == "mastersim" or (layout is None and is_msim_project(file))
    default = file.with_suffix("") if is_mastersim else Path(f"{file.resolve().stem}.results")
    return Workplace(output or default, is_mastersim)
