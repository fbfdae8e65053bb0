"""Timestamps whose files and schema name different units, as each release shows them (recorded from real Hudi)."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from bridge.hudi import (
    Differing,
    HudiTableError,
    ReaderQuery,
    SliceReader,
    SliceReaders,
    SliceSymptoms,
    TableQueries,
)
from tests.conformance.tables import rows_of
from tests.support import DATA
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}
COUNT = 1720631224939
"""Milliseconds in July 2024; as microseconds they are in January 1970."""
FAR = 253_402_300_800_000_000  # microseconds to the year 10,000
# The year of the rows of base file alone, of both, and of the log alone.
RECORDED = {
    ("us", None): {"0.15": (1970, 2024, 2024), "1.0": (1970, 1970, 1970), "1.1": (2024,) * 3, "1.2": (2024,) * 3},
    ("us", "micros"): {"0.15": (1970, 2024, 2024), "1.0": (1970, 1970, 1970), "1.1": (2024,) * 3, "1.2": (2024,) * 3},
    ("ms", None): {"0.15": (2024, 2024, 2024), "1.0": (2024, 1970, 1970), "1.1": (2024,) * 3, "1.2": (2024,) * 3},
}


GRID = json.loads((DATA / "timestamp-units.json").read_text())
"""By table and release what real Hudi shows: a time, a number, or `far` where one is beyond the year 9999.

Null where it fails. The names say the types of base file, log and table: `us`, `ms`, `lus` and `lms` for local ones.
"""
KINDS = {
    "ms": (MILLIS, pa.timestamp("ms", "UTC")),
    "us": (MICROS, pa.timestamp("us", "UTC")),
    "lms": ({"type": "long", "logicalType": "local-timestamp-millis"}, pa.timestamp("ms")),
    "lus": ({"type": "long", "logicalType": "local-timestamp-micros"}, pa.timestamp("us")),
    "long": ("long", pa.int64()),
}
STRICTER = {("blong_llong_tlms", "0.15.0")}
"""Refused here: the schema alone is looked at."""


@pytest.mark.parametrize(("name", "release"), [(name, release) for name in GRID for release in GRID[name]])
def test_every_pair_of_labels(tmp_path: Path, name: str, release: str) -> None:
    base, log, kind = (part[1:] for part in name.split("_"))
    made = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long", "tt": KINDS[kind][0]})
    counts = [COUNT * 1000 if unit in {"us", "lus"} else COUNT for unit in (base, log)]
    times = pa.array([counts[0], counts[0] + 1000]).view(KINDS[base][1])
    made.base("f", pa.table({"id": ["k0", "k1"], "part": ["p", "p"], "ts": [1, 1], "tt": times}))
    rows = [{"id": key, "part": "p", "ts": 2, "tt": counts[1] + more} for key, more in (("k1", 2000), ("k2", 3000))]
    made.log("f", "p", rows, 1, types={"tt": KINDS[log][0]})
    made.commit()
    made.commit(1)
    recorded = GRID[name][release]
    opened = TableQueries(str(tmp_path / "t"), release)
    if recorded is None or (name, release) in STRICTER:
        with pytest.raises(HudiTableError, match=r"local timestamps?\b"):  # Spark 3.3 has no type for them
            opened.snapshot()
        return
    answer = opened.snapshot()
    batches = [batch for one in answer.slices for batch in SliceReader(answer.query).read(one)]
    found = {row["id"]: row["tt"] for batch in batches for row in _without_python(batch).to_pylist()}
    if recorded == "far":
        assert any(abs(value) > FAR for value in found.values())
    elif all(isinstance(value, int) for value in recorded.values()):
        assert found == recorded
    else:
        assert found == {key: _micros(text) for key, text in recorded.items()}


def _without_python(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return keys and counts: Python has no time beyond the year 9999."""
    return pa.RecordBatch.from_arrays([batch.column("id"), batch.column("tt").view(pa.int64())], names=["id", "tt"])


def _micros(text: str) -> int:
    moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc)
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


def table_of(folder: Path, base: str, log: str | None, kind: Any = MILLIS) -> str:
    """A table of milliseconds whose base file, and log, may be labelled otherwise; all hold the same counts."""
    made = MadeTable(folder, {"id": "string", "part": "string", "ts": "long", "tt": kind})
    times = pa.array([COUNT, COUNT + 1000]).view(pa.timestamp(base, "UTC"))
    made.base("f", pa.table({"id": ["k0", "k1"], "part": ["p", "p"], "ts": [1, 1], "tt": times}))
    rows = [{"id": key, "part": "p", "ts": 2, "tt": COUNT + 2000} for key in ("k1", "k2")]
    made.log("f", "p", rows, 1, types={"tt": MICROS} if log else None)
    made.commit()
    made.commit(1)
    return str(folder)


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
@pytest.mark.parametrize(("base", "log"), RECORDED)
def test_each_release_has_its_units(tmp_path: Path, base: str, log: str | None, release: str) -> None:
    rows = rows_of(TableQueries(table_of(tmp_path / "t", base, log), release).snapshot())
    found = {row["id"]: row["tt"] for row in rows}
    assert tuple(int(found[key][:4]) for key in ("k0", "k1", "k2")) == RECORDED[base, log][release]
    assert all(text.partition(".")[2].startswith("939" if text.startswith("2024") else "22") for text in found.values())


