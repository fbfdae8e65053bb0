"""AWSDmsAvroPayload: the incoming row replaces the stored one, and `Op` = D deletes it."""

from __future__ import annotations

import pytest

from payloads.errors import PayloadFailedError
from tests.payloads.builtin.held import held, inserted, releases_of, row, stored

NAME = "AWSDmsAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)


@pytest.mark.parametrize("release", releases_of(NAME))
def test_the_incoming_row_wins_whatever_its_ordering_value(release):
    assert stored(NAME, release, row(2, "stored"), row(1, "incoming", Op="U"))["note"] == "incoming"


@pytest.mark.parametrize("release", releases_of(NAME))
@pytest.mark.parametrize("text", ["D", "d"])
def test_the_operation_deletes(release, text):
    assert stored(NAME, release, row(2), row(1, Op=text)) is None


@pytest.mark.parametrize("release", releases_of(NAME))
def test_a_delete_of_a_new_key_fails_from_0_13_on(release):
    """Hudi unwraps an insert value that is not there."""
    if release == "0.12":
        assert inserted(NAME, release, row(1, Op="D")) is None
        return
    with pytest.raises(PayloadFailedError):
        inserted(NAME, release, row(1, Op="D"))
