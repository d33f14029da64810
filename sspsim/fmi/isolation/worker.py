"""The process of one isolated component: `python -m sspsim.fmi.isolation.worker MEMORY SOCKET LIFELINE OWNER`.

Its Python part does the life cycle on request; in between it works off the kernel's batches. When the lifeline, a pipe
whose other end only the owner holds, is closed, the process ends at once, whatever the FMU is doing.
"""

from __future__ import annotations

import mmap
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from sspsim.errors import SspsimError
from sspsim.fmi import modeldescription
from sspsim.fmi.factory import make_slave
from sspsim.fmi.isolation import sandbox, wire
from sspsim.fmi.isolation.channel import Service
from sspsim.fmi.library import Library
from sspsim.fmi.slave import Slave


class Worker:
    """Answers requests: each method that the proxy may call is one of those named in `REQUESTS`."""

    def __init__(self, memory: mmap.mmap, connection: socket.socket, owner: int) -> None:
        self.service = Service(memory, owner)
        self.connection = connection
        self.slave: Slave | None = None

    def run(self) -> None:
        """Until the owner goes or says so."""
        while self.service.serve():
            try:
                request = wire.receive(self.connection)
            except (EOFError, OSError):
                return
            do = request.pop("do")
            wire.send(self.connection, self.answer(do, request))
            if do == "leave":
                return

    def answer(self, do: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What comes of a request: a result, or an error."""
        try:
            return {"result": REQUESTS[do](self, **arguments)}
        except SspsimError as problem:
            broken = self.slave is not None and self.slave.broken
            return {"error": str(problem), "kind": type(problem).__name__, "broken": broken}

    def hello(self) -> None:
        """The process is there."""

    def open(
        self,
        name: str,
        folder: str,
        library: str,
        kind: str,
        logging: bool,
        memory: float | None,
        writable: list[str],
    ) -> list[str]:
        """Loads the FMU and creates the instance; gives the names of the functions that the kernel can use."""
        path = Path(folder)
        description, _ = modeldescription.read(
            (path / "modelDescription.xml").read_bytes(), "modelDescription.xml"
        )
        interface = description.co_simulation if kind == "CoSimulation" else description.model_exchange
        assert interface is not None
        sandbox.forbid_writing([Path.cwd(), *map(Path, writable)])
        if memory:
            sandbox.limit_memory(memory)
        self.slave = make_slave(name, description, interface, Library(Path(library)))
        self.slave.instantiate(path / "resources", logging=logging)
        return self._connect(self.slave)

    def _connect(self, slave: Slave) -> list[str]:
        entry = slave.entry()
        self.service.connect(entry)
        return [*entry.functions]

    def interpolate(self, order: int, inputs: list[tuple[int, bool, Any]]) -> list[str]:
        """Puts polynomials between the kernel and the FMU."""
        assert self.slave is not None
        self.slave.interpolate(order, inputs)
        return self._connect(self.slave)

    def set(self, values: list[tuple[str, list[Any]]]) -> None:
        """Sets variables by name."""
        assert self.slave is not None
        by_name = self.slave.description.by_name
        self.slave.set([(by_name[name], scalars) for name, scalars in values])

    def get(self, name: str, count: int) -> list[Any]:
        """The values of a variable."""
        assert self.slave is not None
        return self.slave.get(self.slave.description.by_name[name], count)

    def call(self, method: str, arguments: list[Any]) -> Any:
        """A step in the life of the component."""
        assert self.slave is not None
        return getattr(self.slave, method)(*arguments)

    def messages(self) -> list[tuple[int, str, str]]:
        """What the FMU said since the last call."""
        return self.slave.log.take() if self.slave else []

    def words(self) -> str:
        """What the component has to say about its last failure."""
        words = self.slave.last_words() if self.slave else ""
        return words + ("; it hit the memory limit (--memory-limit)" if sandbox.memory_is_full() else "")

    def leave(self) -> None:
        """Gives the instance back."""
        if self.slave is not None:
            self.slave.free()


REQUESTS = {
    name: getattr(Worker, name)
    for name in ("hello", "open", "interpolate", "set", "get", "call", "messages", "words", "leave")
}


def _watch(lifeline: int) -> None:
    """Ends the process when the owner is gone; a thread, since the FMU may never come back."""
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)  # with all that the FMU may have started


def main(arguments: list[str]) -> None:
    """Connects to the owner and works for it."""
    memory, connection, lifeline, owner = map(int, arguments)
    threading.Thread(target=_watch, args=(lifeline,), daemon=True).start()
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)  # Python's own handling would hide them from the FMU
    sandbox.no_core_file()
    with socket.socket(fileno=connection) as channel:
        Worker(mmap.mmap(memory, 0), channel, owner).run()
    os._exit(0)  # libraries that have been left half-way must not get another word


if __name__ == "__main__":
    main(sys.argv[1:])
