"""The native engine: merge modes as Spark's own expressions, without Python and without user-defined functions."""

from __future__ import annotations

from bridge.engines.native.engine import run
from bridge.engines.native.lowering import REFUSALS, Lowered, NotLoweredError, Refusal, lowered

__all__ = ["REFUSALS", "Lowered", "NotLoweredError", "Refusal", "lowered", "run"]
