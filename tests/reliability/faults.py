"""Faults of a command: a process of its own, which a signal ends or whose Java is killed while it merges and writes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).parents[2]
_SECONDS = 300
_SLOW = """
import time
from pathlib import Path
from payloads import OverwriteWithLatestAvroPayload

class Slow(OverwriteWithLatestAvroPayload):
    def combine_and_get_update_value(self, current, schema, props=None):
        Path({started!r}).touch()
        time.sleep(0.5)
        return super().combine_and_get_update_value(current, schema, props)
"""


class Ended(NamedTuple):
    """How a command ended: its exit code, what it said, and the names beside its output."""

    code: int
    stderr: str
    left: list[str]


class Command:
    """A `merge upsert` of slow rows with `--out`, in a folder of its own."""

    def __init__(self, folder: Path, *, rows: int = 40, more: Sequence[str] = ()) -> None:
        """Write the input; nothing runs before `running`. `more` are other words of the command."""
        self.folder, self.started = folder, folder / "started"
        (folder / "slow_payload.py").write_text(_SLOW.format(started=str(self.started)))
        (folder / "out").mkdir()
        for name in ("stored", "incoming"):
            pq.write_table(pa.table({"id": [str(one) for one in range(rows)]}), folder / f"{name}.parquet")
        self._words = ["merge", "upsert", "--payload", "slow_payload:Slow", "--key", "id", "--quiet"]
        self._words += [f"--{one}={folder}/{one}.parquet" for one in ("stored", "incoming")]
        self._words += ["--out", f"{folder}/out/rows", "--call-timeout", "0", *more]

    @contextlib.contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        """Run it; what is still there at the end is killed."""
        program = "import sys; from bridge.cli import main; main(sys.argv[1:])"
        process = subprocess.Popen(
            [sys.executable, "-c", program, *self._words],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_hears_signals,  # noqa: PLW1509 (no threads run here that hold locks)
        )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()

    def ended(self, process: subprocess.Popen[str]) -> Ended:
        """Wait for its end, and for that of all that it has started."""
        _, stderr = process.communicate(timeout=_SECONDS)
        wait(lambda: not members(process.pid))
        return Ended(process.returncode, stderr, sorted(path.name for path in (self.folder / "out").iterdir()))


def _hears_signals() -> None:
    """Undo what `nohup` and jobs in the background leave: signals that are ignored."""
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_DFL)


def wait(holds: Callable[[], bool], seconds: float = _SECONDS) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def members(group: int) -> dict[int, str]:
    """Return the processes of a session, with their commands: those that a command has started stay in its session."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == group and fields[0] != "Z":
                found[int(path.name)] = (path / "cmdline").read_text().replace("\0", " ")
    return found
