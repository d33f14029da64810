"""Checkpoint files: whole at any moment, refused if they are something else."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sspsim.engine.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from sspsim.errors import InputError

EXAMPLE = Checkpoint({"time": 0.1, "rows": 3}, [b"\x00\x01", b""], b"12345678", b"", [b"text\n", b"\xff"])


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "c", EXAMPLE)
    found = read_checkpoint(tmp_path / "c")
    assert (found.head["time"], found.head["rows"]) == (0.1, 3)
    assert (found.states, found.reals, found.integers, found.texts) == (
        EXAMPLE.states,
        EXAMPLE.reals,
        EXAMPLE.integers,
        EXAMPLE.texts,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_a_failure_to_write_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkpoint(tmp_path / "c", EXAMPLE)
    before = (tmp_path / "c").read_bytes()

    def full(*_arguments: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(OSError, match="no space"):
        write_checkpoint(tmp_path / "c", EXAMPLE)
    assert (tmp_path / "c").read_bytes() == before


def test_a_checkpoint_of_another_format_says_what_to_do(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "c", "w") as archive:
        archive.writestr("head.json", '{"format": 1, "time": 0.1}')
    with pytest.raises(InputError, match=r"another version of sspsim; start the run anew"):
        read_checkpoint(tmp_path / "c")


def test_no_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no checkpoint.*--checkpoint-every"):
        read_checkpoint(tmp_path / "c")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(InputError, match="not a checkpoint"):
        read_checkpoint(tmp_path / "c")
