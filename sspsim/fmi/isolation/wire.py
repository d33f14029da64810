"""How the two processes talk about everything that is not urgent: JSON messages over a socket.

JSON, not pickle: what comes from the FMU's process must not be able to run code in ours.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

_HEAD = struct.Struct("<I")


def send(connection: socket.socket, message: Any) -> None:
    """Sends one message."""
    data = json.dumps(message, default=_encode).encode()
    connection.sendall(_HEAD.pack(len(data)) + data)


def receive(connection: socket.socket) -> Any:
    """Waits for one message; raises EOFError when the other side is gone."""
    (size,) = _HEAD.unpack(_read(connection, _HEAD.size))
    return json.loads(_read(connection, size), object_hook=_decode)


def _read(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def _encode(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    raise TypeError(type(value).__name__)


def _decode(value: dict[str, Any]) -> Any:
    return bytes.fromhex(value["bytes"]) if set(value) == {"bytes"} else value
