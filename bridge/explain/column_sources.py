"""Where the columns of a row that a merge made come from: the older version, the newer one, or neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.explain.versions import same_record
from mergers.laws import same_bytes

if TYPE_CHECKING:
    from payloads import AvroSchema, Record


def column_sources(older: Record | None, newer: Record | None, made: Record | None, schema: AvroSchema) -> str:
    """Say which columns a row has from the version that gave fewer; nothing if it is one of the two versions."""
    if made is None or older is None or newer is None:
        return ""
    if any(same_record(made, side, schema) for side in (older, newer)):
        return ""
    as_older, as_newer = ({name for name in made if _same(name, made, side, schema)} for side in (older, newer))
    kept = [name for name in made if name in as_older - as_newer]
    new = [name for name in made if name not in as_older | as_newer]
    taken = [name for name in made if name in as_newer - as_older]
    # Both lists are true; the shorter one is the exception.
    if len(kept) <= len(taken):
        text = f"; kept from the older version: {', '.join(kept)}" if kept else ""
    else:
        text = f"; taken from the newer version: {', '.join(taken)}" if taken else ""
    return text + (f"; from neither: {', '.join(new)}" if new else "")


def _same(name: str, left: Record, right: Record, schema: AvroSchema) -> bool:
    """Whether two records have the same value in a column."""
    field = schema.by_name.get(name)
    one: Any = left.get(name)
    other: Any = right.get(name)
    return one is other or (one == other if field is None else same_bytes(one, other, field.schema))
