"""The effective merge settings at a table's merge points, given what it stores, what a writer passes, the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bridge.config.capabilities import assumed_writer, capabilities
from bridge.config.creation import given_settings
from bridge.config.entry import first_given, warn_of_old_names
from bridge.config.inference import (
    InferredSettings,
    MergeSettings,
    infer,
    infer_for_writes,
    payload_of_mode,
)
from bridge.config.keys import (
    DELETE_KEY,
    DELETE_MARKER,
    ORDERING_FIELDS,
    PAYLOAD_ORDERING,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITER_ENTRIES,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.stored import TableMergeConfig, merge_properties_of
from bridge.config.succession import implicit_delete_marker
from mergers import PAYLOAD_BASED_MERGE_STRATEGY_UUID, RecordMergeMode
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

_CUSTOM = RecordMergeMode.CUSTOM
_OF_TABLES = frozenset({DELETE_KEY.key, DELETE_MARKER.key})


class PointRule(NamedTuple):
    """How versions merge at one merge point.

    Attributes:
        mode: the merge mode; None if the release has none and the payload decides.
        payload: the class whose code runs; None if the mode, or a merger of the strategy, decides.
        strategy: the strategy id; None if the mode alone decides.
        why: the setting that it follows from.
    """

    mode: RecordMergeMode | None
    payload: str | None
    strategy: str | None
    why: str


@dataclass(frozen=True)
class EffectiveMergeConfig:
    """The effective merge settings.

    Attributes:
        release: whose rules.
        table: what the table stores.
        table_payload: the class that counts as the table's, stored or not.
        dedup: two incoming versions of a batch.
        merge: an incoming version and the stored row, in a copy-on-write merge.
        read: log and base file, in a snapshot query and in compaction.
        ordering: the ordering fields.
        merge_properties: what mergers get from table and writer; what the table has wins.
    """

    release: HudiRelease
    table: TableMergeConfig
    table_payload: str
    dedup: PointRule
    merge: PointRule
    read: PointRule
    ordering: tuple[str, ...]
    merge_properties: Mapping[str, str]

    @property
    def rules(self) -> tuple[tuple[str, PointRule], ...]:
        """The three rules by name."""
        return ("dedup", self.dedup), ("merge", self.merge), ("read", self.read)

    @property
    def partial_update_mode(self) -> str | None:
        """The partial update mode by which the table's rows merge; None for none."""
        can = capabilities(self.release, self.table.version)
        return self.table.partial_update_mode if can.partial_update_modes else None


def effective_config(
    table: TableMergeConfig,
    writer: Mapping[str, str] | None = None,
    release: HudiRelease = HudiRelease.latest(),
    *,
    warn: bool = True,
) -> EffectiveMergeConfig:
    """Return the effective merge settings when `release` writes to and reads a table.

    The options of a writer are those of one write; without them, those of a reader and a writer without options. A
    deprecated name among them brings one DeprecatedKeyWarning, unless `warn` is off. Those of a table do not: Hudi
    itself has written them.

    Raises:
        MergeConfigError: the release can't read this table version, or the settings contradict each other.
        PayloadConfigError: naming the option that can't be read.
    """
    can = capabilities(release, table.version)
    newest = can.created_version
    if table.version > newest:
        msg = (
            f"Hudi {release} can't read table version {table.version}, only {newest} and below; use a later release "
            "or downgrade the table"
        )
        raise MergeConfigError(msg)
    check_previewed(table, release)
    options = writer or {}
    if warn:
        warn_of_old_names(options, release, *WRITER_ENTRIES)
    ordering = ordering_of(table, options, release)
    if not can.merge_modes:
        dedup, merge, read = _rules_of_payloads(table, options, release)
    elif can.payload_writer:
        dedup, merge, read = _rules_of_mode_readers(table, options, ordering, release)
    else:
        dedup, merge, read = _rules_of_modes(table, options, release)
    return EffectiveMergeConfig(
        release=release,
        table=table,
        table_payload=table.resolved_payload(release),
        dedup=dedup,
        merge=merge,
        read=read,
        ordering=ordering,
        merge_properties=_merge_properties(table, options, release),
    )


def read_under(table: TableMergeConfig, release: HudiRelease) -> HudiRelease:
    """Return `release`, or, if that is the newest and does not know the table, the preview that does."""
    return HudiRelease.V1_3 if release is HudiRelease.latest() and _is_previewed(table) else release


def assumed_writer_of(table: TableMergeConfig) -> HudiRelease:
    """Return the release that counts as the writer of a table, if nothing says: by its version, or the preview."""
    return HudiRelease.V1_3 if _is_previewed(table) else assumed_writer(table.version)


def readers_of(table: TableMergeConfig) -> tuple[HudiRelease, ...]:
    """Return the releases that read a table, the oldest first."""
    if _is_previewed(table):
        return (HudiRelease.V1_3,)
    return tuple(one for one in HudiRelease if capabilities(one).created_version >= table.version)


def _is_previewed(table: TableMergeConfig) -> bool:
    return table.partial_update_mode in capabilities(HudiRelease.V1_3, table.version).partial_update_modes


def check_previewed(table: TableMergeConfig, release: HudiRelease) -> None:
    """Refuse a table that only a preview knows under another release, and any other one under a preview.

    Raises:
        MergeConfigError: saying which.
    """
    if _is_previewed(table) is release.is_preview:
        return
    if not release.is_preview:
        msg = (
            f"the table merges by the partial update mode {table.partial_update_mode}, which Hudi {release} does not "
            "know: it is one that 1.3 is to have (apache/hudi#19322); name release 1.3, a preview, and leave the file "
            "of the table as it is, since in another mode Hudi merges other rows"
        )
        raise MergeConfigError(msg)
    msg = (
        f"of Hudi {release} only tables of version 9 that merge by EVENT_TIME_ORDERING/FILL_UNCHANGED are known, as "
        f"OracleDebeziumAvroPayload makes them (apache/hudi#19322); choose release {HudiRelease.latest()}"
    )
    raise MergeConfigError(msg)


