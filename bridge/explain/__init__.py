"""How one row came about: its versions, every merge call, and the rule that decided it."""

from __future__ import annotations

from bridge.explain.explanation import ExplainedSide, Explanation, explain, explain_sides
from bridge.explain.path_text import commits_words, compaction_words, path_words, step_words
from bridge.explain.trace import Trace, TracedCall, check_traceable, trace_key
from bridge.explain.versions import Side, same_record

__all__ = [
    "ExplainedSide",
    "Explanation",
    "Side",
    "Trace",
    "TracedCall",
    "check_traceable",
    "commits_words",
    "compaction_words",
    "explain",
    "explain_sides",
    "path_words",
    "same_record",
    "step_words",
    "trace_key",
]
