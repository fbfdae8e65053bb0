"""What a rule makes of two versions, each evaluated once, and the versions that come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines.native.expressions import PairExpressions
from bridge.engines.native.versioned import (
    COPIED,
    DELETED,
    IS_NEWER,
    MADE,
    NATURAL,
    TYPED,
    RuleOn,
    Versioned,
    carried,
    compared_first,
    is_later,
    let,
)
from payloads.rules import ByOrdering

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column


class MergedPair(NamedTuple):
    """What becomes of two versions.

    Attributes:
        older, newer: they, as structs.
        order: which of them is later.
        gives: one of the numbers above.
        row: the row that is made, else null.
    """

    older: Column
    newer: Column
    order: Column
    gives: Column
    row: Column


class RuleExpressions:
    """A rule as expressions over two versions.

    Attributes:
        on: the rule, and what it merges.
    """

    def __init__(self, on: RuleOn) -> None:
        """Take a rule that lacks nothing."""
        self.on = on

    def ordered(self, row: Column, *, if_null: int) -> tuple[Column, tuple[Column, ...]]:
        """Return class and values of the ordering value that a row has in its column; `if_null` is a null's class."""
        if self.on.compared is None:
            return sf.lit(NATURAL), ()
        values = tuple(self.on.compared.values(row[self.on.compared.name]))
        if self.on.compared.is_integer and if_null == NATURAL:  # Integer 0 itself
            return sf.lit(TYPED), (sf.coalesce(values[0], sf.lit(0)),)
        return sf.when(values[0].isNull(), if_null).otherwise(TYPED), values

    def made(self, row: Column) -> Versioned:
        """Return a version that a merge made: data, ordered by its columns."""
        class_, values = self.ordered(row, if_null=NATURAL)
        return Versioned(row, row.isNull(), class_, values, row.isNotNull())

    def merged(
        self,
        older: Column,
        newer: Column,
        raised: Callable[[Column | str], Column],
        use: Callable[[MergedPair], Column],
    ) -> Column:
        """Return what `use` makes of the merge of two structs; `raised` makes a boolean that fails with a reason."""
        sides = sf.struct(older.alias("older"), newer.alias("newer"))

        def with_order(pair: Column) -> Column:
            return pair.withField("order", PairExpressions(self.on, pair, raised).order().cast("tinyint"))

        def with_gives(pair: Column) -> Column:
            return pair.withField("gives", PairExpressions(self.on, pair, raised).gives().cast("tinyint"))

        def with_row(pair: Column) -> Column:
            both, gives = PairExpressions(self.on, pair, raised), pair["gives"]
            return sf.when(gives == MADE, both.row()).when(gives == COPIED, both.newer.row).cast(self.on.types)

        def used(pair: Column) -> Column:
            whole = (pair["older"], pair["newer"], pair["order"], pair["gives"])
            return let(with_row(pair), lambda row: use(MergedPair(*whole, row)))

        return let(sides, lambda one: let(with_order(one), lambda two: let(with_gives(two), used)))

    def deletes(self, row: Column) -> Column:
        """Whether the rule, that of a version without a stored row, gives none for a row."""
        none, no, values = sf.lit(None).cast(self.on.types), sf.lit(False), (sf.lit(None),) * self.on.number
        older, newer = (Versioned(one, no, sf.lit(NATURAL), values, no).struct for one in (none, row))
        pair = sf.struct(older.alias("older"), newer.alias("newer"), sf.lit(IS_NEWER).alias("order"))
        found: Column = PairExpressions(self.on, pair, lambda _: sf.lit(None).cast("boolean")).gives() == DELETED
        return found

    def checked(self, pair: MergedPair, number: int, raised: Callable[[Column | str], Column]) -> Column:
        """Return a number; fails where the ordering values of both don't compare."""
        older, newer = (Versioned.of(side, self.on.number) for side in (pair.older, pair.newer))
        return compared_first(carried(older, newer, ByOrdering()), sf.lit(int(number)), raised)

    def deleted(self, pair: MergedPair, raised: Callable[[Column | str], Column]) -> Column:
        """Return the delete that two versions become: one that is there, or a new one with the greater value."""
        older, newer = (Versioned.of(side, self.on.number) for side in (pair.older, pair.newer))
        wins = is_later(carried(older, newer, ByOrdering()), raised)
        dead = self.checked(pair, 1, raised) == 1
        class_, *values = (
            sf.when(wins, one).otherwise(other)
            for one, other in zip((newer.class_, *newer.values), (older.class_, *older.values), strict=True)
        )
        none = sf.lit(None).cast(self.on.types)
        fresh = Versioned(none, dead, class_, tuple(values), sf.lit(False)).struct
        return sf.when(newer.dead, pair.newer).when(older.dead, pair.older).otherwise(fresh)
