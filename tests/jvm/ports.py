"""The source of the ported payloads by release, and tables that real Hudi wrote with the compiled classes.

`python -m tests.jvm.ports RELEASE JAR OUT [SHAPE ...]` writes those tables and notes in OUT what a snapshot query finds
after each commit.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from payloads import HudiRelease
from payloads.release import releases
from tests.conformance.record_cases import TABLE_TYPES, Batch, Case

DATA: Final = Path(__file__).parents[1] / "data" / "ports"
RELEASES: Final = ("0.15.0", "1.2.0")
"""The releases whose snapshots are kept."""
SHAPES: Final = ("InPlace", "Hooks", "Fields", "Partial", "Counts", "Changes")
DDL: Final = "id string, part string, ts bigint, name string, v string, n bigint, op string, _hoodie_is_deleted boolean"
_ORDERING: Final = {
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.payload.ordering.field": "ts",
    "hoodie.table.ordering.fields": "ts",
}
_OF_1_1: Final = (
    ("before.recordBytes", "before.getRecordBytes()"),
    ("|| recordBytes", "|| getRecordBytes()"),
    ("IndexedRecord incoming, Properties", "Option<IndexedRecord> incoming, Properties"),
    ("return stored == null", "return !incoming.isPresent() || stored == null"),
    ("((GenericRecord) incoming).get", "((GenericRecord) incoming.get()).get"),
)
"""What the source needs to compile for 1.1 and later."""


def source(release: HudiRelease) -> str:
    """Return the source of the payloads for a release."""
    text = (Path(__file__).parent / "java" / "Ported.java").read_text("utf-8")
    for old, new in _OF_1_1 if release in releases(since="1.1") else ():
        assert old in text
        text = text.replace(old, new)
    return text


def batches(shape: str, release: str) -> tuple[Batch, ...]:
    """Return five commits on 16 keys: updates, late rows, ties, nulls, deletes by flag and by column, duplicates.

    From 1.1 on a writer fails where a new key has no insert value, but no flag.
    """
    chance = random.Random(7)  # noqa: S311 (test data)
    keys_of, row_of = _keys, _row
    if shape == "Hooks" and HudiRelease.parse(release) in releases(since="1.1"):
        keys_of, row_of = _keys_stored, _row_stored
    return tuple(
        Batch(tuple(row_of(chance, key, commit) for key in keys_of(chance, commit)), options=_ORDERING)
        for commit in range(5)
    )


def _keys(chance: random.Random, commit: int) -> list[int]:
    return list(range(12)) if commit == 0 else [chance.randrange(16) for _ in range(14)]


def _keys_stored(chance: random.Random, commit: int) -> list[int]:
    """Return the keys of a commit; what it deletes by the column is stored, and there once."""
    deleted = list(_deleted(commit))
    others = [key for key in range(16) if key not in deleted]
    return list(range(16)) if commit == 0 else [*deleted, *(chance.choice(others) for _ in range(10))]


def _deleted(commit: int) -> range:
    return range(4 * commit - 4, 4 * commit)


def _row(chance: random.Random, key: int, _commit: int) -> list[Any]:
    return [
        f"k{key:02}",
        "p",
        chance.randrange(1, 5),
        chance.choice(["a", "b", "c", None]),
        chance.choice(["x", "y", None]),
        chance.choice([1, 2, None]),
        chance.choice(["put", "put", "put", "delete", None]),
        chance.choice([False, False, False, False, None, True]),
    ]


def _row_stored(chance: random.Random, key: int, commit: int) -> list[Any]:
    is_deleted = commit > 0 and key in _deleted(commit)
    return [*_row(chance, key, commit)[:6], "delete" if is_deleted else "put", False]


def cases(release: str) -> list[Case]:
    """Return a table of each shape and type for a release; merge-on-read ones are compacted after the third commit."""
    return [
        Case(
            shape,
            table_type,
            f"com.acme.Ported${shape}",
            "ts",
            {"hoodie.datasource.write.payload.class": f"com.acme.Ported${shape}", **_ORDERING},
            DDL,
            batches(shape, release),
            (3,) if table_type == "mor" else (),
        )
        for shape in SHAPES
        for table_type in TABLE_TYPES
    ]


def record(release: str, jar: str, out: str, *shapes: str) -> None:
    """Write the tables of shapes, by default of all, with real Hudi, and add their snapshots, or why it refused."""
    from tests.conformance.record_table import reason, session, write  # noqa: PLC0415 (it starts Spark)

    spark = session(release, {"spark.jars": jar})
    found: dict[str, list[Any]] = json.loads(Path(out).read_text("utf-8")) if Path(out).exists() else {}
    for case in [case for case in cases(release) if case.name in (shapes or SHAPES)]:
        table = Path(tempfile.mkdtemp()) / "table"
        snapshots = found[case.folder] = []
        for number in range(1, len(case.batches) + 1):
            try:
                snapshots.append([list(row.values()) for row in write(spark, case, table, number)["snapshot"]])
            except Exception as error:  # noqa: BLE001 (whatever Hudi raises)
                snapshots.append(reason(error, table))
                break
        sys.stderr.write(f"{release} {case.folder}: {snapshots[-1] if isinstance(snapshots[-1], str) else 'ok'}\n")
    Path(out).write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    record(*sys.argv[1:])
