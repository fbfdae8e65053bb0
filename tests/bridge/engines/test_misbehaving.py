"""Python classes that misbehave in the worker of the python engine: each is named, and its key may be quarantined."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from bridge import MergePlan
from bridge.engines.job import Job
from bridge.engines.python.isolated import first_crash
from bridge.engines.python.worker import merged
from bridge.errors import MergeFailedError
from bridge.programs import Origin
from payloads import parse_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": name, "type": ["null", kind], "default": None}
            for name, kind in (("id", "string"), ("ts", "long"), ("v", "string"))
        ],
    }
)
ENDS = ", which ends the process; raise an Exception instead"
SECONDS = 0.5
"""What a call may take, so that a loop ends."""
DOES = {
    "sys.exit": f"raised SystemExit(3){ENDS}",
    "GeneratorExit": f"raised GeneratorExit(){ENDS}",
    "KeyboardInterrupt": f"raised KeyboardInterrupt(){ENDS}",
    "os._exit": f"called os._exit(4){ENDS}",
    "surrogate": "raised ValueError: half \\ud800 of a pair; fix the class, or change this record: {'id': 'a', ",
    "long-message": f"raised ValueError: {'0123456789' * 100}...; fix the class",
    "unreadable": "raised _UnreadableError: its text can't be read: ValueError; fix",
    "loop": f"has not ended after {SECONDS} s; end its loop or what it waits for, or allow more time (--call-timeout)",
    "sleep": f"has not ended after {SECONDS} s; end",
    "other-key": "it returned a record of another key, id='b'; return one of the same key, or none to delete the row",
    "no-text": "raised ValueError; fix the class",
    "half-a-pair": r"field 'v': 'a\ud800' has half of a surrogate pair, which is not a character",
    "empty-record": "it returned a record of another key, id=None; return one of the same key",
}
OF_MERGERS = ("sys.exit", "os._exit", "KeyboardInterrupt", "loop", "other-key")


def plan_of(kind: str, on_error: Any) -> MergePlan:
    name, is_payload = f"tests.jvm.misbehaving:{kind}", kind == "Payload"
    settings: dict[str, Any] = {"payload" if is_payload else "merger": name, "on_error": on_error}
    settings["release"] = "0.15" if is_payload else "1.2"
    return MergePlan(**settings, key="id", ordering="ts", call_timeout=SECONDS)


def batch_of(*rows: tuple[str, int, str]) -> pa.RecordBatch:
    """Return rows of keys, each stored but where its key came before."""
    ids, ts, v = zip(*rows, strict=True)
    origins = [Origin.INCOMING if name in ids[:at] else Origin.STORED for at, name in enumerate(ids)]
    columns: list[Sequence[Any]] = [ids, ts, v]
    arrays = [*map(pa.array, columns), pa.array(origins, pa.int8())]
    return pa.RecordBatch.from_arrays(arrays, ["id", "ts", "v", "_pb_origin"])


def run(plan: MergePlan, how: str) -> list[dict[str, Any]]:
    rows = [("a", 1, "old"), ("a", 2, how), ("b", 1, "old"), ("b", 2, "new"), ("c", 1, "old")]
    job = Job(plan, SCHEMA, ("id", "ts", "v"), "upsert")
    return [row for found in merged(job, [batch_of(*rows)]) for row in found.to_pylist()]


@pytest.mark.parametrize(
    ("kind", "how"),
    [("Payload", how) for how in DOES] + [(kind, how) for kind in ("Merger", "SparkMerger") for how in OF_MERGERS],
)
def test_a_class_is_named_with_merge_point_and_key(kind: str, how: str) -> None:
    with pytest.raises(MergeFailedError) as failure:
        run(plan_of(kind, "fail"), how)
    said = str(failure.value)
    assert said.startswith(f"tests.jvm.misbehaving:{kind} failed at upsert (key id='a'): ")
    assert DOES[how] in said
    assert "\n" not in said


@pytest.mark.parametrize("how", [how for how in DOES if how != "sleep"])
def test_its_key_is_quarantined(how: str) -> None:
    found = run(plan_of("Payload", "quarantine"), how)
    aside = [(row["id"], row["_pb_quarantine"]) for row in found if row["_pb_quarantine"]]
    assert [(key, told["merge_point"]) for key, told in aside] == [("a", "upsert")] * 2
    assert all(DOES[how] in told["reason"] for _, told in aside)
    others = sorted((row["id"], row["v"]) for row in found if not row["_pb_quarantine"])
    assert others == [("b", "new"), ("c", "old")]


@pytest.mark.parametrize("how", [how for how in OF_MERGERS if how != "other-key"])
@pytest.mark.parametrize("kind", ["Merger", "SparkMerger"])
def test_the_key_of_a_merger_is_quarantined(kind: str, how: str) -> None:
    found = run(plan_of(kind, "quarantine"), how)
    assert {row["id"] for row in found if row["_pb_quarantine"]} == {"a"}
    assert sorted((row["id"], row["v"]) for row in found if not row["_pb_quarantine"]) == [("b", "new"), ("c", "old")]


@pytest.mark.parametrize("at", [0, 61, 99])
def test_the_first_key_whose_merge_ends_the_process_is_found(at: int) -> None:
    rows = [(f"{key:03}", ts, "killed" if (key, ts) == (at, 2) else "new") for key in range(100) for ts in (1, 2)]
    job = Job(plan_of("Payload", "fail"), SCHEMA, ("id", "ts", "v"), "upsert")
    crash = first_crash(job, batch_of(*rows))
    assert crash is not None
    assert (crash.first, crash.end) == (2 * at, 2 * at + 2)
    assert "killed by SIGKILL" in crash.reason
    assert first_crash(job, batch_of(*rows[: 2 * at], *rows[2 * at + 2 :])) is None
    if at:
        rows[1] = ("000", 2, "sys.exit")  # which quarantines its key, and the others are merged
        aside = dataclasses.replace(job, plan=plan_of("Payload", "quarantine"))
        assert first_crash(aside, batch_of(*rows)) == crash


def test_a_call_may_take_any_time_where_that_is_asked_for() -> None:
    plan = dataclasses.replace(plan_of("Payload", "fail"), call_timeout=0)
    assert run(plan, "new")
    with pytest.raises(ValueError, match="call_timeout is a number of seconds"):
        dataclasses.replace(plan, call_timeout=-1)
