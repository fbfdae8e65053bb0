"""The merge points on Spark: a DataFrame in, a DataFrame out."""

from __future__ import annotations

from bridge.engines import ARRIVAL, visible
from bridge.pipeline.all_paths import KeyAnswer, PathCounts, SmallestFound, all_paths, counted, key_answers, smallest
from bridge.pipeline.batches import Batch, read_batches, read_frame
from bridge.pipeline.differences import KIND, KINDS, LEFT, RIGHT, Figures, differences, disagreements, figures
from bridge.pipeline.layout import Layout, arrival_of, incoming_side, join_rows, layout_of
from bridge.pipeline.merge_points import (
    append,
    append_outcomes,
    appended,
    combine_input,
    compact,
    read_outcomes,
    snapshot,
    upsert,
    upsert_outcomes,
)
from bridge.pipeline.simulate import simulate, simulate_commits, simulate_upgrade

__all__ = [
    "ARRIVAL",
    "KIND",
    "KINDS",
    "LEFT",
    "RIGHT",
    "Batch",
    "Figures",
    "KeyAnswer",
    "Layout",
    "PathCounts",
    "SmallestFound",
    "all_paths",
    "append",
    "append_outcomes",
    "appended",
    "arrival_of",
    "combine_input",
    "compact",
    "counted",
    "differences",
    "disagreements",
    "figures",
    "incoming_side",
    "join_rows",
    "key_answers",
    "layout_of",
    "read_batches",
    "read_frame",
    "read_outcomes",
    "simulate",
    "simulate_commits",
    "simulate_upgrade",
    "smallest",
    "snapshot",
    "upsert",
    "upsert_outcomes",
    "visible",
]
