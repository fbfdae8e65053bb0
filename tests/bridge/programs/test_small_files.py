"""The small-file rule: which keys of a partition a batch merges into base files, and which go to a log.

A delete in a base file is gone, so that an older row comes back after it; one in a log holds older rows off.
"""

from __future__ import annotations

import pytest

from bridge import InputError
from bridge.merge.record_merge import RecordMerge
from bridge.programs import small_file_table
from bridge.programs.program import Arrival, Origin
from bridge.programs.small_file_table import SmallFileTable
from bridge.programs.small_files import small_file_candidates
from tests.support.one_key import DEFAULT, MODE_RELEASES, SCHEMA, plan_of, row

RELEASES = ["1.0", *MODE_RELEASES]
"""The releases in which a delete in a log holds off an older row."""


def visible(release, *commits, candidates=1, compact_after=()):
    """Return the keys that a query sees after the last of the commits, each of which is text: `+a10 -b20`.

    `+a10` is a row of the key a with the ordering value 10, `-a20` its delete.
    """
    merge = RecordMerge(plan_of(DEFAULT, release), SCHEMA)
    table = SmallFileTable(merge, commits=len(commits), candidates=candidates, compact_after=compact_after)
    seen = []

    def emit(_action, carrier, first, last):
        assert 1 <= first <= last
        if last == len(commits):
            seen.append(carrier.record["id"])

    table.start(merge.key_of({"id": ""}))
    for number, commit in enumerate(commits, start=1):
        for sign, key, *digits in commit.split():
            record = {**row(int("".join(digits)), deleted=sign == "-"), "id": key}
            table.accept(Arrival(Origin.INCOMING, number, record, None), emit)
    table.finish(emit)
    return "".join(sorted(seen))


BACK = "+a15"
"""A row that is older than the delete of its key."""


@pytest.mark.parametrize("release", RELEASES)
def test_without_a_new_key_a_batch_goes_to_the_log(release):
    assert visible(release, "+a10 +b10", "-a20", BACK) == "b"


@pytest.mark.parametrize("release", RELEASES)
def test_with_a_new_key_a_batch_is_merged_into_the_small_file(release):
    assert visible(release, "+a10 +b10", "-a20 +c10", BACK) == "abc"


@pytest.mark.parametrize("release", RELEASES)
def test_a_delete_of_an_unknown_key_counts_as_a_new_one(release):
    assert visible(release, "+a10 +b10", "-a20 -x10", BACK) == "ab"


@pytest.mark.parametrize("release", RELEASES)
def test_a_file_with_a_log_is_left_alone_until_it_is_compacted(release):
    commits = "+a10 +b10", "+b20", "-a20 +c10", BACK
    assert visible(release, *commits) == "bc"
    assert visible(release, *commits, compact_after=(2,)) == "abc"


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("candidates", "back"), [(1, ""), (2, "e"), (3, "ae")])
def test_the_smallest_files_are_chosen_up_to_the_limit(candidates, back, release):
    """There are files of a, b and d, of c and e, and of f; each was made while those before it had a log."""
    commits = "+a10 +b10 +d10", "+b20", "+c10 +e10", "+c20", "+f10", "-a20 -e20 +g10", "+a15 +e15"
    seen = visible(release, *commits, candidates=candidates, compact_after=(5,))
    assert {*seen} & {*"ae"} == {*back}


@pytest.mark.parametrize("release", RELEASES)
def test_a_deleted_row_makes_its_file_smaller(release):
    """Of 3 and 2 rows the second file is smaller, until two rows of the first are deleted."""
    first = "+a10 +b10 +d10", "+b20", "+c10 +e10"
    last = "-e30 +g10", "+e25"
    assert "e" in visible(release, *first, "+c20", *last, compact_after=(4,))
    assert "e" not in visible(release, *first, "-b30 -d30", *last, compact_after=(4,))


@pytest.mark.parametrize("release", RELEASES)
def test_the_keys_of_another_path_begin_with_no_file(release):
    merge = RecordMerge(plan_of(DEFAULT, release), SCHEMA)
    table = SmallFileTable(merge, commits=1, candidates=1)
    for key in "ab":
        seen = []
        table.start(merge.key_of({"id": ""}))
        table.accept(Arrival(Origin.INCOMING, 1, {**row(1), "id": key}, None), None)
        table.finish(lambda _action, carrier, *_, seen=seen: seen.append(carrier.record["id"]))
        assert seen == [key]


@pytest.mark.parametrize(
    ("props", "candidates"),
    [
        ({}, 0),
        ({"hoodie.parquet.small.file.limit": "0"}, 0),
        ({"hoodie.parquet.small.file.limit": "1"}, 1),
        ({"hoodie.merge.small.file.group.candidates.limit": "3"}, 0),
        ({"hoodie.parquet.small.file.limit": "1", "hoodie.merge.small.file.group.candidates.limit": "3"}, 3),
    ],
)
def test_the_rule_is_on_where_a_limit_is_set(props, candidates):
    assert small_file_candidates(props) == candidates


def test_a_partition_that_is_too_large_for_a_task_is_refused(monkeypatch):
    monkeypatch.setattr(small_file_table, "MOST_BYTES", 100_000)
    commit = " ".join(f"+{chr(0x4E00 + number)}10" for number in range(2_000))
    says = r"has more than \d+, about .*; leave out hoodie.parquet.small.file.limit"
    with pytest.raises(InputError, match=says):
        visible("1.2", commit)
