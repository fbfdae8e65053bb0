"""What a proof covers: the universe that was enumerated, with its fields, values, ordering values and deletes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.universe import RECORD_KEY, delete_forms
from payloads.errors import PayloadBridgeError
from payloads.ordering import NATURAL_ORDER, Ordering, compare
from payloads.ordering_fields import list_reader
from payloads.user import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mergers.laws.blocks import OperandBlock
    from mergers.laws.core import Law, Version
    from mergers.laws.universe import RecordSpec, Universe
    from payloads.avro import Record

_MOST_SHOWN: Final = 60


class Bounds(NamedTuple):
    """The enumerated operands of one domain.

    Attributes:
        versions: the incoming versions of the small universe.
        rows: its stored rows; None for no row.
        lines: the operands as text: how many there are, and which values each column takes.
        incoming_orderings: the ordering values of the versions, the earliest first.
        stored_orderings: those of the stored rows.
        blocks: what is enumerated besides the small universe.
        columns: the values that each column takes anywhere.
        constant: the columns that the class names and that have one value throughout.
        left_out: values that no operand has, with the reason.
    """

    versions: tuple[Version, ...]
    rows: tuple[Record | None, ...]
    lines: tuple[str, ...]
    incoming_orderings: tuple[str, ...]
    stored_orderings: tuple[str, ...]
    blocks: tuple[OperandBlock, ...] = ()
    columns: Mapping[str, tuple[object, ...]] = MappingProxyType({})
    constant: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def of_proof(self, law: Law, cases: int) -> str:
        """Return, in one line, the combinations of operands that prove a law."""
        fewest, most = law.sizes
        many = str(most) if fewest == most else f"{fewest} or {most}"
        parts = (
            f"every {many} of {len(self.versions)} versions" if most > 1 else f"each of {len(self.versions)} versions"
        )
        if law.has_row:
            parts += f", on {len(self.rows) - 1} stored rows and on none"
        if self.blocks:
            number = len(self.blocks)
            parts += (
                f"; {f'every {fewest}' if fewest > 1 else 'each'} of {number} block{'s' * (number != 1)} of versions"
            )
        if law.condition is not None:
            parts += ", as far as the law applies"
        orderings = _list(self.incoming_orderings)
        if law.has_row and self.stored_orderings != self.incoming_orderings:
            orderings += f", stored {_list(self.stored_orderings)}"
        return f"for these values, {cases} case{'s' * (cases != 1)}: {parts}; {orderings}"


def bounds_of(universe: Universe, blocks: tuple[OperandBlock, ...], spec: RecordSpec) -> Bounds:
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
    columns = _columns(universe, blocks, spec)
    lines += _block_lines(blocks, columns)
    lines += [f"not among them: {one}" for one in spec.left_out]
    fixed = {*spec.key, spec.assumed_key, RECORD_KEY, *spec.ordering_heads}
    constant = tuple(
        name for name in spec.named if name not in fixed and _may_vary(spec, name) and len(columns[name]) <= 1
    )
    return Bounds(
        versions,
        rows,
        tuple(lines),
        _orderings(incoming_orderings),
        _orderings(stored_orderings),
        blocks,
        columns,
        constant,
        spec.left_out,
    )


def _columns(universe: Universe, blocks: tuple[OperandBlock, ...], spec: RecordSpec) -> dict[str, tuple[object, ...]]:
    """Return the values that each column takes in incoming versions, each once."""
    records = [
        version.record
        for one in (universe, *(block.universe for block in blocks))
        for version in one.incoming
        if version.record is not None
    ]
    return {
        field.name: tuple({repr(record[field.name]): record[field.name] for record in records}.values())
        for field in spec.schema.fields
    }


def _may_vary(spec: RecordSpec, name: str) -> bool:
    """Whether a column has more than one value besides those that mark deletes."""
    schema = spec.schema.by_name[name].schema
    if any(form.field == name for form in delete_forms(spec.schema, spec.props)):
        return False
    plain = schema.non_null
    if schema.nullable and plain.kind != "null":
        return True
    few = {"null": 1, "enum": len(getattr(plain, "symbols", ())), "fixed": 1 + getattr(plain, "size", 1)}
    return few.get(plain.kind, 2) > 1 and (plain.kind != "record" or bool(plain.fields))


def _block_lines(blocks: tuple[OperandBlock, ...], columns: Mapping[str, tuple[object, ...]]) -> Iterator[str]:
    """List each column with its values, and how they are combined."""
    if not blocks:
        return
    yield "and each column by itself, with these values:"
    for name, values in columns.items():
        yield f"  {name}: {_values(values)}{' in all' * (len(values) == 1)}"
    pairs = [" and ".join(block.values) for block in blocks if len(block.values) == 2 and " and " in block.title]  # noqa: PLR2004
    if pairs:
        yield f"and pairs of the columns that the class reads, with the first values of each: {'; '.join(pairs)}"
    for block in blocks:
        if len(block.values) > 1 and " and " not in block.title:
            yield f"and {block.title}: {len(block.universe.incoming)} versions"


def _values(values: Sequence[object]) -> str:
    shown = [printable(repr(value), _MOST_SHOWN) for value in values]
    return ", ".join(shown)


def _group(head: str, records: Sequence[Record], spec: RecordSpec) -> str:
    values = {
        field.name: list(dict.fromkeys(printable(repr(record[field.name]), _MOST_SHOWN) for record in records))
        for field in spec.schema.fields
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


def plain_ordering(ordering: Ordering | None) -> object:
    """Return the plain value, a tuple for several fields."""
    if ordering is None:
        return None
    return tuple(map(plain_ordering, ordering.value)) if ordering.java_type == "array" else ordering.value
