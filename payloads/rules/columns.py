"""The values of columns in a merge rule, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from payloads.rules.node import DATA, RuleNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from payloads.avro import Value

Node = TypeVar("Node", bound=RuleNode)


class Columns(Mapping[str, Node]):
    """The values of columns by name, those of `DATA` first; never changed, so that a rule can be a key."""

    __slots__ = ("_values",)

    def __init__(self, columns: Mapping[str, Node]) -> None:
        """Take the values."""
        self._values = {name: columns[name] for name in sorted(columns, key=lambda name: (name != DATA, name))}

    def __getitem__(self, name: str) -> Node:
        """Return the value of a column that the rule names."""
        return self._values[name]

    def get(self, name: str, default: Value = None) -> Any:
        """Return the value of a column, or another one; a mapping's own way raises an error in between."""
        return self._values.get(name, default)

    def __iter__(self) -> Iterator[str]:
        """Give the names, that of `DATA` first."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return how many names there are, with `DATA`."""
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        """Whether another mapping has the same names and values."""
        return self._values == (other._values if isinstance(other, Columns) else other)

    def __hash__(self) -> int:
        """Return a hash of names and values."""
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        """Return the values as a dict shows them."""
        return repr(self._values)
