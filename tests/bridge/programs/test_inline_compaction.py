"""What Spark's batch writer compacts by default, of which a report warns where no compaction is asked for."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.programs import inline_warnings
from tests.support.one_key import DEFAULT, plan_of

_EVERY = "hoodie.compact.inline.max.delta.commits"


@pytest.mark.parametrize(
    ("table_type", "props", "commits", "compact_after", "every"),
    [
        ("mor", {}, 5, (), None),
        ("mor", {}, 6, (), 5),
        ("mor", {"hoodie.compact.inline": "true"}, 6, (), 5),
        ("mor", {"hoodie.compact.inline": "False"}, 6, (), None),
        ("mor", {}, 6, (3,), None),
        ("mor", {_EVERY: "2"}, 3, (), 2),
        ("mor", {_EVERY: "10"}, 6, (), None),
        ("cow", {}, 6, (), None),
    ],
)
def test_a_warning_names_the_compaction_that_is_not_assumed(table_type, props, commits, compact_after, every):
    plan = dataclasses.replace(plan_of(DEFAULT, "1.2", table_type), props=props)
    found = inline_warnings(plan, commits, compact_after)
    assert [f"--compact-every {every})" in one for one in found] == [True] * (every is not None)
