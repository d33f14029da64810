"""Files in a folder, an archive or memory, behind one read-only view; all safety of archives is here."""

from __future__ import annotations

import io
import re
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from sspsim.errors import InputError
from sspsim.formats.refusal import Refusal, refusal
from sspsim.structure.diagnostic import Diagnostic, Origin, warning

ARCHIVE = "V29"
MAX_ENTRIES: Final = 100_000
MAX_ENTRY_BYTES: Final = 2 * 2**30
MAX_TOTAL_BYTES: Final = 8 * 2**30
MAX_RATIO: Final = 200
SMALL_BYTES: Final = 64 * 2**20
"""What is below needs no look at its ratio: it does no harm."""

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    LookupError,
    OverflowError,
)
_DRIVE = re.compile("[A-Za-z]:")
_ENCRYPTED_FLAG = 0x1
_UTF8_FLAG = 0x800


class Container:
    """A read-only view of named files; names are relative and separated by slashes."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.diagnostics: list[Diagnostic] = []

    def names(self) -> list[str]:
        """The names of all files."""
        raise NotImplementedError

    def __contains__(self, name: str) -> bool:
        raise NotImplementedError

    def size(self, name: str) -> int:
        """The number of bytes of a file."""
        raise NotImplementedError

    def open(self, name: str) -> IO[bytes]:
        """A file, to be read in portions and closed by the caller."""
        try:
            return self._open(name)
        except _UNREADABLE as problem:
            raise self.unreadable(name, problem) from None

    def _open(self, name: str) -> IO[bytes]:
        raise NotImplementedError

    def read(self, name: str, limit: int = MAX_ENTRY_BYTES) -> bytes:
        """The bytes of a file, if they are not too many."""
        size = self.size(name)
        if size > limit:
            raise InputError(
                f"{self.label}: {name} has {size} bytes, more than the {limit} that are reasonable here"
            )
        try:
            with self.open(name) as file:
                return file.read()
        except _UNREADABLE as problem:
            raise self.unreadable(name, problem) from None

    def place(self, name: str) -> str:
        """Where a file is, for messages."""
        return f"{self.label}/{name}"

    def child(self, name: str) -> Container:
        """The archive that is one of the files."""
        return Archive(io.BytesIO(self.read(name)), self.place(name))

    def close(self) -> None:
        """Gives back what is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def missing(self, name: str) -> InputError:
        """The error for a file that is not there."""
        return InputError(
            f"{self.label}: there is no file {name!r}; check the spelling, upper and lower case count"
        )

    def unreadable(self, name: str, problem: Exception) -> InputError:
        """The error for a file that is there and cannot be read."""
        return refusal(ARCHIVE, f"{name} cannot be read: {problem}", self.label, hint="is it damaged?")


