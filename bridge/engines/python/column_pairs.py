"""Pairs that need no merge call: keys of one stored and one newer row, decided by whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from bridge.engines.python.column_types import ArrowColumn, Mask, Rows
    from payloads import AvroSchema
    from payloads.builtin import PairRule

_MICROS = frozenset({"timestamp-micros", "local-timestamp-micros"})  # milliseconds are truncated when a record is made


class Winners(NamedTuple):
    """What columns decide about pairs.

    Attributes:
        stored: which pairs keep the stored row.
        newer: which pairs store the newer row as it is.
    """

    stored: Mask
    newer: Mask


class PairWinners:
    """Finds the row that stays if Hudi's rule compares two values; a user's class is called for each pair."""

    def __init__(self, rule: PairRule | None, schema: AvroSchema) -> None:
        """Take the rule, if it is one for whole columns."""
        self._rule = rule if rule is not None and compares_as_arrow(rule, schema) else None

    def among(self, batch: pa.RecordBatch, firsts: Rows, plain: Mask) -> Winners:
        """Decide the pairs whose stored rows are `firsts`, each before its newer row; undecided ones are left out.

        `plain` are the rows of the batch that are stored as they are where they win: no deletes.
        """
        rule = self._rule
        if rule is None or not len(firsts):
            nobody = np.zeros(len(firsts), dtype=bool)
            return Winners(nobody, nobody)
        told = plain[firsts + 1]
        if rule.field is None:
            return Winners(np.zeros_like(told), told)
        column = batch.column(rule.field)
        stored, newer = column.take(pa.array(firsts)), column.take(pa.array(firsts + 1))
        orders = (_holds(compare(stored, newer)) for compare in (pc.less, pc.equal, pc.greater))
        wins, loses = np.zeros_like(told), np.zeros_like(told)
        for order, newer_wins in zip(orders, rule.wins, strict=True):
            side = wins if newer_wins else loses
            side |= order
        return Winners(told & loses, told & wins)


def compares_as_arrow(rule: PairRule, schema: AvroSchema) -> bool:
    """Whether Arrow compares the values of the rule's column as Java compares what Hudi makes of them.

    A rule without a column says that the newer row wins, whatever is compared.

    It does not for floating point (NaN, the zeros), for bytes (signed in Java), for enums, which come as texts, nor for
    milliseconds, whose column has microseconds.
    """
    if rule.field is None:
        return all(rule.wins)
    field = schema.by_name.get(rule.field)
    if field is None:
        return False
    value = field.schema.non_null
    if value.kind == "string":
        return True
    if value.kind not in {"int", "long"}:
        return False
    return value.logical is None or value.logical in _MICROS or (rule.holds_for_dates and value.logical == "date")


def _holds(answers: ArrowColumn) -> Mask:
    result: Mask = pc.fill_null(answers, False).to_numpy(zero_copy_only=False)
    return result
