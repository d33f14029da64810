"""Archives that could do harm are refused, quickly and with a reason."""

import io
import stat
import struct
import time
import zipfile
from pathlib import Path

import pytest

from sspsim.errors import InputError
from sspsim.formats.container import Archive, Container, Folder, Memory, extract
from sspsim.structure import Severity

from .examples import archive


def opened(data: bytes) -> Archive:
    return Archive(io.BytesIO(data), "x.ssp")


def link(target: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        info = zipfile.ZipInfo("resources/link")
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, target)
    return buffer.getvalue()


def bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file, file.open("a", "w") as entry:
        for _ in range(128):
            entry.write(bytes(2**20))
    return buffer.getvalue()


def overlapping() -> bytes:
    """Many names in the directory for the same packed bytes."""
    data = archive({"a": bytes(range(256)) * 64})
    end = data.rindex(b"PK\5\6")
    start = data.index(b"PK\1\2")
    entry = data[start:end]
    entries = b"".join(
        entry.replace(b"a", bytes([97 + i]), 1) if entry[-1:] == b"a" else entry for i in range(20)
    )
    counted = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 20, 20, len(entries), start, 0)
    return data[:start] + entries + counted


BAD = {
    "parent": (archive({"../evil": b"x"}), "lead out"),
    "hidden parent": (archive({"resources/../../evil": b"x"}), "lead out"),
    "backslashes": (archive({"..\\evil": b"x"}), "lead out"),
    "absolute": (archive({"/tmp/evil": b"x"}), "lead out"),
    "drive": (archive({"C:/evil": b"x"}), "lead out"),
    "link": (link("/etc/passwd"), "symbolic link"),
    "bomb": (bomb(), "zip bomb"),
    "overlap": (overlapping(), "zip bomb"),
    "truncated": (archive({"a": b"x" * 1000})[:-30], "not a readable zip archive"),
    "no zip": (b"hello", "not a readable zip archive"),
    "empty": (b"", "not a readable zip archive"),
}


@pytest.mark.parametrize("name", BAD)
def test_harmful_archives_are_refused(name: str, tmp_path: Path) -> None:
    data, reason = BAD[name]
    start = time.perf_counter()
    with pytest.raises(InputError, match=reason), opened(data) as container:
        extract(container, lambda _: True, tmp_path / "out")
    assert time.perf_counter() - start < 1
    assert list(tmp_path.iterdir()) == []


def test_too_many_entries() -> None:
    with pytest.raises(InputError, match="too many"):
        opened(archive({f"{i}": b"" for i in range(100_001)}))


def damaged(data: bytes) -> bytes:
    """The packed bytes are replaced by others."""
    start = data.index(b"PK\1\2")
    return data[: start - 10] + b"\xff" * 10 + data[start:]


def encrypted() -> bytes:
    data = bytearray(archive({"a": b"secret"}))
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (damaged(archive({"a": b"0123456789" * 10})), "cannot be read"),
        (encrypted(), "is encrypted"),
        (archive({"b": b""}), "there is no file 'a'"),
    ],
)
def test_unreadable_entries(data: bytes, reason: str, tmp_path: Path) -> None:
    with opened(data) as container:
        with pytest.raises(InputError, match=reason):
            container.read("a")
        with pytest.raises(InputError, match=reason):
            extract(container, ["a"], tmp_path)


def test_lying_sizes_do_not_fill_the_memory() -> None:
    """An entry that claims to be small and is not."""
    data = bytearray(archive({"a": bytes(10**6)}))
    position = data.index(b"PK\1\2") + 24
    data[position : position + 4] = struct.pack("<L", 10)
    with opened(bytes(data)) as container, pytest.raises(InputError, match="cannot be read"):
        container.read("a")


def test_oddities_are_reported_and_read() -> None:
    data = archive({"./a": b"1", "resources/ä": b"2"}, zipfile.ZIP_BZIP2)
    with opened(data) as container:
        found = " ".join(finding.message for finding in container.diagnostics)
        assert {finding.severity for finding in container.diagnostics} == {Severity.WARNING}
        assert "'./a' is neither stored nor deflated" in found
        assert "'./a' has a part '.' in its name" in found
        assert container.read("a") == b"1"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            file.writestr("a", "2")
    with opened(buffer.getvalue()) as container:
        assert container.read("a") == b"2"
        assert "occurs twice" in container.diagnostics[0].message


def test_folders_are_no_files() -> None:
    with opened(archive({"./": b"", "binaries/": b"", "resources\\": b"", "./a": b"1"})) as container:
        assert container.names() == ["a"]


def test_backslashes_become_slashes() -> None:
    with opened(archive({"resources\\a.fmu": b"x"})) as container:
        assert container.names() == ["resources/a.fmu"]
        assert container.read("resources/a.fmu") == b"x"


@pytest.fixture(params=["folder", "archive", "memory"])
def container(request: pytest.FixtureRequest, tmp_path: Path) -> Container:
    files = {"a.txt": b"1", "sub/b.txt": b"22", "sub/c.zip": archive({"d": b"333"})}
    if request.param == "folder":
        for name, data in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(data)
        return Folder(tmp_path)
    return Memory(files) if request.param == "memory" else opened(archive(files))


def test_all_containers_behave_alike(container: Container, tmp_path: Path) -> None:
    with container:
        assert sorted(container.names()) == ["a.txt", "sub/b.txt", "sub/c.zip"]
        assert "a.txt" in container
        assert "sub" not in container
        assert "b.txt" not in container
        assert container.read("sub/b.txt") == b"22"
        assert container.size("sub/b.txt") == 2
        with container.open("a.txt") as file:
            assert file.read() == b"1"
        with container.child("sub/c.zip") as child:
            assert child.read("d") == b"333"
        for attempt in (container.read, container.size, container.child):
            with pytest.raises(InputError, match="no file 'x'"):
                attempt("x")
        with pytest.raises(InputError, match="more than the 1"):
            container.read("sub/b.txt", limit=1)
        with pytest.raises(InputError, match="not a readable zip"):
            container.child("a.txt")
        targets = extract(container, lambda name: name.endswith(".txt"), tmp_path / "out")
    assert sorted(target.relative_to((tmp_path / "out").resolve()).as_posix() for target in targets) == [
        "a.txt",
        "sub/b.txt",
    ]


def test_extract_does_not_follow_links_that_are_there(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "resources").symlink_to(outside)
    with pytest.raises(InputError, match="outside"):
        extract(Memory({"resources/x": b"1"}), ["resources/x"], tmp_path / "in")
    assert list(outside.iterdir()) == []


def test_files_in_memory_can_be_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12")
    container = Memory({"x": tmp_path / "a", "gone": tmp_path / "b"})
    assert container.read("x") == b"12"
    with pytest.raises(InputError, match="gone cannot be read"):
        container.read("gone")
    with pytest.raises(InputError, match="lead out"):
        Memory({"../x": b""})
