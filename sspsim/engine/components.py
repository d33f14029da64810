"""All FMU instances of a run: unpacked, loaded, brought to life, and given back on every path."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from sspsim.errors import InputError, SimulationError
from sspsim.fmi import crash
from sspsim.fmi.crash import Marked
from sspsim.fmi.description import Variable
from sspsim.fmi.factory import make_slave
from sspsim.fmi.isolation.settings import Isolation
from sspsim.fmi.library import Library
from sspsim.fmi.slave import Slave
from sspsim.fmi.table import TableDescription
from sspsim.fmi.table_slave import TableSlave
from sspsim.fmi.unpack import find_binary, folder_name, unpack
from sspsim.formats.container import Folder
from sspsim.formats.ssp import Package
from sspsim.graph.flat import FlatSystem, Instance
from sspsim.structure import Scalar

Values = Sequence[tuple[Variable, Sequence[Scalar]]]


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
        isolation: Isolation = Isolation(),  # noqa: B008
        writable: Path | None = None,
        allow_compile: bool = False,
    ) -> None:
        """`unpack_to`: FMUs stay there after the run; `skip_unzip`: those that are there are used as they are;
        `writable`: where isolated components may write besides their own folders.
        """
        self.package = package
        self.system = system
        self.logging = logging
        self.unpack_to = unpack_to
        self.skip_unzip = skip_unzip
        self.isolation = isolation
        self.writable = writable
        self.allow_compile = allow_compile
        self.isolated = isolation.chosen(
            [
                (i.name, i.location, i.interface)
                for i in system.instances
                if not isinstance(i.description, TableDescription)
            ]
        )
        self.directory = Path()
        self.folders: dict[str, Path] = {}
        self.libraries: dict[Path, Library] = {}
        self.slaves: list[Slave] = []
        self.crash_log: Path | None = None  # gets the last words of a crash
        self.first_values: dict[int, Values] = {}

    def __enter__(self) -> Components:
        self.directory = Path(tempfile.mkdtemp(prefix="sspsim-"))
        crash.install()
        crash.log_to(self.crash_log)
        try:
            for instance in self.system.instances:
                try:
                    self._open(instance)
                except InputError as problem:
                    raise InputError(_with_name(instance.name, str(problem))) from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self, instance: Instance) -> None:
        if isinstance(instance.description, TableDescription):
            self.slaves.append(TableSlave(instance.name, instance.description))
            return
        binary, folder = self._binary(instance), self.folders[instance.location]
        parts = (instance.name, instance.description, instance.interface)
        if instance.name in self.isolated:
            from sspsim.fmi.isolation.slave import IsolatedSlave  # what few systems need

            slave: Slave = IsolatedSlave(*parts, binary, folder, self.isolation, self.writable)
        else:
            slave = make_slave(*parts, self._library(instance.name, binary))
        self.slaves.append(slave)  # before anything can go wrong with it
        with Marked(instance.name, "instantiating"):
            slave.instantiate(folder / "resources", logging=self.logging)

    def _library(self, name: str, binary: Path) -> Library:
        """Many instances may share one FMU: it is loaded once, which runs code of it already."""
        if binary not in self.libraries:
            with Marked(name, "loading"):
                self.libraries[binary] = Library(binary)
        return self.libraries[binary]

    def _binary(self, instance: Instance) -> Path:
        """The binary of an FMU, after unpacking where that has not been done."""
        folder = self.folders.get(instance.location)
        if folder is None:
            folder = self.folders[instance.location] = self._new_folder(instance.location)
            if not (self.skip_unzip and folder.is_dir()):
                with self.package.open_container(instance.location) as container:
                    unpack(container, instance.interface, folder, allow_compile=self.allow_compile)
        return folder / find_binary(Folder(folder), instance.interface)

    def _new_folder(self, location: str) -> Path:
        if self.unpack_to:
            return self.unpack_to.resolve() / folder_name(location)
        return self.directory / str(len(self.folders))

    def setup(self, start: float, stop: float, tolerance: float | None) -> None:
        """Tells all components the experiment and their start values."""
        for slave, instance in zip(self.slaves, self.system.instances, strict=True):
            slave.setup(start, stop, tolerance)
            slave.set_start((value.variable, value.values) for value in instance.starts)
        for i, values in self.first_values.items():
            self.slaves[i].set_start(values)

    def set_first(self, i: int, values: Values) -> None:
        """Values that component i gets behind its own start values."""
        self.first_values[i] = values

    def messages(self) -> Iterable[tuple[str, int, str, str]]:
        """What the FMUs said since the last call: (component, status, category, text)."""
        for slave in self.slaves:
            for status, category, text in slave.log.take():
                yield slave.name, status, category, text

    def terminate(self, t: float) -> None:
        """Ends all components at t; the first complaint is raised after all have been ended."""
        problems: list[SimulationError] = []
        for slave in self.slaves:
            try:
                slave.terminate(t)
            except SimulationError as problem:
                problems.append(problem)
        if problems:
            raise problems[0]

    def close(self) -> SimulationError | None:
        """Gives everything back; never raises, since it also runs after a failure, but tells what went wrong."""
        problems: list[SimulationError] = []
        for slave in self.slaves:
            with suppress(SimulationError):  # it failed before, and that was reported
                slave.terminate(slave.now)
            try:
                slave.free()
            except SimulationError as problem:
                problems.append(problem)
        self.slaves.clear()
        for binary, library in self.libraries.items():
            with Marked(binary.stem, "unloading"):
                library.close()
        self.libraries.clear()
        crash.remove()
        shutil.rmtree(self.directory, ignore_errors=True)
        return problems[0] if problems else None


def _with_name(name: str, message: str) -> str:
    return message if message.startswith(f"{name}: ") else f"{name}: {message}"