@pytest.mark.parametrize(("base", "log"), RECORDED)
def test_readers_that_differ_in_units_are_told_apart(tmp_path: Path, base: str, log: str | None) -> None:
    opened = TableQueries(table_of(tmp_path / "t", base, log), "0.15")
    releases = ("0.15", "1.0", "1.1", "1.2")
    answers = [opened.read_by(release).snapshot() for release in releases]
    readers = SliceReaders([ReaderQuery(answer.query) for answer in answers])
    (found,) = answers[0].slices
    told: dict[str, set[str]] = {release: set() for release in releases[1:]}
    for part in readers.compare(found):
        if isinstance(part, Differing):
            told[releases[part.reader]].update(part.keys)
    recorded = RECORDED[base, log]
    for release, keys in told.items():
        pairs = zip(("k0", "k1", "k2"), recorded["0.15"], recorded[release], strict=True)
        assert keys == {key for key, left, right in pairs if left != right}


def test_nested_timestamps_of_a_log_have_its_units(tmp_path: Path) -> None:
    kind = {"type": "array", "items": ["null", MILLIS]}
    made = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long", "tts": kind})
    times = pa.array([[COUNT]], pa.list_(pa.int64())).cast(pa.list_(pa.timestamp("ms", "UTC")))
    made.base("f", pa.table({"id": ["k0"], "part": ["p"], "ts": [1], "tts": times}))
    made.log("f", "p", [{"id": "k1", "part": "p", "ts": 2, "tts": [COUNT, None]}], 1)
    made.commit()
    made.commit(1)
    years = {}
    for release in ("0.15", "1.0", "1.2"):
        rows = rows_of(TableQueries(str(tmp_path / "t"), release).snapshot())
        years[release] = {row["id"]: int(row["tts"][0][:4]) for row in rows}
    assert years == {
        "0.15": {"k0": 2024, "k1": 2024},
        "1.0": {"k0": 2024, "k1": 1970},
        "1.2": {"k0": 2024, "k1": 2024},
    }


@pytest.mark.parametrize("named", [MILLIS, KINDS["lms"][0]])
@pytest.mark.parametrize("wrap", ["plain", "struct", "array", "map"])
def test_files_that_label_millis_as_micros_are_counted(tmp_path: Path, named: Any, wrap: str) -> None:
    micros = {**named, "logicalType": named["logicalType"].replace("millis", "micros")}
    arrow = pa.timestamp("us", None if "local" in named["logicalType"] else "UTC")
    kinds: dict[str, Any] = {
        "plain": (lambda unit: unit, arrow, COUNT),
        "struct": (
            lambda unit: {"type": "record", "name": "s", "fields": [{"name": "x", "type": unit}]},
            pa.struct([("x", arrow)]),
            {"x": COUNT},
        ),
        "array": (lambda unit: {"type": "array", "items": unit}, pa.list_(arrow), [COUNT]),
        "map": (lambda unit: {"type": "map", "values": unit}, pa.map_(pa.string(), arrow), {"a": COUNT}),
    }
    of, kind, value = kinds[wrap]
    made = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long", "tt": of(named)})
    stored = list(value.items()) if wrap == "map" else value
    for group in "fg":
        rows = {"id": [f"{group}0", f"{group}1"], "part": ["p", "p"], "ts": [1, 1], "tt": pa.array([stored] * 2, kind)}
        made.base(group, pa.table(rows))
    for group, label in (("f", micros), ("g", named)):
        row = {"id": f"{group}1", "part": "p", "ts": 2, "tt": value}
        made.log(group, "p", [row], 1, types={"tt": of(label)})
    made.commit()
    made.commit(1)
    found = [(one.about, one.number) for one in _symptoms(tmp_path / "t") if one.kind == "millis-as-micros"]
    assert found == [("tt", 1)] * 3  # two base files, and one of two logs


def test_files_in_the_units_of_their_table_are_not(tmp_path: Path) -> None:
    made = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long", "tt": MILLIS, "tu": MICROS})
    rows = {"id": ["k"], "part": ["p"], "ts": [1]}
    for name, unit in (("tt", "ms"), ("tu", "us")):
        rows[name] = pa.array([COUNT]).view(pa.timestamp(unit, "UTC"))
    made.base("f", pa.table(rows))
    made.commit()
    assert [one for one in _symptoms(tmp_path / "t") if one.kind == "millis-as-micros"] == []


def _symptoms(path: Path) -> list[Any]:
    opened = TableQueries(str(path), "1.2")
    answer = opened.snapshot()
    scan = SliceSymptoms({"1.2": answer.query}, (), ())
    return [one for each in answer.slices for one in scan.of(each)]
