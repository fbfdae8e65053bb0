"""Releases, and rules that change with them."""

from __future__ import annotations

import warnings

import pytest

from payloads.errors import PayloadConfigError
from payloads.release import ByRelease, HudiRelease, ReleaseWarning, releases


def test_an_entry_holds_until_the_next_one():
    rule = ByRelease("first", {"1.2": "last", "1.0": "second"})
    assert [rule.at(HudiRelease.parse(line)) for line in ("0.15", "1.0", "1.1", "1.2")] == [
        "first",
        "second",
        "second",
        "last",
    ]
    assert list(rule.rules) == [*HudiRelease, HudiRelease.V1_3]


def test_none_is_a_rule():
    assert ByRelease("ts", {"1.0": None}).at(HudiRelease.latest()) is None


def test_an_unknown_release_is_refused():
    with pytest.raises(PayloadConfigError, match="unknown Hudi release"):
        ByRelease(1, {"2.0": 2})


@pytest.mark.parametrize(
    "written", ["1.2", "1.2.0", "1.2.1", "0.15.0-amzn-5", "1.0.2-rc1", "0.15.0.7.3.1-500", "0.14.1.1"]
)
def test_a_patch_or_a_build_is_read_as_its_line(written):
    assert written.startswith(HudiRelease.parse(written).value)


@pytest.mark.parametrize("written", ["1.2.junk", "1.2.", "1.2.0.", "1", "1.2 ", "v1.2", "1.2-"])
def test_what_is_no_release_is_refused(written):
    with pytest.raises(PayloadConfigError, match="unknown Hudi release"):
        HudiRelease.parse(written)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1.2.1", "the rules are those of Hudi 1.2.0; 1.2.1 was not compared"),
        ("1.0.0", "the rules are those of Hudi 1.0.2; 1.0.0 was not compared"),
        ("0.15.0-amzn-5", "the rules are those of Hudi 0.15.0; 0.15.0-amzn-5 was not compared"),
        ("0.14.0", "the rules are those of Hudi 0.14.1; 0.14.0 differs: its isDeleted knows no custom"),
        ("0.12.2", "the rules are those of Hudi 0.12.3; 0.12.2 differs: its Debezium classes fail"),
    ],
)
def test_a_patch_that_was_not_compared_is_told(written, said):
    with pytest.warns(ReleaseWarning) as found:
        assert HudiRelease.asked(written) is HudiRelease.parse(written)
    assert str(found[0].message).startswith(said)
    assert found[0].filename == __file__


@pytest.mark.parametrize("written", ["1.2", "1.2.0", "1.0.2", "0.14.1", HudiRelease.V0_15])
def test_a_line_and_the_patch_whose_rules_these_are_need_no_word(written):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HudiRelease.asked(written)


def test_releases_from_one_to_another():
    assert releases() == tuple(HudiRelease)
    assert releases(since="1.1") == (HudiRelease.V1_1, HudiRelease.V1_2)
    assert releases(since="0.15", until="1.0") == (HudiRelease.V0_15, HudiRelease.V1_0)
