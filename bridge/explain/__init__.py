"""How one row came about: its versions, every merge call, and the rule that decided it."""

from __future__ import annotations

from bridge.explain.explanation import SidesTracer, explain_comparison, explain_sides
from bridge.explain.one_row import explain
from bridge.explain.paths_view import paths_view
from bridge.explain.readers_view import causes_view, view_of
from bridge.explain.replay_view import replay_view
from bridge.explain.report import ExplainReport
from bridge.explain.row import ExplainedSide
from bridge.explain.story import story
from bridge.explain.table_calls import TableCall
from bridge.explain.table_row import TableRow
from bridge.explain.trace import Trace, Tracer, check_traceable, trace_key
from bridge.explain.traced_keys import replay_causes
from bridge.explain.traced_programs import TracedCall
from bridge.explain.versions import Side, same_record

__all__ = [
    "ExplainReport",
    "ExplainedSide",
    "Side",
    "SidesTracer",
    "TableCall",
    "TableRow",
    "Trace",
    "TracedCall",
    "Tracer",
    "causes_view",
    "check_traceable",
    "explain",
    "explain_comparison",
    "explain_sides",
    "paths_view",
    "replay_causes",
    "replay_view",
    "same_record",
    "story",
    "trace_key",
    "view_of",
]
