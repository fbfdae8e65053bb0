"""HoodieJsonPayload: the text of a row, which is never merged."""

from __future__ import annotations

from tests.payloads.builtin.held import held

NAME = "HoodieJsonPayload"

test_hudi_gave_the_same_answers = held(NAME)
