"""Parts of the rules of several payload classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true
from payloads.rules import (
    IS_DELETED,
    AnyOf,
    ByColumn,
    ByOrdering,
    Case,
    DeleteTests,
    Effect,
    Error,
    ErrorKind,
    IsDelete,
    IsEmpty,
    IsUnordered,
    LaterIs,
    Marker,
    MergeRule,
    Role,
)

if TYPE_CHECKING:
    from payloads.api import Props
    from payloads.avro import AvroSchema
    from payloads.rules import Against, Later


OLDER, NEWER = Role.OLDER, Role.NEWER
ORDERED: Final = Case(IsUnordered(NEWER), Error(ErrorKind.NULL_ORDERING))
"""The constructor refuses a null ordering value."""
BOTH_ORDERED: Final = Case(AnyOf((IsUnordered(OLDER), IsUnordered(NEWER))), Error(ErrorKind.NULL_ORDERING))
COMPARED: Final = AnyOf((LaterIs(NEWER), LaterIs(OLDER)))
"""Holds of any two versions; the comparison fails where it does in the class."""
DELETED: Final = Case(IsDelete(NEWER), Effect.DELETE)


def of_batch(later: Later) -> MergeRule:
    """Return the rule that keeps the later one of two versions of a batch; one without a record gives way."""
    return MergeRule(later, cases=(BOTH_ORDERED, Case(IsEmpty(OLDER), Effect.INCOMING)))


GREATER_ORDERING: Final = of_batch(ByOrdering())


def taken(deletes: DeleteTests) -> MergeRule:
    """Return the rule that takes the newer version, unless it is a delete."""
    return MergeRule(deletes=deletes, cases=(ORDERED, DELETED), otherwise=Effect.INCOMING)


def flag(schema: AvroSchema) -> DeleteTests:
    """Return the delete test of `_hoodie_is_deleted`."""
    return DeleteTests(flag=IS_DELETED in schema.by_name)


def flag_or_text(schema: AvroSchema, column: str, text: str) -> DeleteTests | None:
    """Return the delete tests of the flag and of a text, in any case; None if the column is not text."""
    field = schema.by_name.get(column)
    if field is None:
        return flag(schema)
    is_text = field.schema.non_null.kind == "string"
    return DeleteTests(IS_DELETED in schema.by_name, Marker(column, text, ignore_case=True)) if is_text else None


def by_columns(  # noqa: PLR0913 (the parts of a node)
    schema: AvroSchema, names: tuple[str, ...], props: Props, *, against: Against, tie: Role, reverse: bool = False
) -> ByColumn | None:
    """Return how ordering fields compare; None if one has a type that has no order, which fails where it is read."""
    if not names:
        return None
    for name in names:
        field = schema.by_name.get(name.partition(".")[0])
        if field is None or field.schema.non_null.kind in {"map", "union"}:
            return None
    return ByColumn(names, against, tie, reverse, consistent=is_true(props.get(CONSISTENT_TIMESTAMP)))
