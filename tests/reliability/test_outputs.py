"""An output that can't have its name, or has no room: one sentence, the old output stays, and nothing is left."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.errors import InputError
from bridge.spark import Target, output_folder, place_of, write_texts
from bridge.spark.output import check_target


def made(run, text):
    folder = Path(run.place.path)
    folder.mkdir()
    (folder / "rows").write_text(text)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_both(target):
    """Write an output while another run writes it, too, and is faster."""
    with output_folder(None, target) as late:
        made(late, "late")
        with output_folder(None, target) as early:
            made(early, "early")


def test_of_two_runs_into_one_output_the_second_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"rows already exists; name a new folder"):
        write_both(Target(str(tmp_path / "rows")))
    assert names(tmp_path) == ["rows"]
    assert (tmp_path / "rows" / "rows").read_text() == "early"


def test_of_two_runs_that_replace_an_output_each_leaves_it_whole(tmp_path):
    write_both(Target(str(tmp_path / "rows"), overwrite=True))
    assert names(tmp_path) == ["rows"]
    assert (tmp_path / "rows" / "rows").read_text() == "late"


def test_an_output_that_appears_in_the_last_moment_stays(tmp_path, monkeypatch):
    rename = Path.rename

    def late(path, other):
        if path.name == "result":
            (tmp_path / "rows").mkdir()
            (tmp_path / "rows" / "other").touch()
        return rename(path, other)

    monkeypatch.setattr(Path, "rename", late)
    with pytest.raises(InputError, match=r"rows: another run has written it meanwhile"):
        write_texts(None, Target(str(tmp_path / "rows"), overwrite=True), {"a": "mine"})
    assert names(tmp_path) == ["rows"]
    assert names(tmp_path / "rows") == ["other"]


def test_a_folder_that_takes_no_files_is_refused_before_anything_runs(tmp_path, monkeypatch):
    target = Target(str(tmp_path / "rows"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(InputError, match=r"rows: its folder takes no files \(permission denied\); name another folder"):
        check_target(target, place_of(target.path))
    monkeypatch.undo()
    with pytest.raises(InputError, match=r"/proc/rows: its folder takes no files \(.+\); name another folder"):
        write_texts(None, Target("/proc/rows"), {"a": "b"})


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, 1 << 12))
from bridge.errors import sentence_of
from bridge.spark import Target, write_texts
try:
    write_texts(None, Target(sys.argv[1]), {"a": "x" * 10_000})
except OSError as error:
    sys.exit(sentence_of(error))
"""


def test_a_full_output_leaves_nothing(tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "rows")], capture_output=True, text=True, check=False
    )
    assert (found.returncode, names(tmp_path)) == (1, [])
    assert "File too large" in found.stderr.strip().splitlines()[-1]


@pytest.mark.long
@pytest.mark.java
def test_a_full_disk_is_told(tmp_path):
    """Needs the right to mount."""
    from tests.reliability.faults import Command  # noqa: PLC0415 (of this test)

    command = Command(tmp_path, rows=4)
    disk = tmp_path / "out"
    subprocess.run([shutil.which("mount") or "mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], check=True)
    try:
        with command.running() as process:
            code, stderr, left = command.ended(process)
    finally:
        subprocess.run([shutil.which("umount") or "umount", disk], check=True)
    assert (code, left) == (3, [])
    (line,) = stderr.strip().splitlines()
    assert "a disk is full (no space left on device)" in line
