"""The smallest examples of a replay: of each kind of difference the key with the fewest versions."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare.difference import Example, replayed_difference
from bridge.engines import COMMIT
from bridge.pipeline import ARRIVAL, KIND, KINDS, arrival_of, join_rows
from bridge.redaction import current
from bridge.report import json_rows
from bridge.spark import from_keys, in_one_task, kept, key_columns, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.report import JsonObject

_COUNT, _TEXTS = "_pb_count", "_pb_texts"


def smallest_examples(differences: DataFrame, written: DataFrame, sides: Comparison) -> list[Example]:
    """Find the smallest example of each kind: with the fewest versions, then the earliest, then by key.

    Args:
        differences: the differences of a replay.
        written: all rows of its batches, with the number of their batch.
        sides: both sides.
    """
    plan, identity = sides.left, sides.left.identity
    key = [*map(quoted, identity)]
    sizes = written.select(*key, sf.col(COMMIT).alias(_COUNT))
    so_far = join_rows(differences.select(*key, COMMIT, KIND), sizes, identity, or_empty=plan.partition)
    so_far = so_far.where(sf.col(_COUNT) <= sf.col(COMMIT))
    counted = so_far.groupBy(*key_columns(so_far, identity), COMMIT, KIND).agg(sf.count(sf.lit(1)).alias(_COUNT))
    counted = counted.select(*from_keys(so_far, counted))
    smallest = sf.min(sf.struct(_COUNT, COMMIT, *key)).alias(_COUNT)
    chosen = kept(counted.groupBy(KIND).agg(smallest).select(KIND, f"{_COUNT}.*").drop(_COUNT))
    few = chosen if in_one_task(chosen.sparkSession) else sf.broadcast(chosen)
    as_text = [sf.coalesce(one.cast("string"), sf.lit("")) for one in key]
    shown = join_rows(differences, few, (*identity, COMMIT, KIND))
    pairs = json_rows(shown.withColumn(_TEXTS, sf.array(*as_text)))
    until = few.withColumnRenamed(COMMIT, _COUNT)
    story = join_rows(written, until, identity, or_empty=plan.partition)
    story = story.where(sf.col(COMMIT) <= sf.col(_COUNT))
    versions: dict[str, list[JsonObject]] = collections.defaultdict(list)
    for row in json_rows(story.orderBy(COMMIT, arrival_of(plan)).drop(ARRIVAL, _COUNT)):
        versions[row.pop(KIND)].append(row)
    chosen.unpersist()
    examples = []
    for row in pairs:
        texts = {
            name: row[name] if text and current().hides(name) else text
            for name, text in zip(identity, row[_TEXTS], strict=True)
        }
        examples.append(Example(row[COMMIT], replayed_difference(sides, row), versions[row[KIND]], texts))
    return sorted(examples, key=lambda example: KINDS.index(example.difference.kind))
