"""The settings of a write job where jobs keep them: Hudi Streamer properties, a Spark conf, the DDL of a Flink table.

Sources: DFSPropertiesConfiguration (Hudi Streamer and hudi-defaults.conf), SparkSubmit, DataSourceOptionsHelper of the
Spark bundles 0.15.0 to 1.2.0, FlinkOptions.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.capabilities import capabilities
from bridge.config.keys import (
    BLOOM_INDEX_MOVES,
    BUCKET_ENGINE,
    DROP_PARTITION_COLUMNS,
    DUPLICATE_INSERTS,
    IMPLEMENTATIONS,
    INDEX_TYPE,
    MERGE_PROPERTY_PREFIX,
    PAYLOAD_CLASS,
    POPULATE_META_FIELDS,
    RECORD_INDEX_MOVES,
    SIMPLE_INDEX_MOVES,
    SMALL_FILE_CANDIDATES,
    SMALL_FILE_LIMIT,
    TABLE_ENTRIES,
    TABLE_NAME,
    TABLE_TYPE,
    WRITE_HIVE_STYLE,
    WRITE_KEYGEN_CLASS,
    WRITE_PARTITION,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_RECORD_KEY,
    WRITE_STRATEGY_ID,
    WRITE_TABLE_TYPE,
    WRITE_URL_ENCODED,
    WRITER_ENTRIES,
    key_hint,
)
from bridge.config.properties import parse_properties
from bridge.config.unmodelled import unmodelled
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from payloads.release import HudiRelease


class JobFormat(enum.Enum):
    """What a file with the settings of a job is."""

    HUDI = "Hudi properties"
    SPARK = "Spark conf"
    FLINK = "Flink DDL"


class JobSetting(NamedTuple):
    """One line of such a file.

    Attributes:
        key: its name there.
        value: its text.
        name: the option of the writer that it sets; None if it sets none that decides how records merge.
        why: why it sets none, or what limits it; empty if there is nothing to say.
    """

    key: str
    value: str
    name: str | None
    why: str = ""

    @property
    def is_surprising(self) -> bool:
        """Whether a key that is meant to decide how records merge does not, or not everywhere."""
        return self.why not in {"", _NO_EFFECT, _NOT_HUDI}


@dataclass(frozen=True)
class JobSettings:
    """The settings of a job.

    Attributes:
        format: what the file is.
        settings: all of them, in the order of the file.
    """

    format: JobFormat
    settings: tuple[JobSetting, ...]

    @property
    def writer(self) -> dict[str, str]:
        """The options of the writer, under Hudi's names; the last one counts where two set the same."""
        return {one.name: one.value for one in self.settings if one.name is not None}


