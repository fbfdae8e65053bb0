"""The readers: real Hudi of a release, and this project's commands; each in a process that ends if it does not answer.

`python -m tests.live.damage.readers RELEASE|functions|commands DESCRIPTOR` reads a table and a release a line, and
writes an answer a line.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from bridge import find_damage
from bridge.cli import main
from bridge.cli.verb import FAILED
from bridge.hudi import SliceReader, SliceSymptoms, TableQueries
from bridge.migration.damage import UNREAD
from bridge.migration.damage_search import _settings
from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from payloads import PayloadBridgeError
from tests.conformance.record_table import reason, session
from tests.conformance.tables import json_rows

if TYPE_CHECKING:
    from typing_extensions import Self

Answer = dict[str, Any]
"""`rows`, or `refused`: why not; of commands also `warnings`, `code` and `output`."""
Ask = Callable[[Path, str], Answer]
HANGS = "no answer in time"
_INTERNALS = re.compile(
    r"org\.apache\.(?!hudi\.common\.model)|java\.|scala\.|pyarrow|Py4J|Traceback|please report it|codec can't|NoneType|"
    r"object has no|not subscriptable|unhashable|(Key|Index|Type|Value)Error"
)


class Reader:
    """A process that answers one question after another."""

    def __init__(self, name: str, seconds: float) -> None:
        """Name a bundle's release, `functions` or `commands`; nothing runs before the first question."""
        self._name, self._seconds = name, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ask(self, table: Path, release: str) -> Answer:
        """Return the answer of a release for a table; `refused` is `HANGS` where none comes in time."""
        if self._process is None:
            self._start()
            self._line(300)  # that it is ready
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError
        process.stdin.write(f"{json.dumps([str(table), release])}\n".encode())
        process.stdin.flush()
        line = self._line(self._seconds)
        if line:
            found: Answer = json.loads(line)
            return found
        ended = process.poll()
        self._end()
        return {"refused": HANGS if ended is None else f"the process ended with {ended}"}

    def _start(self) -> None:
        self._answers, inner = os.pipe()
        command = [sys.executable, "-m", "tests.live.damage.readers", self._name, str(inner)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[inner],
            start_new_session=True,
        )
        os.close(inner)

    def _line(self, seconds: float) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self._answers], [], [], seconds)[0]:
                return b""
            data = os.read(self._answers, 1 << 20)
            if not data:
                return b""
            line += data
        return line

    def _end(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            os.close(self._answers)
            self._process = None


def plain_rows(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """Return rows as JSON has them; days and times as numbers, bytes that are no text replaced: Python lacks them."""
    return list(json_rows(pa.RecordBatch.from_arrays([*map(_plain, batch.columns)], batch.schema.names)))


def _plain(column: pa.Array[Any]) -> pa.Array[Any]:
    if pa.types.is_date32(column.type):
        return column.cast(pa.int32())
    if pa.types.is_timestamp(column.type):
        return column.cast(pa.timestamp("us")).cast(pa.int64())
    if pa.types.is_string(column.type):
        texts = column.cast(pa.binary()).to_pylist()
        return pa.array([text if text is None else text.decode(errors="replace") for text in texts], pa.string())
    return column


def real_hudi(bundle: str) -> Ask:
    """Return what asks the bundle of a release, in a session of this process."""
    spark = session(bundle, {**INTERPRETED, "spark.driver.extraJavaOptions": JAVA_OPTIONS})

    def ask(table: Path, _: str) -> Answer:
        try:
            batches = spark.read.format("hudi").load(str(table))._collect_as_arrow()
            return {"rows": [row for batch in batches for row in plain_rows(batch)]}
        except Exception as error:  # noqa: BLE001 (whatever Hudi says)
            return {"refused": reason(error, table) or f"{type(error).__name__}: {error}"[:300]}

    return ask


def functions(table: Path, release: str) -> Answer:
    """Return what the classes behind `HudiTable` and `find_damage` make of a table, without a session."""

    def snapshot() -> Answer:
        opened = TableQueries(str(table), release)
        altered = [str(one) for one in opened.listings.altered_files()]
        answer = opened.snapshot()
        reader = SliceReader(answer.query)
        batches = (batch for found in answer.slices for batch in reader.read(found))
        return {"rows": [row for batch in batches for row in plain_rows(batch)], "warnings": altered}

    def inspect() -> Answer:
        found = find_damage(str(table))
        opened = TableQueries(str(table)).read_by(found.reader)
        rest: list[str] = []
        try:
            answer = opened.snapshot()
            settings, apart = _settings(opened, answer)
            scan = SliceSymptoms(*settings, with_cases=True)
            rest = [f"{one.kind}: Hudi {one.about}" for one in apart]
            rest += [f"{each.kind}: {each.file}" for one in answer.slices for each in scan.of(one)]
        except PayloadBridgeError as error:  # which is why no rows are read, in `find_damage` on Spark
            rest.append(f"{UNREAD}: {error}")
        return {"warnings": [*(f"{one.kind}: {one.number} {one.file}" for one in found.damage), *rest]}

    return _tried(snapshot, table) | {"inspect": _tried(inspect, table)}


def _tried(ask: Callable[[], Answer], table: Path) -> Answer:
    try:
        return ask()
    except PayloadBridgeError as error:
        return _refused(str(error), table)
    except Exception as error:  # noqa: BLE001 (a defect, which is counted)
        return {"refused": "".join(traceback.format_exception(error)[-4:]), "is_sentence": False}


def commands(table: Path, release: str) -> Answer:
    """Return what `snapshot` and `inspect` make of a table, in the session of this process."""
    out = table.parent / "rows"
    answer = _command(["snapshot", str(table), "--release", release, "--out", str(out)], table)
    if answer["code"] == 0:
        found = (pq.read_table(one, partitioning=None) for one in sorted(out.glob("*.parquet")))
        answer["rows"] = [row for each in found for batch in each.to_batches() for row in plain_rows(batch)]
    shutil.rmtree(out, ignore_errors=True)
    return answer | {"inspect": _command(["inspect", str(table), "--release", release], table)}


def _command(words: list[str], table: Path) -> Answer:
    result = CliRunner().invoke(main, [*words, "--output", "json", "--quiet"])
    lines = [line for line in result.stderr.splitlines() if line.startswith(("error: ", "Error: "))]
    if result.exit_code == 0:
        report = json.loads(result.stdout)
        own = report["warnings"]
        if words[0] == "inspect":  # what an upgrade changes is no damage
            own = [one for one in report["results"][0]["warnings"] if "new batches" not in one["text"]]
        return {"code": 0, "warnings": own}
    answer = _refused("\n".join(lines or result.stderr.splitlines()[-3:]), table)
    answer["is_sentence"] &= result.exit_code == FAILED and len(lines) == 1
    return answer | {"code": result.exit_code}


def _refused(why: str, table: Path) -> Answer:
    told = why.replace(str(table), "TABLE")
    names = "TABLE" in told or " failed at " in told  # the file, or payload, merge point and key
    return {"refused": told, "is_sentence": names and not _INTERNALS.search(told)}


def _serve(name: str, descriptor: int) -> None:
    asks = {"functions": functions, "commands": commands}
    ask = asks[name] if name in asks else real_hudi(name)
    with os.fdopen(descriptor, "wb", buffering=0) as answers:
        answers.write(b"\n")
        for line in sys.stdin:
            path, release = json.loads(line)
            answers.write(json.dumps(ask(Path(path), release), default=str).encode() + b"\n")


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
