"""Which tables the long runs take, and what they keep for the next run."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tests.support.figures import Figures
from tests.write.combinations import LAYOUTS, TABLE_TYPES, covering, selected
from tests.write.payloads import MODELS

if TYPE_CHECKING:
    from pathlib import Path

RELEASES = ("1.2.0", "1.0.2", "0.15.0")


def test_each_two_settings_meet_in_few_tables() -> None:
    choices = [RELEASES, [*MODELS], [*TABLE_TYPES], LAYOUTS]
    found = covering(choices)
    assert len(found) == len(set(found)) == 15  # as many as bundles times classes
    for one, other in itertools.combinations(range(len(choices)), 2):
        met = {(values[one], values[other]) for values in found}
        assert met == set(itertools.product(choices[one], choices[other]))


def test_tables_of_a_release_follow_each_other() -> None:
    few = selected(RELEASES, [*MODELS], [*TABLE_TYPES], LAYOUTS, pairs=True)
    every = selected(RELEASES, [*MODELS], [*TABLE_TYPES], LAYOUTS, pairs=False)
    assert (len(few), len(every)) == (15, 60)
    assert {case.label for case in few} < {case.label for case in every}
    assert [key for key, _ in itertools.groupby(case.release for case in few)] == [*RELEASES]


def test_the_last_figures_of_the_same_settings_count(tmp_path: Path) -> None:
    file = tmp_path / "figures"
    kept, other = Figures(file, batches=30), Figures(file, batches=3)
    assert kept.known(["a"], lambda _: True) == {}
    other.add("a", wrong=0)
    kept.add("b", wrong=1)
    kept.add("b", wrong=0)
    kept.add("a", wrong=1)
    assert [*kept.known(["a", "b", "c"], lambda one: not one["wrong"])] == ["b"]
    assert [*other.known(["a", "b"], lambda one: not one["wrong"])] == ["a"]