def read_job_settings(path: Path, release: HudiRelease) -> JobSettings:
    """Read the settings of a job; the content says which format it is.

    A file with `CREATE TABLE ... WITH (...)` is Flink DDL, one with a key `spark.*` a Spark conf, any other holds Hudi
    properties, which may include other files.

    Raises:
        PayloadConfigError: the file holds no settings of Hudi, includes itself, or creates no or several Hudi tables.
        OSError: it can't be read.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    if _CREATE_TABLE.search(_uncommented(text)):
        found = JobSettings(JobFormat.FLINK, tuple(_of_flink(path, text)))
    elif re.search(r"^\s*spark\.", text, re.MULTILINE):
        items = parse_properties(text).items()
        found = JobSettings(JobFormat.SPARK, tuple(_of_spark(key, value.strip(), release) for key, value in items))
    else:
        settings = tuple(_of_hudi(key, value) for key, value in _hudi_lines(path, ()))
        is_streamers = any(one.key.startswith(_STREAMER) for one in settings)
        if is_streamers and not capabilities(release).merge_modes:
            settings = tuple(_of_streamer(settings, release))
        found = JobSettings(JobFormat.HUDI, settings)
    if all(one.why == _NOT_HUDI for one in found.settings):
        what = "keys of Hudi" if found.settings else "settings"
        msg = f"{path} holds no {what}; name a file of Hudi properties, a Spark conf or the DDL of a Flink table"
        raise PayloadConfigError(msg)
    return found


# -- which keys count

_NO_EFFECT: Final = "no effect on how records merge"
_NOT_HUDI: Final = "not a Hudi key"
_BY_OPTION: Final = "the type of a table is chosen with --table-type"
_PLAN_KEYS: Final = frozenset(
    {
        WRITE_RECORD_KEY,
        WRITE_PARTITION,
        INDEX_TYPE,
        BUCKET_ENGINE,
        SIMPLE_INDEX_MOVES,
        BLOOM_INDEX_MOVES,
        RECORD_INDEX_MOVES,
        SMALL_FILE_LIMIT,
        SMALL_FILE_CANDIDATES,
        DUPLICATE_INSERTS.key,
    }
)
_MERGE_KEYS: Final = _PLAN_KEYS | {
    name for entry in (*WRITER_ENTRIES, *TABLE_ENTRIES) for name in (entry.key, *entry.aliases)
}
_HELD_AGAINST_TABLE: Final = frozenset(
    {TABLE_NAME, WRITE_KEYGEN_CLASS, WRITE_HIVE_STYLE, WRITE_URL_ENCODED, DROP_PARTITION_COLUMNS, POPULATE_META_FIELDS}
)
"""What decides no merge, but has Hudi refuse a write if the table stores another value."""


def _of_hudi(key: str, value: str) -> JobSetting:
    """Name the option that a key of Hudi sets."""
    if key in {WRITE_TABLE_TYPE, TABLE_TYPE.key}:
        return JobSetting(key, value, None, _BY_OPTION)
    does = unmodelled(key, value)
    if does is not None or key in _MERGE_KEYS | _HELD_AGAINST_TABLE or key.startswith(MERGE_PROPERTY_PREFIX):
        return JobSetting(key, value, key, "" if does is None else f"not followed: it {does}")
    if not key.startswith("hoodie."):
        return JobSetting(key, value, None, _NOT_HUDI)
    return JobSetting(key, value, None, key_hint(key).removeprefix(f"{key} has ") or _NO_EFFECT)


# -- Hudi properties

_STREAMER: Final = ("hoodie.deltastreamer.", "hoodie.streamer.")
_CLASS_KEYS: Final = (WRITE_PAYLOAD_CLASS.key, PAYLOAD_CLASS.key)


def _of_streamer(settings: Iterable[JobSetting], release: HudiRelease) -> Iterator[JobSetting]:
    """Say what counts of the file of a Hudi Streamer of 0.x: its command names the class and the ordering field.

    Source: HoodieDeltaStreamer.Config and DeltaSync of 0.12 to 0.15.
    """
    default = WRITE_PAYLOAD_CLASS.default_text(release) or ""
    by_command = (
        f"Hudi Streamer {release} takes the class from --payload-class, by default {default.rpartition('.')[2]}"
    )
    by_field = f"Hudi Streamer {release} orders by --source-ordering-field; give that as --ordering"
    for one in settings:
        if one.name in _CLASS_KEYS:
            yield one._replace(name=None, why=by_command)
        else:
            yield one._replace(why=by_field) if one.name == WRITE_PRECOMBINE.key else one
    yield JobSetting("--payload-class (Hudi Streamer's default)", default, WRITE_PAYLOAD_CLASS.key)


def _hudi_lines(path: Path, including: tuple[Path, ...]) -> Iterator[tuple[str, str]]:
    """Read lines as Hudi Streamer does: no escapes, no continued lines, runs of blanks are one blank."""
    if path.resolve() in including:
        msg = f"{path} includes itself; remove the line include={path.name}"
        raise PayloadConfigError(msg)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        if not including:
            raise
        msg = f"{including[-1]} includes {path}, which can't be read: {error.strerror}"
        raise PayloadConfigError(msg) from error
    for natural in lines:
        line = re.sub(r"\s+", " ", natural)
        if natural.startswith("#") or not ("=" in line or " " in line):
            continue
        key, _, value = (part.strip() for part in line.partition("=" if "=" in line else " "))
        if natural.startswith(("include=", "include =")):
            yield from _hudi_lines(path.parent / value, (*including, path.resolve()))
        elif key:
            yield key, value


# -- a Spark conf

_SPARK_PREFIX: Final = "spark."


def _of_spark(key: str, value: str, release: HudiRelease) -> JobSetting:
    """Name the option that a key of a Spark conf sets.

    spark-submit drops every key without the prefix `spark.`. Hudi reads `spark.hoodie.*` from 1.2 on, for SQL; the
    DataFrame writer of 1.2.0 does not.
    """
    hudi = key.removeprefix(_SPARK_PREFIX)
    if not key.startswith(_SPARK_PREFIX):
        return JobSetting(key, value, None, "spark-submit drops keys without the prefix spark.; pass it to the writer")
    if not hudi.startswith("hoodie."):
        return JobSetting(key, value, None, _NO_EFFECT)
    found = _of_hudi(hudi, value)
    if found.name is None:
        return found._replace(key=key)
    if not capabilities(release).spark_conf:
        why = f"Hudi {release} does not read spark.hoodie.*; pass {hudi} to the writer"
        return JobSetting(key, value, None, why)
    return found._replace(key=key, why="in SQL only; the DataFrame writer of 1.2.0 does not read it")


# -- the DDL of a Flink table

_FLINK_NAMES: Final = {
    "payload.class": WRITE_PAYLOAD_CLASS.key,
    "write.payload.class": WRITE_PAYLOAD_CLASS.key,
    "precombine.field": WRITE_PRECOMBINE.key,
    "write.precombine.field": WRITE_PRECOMBINE.key,
    "ordering.fields": WRITE_PRECOMBINE.key,
    "record.merger.impls": IMPLEMENTATIONS.key,
    "record.merger.strategy": WRITE_STRATEGY_ID.key,
    "table.type": WRITE_TABLE_TYPE,
}
"""The options of a Flink table that have names of their own, the one that wins last."""

_FLINK_PAYLOAD: Final = "org.apache.hudi.common.model.EventTimeAvroPayload"
"""What a Flink writer merges by where its table names no class."""

_NO_ORDERING: Final = "no_precombine"
_NOT_MODELLED: Final = {
    "write.precombine": "whether a Flink writer combines its buffer is not modelled; batches are combined",
    "changelog.enabled": "UPDATE_BEFORE rows are not modelled; leave them out of the batches",
    "index.type": "a Flink writer's index is not modelled; --prop hoodie.index.type=... says what it finds",
    "index.global.enabled": "a Flink writer's index is not modelled; --prop hoodie.index.type=... says what it finds",
    "write.operation": "batches are upserts",
}
_CREATE_TABLE: Final = re.compile(
    r"\bCREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[^\s(]+)", re.IGNORECASE
)
_WITH: Final = re.compile(r"\bWITH\s*\(", re.IGNORECASE)
_OPTION: Final = re.compile(r"\s*'(?P<key>(?:[^']|'')*)'\s*=\s*'(?P<value>(?:[^']|'')*)'\s*(?P<end>[,)])")
_COMMENT_OR_TEXT: Final = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)


def _of_flink(path: Path, text: str) -> Iterator[JobSetting]:
    """Name the options that the DDL of the one Hudi table sets; what Flink's default adds comes last."""
    tables = {name: options for name, options in _flink_tables(text) if options.get("connector") == "hudi"}
    if len(tables) != 1:
        found = f"{len(tables)} Hudi tables ({', '.join(tables)})" if tables else "no table with 'connector' = 'hudi'"
        msg = f"{path} creates {found}; name a file with the DDL of one"
        raise PayloadConfigError(msg)
    (options,) = tables.values()
    order = {name: rank for rank, name in enumerate(reversed(_FLINK_NAMES))}
    found_settings = [
        _flink_setting(*item) for item in sorted(options.items(), key=lambda item: order.get(item[0], -1))
    ]
    yield from found_settings
    if all(one.name != WRITE_PAYLOAD_CLASS.key for one in found_settings):
        yield JobSetting("payload.class (Flink's default)", _FLINK_PAYLOAD, WRITE_PAYLOAD_CLASS.key)