# -- the rules by release


def _rules_of_payloads(
    table: TableMergeConfig, options: Mapping[str, str], release: HudiRelease
) -> tuple[PointRule, PointRule, PointRule]:
    """Payload classes alone: the writer's where a writer merges, the table's where logs are merged."""
    stored = PointRule(None, table.resolved_payload(release), table.strategy, _why_table_payload(table))
    passed = first_given(options, release, WRITE_PAYLOAD_CLASS)
    written = stored if passed is None else stored._replace(payload=passed, why="the writer's class")
    return written, written, stored


def _rules_of_mode_readers(
    table: TableMergeConfig, options: Mapping[str, str], ordering: tuple[str, ...], release: HudiRelease
) -> tuple[PointRule, PointRule, PointRule]:
    """Writers merge with payload classes, even if only a mode is set; readers by the table's mode."""
    read = _table_rule(table, release)
    given = given_settings(options, release)
    passed = given.payload
    if passed is None and given.mode is not None and table.payload is None:
        inferred = infer(given, ordering, table.version, release)
        passed, why = inferred.payload, f"the writer's mode {inferred.mode.name}"
    elif passed is not None:
        why = "the writer's class"
    else:
        mode = read.mode or _CUSTOM
        passed, why = payload_of_mode(mode, read.payload or table.resolved_payload(release), release), read.why
    written = PointRule(read.mode, passed, read.strategy, why)
    return written, written, read


def _rules_of_modes(
    table: TableMergeConfig, options: Mapping[str, str], release: HudiRelease
) -> tuple[PointRule, PointRule, PointRule]:
    """The table's mode, but a writer's class other than the table's decides where that writer merges.

    In mode CUSTOM such a class merges only within the batch; with the stored row the table's class merges.
    """
    read = _table_rule(table, release)
    passed = first_given(options, release, WRITE_PAYLOAD_CLASS)
    table_payload = table.resolved_payload(release)
    if passed is None or passed == table_payload:
        return read, read, read
    mode, _, strategy = infer_for_writes(MergeSettings(payload=passed), table.ordering, table.version, release)
    why = f"the writer's class, which is not the table's ({_why_table_payload(table)})"
    if mode is not _CUSTOM:
        written = PointRule(mode, None, strategy, why)
        return written, written, read
    dedup = PointRule(mode, passed, strategy, why)
    return dedup, dedup._replace(payload=table_payload, why=f"{why}; mode CUSTOM merges with the table's class"), read


def _table_rule(table: TableMergeConfig, release: HudiRelease) -> PointRule:
    """Return the rule of the table's own settings; below version 8 they are inferred anew at each use."""
    payload = table.resolved_payload(release)
    settings: InferredSettings
    if table.mode is None or not capabilities(release, table.version).stored_modes:
        stored = MergeSettings(table.mode, payload, table.strategy)
        settings = infer(stored, table.ordering, table.version, release)
        why = _why_table_payload(table)
    else:
        settings = InferredSettings(table.mode, payload, table.strategy)
        why = f"the table's mode {table.mode.name}"
    mode, payload_class, strategy = settings
    by_payload = mode is _CUSTOM and strategy in {None, "", PAYLOAD_BASED_MERGE_STRATEGY_UUID}
    return PointRule(mode, payload_class if by_payload else None, strategy, why)


def _why_table_payload(table: TableMergeConfig) -> str:
    return "the table's class" if table.payload else "the default, because the table stores no class"


# -- ordering and merge properties


def ordering_of(table: TableMergeConfig, options: Mapping[str, str], release: HudiRelease) -> tuple[str, ...]:
    """Return the ordering fields of a table and a writer in a release; until 0.15 `ts` where neither names any."""
    return table.ordering or _passed_ordering(options, release) or WRITE_PRECOMBINE.read({}, release) or ()


def _passed_ordering(options: Mapping[str, str], release: HudiRelease) -> tuple[str, ...]:
    """Return the ordering fields that a writer passes; until 1.0 one name, which is never split."""
    if capabilities(release).several_ordering_fields:
        fields = first_given(options, release, ORDERING_FIELDS, WRITE_PRECOMBINE)
    else:
        found = WRITE_PRECOMBINE.find(options, release)
        fields = None if found is None else (found.text,)
    return fields or tuple(filter(None, [first_given(options, release, PAYLOAD_ORDERING)]))


def _merge_properties(table: TableMergeConfig, options: Mapping[str, str], release: HudiRelease) -> dict[str, str]:
    """Return what mergers get: the writer's plain key and marker, then its prefixed properties, then the table's.

    A prefixed delete key or marker counts as a property of the table alone: writers pass it on under its full name,
    which no delete test reads. Below version 9, releases from 1.1 on add the delete key and marker of the class
    that counts as the table's.
    """
    plain = {key: options[key] for key in (DELETE_KEY.key, DELETE_MARKER.key) if options.get(key)}
    can = capabilities(release, table.version)
    if not can.merge_properties:
        return plain
    prefixed = {key: text for key, text in merge_properties_of(options).items() if key not in _OF_TABLES}
    implicit: Mapping[str, str] = {}
    if not can.payload_successors:
        implicit = implicit_delete_marker(table.resolved_payload(release))
    return {**plain, **prefixed, **implicit, **table.merge_properties}
