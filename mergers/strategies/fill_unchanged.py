"""FILL_UNCHANGED: the partial update mode in which a column of each row lists what has changed.

Source: `PartialUpdateHandler.reconcileChangedColumns` of apache/hudi#19322, which no release has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.strategies.buffered import Version
from mergers.strategies.fill_unavailable import MERGE_PROPERTY_PREFIX, FillUnavailable
from mergers.strategies.partial_update import PartialUpdate
from payloads.errors import SchemaError
from payloads.java import joined_names, listed_names
from payloads.rules import AnyOf, Case, ColumnIs, Effect, IfElse, IsListed, JoinedLists, Role, Take

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mergers.strategies.partial_update import Gap
    from payloads.api import Props
    from payloads.avro import AvroSchema
    from payloads.rules import Column

CHANGED_FIELDS: Final = "hoodie.write.partial.update.changed.fields"
RETAIN_FIELDS: Final = "hoodie.write.partial.update.retain.fields"


class FillUnchanged(PartialUpdate):
    """Takes the listed and the retained columns from the version that wins, the others from the other version.

    Merge properties of the table name the column with the list, the retained columns, and the marker of
    `FillUnavailable`, which is filled even in a listed column. Both lists are joined. A version without a list is kept
    as it is, and so is every version if the table names no column.

    Attributes:
        changed: the column with the list; None if the properties name none.
        retained: the columns that are always those of the version that wins.
    """

    def __init__(self, props: Props, *, reads_bytes: bool = True) -> None:
        """Read the names from `props`; `reads_bytes` as in `FillUnavailable`."""
        self.changed = props.get(MERGE_PROPERTY_PREFIX + CHANGED_FIELDS) or None
        self.retained = frozenset(listed_names(props.get(MERGE_PROPERTY_PREFIX + RETAIN_FIELDS), trims=True))
        self._markers = FillUnavailable(props, reads_bytes=reads_bytes)

    def cases(self, schema: AvroSchema) -> tuple[Case, ...]:
        """Return that a version without a list is kept as it is."""
        name = self._list_in(schema)
        if name is None:
            return ()
        return (Case(AnyOf((ColumnIs(Role.LATER, name, None), ColumnIs(Role.LATER, name, ""))), Effect.WINNER),)

    def columns(self, schema: AvroSchema) -> Mapping[str, Column] | None:
        """Return the value of each column; None if a union of several types may hold the marker."""
        name, marked = self._list_in(schema), self._markers.columns(schema)
        if name is None or marked is None:
            return {} if name is None else None
        found: dict[str, Column] = {name: JoinedLists(trims=True)}
        for other in (field.name for field in schema.fields if field.name != name):
            own = marked.get(other, Take(Role.LATER))
            listed = IsListed(Role.LATER, name, other, trims=True)
            found[other] = own if other in self.retained else IfElse(listed, own, Take(Role.EARLIER))
        return found

    def gaps(self, schema: AvroSchema) -> tuple[tuple[str, Gap], ...]:
        """Return the columns that can contain the marker; the list decides on the others, not their values."""
        return () if self._list_in(schema) is None else self._markers.gaps(schema)

    def filled(self, high: Version, low: Version | None, newer: Version) -> Version:
        """Return `high` with what it does not list taken from `low`, and both lists joined.

        Raises:
            SchemaError: the column with the list is not text.
        """
        if low is None or high.marked_delete or low.marked_delete or newer.schema is None:
            return high
        upper, lower = high.data_for("a partial update"), low.data_for("a partial update")
        name = None if high.schema is None else self._list_in(high.schema)
        text = None if name is None else upper.get(name)
        if name is None or not text:
            return high
        listed = listed_names(text, trims=True)
        is_marker = self._markers.gaps_by_name(newer.schema)
        record = {}
        is_filled = False
        for column in (field.name for field in newer.schema.fields):
            counts = column in listed or column in self.retained
            if column == name:
                value = joined_names(listed, listed_names(lower.get(name), trims=True))
            elif counts and not (column in is_marker and is_marker[column](upper.get(column))):
                record[column] = upper.get(column)
                continue
            else:
                value = lower.get(column)
            record[column], is_filled = value, True
        return Version(high.key, record, newer.schema, high.operation, high.ordering_value) if is_filled else high

    def _list_in(self, schema: AvroSchema) -> str | None:
        """Return the column with the list, if a schema has it.

        Raises:
            SchemaError: it is not text, which no source says how to read.
        """
        field = None if self.changed is None else schema.by_name.get(self.changed)
        if field is not None and field.schema.non_null.kind != "string":
            msg = (
                f"FILL_UNCHANGED reads the names of changed columns from {self.changed!r}, which is "
                f"{field.schema.non_null.kind}; make it a string"
            )
            raise SchemaError(msg)
        return None if field is None else self.changed
