"""What real Hudi says of a second write whose options differ from what the table stores.

    python -m tests.live.conflicts RELEASE [FILE [CASE ...]]

Each case is a table of its own, which one write creates and another one, with other options, adds to. The answers
are lines of JSON: the case, the options of both writes, what the table stores, and what the refusal names, null where
the write succeeds. `tests/data/config/conflicts.jsonl.gz` has those of each release; `tests/bridge/config` compares.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from tests.conformance.record_table import session

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pyspark.sql import SparkSession

_SCHEMA: Final = (
    "id string, part string, sub string, ts bigint, seq bigint, name string, _change_operation_type string, "
    "_event_seq string, _event_bin_file string, _event_pos bigint, _event_lsn bigint, _hoodie_is_deleted boolean"
)
_ROW: Final = ("a", "p0", "s0", 1, 1, "one", "c", "000001.5", "mysql-bin.000001", 5, 5, False)
_WRITE: Final = "hoodie.datasource.write."
_WRITER: Final = {
    "hoodie.table.name": "readings",
    f"{_WRITE}recordkey.field": "id",
    f"{_WRITE}partitionpath.field": "part",
    f"{_WRITE}precombine.field": "ts",
    f"{_WRITE}operation": "upsert",
    "hoodie.metadata.enable": "false",
}
_MODEL, _DEBEZIUM = "org.apache.hudi.common.model.", "org.apache.hudi.common.model.debezium."
_KEYGEN: Final = "org.apache.hudi.keygen."
_CLASS, _GENERATOR = f"{_WRITE}payload.class", f"{_WRITE}keygenerator.class"
_VERSION: Final = "hoodie.write.table.version"
_PARTITION, _ORDERING = f"{_WRITE}partitionpath.field", f"{_WRITE}precombine.field"

_SECOND: Final[dict[str, Mapping[str, str | None]]] = {
    "same": {},
    "key": {f"{_WRITE}recordkey.field": "name"},
    "key-more": {f"{_WRITE}recordkey.field": "id,name"},
    "key-case": {f"{_WRITE}recordkey.field": "ID"},
    "key-none": {f"{_WRITE}recordkey.field": None},
    "partition": {_PARTITION: "sub"},
    "partition-more": {_PARTITION: "part,sub"},
    "partition-empty": {_PARTITION: ""},
    "partition-none": {_PARTITION: None},
    "ordering": {_ORDERING: "seq"},
    "ordering-none": {_ORDERING: None},
    "ordering-of-payload": {"hoodie.payload.ordering.field": "seq"},
    "ordering-of-table": {"hoodie.table.precombine.field": "seq"},
    "ordering-fields": {"hoodie.table.ordering.fields": "seq"},
    "generator": {_GENERATOR: f"{_KEYGEN}ComplexKeyGenerator"},
    "generator-named": {_GENERATOR: f"{_KEYGEN}SimpleKeyGenerator"},
    "generator-type": {"hoodie.datasource.write.keygenerator.type": "COMPLEX"},
    "class": {_CLASS: f"{_MODEL}OverwriteWithLatestAvroPayload"},
    "class-of-table": {"hoodie.compaction.payload.class": f"{_MODEL}OverwriteWithLatestAvroPayload"},
    "mode": {"hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING"},
    "mode-of-table": {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"},
    "table-name": {"hoodie.table.name": "other"},
    "table-name-case": {"hoodie.table.name": "READINGS"},
    "table-type": {f"{_WRITE}table.type": "MERGE_ON_READ"},
    "hive-style": {f"{_WRITE}hive_style_partitioning": "true"},
    "url-encoded": {f"{_WRITE}partitionpath.urlencode": "true"},
    "drops-partition": {f"{_WRITE}drop.partition.columns": "true"},
    "no-meta-fields": {"hoodie.populate.meta.fields": "false"},
    "stored-key": {"hoodie.table.recordkey.fields": "name"},
    "stored-partition": {"hoodie.table.partition.fields": "sub"},
}
"""What the second write passes in place of the options of the first one; null leaves an option out."""


def _cases() -> Iterator[tuple[str, dict[str, str], Mapping[str, str | None]]]:
    default = {**_WRITER, _CLASS: f"{_MODEL}DefaultHoodieRecordPayload"}
    for name, second in _SECOND.items():
        yield name, default, second
    on_read = {**default, f"{_WRITE}table.type": "MERGE_ON_READ"}
    for name in ("class", "class-of-table", "mode", "ordering", "table-type"):
        second = {f"{_WRITE}table.type": "COPY_ON_WRITE"} if name == "table-type" else _SECOND[name]
        yield f"{name}-mor", on_read, second
    bare = {**default, _PARTITION: "", _GENERATOR: f"{_KEYGEN}NonpartitionedKeyGenerator"}
    yield "unpartitioned", bare, {}
    yield "unpartitioned-partition", bare, {_PARTITION: "part"}
    yield "unpartitioned-simple", bare, {_PARTITION: "part", _GENERATOR: f"{_KEYGEN}SimpleKeyGenerator"}
    yield "unpartitioned-no-generator", bare, {_GENERATOR: None}
    custom = {**default, _PARTITION: "part:SIMPLE", _GENERATOR: f"{_KEYGEN}CustomKeyGenerator"}
    yield "custom", custom, {}
    yield "custom-bare", custom, {_PARTITION: "part"}
    yield "custom-other", custom, {_PARTITION: "sub:SIMPLE"}
    yield "custom-none", custom, {_PARTITION: None}
    complex_key = {**default, _PARTITION: "part,sub", _GENERATOR: f"{_KEYGEN}ComplexKeyGenerator"}
    yield "complex", complex_key, {}
    yield "complex-simple", complex_key, {_PARTITION: "part", _GENERATOR: f"{_KEYGEN}SimpleKeyGenerator"}
    yield "complex-order", complex_key, {_PARTITION: "sub,part"}
    yield "complex-blanks", complex_key, {_PARTITION: "part, sub"}
    keyed = {**default, f"{_WRITE}recordkey.field": "id,name", _GENERATOR: f"{_KEYGEN}ComplexKeyGenerator"}
    yield "keys-order", keyed, {f"{_WRITE}recordkey.field": "name,id"}
    yield "keys-blanks", keyed, {f"{_WRITE}recordkey.field": "id, name"}
    unordered = {name: text for name, text in default.items() if name != _ORDERING}
    yield "no-ordering", unordered, {}
    yield "no-ordering-ordering", unordered, {_ORDERING: "seq"}
    for kind in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        mysql = {**default, _CLASS: f"{_DEBEZIUM}MySqlDebeziumAvroPayload", f"{_WRITE}table.type": kind}
        suffix = "" if kind == "COPY_ON_WRITE" else "-mor"
        yield f"mysql{suffix}", {**mysql, _ORDERING: "_event_seq"}, {}
        yield f"mysql-columns{suffix}", {**mysql, _ORDERING: "_event_bin_file,_event_pos"}, {}
        postgres = {**mysql, _CLASS: f"{_DEBEZIUM}PostgresDebeziumAvroPayload"}
        yield f"postgres{suffix}", {**postgres, _ORDERING: "_event_lsn"}, {}
        yield f"postgres-ts{suffix}", postgres, {}
        yield f"postgres-none{suffix}", postgres, {_ORDERING: None}


def _of_older_versions() -> Iterator[tuple[str, dict[str, str], Mapping[str, str | None]]]:
    """Tables of older versions, which releases from 1.0 on can be told to create."""
    for version, (name, payload), kind in itertools.product(
        ("6", "8"), (("", "DefaultHoodieRecordPayload"), ("dms-", "AWSDmsAvroPayload")), ("cow", "mor")
    ):
        named = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}[kind]
        given = {**_WRITER, _CLASS: f"{_MODEL}{payload}", f"{_WRITE}table.type": named, _VERSION: version}
        for case in ("class", "class-of-table", "mode", "ordering"):
            yield f"version-{version}-{name}{case}-{kind}", given, _SECOND[case]


def _write(spark: SparkSession, table: Path, options: Mapping[str, str]) -> None:
    frame = spark.createDataFrame([_ROW], _SCHEMA)
    frame.write.format("hudi").options(**options).mode("append").save(str(table))


def _named(error: Exception) -> list[list[str]]:
    """Return the lines of a refusal for conflicts: name, passed, stored; of another one its first line alone."""
    text = str(error)
    found = re.findall(r"^(?:.*Exception: )?([\w.]+):\t([^\t\n]*)\t([^\t\n]*)$", text, re.MULTILINE)
    if found:
        return [list(one) for one in found]
    return [[next((line for line in text.splitlines() if "Exception" in line), text.splitlines()[0])[:300], "", ""]]


def answers(release: str, folder: Path, wanted: Collection[str] = ()) -> Iterator[dict[str, Any]]:
    """Ask the bundle of a release; only the cases whose names begin so, if any are named."""
    spark = session(release)
    cases = [*_cases(), *(_of_older_versions() if release >= "1.0" else ())]
    try:
        for name, first, second in cases:
            if wanted and not name.startswith(tuple(wanted)):
                continue
            table = folder / name
            then = {key: text for key, text in {**first, **second}.items() if text is not None}
            told: dict[str, Any] = {"release": release, "case": name, "first": first, "second": then}
            try:
                _write(spark, table, first)
            except Exception as error:  # noqa: BLE001 (that Hudi fails is an answer, too)
                yield told | {"stored": None, "refused": _named(error)}
                continue
            told["stored"] = _stored(table)
            try:
                _write(spark, table, then)
            except Exception as error:  # noqa: BLE001
                yield told | {"refused": _named(error)}
            else:
                yield told | {"refused": None}
    finally:
        spark.stop()


def _stored(table: Path) -> dict[str, str]:
    lines = (table / ".hoodie" / "hoodie.properties").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if not line.startswith("#"))
    return {key: text.replace("\\:", ":") for key, _, text in pairs if key != "hoodie.table.checksum"}


def main(release: str, file: str = "tests/data/config/conflicts.jsonl.gz", *wanted: str) -> None:
    """Replace the answers of a release in a file, or those of the cases that begin with a name."""
    path = Path(file)
    kept = gzip.decompress(path.read_bytes()).decode().splitlines() if path.exists() else []
    with tempfile.TemporaryDirectory(prefix="conflicts-") as folder:
        told = [*answers(release, Path(folder), wanted)]
    asked = {(release, one["case"]) for one in told}
    kept = [line for line in kept if (json.loads(line)["release"], json.loads(line)["case"]) not in asked]
    found = [json.dumps(one, sort_keys=True) for one in told]
    text = "".join(f"{line}\n" for line in sorted([*kept, *found]))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    click.echo(f"{release}: {len(found)} answers")


if __name__ == "__main__":
    main(*sys.argv[1:])
