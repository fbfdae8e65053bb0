"""Every JSON object that a test of this folder makes is valid."""

from __future__ import annotations

from tests.support.envelopes import valid_envelopes

__all__ = ["valid_envelopes"]