class Folder(Container):
    """The files below a folder."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path

    def names(self) -> list[str]:
        """The names of all files."""
        names = []
        for path in self.path.rglob("*"):
            if path.is_file():
                names.append(path.relative_to(self.path).as_posix())
                if len(names) > MAX_ENTRIES:
                    raise InputError(f"{self.label}: more than {MAX_ENTRIES} files; name a smaller folder")
        return sorted(names)

    def __contains__(self, name: str) -> bool:
        try:
            return (self.path / name).is_file()
        except (OSError, ValueError):
            return False

    def size(self, name: str) -> int:
        """The number of bytes of a file."""
        if name not in self:
            raise self.missing(name)
        return (self.path / name).stat().st_size

    def _open(self, name: str) -> IO[bytes]:
        if name not in self:
            raise self.missing(name)
        return (self.path / name).open("rb")

    def child(self, name: str) -> Container:
        """The archive that is one of the files."""
        if name not in self:
            raise self.missing(name)
        return Archive(self.path / name, f"{self.label}/{name}")


class Memory(Container):
    """Files given as bytes or as the places where they are."""

    def __init__(self, files: Mapping[str, bytes | Path], label: str = "(in memory)") -> None:
        super().__init__(label)
        self.files = {checked_name(name, label): content for name, content in files.items()}

    def names(self) -> list[str]:
        """The names of all files."""
        return list(self.files)

    def __contains__(self, name: str) -> bool:
        return name in self.files

    def _content(self, name: str) -> bytes | Path:
        try:
            return self.files[name]
        except KeyError:
            raise self.missing(name) from None

    def size(self, name: str) -> int:
        """The number of bytes of a file."""
        content = self._content(name)
        try:
            return len(content) if isinstance(content, bytes) else content.stat().st_size
        except OSError as problem:
            raise self.unreadable(name, problem) from None

    def _open(self, name: str) -> IO[bytes]:
        content = self._content(name)
        return io.BytesIO(content) if isinstance(content, bytes) else content.open("rb")

    def place(self, name: str) -> str:
        """Where a file is, for messages."""
        content = self._content(name)
        return super().place(name) if isinstance(content, bytes) else str(content)

    def child(self, name: str) -> Container:
        """The archive that is one of the files."""
        content = self._content(name)
        return Archive(io.BytesIO(content) if isinstance(content, bytes) else content, self.place(name))


class Archive(Container):
    """The files in a zip archive, refused as a whole if it could do harm."""

    def __init__(self, file: Path | IO[bytes], label: str = "") -> None:
        super().__init__(label or str(file))
        try:
            self._zip = zipfile.ZipFile(file)
        except _UNREADABLE as problem:
            raise self.refused(f"not a readable zip archive: {problem}", "is it damaged?") from None
        try:
            self._infos = self._checked_infos()
        except BaseException:
            self.close()
            raise

    def _checked_infos(self) -> dict[str, zipfile.ZipInfo]:
        infos = self._zip.infolist()
        if len(infos) > MAX_ENTRIES:
            raise self.refused(f"{len(infos)} entries are too many (at most {MAX_ENTRIES})")
        self._refuse_bomb(infos)
        checked: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            path = checked_name(info.filename, self.label)
            name = path.removeprefix("./")
            if stat.S_ISLNK(info.external_attr >> 16):
                raise self.refused(f"{name} is a symbolic link", "pack the archive again without links")
            self._note_oddities(info, name in checked)
            if not path.endswith("/"):  # no folder, also not the folder "./" itself
                checked[name] = info
        return checked

    def _refuse_bomb(self, infos: list[zipfile.ZipInfo]) -> None:
        total = sum(info.file_size for info in infos)
        packed = sum(info.compress_size for info in infos)
        largest = max((info.file_size for info in infos), default=0)
        if total > MAX_TOTAL_BYTES or largest > MAX_ENTRY_BYTES:
            raise self.refused(f"{total} bytes when unpacked are too many (at most {MAX_TOTAL_BYTES})")
        if total > SMALL_BYTES and total > MAX_RATIO * packed:
            raise self.refused(f"it grows from {packed} to {total} bytes: this looks like a zip bomb")
        if packed > self._archive_bytes():
            raise self.refused("its entries overlap: this looks like a zip bomb")

    def refused(self, message: str, hint: str = "do not trust this file") -> Refusal:
        """The error for an archive that is not used at all."""
        return refusal(ARCHIVE, message, self.label, hint=hint)

    def _archive_bytes(self) -> int:
        file = self._zip.fp
        assert file
        return file.seek(0, io.SEEK_END)

    def _note_oddities(self, info: zipfile.ZipInfo, repeated: bool) -> None:
        oddities = {
            "occurs twice, the last one counts": repeated,
            "is encrypted": info.flag_bits & _ENCRYPTED_FLAG,
            "is neither stored nor deflated": info.compress_type
            not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED),
            "has backslashes in its name": "\\" in info.orig_filename,
            "has a part '.' in its name": "." in info.filename.split("/"),
            "has a name that is neither ASCII nor marked as UTF-8": not (
                info.filename.isascii() or info.flag_bits & _UTF8_FLAG
            ),
            "needs a later zip version than 2.0": info.extract_version > 20,
        }
        for oddity, applies in oddities.items():
            if applies:
                self.diagnostics.append(
                    warning(
                        ARCHIVE,
                        f"{info.filename!r} {oddity}",
                        Origin(self.label),
                        "pack it with another tool",
                    )
                )

    def names(self) -> list[str]:
        """The names of all files."""
        return list(self._infos)

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def _info(self, name: str) -> zipfile.ZipInfo:
        try:
            return self._infos[name]
        except KeyError:
            raise self.missing(name) from None

    def size(self, name: str) -> int:
        """The number of bytes of a file."""
        return self._info(name).file_size

    def _open(self, name: str) -> IO[bytes]:
        info = self._info(name)
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise self.refused(f"{name} is encrypted", "pack it again without a password")
        return self._zip.open(info)

    def close(self) -> None:
        """Gives back what is open."""
        self._zip.close()


def open_container(path: Path) -> Container:
    """The folder or archive at a place on the disk."""
    return Folder(path) if path.is_dir() else Archive(path)


def checked_name(name: str, label: str) -> str:
    """A name in an archive with slashes only, if it stays inside.

    >>> checked_name("resources/a.fmu", "x.ssp")
    'resources/a.fmu'
    """
    name = name.replace("\\", "/")
    if not name or name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/") or "\0" in name:
        message = f"the name {name!r} would lead out of the archive"
        raise refusal(ARCHIVE, message, label, hint="do not trust this file")
    return name


def extract(
    container: Container, wanted: Callable[[str], bool] | Iterable[str], directory: Path
) -> list[Path]:
    """Copies files into a directory and says where they are; nothing outside of it is ever touched."""
    names = [name for name in container.names() if wanted(name)] if callable(wanted) else list(wanted)
    base = directory.resolve()
    targets = []
    for name in names:
        target = (base / checked_name(name, container.label)).resolve()
        if not target.is_relative_to(base):
            raise InputError(f"{container.label}: {name!r} would be written outside of {directory}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with container.open(name) as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink, 2**20)
        except _UNREADABLE as problem:
            raise container.unreadable(name, problem) from None
        targets.append(target)
    return targets
