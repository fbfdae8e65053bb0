"""buffered_merger: the merger of a merge mode, by mode, partial update mode, engine and release."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, TypeVar

from mergers.api import HoodieRecordMerger, HoodieRecordType, RecordMergeMode
from mergers.avro import AvroRecordMerger
from mergers.errors import MergerConfigError
from mergers.strategies.commit_time import CommitTimeMerger, CommitTimePartialMerger
from mergers.strategies.custom import (
    CustomMerger,
    CustomMergerV1_0,
    SparkRowsMergerV1_0,
    SparkWritesMergerV1_0,
)
from mergers.strategies.event_time import EventTimeMerger, EventTimeMergerV1_0, EventTimePartialMerger
from mergers.strategies.fill_unavailable import FillUnavailable
from mergers.strategies.fill_unchanged import FillUnchanged
from mergers.strategies.ignore_defaults import IgnoreDefaults, check_fidelity
from mergers.strategies.partial_merge import PartialBlockMerger
from mergers.strategies.record_context import RecordContext
from payloads.arguments import checked
from payloads.errors import PayloadConfigError
from payloads.ordering_fields import ordering_fields
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergers.strategies.buffered import BufferedMerger
    from mergers.strategies.ignore_defaults import Fidelity
    from mergers.strategies.partial_update import PartialUpdate
    from payloads.api import Props
    from payloads.avro import AvroSchema

E = TypeVar("E", bound=enum.Enum)
_HAS_MODES = ByRelease(False, {"1.0": True})
_HAS_PARTIAL_UPDATES = ByRelease(False, {"1.1": True})
_OF_MODE: dict[RecordMergeMode, ByRelease[type[BufferedMerger]]] = {
    RecordMergeMode.COMMIT_TIME_ORDERING: ByRelease(CommitTimeMerger, {}),
    RecordMergeMode.EVENT_TIME_ORDERING: ByRelease(EventTimeMergerV1_0, {"1.1": EventTimeMerger}),
}
_IN_PART: dict[RecordMergeMode, type[CommitTimePartialMerger | EventTimePartialMerger]] = {
    RecordMergeMode.COMMIT_TIME_ORDERING: CommitTimePartialMerger,
    RecordMergeMode.EVENT_TIME_ORDERING: EventTimePartialMerger,
}
MODES_WITH_PARTIAL_UPDATES: Final = tuple(_IN_PART)
"""The merge modes that can have a partial update mode."""
_CUSTOM: ByRelease[type[CustomMerger | CustomMergerV1_0 | SparkWritesMergerV1_0]] = ByRelease(
    CustomMergerV1_0, {"1.1": CustomMerger}
)


class PartialUpdateMode(enum.Enum):
    """The partial update modes of table version 9; `FILL_UNCHANGED` is one of the preview of 1.3 alone."""

    IGNORE_DEFAULTS = "IGNORE_DEFAULTS"
    FILL_UNAVAILABLE = "FILL_UNAVAILABLE"
    FILL_UNCHANGED = "FILL_UNCHANGED"

    def is_in(self, release: HudiRelease) -> bool:
        """Whether a release has the mode: a preview has what its sources add, and nothing else.

        Added in 0.2.0.
        """
        return release >= HudiRelease.V1_1 and (self is PartialUpdateMode.FILL_UNCHANGED) is release.is_preview


_UPDATES: dict[PartialUpdateMode, Callable[[Props, RecordContext, Fidelity], PartialUpdate]] = {
    PartialUpdateMode.IGNORE_DEFAULTS: lambda _props, context, fidelity: IgnoreDefaults(context.release, fidelity),
    PartialUpdateMode.FILL_UNAVAILABLE: lambda props, context, _fidelity: FillUnavailable(
        props, reads_bytes=context.rows_are_avro
    ),
    PartialUpdateMode.FILL_UNCHANGED: lambda props, context, _fidelity: FillUnchanged(
        props, reads_bytes=context.rows_are_avro
    ),
}


@checked
def buffered_merger(  # noqa: PLR0913 (what BufferedRecordMergerFactory.create takes)
    mode: RecordMergeMode | str,
    schema: AvroSchema,
    props: Props,
    *,
    release: HudiRelease | str = HudiRelease.latest(),
    engine: HoodieRecordType | str = HoodieRecordType.AVRO,
    merger: HoodieRecordMerger | None = None,
    partial_update_mode: PartialUpdateMode | str | None = None,
    partial_blocks: bool = False,
    fidelity: Fidelity = "hudi",
) -> BufferedMerger:
    """Return the merger of a merge mode (BufferedRecordMergerFactory.create).

    Args:
        mode: the merge mode.
        schema: the schema of the rows.
        props: what the merge point passes on, with the ordering fields, which COMMIT_TIME_ORDERING ignores.
        release: 1.0 or later; 1.0 has no partial update modes.
        engine: the form of the rows, which decides how ordering values compare: see `RecordContext`.
        merger: for CUSTOM, an AvroRecordMerger in the mode of the merge point (`pre_combine` in batch dedup from 1.1
            on, else `combine`; `rows_are_avro` as the engine says) or a user's merger, which may be of record type
            SPARK: in 1.0 AVRO as `engine` then means a writer; for `partial_blocks` the one with `partial_merge`.
        partial_update_mode: as the table has it.
        partial_blocks: whether a block with only some of the columns was read.
        fidelity: `intended` makes IGNORE_DEFAULTS compare values, which no release does.

    Raises:
        MergerConfigError: the release has no merge modes or no partial update modes, a name or the fidelity is
            unknown, the merger is none, or none for AVRO or SPARK records, or a payload's was made for other rows than
            those of `engine` (from 1.1 on).
        PayloadConfigError: CUSTOM, or partial blocks, without a merger.
    """
    line, kind, rows = HudiRelease.parse(release), _member(RecordMergeMode, mode), _member(HoodieRecordType, engine)
    if not _HAS_MODES.at(line):
        msg = f"Hudi {line} has no merge modes; pass its payload to AvroRecordMerger"
        raise MergerConfigError(msg)
    check_fidelity(fidelity)
    given: object = merger
    if given is not None and not isinstance(given, HoodieRecordMerger):
        msg = f"{type(given).__qualname__} is not a merger; give what mergers.adapt_merger makes of it"
        raise MergerConfigError(msg)
    fields = () if kind is RecordMergeMode.COMMIT_TIME_ORDERING else ordering_fields(props, line) or ()
    context = RecordContext(rows, line, schema, fields)
    if partial_blocks:
        by_mode = buffered_merger(kind, schema, props, release=line, engine=rows, merger=merger)
        return PartialBlockMerger(by_mode, _needed(merger, "partial blocks", line), schema, props)
    if kind is RecordMergeMode.CUSTOM:
        needed = _needed(merger, "custom merging", line)
        merges = _CUSTOM.at(line)
        if merges is CustomMerger:
            _check_rows(needed, context)
        elif needed.record_type is HoodieRecordType.SPARK:
            merges = SparkWritesMergerV1_0 if context.rows_are_avro else SparkRowsMergerV1_0
        return merges(context, needed, schema, props)
    if line.is_preview and (kind is not RecordMergeMode.EVENT_TIME_ORDERING or partial_update_mode is None):
        given_mode = kind.value if partial_update_mode is None else f"{kind.value}/{_name(partial_update_mode)}"
        msg = (
            f"of Hudi {line} only EVENT_TIME_ORDERING/FILL_UNCHANGED is known (apache/hudi#19322), not {given_mode}; "
            f"choose release {HudiRelease.latest()}"
        )
        raise MergerConfigError(msg)
    if kind not in _OF_MODE or (partial_update_mode is not None and kind not in _IN_PART):
        partly = "" if partial_update_mode is None else f" with the partial update mode {_name(partial_update_mode)}"
        msg = f"no merger is known for the merge mode {kind.value}{partly}; state it in {__name__}"
        raise MergerConfigError(msg)
    if partial_update_mode is not None:
        return _IN_PART[kind](context, _partial_update(partial_update_mode, props, context, fidelity))
    return _OF_MODE[kind].at(line)(context)


_NEVER_SHIPPED = {
    "KEEP_VALUES": "rows of partial log blocks merge this way (partial_blocks)",
    "IGNORE_MARKERS": "it became FILL_UNAVAILABLE",
    "FILL_DEFAULTS": "nothing replaced it",
}
"""The modes that RFC-97 planned under other names, and what happened to them."""


def _partial_update(
    mode: PartialUpdateMode | str, props: Props, context: RecordContext, fidelity: Fidelity
) -> PartialUpdate:
    if not _HAS_PARTIAL_UPDATES.at(context.release):
        msg = f"Hudi {context.release} has no partial update modes; leave it out, or choose release 1.1 or later"
        raise MergerConfigError(msg)
    if mode in _NEVER_SHIPPED:
        known = ", ".join(one.value for one in PartialUpdateMode if one.is_in(context.release))
        msg = (
            f"no release has the partial update mode {mode} of RFC-97: {_NEVER_SHIPPED[str(mode)]}; use one of {known}"
        )
        raise MergerConfigError(msg)
    member = _member(PartialUpdateMode, mode)
    if not member.is_in(context.release):
        known = ", ".join(one.value for one in PartialUpdateMode if one.is_in(context.release))
        to_come = " (it is one that 1.3 is to have: apache/hudi#19322)" if not context.release.is_preview else ""
        msg = f"Hudi {context.release} has no partial update mode {member.value}{to_come}; use one of {known}"
        raise MergerConfigError(msg)
    update = _UPDATES.get(member)
    if update is None:
        msg = f"no rule is known for the partial update mode {_name(mode)}; state it in {__name__}"
        raise MergerConfigError(msg)
    return update(props, context, fidelity)


def _name(mode: PartialUpdateMode | str) -> str:
    return mode.value if isinstance(mode, PartialUpdateMode) else mode


def _check_rows(merger: HoodieRecordMerger, context: RecordContext) -> None:
    if isinstance(merger, AvroRecordMerger) and merger.rows_are_avro is not context.rows_are_avro:
        wanted = f"rows_are_avro={context.rows_are_avro}"
        msg = f"{merger!r} can't merge rows of {context.engine.value}; make it with {wanted}"
        raise MergerConfigError(msg)


def _needed(merger: HoodieRecordMerger | None, purpose: str, release: HudiRelease) -> HoodieRecordMerger:
    if merger is None:
        msg = f"a merger must be present for {purpose}; pass AvroRecordMerger(payload, release, mode) or your own"
        raise PayloadConfigError(msg)
    form = merger.record_type
    if form in {HoodieRecordType.AVRO, HoodieRecordType.SPARK}:
        return merger
    msg = (
        f"{type(merger).__qualname__} merges {form.value} records: Hudi {release} passes it the engine's own rows "
        "(InternalRow in Spark), and here it gets Avro records; set its record type to AVRO to run its rule on them"
    )
    raise MergerConfigError(msg)


def _member(names: type[E], name: E | str) -> E:
    try:
        return names(name.upper() if isinstance(name, str) else name)
    except ValueError as error:
        known = ", ".join(member.value for member in names)
        msg = f"there is no {names.__name__} {name!r}; use one of {known}"
        raise MergerConfigError(msg) from error
