"""Figures of simulations: what each commit changed in the snapshot, and where two tables differ; in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines import COMMIT
from bridge.spark import from_keys, in_one_task, key_columns, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

KINDS = ONLY_LEFT, ONLY_RIGHT, CHANGED = "only-left", "only-right", "changed"
"""How a key differs between two tables."""

KIND, LEFT, RIGHT = "_pb_kind", "_pb_left", "_pb_right"
_PRINT, _SIDE, _ROW, _PLACE, _PAIRED = "_pb_print", "_pb_side", "_pb_row", "_pb_place", "_pb_paired"
# Microseconds, and explicit nulls: rows are equal if these texts are.
EXACT = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


class Figures(NamedTuple):
    """The snapshot after a commit against the one before it: its rows, and the keys that came, changed and went."""

    commit: int
    rows: int
    inserted: int
    changed: int
    deleted: int


def figures(snapshots: DataFrame, identity: Sequence[str], commits: int, *, duplicates: bool = False) -> list[Figures]:
    """Return the figures of each commit.

    Args:
        snapshots: what `pipeline.simulate` gives.
        identity: the columns that identify a row.
        commits: how many commits there are.
        duplicates: whether a key may have several rows: those that are equal in two snapshots stay, and of the others
            as many change as there are on both sides.
    """
    prints = _fingerprints(snapshots, identity)
    if duplicates:
        return _figures_of_duplicates(prints, identity, commits)
    in_order = Window.partitionBy(*map(quoted, identity)).orderBy(COMMIT)  # of prints, whose keys tell 0.0 from -0.0
    was_there = sf.lag(COMMIT).over(in_order) == sf.col(COMMIT) - 1
    stays = sf.lead(COMMIT).over(in_order) == sf.col(COMMIT) + 1
    events = prints.select(
        COMMIT,
        sf.coalesce(was_there, sf.lit(False)).alias("was_there"),
        sf.coalesce(stays, sf.lit(False)).alias("stays"),
        (sf.lag(_PRINT).over(in_order) != sf.col(_PRINT)).alias("differs"),
    )
    found = events.groupBy(COMMIT).agg(
        sf.count(sf.lit(1)),
        sf.count(sf.when(~sf.col("was_there"), 1)),
        sf.count(sf.when(sf.col("was_there") & sf.col("differs"), 1)),
        sf.count(sf.when(~sf.col("stays"), 1)),
    )
    by_commit = {row[0]: tuple(row)[1:] for row in found.collect()}
    result, gone = [], 0
    for commit in range(1, commits + 1):
        rows, inserted, changed, not_staying = by_commit.get(commit, (0, 0, 0, 0))
        result.append(Figures(commit, rows, inserted, changed, gone))
        gone = not_staying
    return result


def _figures_of_duplicates(prints: DataFrame, identity: Sequence[str], commits: int) -> list[Figures]:
    """Compare how often each row is in two snapshots that follow each other."""
    here = prints.withColumn(_PLACE, sf.lit(1))
    before = prints.withColumn(COMMIT, sf.col(COMMIT) + 1).withColumn(_PLACE, sf.lit(-1))
    keys = [sf.col(COMMIT), *map(quoted, identity)]
    more = here.unionByName(before).groupBy(*keys, _PRINT).agg(sf.sum(_PLACE).alias(_PLACE))
    came, went = (sf.sum(sf.greatest(sf.col(_PLACE) * sign, sf.lit(0))) for sign in (1, -1))
    of_key = more.groupBy(*keys).agg(came.alias("came"), went.alias("went"))
    changed = sf.least("came", "went")
    totals = (sf.sum(sf.col("came") - changed), sf.sum(changed), sf.sum(sf.col("went") - changed))
    found = {row[0]: tuple(row)[1:] for row in of_key.groupBy(COMMIT).agg(*totals).collect()}
    rows = {row[0]: row[1] for row in prints.groupBy(COMMIT).count().collect()}
    return [Figures(number, rows.get(number, 0), *found.get(number, (0, 0, 0))) for number in range(1, commits + 1)]


def disagreements(left: DataFrame, right: DataFrame, identity: Sequence[str], *, duplicates: bool = False) -> DataFrame:
    """Return commit and key of the rows that two simulations don't share, `_pb_commit` first."""
    sides = _fingerprints(left, identity), _fingerprints(right, identity)
    keys = [sf.col(COMMIT), *map(quoted, identity)]
    if duplicates:
        signed = (side.withColumn(_PLACE, sf.lit(sign)) for side, sign in zip(sides, (1, -1), strict=True))
        found = _together(*signed).groupBy(*keys, _PRINT).agg(sf.sum(_PLACE).alias(_PLACE)).where(sf.col(_PLACE) != 0)
        found = found.select(*keys).distinct()
    else:
        # An equal pair has two equal fingerprints.
        once = (sf.count(sf.lit(1)) < 2) | (sf.min(_PRINT) != sf.max(_PRINT))  # noqa: PLR2004 (the two sides)
        found = _together(*sides).groupBy(*keys).agg(once.alias(_PRINT)).where(_PRINT).select(*keys)
    return found.select(*from_keys(left, found)).orderBy(*keys)


