"""PostgresDebeziumAvroPayload: the later position in the log wins, and a value that Debezium left out is kept."""

from __future__ import annotations

import pytest

from tests.payloads.builtin.held import held, releases_of, row, stored

NAME = "PostgresDebeziumAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_later_position_wins(release):
    assert stored(NAME, release, row(1, "stored", _event_lsn=2), row(1, "incoming", _event_lsn=1))["note"] == "stored"
    assert stored(NAME, release, row(1, "stored", _event_lsn=1), row(1, "incoming", _event_lsn=2))["note"] == "incoming"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_a_value_that_debezium_left_out_is_kept(release):
    newer = row(1, "__debezium_unavailable_value", _event_lsn=2)
    assert stored(NAME, release, row(1, "stored", _event_lsn=1), newer)["note"] == "stored"


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_operation_deletes(release):
    newer = row(1, _event_lsn=2, _change_operation_type="d")
    assert stored(NAME, release, row(1, _event_lsn=1), newer) is None
