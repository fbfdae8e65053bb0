"""What a reader does with a key whose log holds data rows alone, if comparing one column decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from payloads.builtin import DeleteTest, PairRule


class LogRule(NamedTuple):
    """The rule of a reader that takes one version of a key unchanged.

    It applies to keys without delete entries, none of whose log rows is a delete by `deletes` or has null in a column
    that is compared.

    Attributes:
        log: which of two log rows stays; the later one counts as incoming.
        base: whether the row of the base file or that of the log stays; that of the log counts as incoming.
        deletes: the tests for rows that may be deletes.
    """

    log: PairRule
    base: PairRule
    deletes: tuple[DeleteTest, ...]
