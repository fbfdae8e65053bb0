"""What a comparison finds: counts of the keys that differ, one such key, and an example with its versions."""

from __future__ import annotations

from typing import Any, NamedTuple


class Counts(NamedTuple):
    """How many keys differ after a commit, by kind.

    Added in 0.1.0.
    """

    commit: int
    only_left: int
    only_right: int
    changed: int

    @property
    def total(self) -> int:
        """How many keys differ."""
        return self.only_left + self.only_right + self.changed


class Difference(NamedTuple):
    """A key that differs, in JSON values.

    Attributes:
        key: the columns that identify the row.
        kind: one of `KINDS`.
        columns: those whose values differ, if both sides have the key.
        left: the row on the left side; None if there is none.
        right: the row on the right side.
        note: a remark, as a sentence.

    Added in 0.1.0.
    """

    key: dict[str, Any]
    kind: str
    columns: list[str]
    left: dict[str, Any] | None
    right: dict[str, Any] | None
    note: str | None = None


class Example(NamedTuple):
    """A difference, the commit after which it shows, and the versions of its key until then, in order of arrival.

    `row` has the columns that identify it as the texts that `explain` takes, empty for null.

    Added in 0.1.0.
    """

    commit: int
    difference: Difference
    versions: list[dict[str, Any]]
    row: dict[str, str]
