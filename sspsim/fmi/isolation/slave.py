"""An FMU instance in a process of its own, with the face of one in ours."""

from __future__ import annotations

import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sspsim.errors import InputError, SimulationError, UsageError
from sspsim.fmi.description import Description, Interface, Variable
from sspsim.fmi.isolation import sandbox, wire
from sspsim.fmi.isolation.channel import Channel
from sspsim.fmi.isolation.settings import Isolation
from sspsim.fmi.signals import signal_name
from sspsim.fmi.slave import Entry, Slave
from sspsim.structure import Scalar

MEMORY = 16 * 2**20  # of a channel; untouched pages cost nothing
START = 60.0  # seconds that a process may take to start: no matter of the step timeout
LOADING = 10.0  # loading and instantiating may take so many step timeouts, and so many seconds in any case
PATIENCE = 5.0  # seconds for a process that has been asked to leave
WORDS = {  # of requests, for messages
    "hello": "starting its process",
    "open": "loading and instantiating",
    "setup": "setting up the experiment",
    "enter_initialization": "entering initialisation",
    "exit_initialization": "leaving initialisation",
    "terminate": "terminating",
    "leave": "freeing the instance",
}
ERRORS = {error.__name__: error for error in (InputError, UsageError)}


class IsolatedSlave(Slave):
    """Owns the process; its methods are those of a slave, carried out over there."""

    def __init__(
        self,
        name: str,
        description: Description,
        interface: Interface,
        library: Path,
        folder: Path,
        limits: Isolation,
        writable: Path | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.interface = interface
        self.fmi = description.fmi  # type: ignore[misc]
        self.library_path = library
        self.folder = folder
        self.limits = limits
        self.writable = writable
        self.log = _DistantLog(self)
        self.instance: int | None = None
        self.first_inputs = []
        self.running = False
        self.broken = False
        self.now = None
        self.abandoned = False  # it may be busy for ever: nothing is asked of it any more
        self.functions: list[str] = []
        self._start()

    @property
    def prefix(self) -> str:
        """Only the other process knows."""
        return ""

    def _start(self) -> None:
        """Starts the process; everything that it inherits is named here."""
        self.home = tempfile.TemporaryDirectory(prefix="home-", dir=self.folder.parent)
        handle = os.memfd_create("sspsim") if hasattr(os, "memfd_create") else _nameless_file()
        os.ftruncate(handle, MEMORY)
        self.memory = mmap.mmap(handle, MEMORY)
        ours, theirs = socket.socketpair()
        watched, self.lifeline = os.pipe()
        inherited = (handle, theirs.fileno(), watched)
        self.words_file = Path(self.home.name) / "stderr.txt"
        with self.words_file.open("wb") as words:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "sspsim.fmi.isolation.worker", *map(str, inherited), str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                cwd=self.home.name,
                env=sandbox.environment(Path(self.home.name)),
                pass_fds=inherited,
                start_new_session=True,  # Ctrl-C is for us; what the FMU starts can be ended with it
            )
        for descriptor in (handle, watched):
            os.close(descriptor)
        theirs.close()
        self.connection = ours
        self.channel = Channel(self.memory, self.fmi, self.process.pid, self.limits.step_timeout or 0.0)

    # ---- talking -------------------------------------------------------------------------------------------

    def ask(self, do: str, **arguments: Any) -> Any:
        """Has something done over there, and waits for it."""
        what = str(arguments.get("method", do))
        what = WORDS.get(what, what)
        if self.abandoned:
            raise self._failure(f"{what}: its process is not asked any more")
        status = self.channel.call_attention()
        if self.channel.dead:
            raise self._lost(what)
        limit = self._limit(do)
        self.connection.settimeout(limit)
        try:
            wire.send(self.connection, {"do": do, **arguments})
            answer = wire.receive(self.connection)
        except TimeoutError:
            raise self._late(what, limit) from None
        except (EOFError, OSError, ValueError):
            raise self._lost(what) from None
        except KeyboardInterrupt:
            self.broken = self.abandoned = True
            raise
        if "error" in answer:
            self.broken = self.broken or bool(answer["broken"])
            kind = ERRORS.get(answer["kind"])
            raise (
                kind(answer["error"])
                if kind
                else SimulationError(answer["error"], component=self.name, time=self.now)
            )
        if status > 1:
            raise self._failure(f"setting its values failed: {self.channel.problem}")
        return answer["result"]

    def _limit(self, do: str) -> float | None:
        """Seconds that a request may take."""
        if do == "hello":
            return START
        if do == "leave":
            return self.limits.step_timeout or PATIENCE
        limit = self.limits.step_timeout
        return limit and (LOADING * max(limit, 1.0) if do == "open" else limit)

    def _failure(self, text: str) -> SimulationError:
        return SimulationError(f"{self.where}: {text}", component=self.name, time=self.now)

    def _late(self, what: str, limit: float | None) -> SimulationError:
        self.process.kill()
        self.process.wait()
        self.broken = True
        return self._failure(f"{what}: no answer within {limit:g} s, so its process was ended")

    def _lost(self, what: str) -> SimulationError:
        """Nothing comes from over there any more; what still lives has cut the connection, and is ended."""
        self.broken = True
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return self._failure(f"{what}: its process closed the connection to sspsim, so it was ended")
        return self._failure(f"{what}: {self.end()}")

    def end(self) -> str:
        """How the process ended, in words."""
        code = self.process.poll()
        if self.channel.problem.startswith("it did not answer"):
            words = (
                f"no answer within {self.limits.step_timeout:g} s (--step-timeout), so its process was ended"
            )
        elif code is None:
            words = "its process does not answer any more"
        elif code < 0:
            words = f"its process was ended by {signal_name(-code)}"
            words += self._limit_words()
        else:
            words = f"its process left with exit code {code}: the FMU called exit()"
        return words + self._printed()

    def _limit_words(self) -> str:
        limit = self.limits.memory_limit
        return f"; its memory is limited to {limit:g} MB (--memory-limit)" if limit else ""

    def _printed(self) -> str:
        with suppress(OSError):
            lines = self.words_file.read_text(errors="replace").strip().splitlines()
            if lines:
                return f"; it printed last: {lines[-1][:200]}"
        return ""

    # ---- a slave's methods ---------------------------------------------------------------------------------

    def instantiate(self, resources: Path, *, logging: bool) -> None:  # noqa: ARG002
        """Loads the FMU over there."""
        self.ask("hello")
        self.functions = self.ask(
            "open",
            name=self.name,
            folder=str(self.folder),
            library=str(self.library_path),
            kind=self.interface.kind,
            logging=logging,
            memory=self.limits.memory_limit,
            writable=[str(path) for path in (self.folder, self.writable) if path],
        )
        self.instance = self.channel.address

    def entry(self) -> Entry:
        """The proxies."""
        functions = self.channel.functions(self.fmi, self.functions)
        can_restore = self.interface.rollback and "getState" in functions
        return Entry(self.name, self.fmi, self.channel.address, functions, can_restore)

    def interpolate(self, order: int, inputs: Sequence[tuple[int, bool, Any]]) -> None:
        """Over there; sources are functions of another process, so their derivatives come from past points."""
        plain = [(reference, ahead, None) for reference, ahead, _ in inputs]
        self.functions = self.ask("interpolate", order=order, inputs=plain)

    def derivatives_of(self, reference: int, factor: float) -> None:  # noqa: ARG002
        """Not across the border of processes."""
        return None

    def set(self, values: Iterable[tuple[Variable, Sequence[Scalar]]]) -> None:
        """Sets variables."""
        listed = [(variable.name, list(scalars)) for variable, scalars in values]
        if listed:
            self.ask("set", values=listed)

    def get(self, variable: Variable, count: int = 1) -> list[Scalar]:
        """The values of a variable."""
        found: list[Scalar] = self.ask("get", name=variable.name, count=count)
        return found

    def setup(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Tells the experiment."""
        super().setup(start, stop, tolerance)
        self.ask("call", method="setup", arguments=[start, stop, tolerance])

    def enter_initialization(self) -> None:
        """Enters the initialisation."""
        self.ask("call", method="enter_initialization", arguments=[])
        self.set(self.first_inputs)

    def exit_initialization(self) -> None:
        """Ready to be stepped."""
        self.ask("call", method="exit_initialization", arguments=[])
        self.running = True

    def reset(self) -> bool:
        """Back to before the initialisation; False if this FMU cannot."""
        return bool(self.ask("call", method="reset", arguments=[]))

    def asks_to_end(self) -> bool:
        """Whether a step was refused because the FMU wants to end the simulation."""
        return not self.channel.dead and bool(self.ask("call", method="asks_to_end", arguments=[]))

    def terminate(self, t: float | None = None) -> None:
        """Ends the run, which has come to t."""
        self.now = t
        if self.running and not self.broken:
            self.running = False
            self.ask("call", method="terminate", arguments=[t])

    def last_words(self) -> str:
        """How the process ended; or, if it lives, what the FMU logged last."""
        if self.channel.dead or self.process.poll() is not None:
            self.broken = True
            return f": {self.end()}"
        problem = self.channel.problem
        try:
            words: str = self.ask("words")
        except SimulationError as lost:
            return f": {lost}"
        return (f": {problem}" if problem else "") + words

    def free(self) -> None:
        """Ends the process, in peace if possible; nothing stays behind."""
        try:
            if not self.broken and not self.channel.dead:
                self.ask("leave")
        finally:
            self._end_process()

    def _end_process(self) -> None:
        os.close(self.lifeline)
        self.connection.close()
        try:
            self.process.wait(PATIENCE if not self.broken else 0.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)  # what the FMU has started
        self.instance = None
        self.home.cleanup()


class _DistantLog:
    """The messages of the FMU, fetched when they are asked for."""

    def __init__(self, slave: IsolatedSlave) -> None:
        self.slave = slave

    def take(self) -> list[tuple[int, str, str]]:
        """What was said since the last call; nothing if the process is gone."""
        try:
            return [(status, category, text) for status, category, text in self.slave.ask("messages")]
        except SimulationError:
            return []


def _nameless_file() -> int:
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
