"""All FMU instances of a run: unpacked, loaded, brought to life, and given back on every path."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from sspsim.errors import SimulationError
from sspsim.fmi.library import Library
from sspsim.fmi.slave import SLAVES, Slave
from sspsim.fmi.table import TableDescription
from sspsim.fmi.table_slave import TableSlave
from sspsim.fmi.unpack import find_binary, folder_name, unpack
from sspsim.formats.container import Folder
from sspsim.formats.ssp import Package
from sspsim.graph.flat import FlatSystem, Instance


class Components:
    """Owns the working directory, the libraries and the slaves of one run."""

    def __init__(
        self,
        package: Package,
        system: FlatSystem,
        *,
        logging: bool = False,
        unpack_to: Path | None = None,
        skip_unzip: bool = False,
    ) -> None:
        """`unpack_to`: FMUs stay there after the run; `skip_unzip`: those that are there are used as they are."""
        self.package = package
        self.system = system
        self.logging = logging
        self.unpack_to = unpack_to
        self.skip_unzip = skip_unzip
        self.directory = Path()
        self.folders: dict[str, int] = {}
        self.libraries: dict[str, Library] = {}
        self.slaves: list[Slave] = []

    def __enter__(self) -> Components:
        self.directory = Path(tempfile.mkdtemp(prefix="sspsim-"))
        try:
            for instance in self.system.instances:
                self.slaves.append(self._open(instance))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self, instance: Instance) -> Slave:
        if isinstance(instance.description, TableDescription):
            return TableSlave(instance.name, instance.description)
        library = self._library(instance)
        slave = SLAVES[instance.description.fmi](
            instance.name, instance.description, instance.interface, library
        )
        slave.instantiate(self._folder(instance.location) / "resources", logging=self.logging)
        return slave

    def _folder(self, location: str) -> Path:
        """Many instances may share one FMU: it is unpacked and loaded once."""
        if self.unpack_to:
            return self.unpack_to.resolve() / folder_name(location)
        return self.directory / str(self.folders.setdefault(location, len(self.folders)))

    def _library(self, instance: Instance) -> Library:
        location = instance.location
        if location not in self.libraries:
            self.libraries[location] = Library(self._unpacked(instance))
        return self.libraries[location]

    def _unpacked(self, instance: Instance) -> Path:
        """The binary of an FMU."""
        folder = self._folder(instance.location)
        if self.skip_unzip and folder.is_dir():
            return folder / find_binary(Folder(folder), instance.interface)
        with self.package.open_container(instance.location) as container:
            return unpack(container, instance.interface, folder)

    def setup(self, start: float, stop: float, tolerance: float | None) -> None:
        """Tells all components the experiment and their start values."""
        for slave, instance in zip(self.slaves, self.system.instances, strict=True):
            slave.setup(start, stop, tolerance)
            slave.set((value.variable, value.values) for value in instance.starts)

    def messages(self) -> Iterable[tuple[str, int, str, str]]:
        """What the FMUs said since the last call: (component, status, category, text)."""
        for slave in self.slaves:
            for status, category, text in slave.log.take():
                yield slave.name, status, category, text

    def terminate(self) -> None:
        """Ends all components; the first complaint is raised after all have been ended."""
        problems: list[SimulationError] = []
        for slave in self.slaves:
            try:
                slave.terminate()
            except SimulationError as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def close(self) -> None:
        """Gives everything back; never raises, since it also runs after a failure."""
        for slave in self.slaves:
            try:
                slave.terminate()
            except SimulationError:
                pass  # it failed before, and that was reported
            slave.free()
        self.slaves.clear()
        for library in self.libraries.values():
            library.close()
        shutil.rmtree(self.directory, ignore_errors=True)
