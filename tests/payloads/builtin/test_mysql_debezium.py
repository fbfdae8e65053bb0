"""MySqlDebeziumAvroPayload: the later position in the binary log wins."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import held, releases_of, row, stored

NAME = "MySqlDebeziumAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_positions_compare_as_numbers_from_0_14_on(release):
    found = stored(NAME, release, row(1, "stored", _event_seq="2.9"), row(1, "incoming", _event_seq="10.1"))
    assert found["note"] == ("stored" if release in {"0.12", "0.13"} else "incoming")


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_operation_deletes(release):
    newer = row(1, _event_seq="2.1", _change_operation_type="d")
    assert stored(NAME, release, row(1, _event_seq="1.1"), newer) is None
