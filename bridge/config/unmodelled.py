"""Options of Hudi that change which rows a table shows and that nothing here follows: each is a warning by its name.

Source: the configuration reference of 0.12 to 1.2 (HoodieWriteConfig, HoodieIndexConfig, HoodieCompactionConfig,
HoodieReaderConfig, DataSourceWriteOptions, DataSourceReadOptions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.keys import (
    CLUSTERING,
    CONCURRENCY_MODE,
    DROP_PARTITION_COLUMNS,
    INDEX_CLASS,
    INLINE_COMPACTION,
    INSERT_DROPS_KNOWN,
    INSERT_POLICY,
    POPULATE_META_FIELDS,
    WRITE_KEYGEN_CLASS,
    WRITE_OPERATION,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Option(NamedTuple):
    """An option that is not followed.

    Attributes:
        harmless: the values, in lower case, with which it changes no row; one that ends so is harmless, too.
        does: what it does with any other value.
    """

    harmless: tuple[str, ...]
    does: str


_SQL: Final = "decides how INSERT INTO writes; say the operation of each batch"
_READ: Final = "changes what a query shows; snapshots are those of a query without it"
_CODE: Final = "runs other code of Hudi, or of yours, than was compared here"
_LOGS: Final = "compacts logs among themselves, which is not simulated"
_GENERATED: Final = (".simplekeygenerator", ".complexkeygenerator", ".nonpartitionedkeygenerator")

OPTIONS: Final[Mapping[str, _Option]] = {
    WRITE_OPERATION: _Option(("upsert",), "is the operation of each write; say that of each batch"),
    INSERT_DROPS_KNOWN: _Option(("false",), "leaves out rows whose keys are stored"),
    INSERT_POLICY: _Option(("none",), "drops or refuses an insert of a key that is stored"),
    "hoodie.combine.before.insert": _Option(("false",), "deduplicates the rows of a key within an insert"),
    "hoodie.combine.before.delete": _Option(("true",), "leaves the keys of a delete as they are"),
    "hoodie.datasource.write.row.writer.enable": _Option(
        ("true",), "passes each row of bulk_insert to the payload class"
    ),
    "hoodie.datasource.overwrite.mode": _Option(("dynamic",), "makes insert_overwrite replace the whole table"),
    "hoodie.datasource.write.partitions.to.delete": _Option((), "names the partitions that delete_partition removes"),
    "hoodie.sql.insert.mode": _Option((), _SQL),
    "hoodie.sql.bulk.insert.enable": _Option(("false",), _SQL),
    "hoodie.spark.sql.insert.into.operation": _Option((), _SQL),
    "hoodie.datasource.write.reconcile.schema": _Option(("false",), "fills columns that a batch lacks"),
    "hoodie.write.set.null.for.missing.columns": _Option(("false",), "fills columns that a batch lacks"),
    "hoodie.write.handle.missing.cols.with.lossless.type.promotion": _Option(
        ("false",), "fills columns that a batch lacks"
    ),
    "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": _Option(
        ("false",), "drops columns that a batch lacks from the table"
    ),
    "hoodie.schema.on.read.enable": _Option(("false",), "takes renamed and dropped columns from the table's history"),
    "hoodie.allow.operation.metadata.field": _Option(
        ("false",), "stores the operation of each row in _hoodie_operation, by which rows may count as deleted"
    ),
    "hoodie.logfile.data.block.format": _Option(
        ("avro",),
        "writes log blocks in another format; of Parquet ones, Hudi from 1.0 on compares all rows of a block by the "
        "last row's value of a text ordering field",
    ),
    "hoodie.log.compaction.inline": _Option(("false",), _LOGS),
    "hoodie.log.compaction.enable": _Option(("false",), _LOGS),
    "hoodie.write.ignore.failed": _Option(("false",), "leaves out rows that fail"),
    "hoodie.spark.sql.merge.into.partial.updates": _Option(
        ("true",), "has MERGE INTO log whole rows, where some columns are set"
    ),
    "hoodie.spark.sql.optimized.writes.enable": _Option(
        ("true",), "has SQL statements look their rows up in the index again"
    ),
    "hoodie.datasource.write.slash.separated.date.partitioning": _Option(
        ("false",), "writes a partition date as the folders yyyy/MM/dd"
    ),
    DROP_PARTITION_COLUMNS: _Option(("false",), "leaves the partition columns out of the rows that are merged"),
    POPULATE_META_FIELDS: _Option(("true",), "stores rows without the columns that Hudi needs to find them"),
    WRITE_KEYGEN_CLASS: _Option(_GENERATED, "may compute keys or partitions; here they are taken from the columns"),
    "hoodie.datasource.write.keygenerator.type": _Option(
        ("simple", "complex", "non_partition"),
        "may compute keys or partitions; here they are taken from the columns",
    ),
    INDEX_CLASS: _Option((), "names a custom index; which rows it finds is unknown"),
    CONCURRENCY_MODE: _Option(
        ("single_writer", "optimistic_concurrency_control"),
        "lets several writers commit in another order than they began; batches are written one after the other",
    ),
    INLINE_COMPACTION: _Option(("false",), "compacts a merge-on-read table; say after which batches"),
    "hoodie.datasource.compaction.async.enable": _Option(
        ("false",), "compacts a merge-on-read table; say after which batches"
    ),
    **dict.fromkeys(
        CLUSTERING,
        _Option(("false",), "clusters the table, which is not simulated; in 1.2.0 it loses the merger of mode CUSTOM"),
    ),
    "hoodie.datasource.write.streaming.ignore.failed.batch": _Option(("false",), "continues after a batch that fails"),
    "hoodie.file.group.reader.enabled": _Option((), _CODE),
    "hoodie.optimized.log.blocks.scan.enable": _Option(("false",), _CODE),
    "hoodie.merge.use.record.positions": _Option(("false",), _CODE),
    "hoodie.write.merge.handle.class": _Option(("org.apache.hudi.io.filegroupreaderbasedmergehandle",), _CODE),
    "hoodie.write.concat.handle.class": _Option(("org.apache.hudi.io.hoodieconcathandle",), _CODE),
    "hoodie.datasource.merge.type": _Option(("payload_combine",), _READ),
    "hoodie.datasource.query.type": _Option(("snapshot",), _READ),
    "hoodie.datasource.view.type": _Option(("snapshot", "realtime"), _READ),
    "hoodie.realtime.merge.skip": _Option(("false",), _READ),
    "as.of.instant": _Option((), _READ),
}
"""The options by name."""


def unmodelled(option: str, value: str) -> str | None:
    """Return what an option does that is not followed here, as the end of a sentence; None if it changes no row."""
    found = OPTIONS.get(option)
    text = value.strip().lower()
    if found is None or any(text == one or (one.startswith(".") and text.endswith(one)) for one in found.harmless):
        return None
    return found.does


def option_warnings(options: Mapping[str, str]) -> list[str]:
    """Return a sentence on each option of a writer that changes rows and is not followed here."""
    told = ((name, value, unmodelled(name, value)) for name, value in options.items())
    return [f"{name}={value} is not followed: it {does}" for name, value, does in told if does is not None]
