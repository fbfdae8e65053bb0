"""NodeTable: the values that an evaluator knows, one node a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.laws.equality import Failed
from mergers.laws.nodes import Node, row_answer
from payloads.user import CallEndedError, CallGuard, error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from mergers.laws.algebra import Algebra
    from payloads.avro import Record


class NodeTable:
    """Makes the nodes of versions and rows.

    Attributes:
        known: the nodes, by state.
    """

    def __init__(self, algebra: Algebra, guard: CallGuard) -> None:
        self.known: dict[Hashable, Node] = {}
        self._algebra = algebra
        self._guard = guard

    def version(self, what: str, make: Callable[[], object]) -> Node:
        """Return the node of a version that a call makes, which `what` names; an error is its result."""
        try:
            version = self._guard.call(what, make)
        except CallEndedError:
            raise
        except Exception as error:  # noqa: BLE001 (as above)
            return self.failed(error, is_row=False)
        key = self._guard.call("reading its state", self._algebra.key, version)
        found = None if key is None else self.known.get(("version", key))
        if found is None:
            found = Node(
                version, self.answer(self._guard.call("copying it", self._algebra.copy, version)), is_row=False
            )
            if key is not None:
                self.known["version", key] = found
        return found

    def failure(self, make: Callable[[], object]) -> Node | None:
        """Return the node of the error with which a version can't be built or read; None if it can."""
        try:
            version = self._guard.call("the constructor", make)
        except CallEndedError:
            raise
        except Exception as error:  # noqa: BLE001 (as above)
            return self.failed(error, is_row=False)
        found = self.answer(version)
        return self.failed(found.error, is_row=False) if isinstance(found, Failed) else None

    def row(self, row: Record | None) -> Node:
        """Return the node of a stored row."""
        key = "row", repr(row)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = Node(row, row_answer(row), is_row=True)
        return found

    def failed(self, error: Exception, *, is_row: bool) -> Node:
        """Return the node of an error that came instead of a version or a row."""
        key = "failed", is_row, type(error), error_text(error)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = Node(error, Failed(error), is_row=is_row)
        return found

    def answer(self, version: object) -> Any:
        """Return what is observable of a version."""
        try:
            return self._guard.call("its insert value", self._algebra.answer, version)
        except CallEndedError:
            raise
        except Exception as error:  # noqa: BLE001 (as above)
            return Failed(error)

    def fitted(self, node: Node) -> Node:
        """Return a node, or that of an error where its record does not fit the schema."""
        answer = node.answer
        if isinstance(answer, Failed) or answer.record is None:
            return node
        try:
            self._algebra.schema.validate(answer.record)
        except Exception as error:  # noqa: BLE001 (as above; a record may hold anything)
            return self.failed(error, is_row=node.is_row)
        return node