def differences(left: DataFrame, right: DataFrame, identity: tuple[str, ...], *, duplicates: bool = False) -> DataFrame:
    """Return commit, key, kind and both rows of the keys that two simulations don't share.

    With `duplicates` a key may have several rows: equal ones are a pair, and so are those that are left, in the order
    of their texts.
    """
    names = [name for name in left.columns if name != COMMIT]
    keys = [sf.col(COMMIT), *map(quoted, identity)]

    def tagged(frame: DataFrame, side: str) -> DataFrame:
        own = key_columns(frame, identity)
        return frame.select(COMMIT, *own, sf.lit(side).alias(_SIDE), sf.struct(*map(quoted, names)).alias(_ROW))

    def row_of(side: str) -> Column:
        return sf.first(sf.when(sf.col(_SIDE) == side, sf.col(_ROW)), ignorenulls=True).alias(side)

    rows, places = _together(tagged(left, LEFT), tagged(right, RIGHT)), []
    if duplicates:
        rows, places = _unpaired(rows, keys), [sf.col(_PLACE)]
    both = rows.groupBy(*keys, *places).agg(row_of(LEFT), row_of(RIGHT)).drop(_PLACE)
    kind = (
        sf.when(sf.col(RIGHT).isNull(), ONLY_LEFT)
        .when(sf.col(LEFT).isNull(), ONLY_RIGHT)
        .when(sf.to_json(LEFT, EXACT) != sf.to_json(RIGHT, EXACT), CHANGED)
    )
    found = both.withColumn(KIND, kind).where(sf.col(KIND).isNotNull())
    return found.select(*from_keys(left, found))


def _together(left: DataFrame, right: DataFrame) -> DataFrame:
    both = left.unionByName(right)
    return both.coalesce(1) if in_one_task(left.sparkSession) else both


def _unpaired(rows: DataFrame, keys: Sequence[Column]) -> DataFrame:
    """Drop the rows of a key that both sides have, and number those that are left on each side."""
    printed = rows.withColumn(_PRINT, sf.to_json(_ROW, EXACT))
    alike = Window.partitionBy(*keys, _PRINT, _SIDE).orderBy(_PRINT)
    numbered = printed.withColumn(_PLACE, sf.row_number().over(alike))
    paired = sf.count(sf.lit(1)).over(Window.partitionBy(*keys, _PRINT, _PLACE))
    left = numbered.withColumn(_PAIRED, paired > 1).where(~sf.col(_PAIRED))
    of_side = Window.partitionBy(*keys, _SIDE).orderBy(_PRINT)
    return left.withColumn(_PLACE, sf.row_number().over(of_side)).drop(_PRINT, _PAIRED)


def _fingerprints(snapshots: DataFrame, identity: Sequence[str]) -> DataFrame:
    """Return commit, key and the whole row as text."""
    data = [quoted(name) for name in snapshots.columns if name != COMMIT]
    return snapshots.select(
        COMMIT, *key_columns(snapshots, identity), sf.to_json(sf.struct(*data), EXACT).alias(_PRINT)
    )
