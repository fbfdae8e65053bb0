"""What a proof covers: the universe that was enumerated, with its fields, values, ordering values and deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.errors import PayloadBridgeError
from payloads.ordering import NATURAL_ORDER, Ordering, compare
from payloads.ordering_fields import list_reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers.laws.core import Law, Version
    from mergers.laws.universe import RecordSpec, Universe
    from payloads.avro import Record


class Bounds(NamedTuple):
    """The enumerated operands of one domain.

    Attributes:
        versions: the incoming versions.
        rows: the stored rows; None for no row.
        lines: the operands as text: how many there are, and which values each field takes.
        incoming_orderings: the ordering values of the versions, the earliest first.
        stored_orderings: those of the stored rows.
    """

    versions: tuple[Version, ...]
    rows: tuple[Record | None, ...]
    lines: tuple[str, ...]
    incoming_orderings: tuple[str, ...]
    stored_orderings: tuple[str, ...]

    def of_proof(self, law: Law, cases: int) -> str:
        """Return, in one line, the combinations of operands that prove a law."""
        fewest, most = law.sizes
        many = str(most) if fewest == most else f"{fewest} or {most}"
        parts = (
            f"every {many} of {len(self.versions)} versions" if most > 1 else f"each of {len(self.versions)} versions"
        )
        if law.has_row:
            parts += f", on {len(self.rows) - 1} stored rows and on none"
        if law.condition is not None:
            parts += ", as far as the law applies"
        orderings = _list(self.incoming_orderings)
        if law.has_row and self.stored_orderings != self.incoming_orderings:
            orderings += f", stored {_list(self.stored_orderings)}"
        return f"{cases} case{'s' * (cases != 1)}: {parts}; {orderings}"


def bounds_of(universe: Universe, spec: RecordSpec) -> Bounds:
    """Describe what was enumerated."""
    versions, rows = universe
    stored = [row for row in rows if row is not None]
    read = list_reader(spec.schema, spec.ordering_fields) if spec.ordering_fields else None
    incoming_orderings: Sequence[Ordering] = [version.ordering for version in versions] if read else []
    stored_orderings: Sequence[Ordering] = [read(row) or NATURAL_ORDER for row in stored] if read else []
    data = [version.record for version in versions if version.record is not None and not version.is_delete]
    deletes = [version for version in versions if version.is_delete]
    flagged = [version.record for version in deletes if version.record is not None]
    lines = [_group(f"{len(data)} records", data, spec)]
    if flagged:
        lines.append(_group(f"{len(flagged)} deletes", flagged, spec))
    if len(flagged) < len(deletes):
        empty = [version.ordering for version in deletes if version.record is None]
        lines.append(f"{len(empty)} deletes without a record: {_list(_orderings(empty) if read else ())}")
    lines.append(_group(f"{len(stored)} stored rows", stored, spec) + "; and no row")
    return Bounds(versions, rows, tuple(lines), _orderings(incoming_orderings), _orderings(stored_orderings))


def _group(head: str, records: Sequence[Record], spec: RecordSpec) -> str:
    values = {
        field.name: list(dict.fromkeys(repr(record[field.name]) for record in records)) for field in spec.schema.fields
    }
    return f"{head}: " + "; ".join(f"{name} {', '.join(found)}" for name, found in values.items())


def _list(orderings: Sequence[str]) -> str:
    if not orderings:
        return "no ordering field"
    return f"ordering value{'s' * (len(orderings) > 1)} {', '.join(orderings)}"


def _orderings(orderings: Iterable[Ordering]) -> tuple[str, ...]:
    """Return ordering values as text, each once, in their order where they have one."""
    found: list[Ordering] = []
    for ordering in orderings:
        if ordering not in found:
            at = next((at for at, other in enumerate(found) if _is_less(ordering, other)), len(found))
            found.insert(at, ordering)
    return tuple(str(plain_ordering(ordering)) for ordering in found)


def _is_less(left: Ordering, right: Ordering) -> bool:
    try:
        return compare(left, right) < 0
    except PayloadBridgeError:
        return False


def plain_ordering(ordering: Ordering | None) -> Any:
    """Return the plain value, a tuple for several fields."""
    if ordering is None:
        return None
    return tuple(map(plain_ordering, ordering.value)) if ordering.java_type == "array" else ordering.value
