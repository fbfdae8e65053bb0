"""The pictures of the guide, drawn from the tables of rules, a recorded history, the law matrix and measured times."""

from __future__ import annotations

from tests.support.pictures.benchmark import benchmark
from tests.support.pictures.frame import COLOURS, FOLDER
from tests.support.pictures.law_matrix import law_matrix
from tests.support.pictures.merge_points import merge_points
from tests.support.pictures.timeline import timeline

__all__ = ["COLOURS", "FOLDER", "PICTURES"]

PICTURES = {
    "merge_points.svg": merge_points,
    "timeline.svg": timeline,
    "law_matrix.svg": law_matrix,
    "benchmark.svg": benchmark,
}
"""What draws each file."""