def _flink_setting(key: str, value: str) -> JobSetting:
    if key in _NOT_MODELLED:
        return JobSetting(key, value, None, _NOT_MODELLED[key])
    name = _FLINK_NAMES.get(key)
    if name == WRITE_PRECOMBINE.key and value == _NO_ORDERING:
        return JobSetting(key, value, None, "there is no ordering field")
    if name is not None or key.startswith("hoodie."):
        return _of_hudi(name or key, value)._replace(key=key)
    return JobSetting(key, value, None, _NO_EFFECT)


def _flink_tables(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Give the name and the options of each CREATE TABLE."""
    plain = _uncommented(text)
    starts = [*_CREATE_TABLE.finditer(plain)]
    for start, following in zip(starts, [*(one.start() for one in starts[1:]), len(plain)], strict=True):
        opened = _WITH.search(plain, start.end(), following)
        options, at = {}, opened.end() if opened else following
        while found := _OPTION.match(plain, at, following):
            options[_unquoted(found["key"])] = _unquoted(found["value"])
            at = found.end() if found["end"] == "," else following
        yield start["name"].replace("`", ""), options


def _uncommented(text: str) -> str:
    """Replace comments by a blank, but not what looks like one inside of text."""
    return _COMMENT_OR_TEXT.sub(lambda found: found[0] if found[0][0] == "'" else " ", text)


def _unquoted(text: str) -> str:
    return text.replace("''", "'")
