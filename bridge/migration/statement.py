"""The rule of a class as a MERGE INTO statement, for `migrate --sql`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.spark import META_COLUMNS
from mergers.rules.source import Merging, NotStatedError, merge_statement
from payloads.rules import Point

if TYPE_CHECKING:
    from bridge.migration.class_rules import ClassRules
    from bridge.plan import MergePlan
    from payloads.rules import MergeRule

_FOR: Final = (
    "`target` is the table and `incoming` the batch, both with the columns of the class; the batch has no deletes "
    "without data. A Hudi table compares ordering values again, unless it merges by commit time."
)


def statement_of(left: MergePlan, rules: ClassRules | None) -> str:
    """Return the statement that merges by the rules that asking a class found.

    Raises:
        NotStatedError: SQL can't express a node of the rule, which the message names; or the class has no rule.
    """
    if rules is None:
        msg = (
            "no rule of the class is known for SQL: name a class that is not Hudi's own, and its columns with --schema"
        )
        raise NotStatedError(msg)
    names = [*left.key, *left.partition]
    if any(name in META_COLUMNS for name in names):
        msg = "the record key is unknown; name its columns with --key"
        raise NotStatedError(msg)
    stated: dict[Point, MergeRule] = {}
    for point in (Point.STORED, Point.ALONE, Point.BATCH):
        found = rules.found[point]
        left_to_class = ", ".join(one.column for one in found.unsaid)
        if found.rule is not None and not left_to_class:
            stated[point] = found.rule
        elif point is not Point.BATCH:
            why = f"of {left_to_class}, which only the class decides" if left_to_class else f"for {point.value!r}"
            msg = f"SQL can't express the rule {why}"
            raise NotStatedError(msg)
    asked = sum(rules.found[point].asked for point in stated)
    about = f"Merges like {left.payload_name} in Hudi {left.release}, as checked on {asked:,} pairs of versions. "
    merging = Merging(rules.schema, names, left.ordering, left.arrival or "")
    return merge_statement(stated, merging, about + _FOR)
