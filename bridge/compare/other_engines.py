"""What other engines show of a merge-on-read table, from their documentation and issues: data with sources and dates.

A statement without a source is not here. Nothing of it was run, unlike hudi-rs and Hudi's own bundles.
"""

from __future__ import annotations

from typing import Final, NamedTuple

LOOKED_UP: Final = "2026-11-28"
"""When the sources were looked up."""
_SUPPORT: Final = "https://hudi.apache.org/docs/sql_queries"
_UNTOLD: Final = "not documented"


class OtherEngine(NamedTuple):
    """A reader that is another engine.

    Attributes:
        version: of the engine or of its connector, to which the sources refer.
        shows: what it shows of a merge-on-read table.
        custom: what it does with the mode CUSTOM, or with a payload class.
        sources: where that stands.
        ignores_logs: whether it shows the rows of the base files alone.
    """

    version: str
    shows: str
    custom: str
    sources: tuple[str, ...]
    ignores_logs: bool = False


OTHER_ENGINES: Final = {
    "trino": OtherEngine(
        "Trino's own connector, from 398 on",
        "the base files: it supports only read-optimized queries",
        "no class is called",
        ("https://trino.io/docs/current/connector/hudi.html", _SUPPORT),
        ignores_logs=True,
    ),
    "hudi-trino": OtherEngine(
        "Hudi's connector of 1.2.1, for Trino 483",
        "merged rows; it fails on logs with Parquet blocks, which a Spark merger writes (apache/hudi#20522)",
        "the table's merger is called",
        (
            "https://github.com/apache/hudi/releases/tag/release-1.2.1",
            "https://github.com/apache/hudi/pull/18837",
            "https://github.com/apache/hudi/issues/20522",
        ),
    ),
    "clickhouse": OtherEngine(
        "26.8.1 (August 2026)",
        "the base files, without a warning (ClickHouse/ClickHouse#114994)",
        "no class is called",
        ("https://github.com/ClickHouse/ClickHouse/issues/114994",),
        ignores_logs=True,
    ),
    "athena": OtherEngine(
        "engine version 3, for tables up to Hudi 0.14.0",
        "merged rows in snapshot queries (table name with _rt), the base files in read-optimized ones (_ro); of tables "
        "of 0.14.0 the latter may show no row (HUDI-7362)",
        _UNTOLD,
        ("https://docs.aws.amazon.com/athena/latest/ug/querying-hudi.html", _SUPPORT),
    ),
    "starrocks": OtherEngine(
        "from 2.5 on",
        "merged rows in snapshot queries, by Hudi's reader in Java; the base files in read-optimized ones",
        _UNTOLD,
        (
            "https://docs.starrocks.io/docs/data_source/catalog/hudi_catalog/",
            "https://github.com/StarRocks/starrocks/issues/16329",
            "https://github.com/StarRocks/starrocks/pull/17546",
            _SUPPORT,
        ),
    ),
    "doris": OtherEngine(
        "2.1.8 and 3.0.4 on, with Hudi 0.15",
        "merged rows in snapshot queries, by Hudi's reader in Java; the base files in read-optimized ones",
        _UNTOLD,
        ("https://doris.apache.org/docs/lakehouse/catalogs/hudi-catalog",),
    ),
    "duckdb": OtherEngine(
        "community extension hudi 0.3.1",
        "what hudi-rs shows, on which it is built",
        "as hudi-rs, which refuses to merge logs by a class (apache/hudi-rs#677)",
        (
            "https://duckdb.org/community_extensions/extensions/hudi",
            "https://github.com/apache/hudi-rs/pull/677",
        ),
    ),
    "daft": OtherEngine(
        "read_hudi (August 2026), for table versions 5 and 6",
        "not supported: it reads only copy-on-write tables",
        "no class is called",
        ("https://github.com/Eventual-Inc/Daft/blob/main/docs/connectors/hudi.md",),
    ),
}
"""The engines by the name that `compare-readers --reader` takes."""


def ignores_logs(reader: str) -> bool:
    """Whether a reader is an engine that shows the rows of the base files alone."""
    return reader in OTHER_ENGINES and OTHER_ENGINES[reader].ignores_logs


def not_run(reader: str) -> str:
    """Return why an engine that merges logs is not compared."""
    return f"what it shows is only known from its documentation: {OTHER_ENGINES[reader].shows}"


def sentence_on(reader: str) -> str:
    """Return what the sources say of an engine, with their addresses."""
    found = OTHER_ENGINES[reader]
    return (
        f"{reader} ({found.version}) by its documentation, looked up {LOOKED_UP}. Of a merge-on-read table it shows: "
        f"{found.shows}. Mode CUSTOM or a payload class: {found.custom}. Sources: {' '.join(found.sources)}"
    )
