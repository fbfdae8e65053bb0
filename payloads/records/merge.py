"""The reference interpreter of merge rules: what a rule makes of two versions, as Python records."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from payloads.avro import plain_text, same_record, value_text
from payloads.backports import assert_never
from payloads.errors import (
    NullOrderingError,
    OrderingTypeError,
    PayloadFailedError,
    SchemaError,
    UnsupportedPayloadOperationError,
)
from payloads.java import equals_ignore_case, listed_names, utf16
from payloads.ordering import compare, ordering_text, same_class
from payloads.ordering_fields import list_reader
from payloads.records.columns import column_value, has_gap
from payloads.records.positions import compare_positions
from payloads.rules import (
    IS_DELETED,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Effect,
    Error,
    ErrorKind,
    How,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    LaterIs,
    Needs,
    Not,
    Role,
    TextIs,
    is_spelled,
)

if TYPE_CHECKING:
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering
    from payloads.rules import Gives, MergeRule, Test

_FAULTS: dict[type[Exception], ErrorKind] = {
    NullOrderingError: ErrorKind.NULL_ORDERING,
    OrderingTypeError: ErrorKind.UNLIKE_TYPES,
    SchemaError: ErrorKind.SCHEMA,
    PayloadFailedError: ErrorKind.FAILED,
    UnsupportedPayloadOperationError: ErrorKind.UNSUPPORTED,
}
_TEXTS = {
    ErrorKind.NULL_ORDERING: "the rule refuses a null ordering value; fill the ordering field before the write",
    ErrorKind.UNLIKE_TYPES: "the rule refuses ordering values of these types; give the field one type",
    ErrorKind.SCHEMA: "the rule refuses the columns of these versions; bring them to the schema of the table",
    ErrorKind.FAILED: "the rule fails for these versions; correct the rows, or the rule's case that fails",
    ErrorKind.UNSUPPORTED: (
        "the rule does not support these versions; correct the rows, or the rule's case that refuses them"
    ),
}


class RuleVersion(NamedTuple):
    """A version of a record.

    Attributes:
        record: its data; None for a delete without any.
        ordering: the ordering value that it carries; None is Java's null. A stored row carries none that counts.
        marked: whether it was found to be a delete when it was made.
    """

    record: Record | None
    ordering: Ordering | None
    marked: bool = False


class RuleOutcome(NamedTuple):
    """What a merge yields.

    Attributes:
        gives: how, with WINNER, FILLED and CHANGED resolved to CURRENT, INCOMING or NEW; or the error.
        version: the version that it yields; None for a delete, an error, and "leave the stored row".
    """

    gives: Gives
    version: RuleVersion | None


def merged(rule: MergeRule, older: RuleVersion, newer: RuleVersion, schema: AvroSchema) -> RuleOutcome | None:
    """Return what a rule yields for two versions; None where its conditions don't hold, and the class is called.

    Args:
        rule: the rule.
        older: the version that was there, or the stored row.
        newer: the version that came; of a key alone, with an `older` one without data.
        schema: that of both.
    """
    if Needs.COMPLETE in rule.conditions and not all(_is_complete(side.record, schema) for side in (older, newer)):
        return None
    try:
        return outcome_of(rule, older, newer, schema)
    except tuple(_FAULTS) as error:
        return RuleOutcome(Error(error_kind_of(error)), None)


def outcome_of(rule: MergeRule, older: RuleVersion, newer: RuleVersion, schema: AvroSchema) -> RuleOutcome:
    """Return what `merged` does if the rule has no condition.

    Raises:
        PayloadBridgeError: the rule yields an error: of the class of its kind.
    """
    outcome = VersionPair(rule, older, newer, schema).merged()
    if isinstance(outcome.gives, Error):
        raise next(kind for kind, fault in _FAULTS.items() if fault is outcome.gives.fault)(
            error_text_of(outcome.gives.fault)
        )
    return outcome


def error_text_of(fault: ErrorKind) -> str:
    """Return what is said of an error that a rule yields."""
    return _TEXTS[fault]


def error_kind_of(error: Exception) -> ErrorKind:
    """Return what an error of a merge is about."""
    return next(fault for kind, fault in _FAULTS.items() if isinstance(error, kind))


def _is_complete(record: Record | None, schema: AvroSchema) -> bool:
    return record is None or all(
        field.name in record and (record[field.name] is not None or field.schema.nullable) for field in schema.fields
    )


class VersionPair:
    """Two versions, and a rule for them; which one is later is found out once, where a rule asks."""

    def __init__(self, rule: MergeRule, older: RuleVersion, newer: RuleVersion, schema: AvroSchema) -> None:
        self.rule = rule
        self.older = older
        self.newer = newer
        self.schema = schema

    def merged(self) -> RuleOutcome:
        """Return what the rule yields for them; errors as those of the class."""
        gives = next((case.gives for case in self.rule.cases if self.holds(case.when)), None) or self.rule.result
        match gives:
            case Error() | Effect.DELETE | Effect.SENTINEL:
                return RuleOutcome(gives, None)
            case Effect.CURRENT:
                return RuleOutcome(gives, self.older)
            case Effect.INCOMING | Effect.COPY:
                return RuleOutcome(gives, self.newer)
            case Effect.WINNER:
                return self._whole()
            case Effect.NEW | Effect.FILLED | Effect.CHANGED | Effect.EDITED:
                return self._made(gives)
            case other:
                assert_never(other)

    def _whole(self) -> RuleOutcome:
        if self.newer_is_later:
            return RuleOutcome(Effect.INCOMING, self.newer)
        return RuleOutcome(Effect.CURRENT, self.older)

    def _made(self, gives: Effect) -> RuleOutcome:
        later = self.side(Role.LATER)
        nodes = [(field, self.rule.column(field.name)) for field in self.schema.fields]
        if gives is Effect.FILLED and not any(has_gap(node, self, field) for field, node in nodes):
            return self._whole()
        record = {field.name: column_value(node, self, field) for field, node in nodes}
        if gives in {Effect.CHANGED, Effect.EDITED} and same_record(record, later.record or {}):
            return self._whole()
        made = Effect.EDITED if gives is Effect.EDITED else Effect.NEW
        return RuleOutcome(made, RuleVersion(record, later.ordering, later.marked))

    def side(self, side: Role) -> RuleVersion:
        """Return the version on a side."""
        match side:
            case Role.OLDER:
                return self.older
            case Role.NEWER:
                return self.newer
            case Role.LATER:
                return self.newer if self.newer_is_later else self.older
            case Role.EARLIER:
                return self.older if self.newer_is_later else self.newer

    # -- tests

    def holds(self, test: Test) -> bool:  # noqa: C901, PLR0911 (one a node)
        """Whether a test holds; it may raise where it compares."""
        match test:
            case IsEmpty(side):
                return self.side(side).record is None
            case IsDelete(side):
                return self._is_delete(self.side(side))
            case IsNatural(side):
                ordering = self.side(side).ordering
                return ordering is not None and ordering.is_default
            case IsUnordered(side):
                return self.side(side).ordering is None
            case LaterIs(side):
                return self.newer_is_later is (side is Role.NEWER)
            case ColumnIs(side, column, value):
                record = self.side(side).record
                found = None if record is None else record.get(column)
                return record is not None and type(found) is type(value) and bool(found == value)
            case TextIs(side, column, text, letters):
                record = self.side(side).record
                found = None if record is None else record.get(column)
                return isinstance(found, str) and is_spelled(found, text, letters)
            case IsListed(side, column, name, trims):
                listed = listed_names((self.side(side).record or {}).get(column), trims=trims)
                return bool(listed) if name is None else name in listed
            case AllOf(tests):
                return all(map(self.holds, tests))
            case AnyOf(tests):
                return any(map(self.holds, tests))
            case Not(inner):
                return not self.holds(inner)
            case other:
                assert_never(other)

    def _is_delete(self, version: RuleVersion) -> bool:
        tests, record = self.rule.deletes, version.record
        if record is None or (tests.marked and version.marked) or (tests.flag and record.get(IS_DELETED) is True):
            return True
        if tests.marker is None:
            return False
        value = record.get(tests.marker.column)
        if value is None:
            return False
        if tests.marker.ignore_case:
            return equals_ignore_case(tests.marker.text, plain_text(value))
        return value_text(self.schema.by_name[tests.marker.column].schema, value) == tests.marker.text

    # -- which version is later

    @functools.cached_property
    def newer_is_later(self) -> bool:
        """Whether the newer version is the later one; raises as the comparison does in the class."""
        later = self.rule.later
        match later:
            case ByArrival():
                return True
            case ByOrdering(unlike_wins=unlike_wins):
                older, newer = self.older.ordering, self.newer.ordering
            case ByColumn(against=against):
                unlike_wins = against is Against.CARRIED
                older, newer = self._by_column(later)
                if older is None:
                    return True
            case other:
                assert_never(other)
        if older is None or newer is None:
            msg = "an ordering value is null"
            raise NullOrderingError(msg)
        if unlike_wins and not same_class(older, newer):
            return True
        order = _compared(later.how, older, newer)
        if not order:
            return later.tie is Role.NEWER
        return (order < 0) is not later.reverse

    def _by_column(self, later: ByColumn) -> tuple[Ordering | None, Ordering | None]:
        read = list_reader(self.schema, later.names, consistent=later.consistent, comparable=later.refuses_maps)
        older, record = read(self.older.record or {}), self.newer.record
        carried = self.newer.ordering
        if later.against is Against.CARRIED:
            return older, carried
        if later.against is Against.COLUMN_OF_DATA and self._is_delete(self.newer):
            record = None
        newer = None if record is None else read(record)
        return older, carried if newer is None and later.against is not Against.COLUMN else newer


def _compared(how: How, older: Ordering, newer: Ordering) -> int:
    match how:
        case How.JAVA:
            return compare(older, newer)
        case How.TEXT:
            return utf16(ordering_text(older), ordering_text(newer))
        case How.POSITION:
            return compare_positions(ordering_text(older), ordering_text(newer))
