"""Users' classes whose rule was found, and runs in their place where the user trusts it."""

from __future__ import annotations

from bridge.engines.trusted.check import Evidence, check
from bridge.engines.trusted.rules import FoundRules, found_rules

__all__ = ["Evidence", "FoundRules", "check", "found_rules"]
