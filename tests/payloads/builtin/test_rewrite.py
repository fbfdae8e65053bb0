"""RewriteAvroPayload: the row is copied as it is, and never merged."""

from __future__ import annotations

from tests.payloads.builtin.held import held

NAME = "RewriteAvroPayload"

test_hudi_gave_the_same_answers = held(NAME)
