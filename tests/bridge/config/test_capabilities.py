"""What each release can do, and what a table of each version stores."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.config import assumed_writer, capabilities
from bridge.config.capabilities import TABLE_VERSIONS
from payloads import HudiRelease

V0_15, V1_0, V1_1, V1_2 = (HudiRelease.parse(line) for line in ("0.15", "1.0", "1.1", "1.2"))


@pytest.mark.parametrize("release", HudiRelease, ids=str)
def test_every_release_has_a_row_of_its_own_line(release):
    can = capabilities(release)
    assert can.release is release
    assert HudiRelease.parse(can.bundle) is release
    assert can.created_version == max(can.readable_versions)
    assert can.table_version == can.created_version
    assert set(can.readable_versions) <= set(TABLE_VERSIONS)


def test_every_attribute_is_described():
    documented = capabilities(V1_2).__doc__
    assert [f.name for f in dataclasses.fields(capabilities(V1_2)) if f"        {f.name}: " not in documented] == []


def test_the_table_version_decides_what_a_table_stores():
    old, eight, nine = (capabilities(V1_2, version) for version in (6, 8, 9))
    assert [can.stored_modes for can in (old, eight, nine)] == [False, True, True]
    assert [can.payload_successors for can in (old, eight, nine)] == [False, False, True]
    assert [bool(can.partial_update_modes) for can in (old, eight, nine)] == [False, False, True]
    assert capabilities(V1_2) == nine


def test_the_assumed_writer_a_table_version():
    assert [assumed_writer(version) for version in TABLE_VERSIONS] == [V0_15, V1_0, V1_1]
