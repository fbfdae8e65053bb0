"""A grammar of layouts: from a seed, the settings of a table and the steps that write it; plain data, no Spark."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.live.rows import Rows, Writer
from tests.live.steps import SCHEMA_ON_READ, Steps

if TYPE_CHECKING:
    from tests.live.steps import Step

_MODEL = "org.apache.hudi.common.model."
_SETTINGS = {
    "hoodie.metadata.enable": "false",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.clean.automatic": "false",
    "hoodie.archive.automatic": "false",
    "hoodie.compact.inline": "false",
    "hoodie.embed.timeline.server": "false",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.rollback.using.markers": "false",
    "hoodie.bloom.index.filter.type": "SIMPLE",
    "hoodie.index.bloom.num_entries": "100",
    **{
        f"hoodie.{name}.parallelism": "1"
        for name in (
            *("upsert.shuffle", "insert.shuffle", "bulkinsert.shuffle", "delete.shuffle", "simple.index"),
            *("bloom.index", "finalize.write", "markers.delete", "rollback", "cleaner", "file.listing"),
            *("archive.delete", "global.simple.index"),
        )
    },
}
"""A table of few rows is written fast with these; nothing in it depends on them."""

_TIME = {
    f"hoodie.{prefix}keygen.timebased.{name}": text
    for prefix in ("", "deltastreamer.")
    for name, text in (("timestamp.type", "EPOCHMILLISECONDS"), ("timezone", "UTC"))
}
_KEYGEN = "hoodie.datasource.write.keygenerator.class"
_HIVE = {"hoodie.datasource.write.hive_style_partitioning": "true"}
_ENCODED = {"hoodie.datasource.write.partitionpath.urlencode": "true"}


@dataclass(frozen=True)
class Layout:
    """A table to write.

    Attributes:
        name: says what was drawn, for people.
        table_type: `COPY_ON_WRITE` or `MERGE_ON_READ`.
        columns: Spark types by name.
        options: of every write.
        steps: what is done, in order.
    """

    name: str
    table_type: str
    columns: dict[str, str]
    options: dict[str, str]
    steps: list[Step]


def draw(seed: int, number: int, release: str) -> Layout:
    """Return the layout of an example; the same arguments give the same one."""
    return _Draw(random.Random(f"{seed}/{number}/{release}"), release).layout()  # noqa: S311 (seeded on purpose)


class _Draw:
    def __init__(self, source: random.Random, release: str) -> None:
        self._source = source
        self._has_modes = not release.startswith("0.")
        self._newest = release.startswith(("1.1", "1.2"))
        self._options = dict(_SETTINGS)
        self._labels: list[str] = []
        self._is_mor = source.random() < 0.8
        self._labels.append("mor" if self._is_mor else "cow")

    def layout(self) -> Layout:
        writer = self._merging()
        partition = self._partitioning()
        key = self._keys(partition)
        rows = Rows(self._source, writer, partition, key)
        self._files(has_keys=key != "auto")
        self._alters = self._chance("onread", 0.08)
        if self._alters:
            self._options |= SCHEMA_ON_READ
        columns = rows.columns
        steps = Steps(self._source, rows, self._one, is_mor=self._is_mor, alters=self._alters).drawn()
        options = self._options | {
            "hoodie.datasource.write.table.type": self._type,
            "hoodie.datasource.write.precombine.field": writer.ordering,
        }
        if writer.ordering in columns:
            options |= {"hoodie.payload.ordering.field": writer.ordering, "hoodie.payload.event.time.field": "ts"}
        return Layout("-".join(self._labels), self._type, columns, options, steps)

    @property
    def _type(self) -> str:
        return "MERGE_ON_READ" if self._is_mor else "COPY_ON_WRITE"

    def _one(self, **choices: float) -> str:
        (chosen,) = self._source.choices(list(choices), list(choices.values()))
        if chosen != "plain":
            self._labels.append(chosen)
        return chosen

    def _chance(self, label: str, share: float) -> bool:
        found = self._source.random() < share
        if found:
            self._labels.append(label)
        return found

    # -- settings

    def _merging(self) -> Writer:
        kind = self._one(
            default=4, latest=2, partial=3, nondefaults=1, eventtime=1, postgres=1.5, mysql=1, dms=1,
            commit=2 * self._has_modes, event=2 * self._has_modes,
        )  # fmt: skip
        classes = {
            "default": "DefaultHoodieRecordPayload",
            "latest": "OverwriteWithLatestAvroPayload",
            "partial": "PartialUpdateAvroPayload",
            "nondefaults": "OverwriteNonDefaultsWithLatestAvroPayload",
            "eventtime": "EventTimeAvroPayload",
            "postgres": "debezium.PostgresDebeziumAvroPayload",
            "mysql": "debezium.MySqlDebeziumAvroPayload",
            "dms": "AWSDmsAvroPayload",
        }
        if kind in classes:
            self._options["hoodie.datasource.write.payload.class"] = _MODEL + classes[kind]
        else:
            mode = f"{kind.upper()}_TIME_ORDERING"
            self._options |= {"hoodie.record.merge.mode": mode, "hoodie.write.record.merge.mode": mode}
        if kind == "mysql":
            return Writer(kind, "_event_bin_file,_event_pos" if self._newest else "_event_seq")
        if kind == "postgres":
            return Writer(kind, "_event_lsn")
        if kind == "default" and self._chance("marker", 0.15):
            self._options |= {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}
            return Writer("marker", "ts")
        if kind in {"default", "event"}:
            order = self._one(
                plain=8, bystring=1, bydouble=1, bytimestamp=1, bydecimal=0.5, byint=1, bytwo=self._newest
            )
            kinds = {"bystring": "string", "bydouble": "double", "bytimestamp": "timestamp"}
            kinds |= {"bydecimal": "decimal(10,2)", "byint": "int"}
            return Writer(kind, "ts,qty" if order == "bytwo" else "ts", kinds.get(order, "bigint"))
        return Writer(kind, "ts", flagged=kind != "dms" and self._source.random() < 0.7)

    def _partitioning(self) -> str:
        style = self._one(
            plain=5, unpartitioned=1, hive=2, encoded=2, encodedhive=1, slashes=1, nulls=1, nullshive=1, date=1,
            number=1, two=1, twohive=1, timeslash=1, timeplain=1, custom=1, dropped=1,
        )  # fmt: skip
        fields = {"two": "part,sub", "twohive": "part,sub", "custom": "part:SIMPLE,ev:TIMESTAMP", "unpartitioned": ""}
        self._options["hoodie.datasource.write.partitionpath.field"] = fields.get(style, "part")
        if style in {"hive", "encodedhive", "nullshive", "twohive", "dropped"}:
            self._options |= _HIVE
        if style.startswith("encoded"):
            self._options |= _ENCODED
        if style in {"two", "twohive"}:
            self._options[_KEYGEN] = "org.apache.hudi.keygen.ComplexKeyGenerator"
        if style == "unpartitioned":
            self._options[_KEYGEN] = "org.apache.hudi.keygen.NonpartitionedKeyGenerator"
        if style == "dropped":
            self._options["hoodie.datasource.write.drop.partition.columns"] = "true"
        if style in {"timeslash", "timeplain", "custom"}:
            name = "Custom" if style == "custom" else "TimestampBased"
            text = "yyyy/MM/dd" if style == "timeslash" else "yyyyMMdd"
            formats = {f"hoodie.{p}keygen.timebased.output.dateformat": text for p in ("", "deltastreamer.")}
            self._options |= _TIME | formats | {_KEYGEN: f"org.apache.hudi.keygen.{name}KeyGenerator"}
        return style

    def _keys(self, partition: str) -> str:
        allowed = partition in {"two", "twohive", "custom"}
        style = self._one(plain=7, composite=2, bigint=1, instant=0.5, auto=0.7)
        if style == "composite" and not allowed and partition != "unpartitioned":
            if partition.startswith("time"):
                style = "plain"
                self._labels.remove("composite")
            else:
                self._options[_KEYGEN] = "org.apache.hudi.keygen.ComplexKeyGenerator"
        fields = {"composite": "id,n", "bigint": "n", "instant": "at", "auto": ""}
        name = fields.get(style, "id")
        if name:
            self._options["hoodie.datasource.write.recordkey.field"] = name
        return style

    def _files(self, *, has_keys: bool) -> None:
        options = self._options
        index = self._one(
            plain=5, simple=2, bucket=1.5, globalsimple=1, inmemory=1.5 * self._is_mor, consistent=0.5 * self._is_mor
        )
        options |= {
            "simple": {"hoodie.index.type": "SIMPLE"},
            "bucket": {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"},
            "globalsimple": {
                "hoodie.index.type": "GLOBAL_SIMPLE",
                "hoodie.simple.index.update.partition.path": "true",
            },
            "inmemory": {"hoodie.index.type": "INMEMORY"},
            "consistent": {
                "hoodie.index.type": "BUCKET",
                "hoodie.index.bucket.engine": "CONSISTENT_HASHING",
                "hoodie.bucket.index.num.buckets": "2",
                "hoodie.bucket.index.min.num.buckets": "2",
                "hoodie.bucket.index.max.num.buckets": "8",
                "hoodie.storage.layout.type": "BUCKET",
                "hoodie.storage.layout.partitioner.class": (
                    "org.apache.hudi.table.action.commit.SparkBucketIndexPartitioner"
                ),
            },
        }.get(index, {})
        if self._chance("nometa", 0.1 * has_keys):
            options["hoodie.populate.meta.fields"] = "false"
        if self._chance("smallfiles", 0.25):
            options["hoodie.parquet.small.file.limit"] = "104857600"
        if self._chance("metadata", 0.2):
            options |= {"hoodie.metadata.enable": "true", "hoodie.metadata.compact.max.delta.commits": "3"}
        if self._chance("cdc", 0.07):
            options |= {
                "hoodie.table.cdc.enabled": "true",
                "hoodie.table.cdc.supplemental.logging.mode": "DATA_BEFORE_AFTER",
            }
        if self._has_modes and self._chance("positions", 0.4):
            options["hoodie.write.record.positions"] = "true"
        if self._newest and self._chance("older", 0.15):
            version = self._source.choice(["6", "8"])
            options |= {"hoodie.write.table.version": version, "hoodie.write.auto.upgrade": "false"}
        if self._is_mor:
            log = self._one(plain=6, parquetlog=2, blocks=1.5, rollover=1, hfile=0.5 * (not self._has_modes))
            options |= {
                "parquetlog": {"hoodie.logfile.data.block.format": "parquet"},
                "blocks": {"hoodie.logfile.data.block.max.size": "900"},
                "rollover": {"hoodie.logfile.max.size": "900", "hoodie.logfile.data.block.max.size": "600"},
                "hfile": {"hoodie.logfile.data.block.format": "hfile"},
            }.get(log, {})
