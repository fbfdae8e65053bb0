"""VECTOR columns of 1.2: files hold fixed bytes, which 1.2 shows as an array of numbers and older releases as they are.

Source: HoodieSchema.Vector and VectorConversionUtils of 1.2.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from bridge.config import capabilities
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema

_LOGICAL: Final = "vector"
_ELEMENTS: Final[dict[str, tuple[str, pa.DataType]]] = {
    "FLOAT": ("<f4", pa.float32()),
    "DOUBLE": ("<f8", pa.float64()),
    "INT8": ("<i1", pa.int8()),
}
"""Type of the elements: how they are stored, and their type in Arrow."""


def vector_columns(schema: AvroSchema) -> dict[str, str]:
    """Return the VECTOR columns of a table, each with the type of its elements."""
    found = {}
    for field in schema.fields:
        plain = field.schema.non_null
        if plain.logical == _LOGICAL and plain.kind == "fixed":
            found[field.name] = str(plain.source.get("elementType", "FLOAT")).upper()
    return {name: element for name, element in found.items() if element in _ELEMENTS}


def written_by(release: HudiRelease, schema: AvroSchema) -> HudiRelease:
    """Return the release that counts as a table's writer: with VECTOR columns none before the one that brought them.

    Args:
        release: the one that counts as the writer of tables of its version.
        schema: of the table.
    """
    first = next(one for one in HudiRelease if capabilities(one).shows_vectors)
    return max(release, first) if vector_columns(schema) else release


def array_type(element: str) -> pa.DataType:
    """Return the type of a column of vectors."""
    return pa.list_(_ELEMENTS[element][1])


def as_arrays(column: ArrowColumn, element: str) -> ArrowColumn:
    """Return stored vectors as arrays of numbers; null stays null."""
    stored, kind = _ELEMENTS[element]
    values = [None if one is None else np.frombuffer(one, stored) for one in column.to_pylist()]
    return pa.array(values, pa.list_(kind))


def as_text(column: ArrowColumn) -> ArrowColumn:
    """Return vectors as text, where one reader shows arrays and another one bytes."""
    texts = [
        None if one is None else f"0x{one.hex()}" if isinstance(one, bytes) else str(one) for one in column.to_pylist()
    ]
    return pa.array(texts, pa.string())
