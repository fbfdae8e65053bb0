"""What states a rule: each payload class and each merge mode, called as a merge point calls it, and its rule beside it.

A call gives what `mergers.rules.merged` gives, so that both can be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mergers.record import DELETE, HoodieAvroIndexedRecord, HoodieKey
from mergers.strategies import DeleteEntry, buffered_merger
from payloads import SENTINEL, PayloadBridgeError
from payloads.builtin import EmptyHoodieRecordPayload, RewriteAvroPayload
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.records import RuleOutcome, RuleVersion, error_kind_of
from payloads.rules import Effect, Error, MergeRule, Point
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from payloads import AvroSchema, HoodieRecordPayload

KEY = HoodieKey("key")
UNTOLD = Ordering("untold", 0)
"""The ordering value of a record that a class makes of a stored row: the class tells none."""
NOTHING = RuleVersion(None, NATURAL_ORDER)
"""The older version of a key that has none."""


class Subject(NamedTuple):
    """Something that merges, at a point.

    Attributes:
        rule: what it states; None if it has to be called.
        call: merges two versions.
        seen: the version that a rule sees for one that came; an entry has its ordering value in the engine's class.
    """

    rule: MergeRule | None
    call: Callable[[RuleVersion, RuleVersion], RuleOutcome]
    seen: Callable[[RuleVersion], RuleVersion] = lambda version: version


def of_payload(
    payload: type[HoodieRecordPayload], point: Point, schema: AvroSchema, props: Mapping[str, str]
) -> Subject:
    """Return a payload class."""
    bound: Any = payload.for_schema(schema)

    def built(version: RuleVersion) -> Any:
        record = None if version.record is None else copied(version.record)
        if issubclass(payload, EmptyHoodieRecordPayload):
            return bound()
        return bound(record) if issubclass(payload, RewriteAvroPayload) else bound(record, version.ordering)

    def call(older: RuleVersion, newer: RuleVersion) -> RuleOutcome:
        if point is Point.BATCH:
            return _of_batch(built(older), built(newer), (older, newer))
        came = built(newer)
        own, stored = came.record, None if older.record is None else copied(older.record)
        if point is Point.ALONE:
            value = came.get_insert_value(schema, props)
        else:
            value = came.combine_and_get_update_value(stored, schema, props)
        return _of_record(value, came, (own, stored), (older, newer))

    def _of_batch(first: Any, last: Any, versions: tuple[RuleVersion, RuleVersion]) -> RuleOutcome:
        kept = last.pre_combine(first, schema, props)
        if kept is first or kept is last:
            at = int(kept is last)
            return RuleOutcome((Effect.CURRENT, Effect.INCOMING)[at], versions[at])
        return RuleOutcome(Effect.NEW, RuleVersion(kept.record, kept.ordering_value))

    return Subject(payload.rule(point, schema, props), _safely(call))  # type: ignore[attr-defined]  # a built-in


def _of_record(value: Any, came: Any, known: tuple[Any, Any], versions: tuple[RuleVersion, RuleVersion]) -> RuleOutcome:
    own, stored = known
    if value is None or value is SENTINEL:
        return RuleOutcome(Effect.DELETE if value is None else Effect.SENTINEL, None)
    if value is stored:
        return RuleOutcome(Effect.CURRENT, versions[0])
    if value is own:
        return RuleOutcome(Effect.INCOMING, versions[1])
    gives = Effect.EDITED if value is came.record else Effect.NEW
    return RuleOutcome(gives, RuleVersion(value, UNTOLD))


def of_mode(mode_of: tuple[str, str, str], point: Point, schema: AvroSchema, props: Mapping[str, str]) -> Subject:
    """Return a merge mode, with a partial update mode after a slash, of a release, on rows of an engine."""
    name, release, engine = mode_of
    mode, _, partial = name.partition("/")
    merger = buffered_merger(mode, schema, props, release=release, engine=engine, partial_update_mode=partial or None)

    def call(older: RuleVersion, newer: RuleVersion) -> RuleOutcome:
        sides = [
            HoodieAvroIndexedRecord(
                KEY, one.record, None if one.record is None else schema, DELETE if one.marked else None, one.ordering
            )
            for one in (older, newer)
        ]
        if point is Point.ENTRY:
            kept = merger.delta_merge_delete(DeleteEntry(KEY, newer.ordering), sides[0])
            return RuleOutcome(Effect.CURRENT, older) if kept is None else RuleOutcome(Effect.INCOMING, seen(newer))
        made = merger.delta_merge(sides[1], sides[0]) if point is Point.BATCH else merger.final_merge(*sides)
        if made is None or made is sides[0]:
            return RuleOutcome(Effect.CURRENT, older)
        if made is sides[1]:
            return RuleOutcome(Effect.INCOMING, newer)
        return RuleOutcome(Effect.NEW, RuleVersion(made.record, made.ordering_value, made.marked_delete))

    def seen(version: RuleVersion) -> RuleVersion:
        """Return an entry with the value that is compared: from 1.1 on in the class of the rows; Integer 0 is none."""
        ordering = version.ordering
        if point is not Point.ENTRY or release == "1.0" or ordering is None or ordering.is_default:
            return version
        return version._replace(ordering=merger.context.entry_ordering(version.ordering))

    return Subject(merger.rule(point, schema), _safely(call), seen)


def _safely(
    call: Callable[[RuleVersion, RuleVersion], RuleOutcome],
) -> Callable[[RuleVersion, RuleVersion], RuleOutcome]:
    def called(older: RuleVersion, newer: RuleVersion) -> RuleOutcome:
        try:
            return call(older, newer)
        except PayloadBridgeError as error:
            return RuleOutcome(Error(error_kind_of(error)), None)

    return called
