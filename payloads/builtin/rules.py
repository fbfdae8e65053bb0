"""What Hudi's own payload classes come to for whole columns: tests for deletes, and rules for two rows of a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from payloads.avro import AvroSchema

IS_DELETED = "_hoodie_is_deleted"


class DeleteTest(NamedTuple):
    """A test for deletes that looks at one column: boolean true, or a text.

    Attributes:
        field: the top-level column.
        marker: the text that marks a delete; True for a boolean column.
        ignore_case: whether the text may be written in any case.
    """

    field: str
    marker: str | bool
    ignore_case: bool = False


class PairRule(NamedTuple):
    """Which of two rows stays, the stored or the incoming one, where one column decides it.

    It applies if the incoming row is not a delete and neither row has null in the column.

    Attributes:
        field: the top-level column that is compared; None if the incoming row always replaces the stored one.
        wins: whether the incoming row wins if the stored value is less than, equal to and greater than its own.
        holds_for_dates: whether it also applies to a column of dates.
    """

    field: str | None
    wins: tuple[bool, bool, bool] = (True, True, True)
    holds_for_dates: bool = True


class FillRule(NamedTuple):
    """How a stored and an incoming row become one: the columns of the later one, and the other's where it has null.

    It applies if neither row is a delete, nor has null in the column that is compared, and every default is null.

    Attributes:
        later: chooses the later row.
        makes_rows: whether the result is a new row where the later one has no null, too; else that one stays as it is.
    """

    later: PairRule
    makes_rows: bool


def flag_tests(schema: AvroSchema) -> tuple[DeleteTest, ...]:
    """Return the test of `_hoodie_is_deleted`; a column that is not boolean marks no deletes."""
    field = schema.by_name.get(IS_DELETED)
    is_flag = field is not None and field.schema.non_null.kind == "boolean"
    return (DeleteTest(IS_DELETED, marker=True),) if is_flag else ()


def text_tests(schema: AvroSchema, field: str, marker: str, *, ignore_case: bool) -> tuple[DeleteTest, ...] | None:
    """Return the test of a text column; None if the column is not text."""
    found = schema.by_name.get(field)
    if found is None:
        return ()
    is_text = found.schema.non_null.kind == "string"
    return (DeleteTest(field, marker, ignore_case),) if is_text else None
