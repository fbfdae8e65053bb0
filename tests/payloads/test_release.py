"""Releases, and rules that change with them."""

from __future__ import annotations

import pytest

from payloads.errors import PayloadConfigError
from payloads.release import ByRelease, HudiRelease, releases


def test_an_entry_holds_until_the_next_one():
    rule = ByRelease("first", {"1.2": "last", "1.0": "second"})
    assert [rule.at(HudiRelease.parse(line)) for line in ("0.15", "1.0", "1.1", "1.2")] == [
        "first",
        "second",
        "second",
        "last",
    ]
    assert list(rule.rules) == list(HudiRelease)


def test_none_is_a_rule():
    assert ByRelease("ts", {"1.0": None}).at(HudiRelease.latest()) is None


def test_an_unknown_release_is_refused():
    with pytest.raises(PayloadConfigError, match="unknown Hudi release"):
        ByRelease(1, {"2.0": 2})


def test_releases_from_one_to_another():
    assert releases() == tuple(HudiRelease)
    assert releases(since="1.1") == (HudiRelease.V1_1, HudiRelease.V1_2)
    assert releases(since="0.15", until="1.0") == (HudiRelease.V0_15, HudiRelease.V1_0)
