"""The result of a verb: the JSON envelope, and its text, Markdown, HTML and JUnit forms."""

from __future__ import annotations

from bridge.report.files import FORMS, write_report
from bridge.report.json_rows import json_rows
from bridge.report.json_values import cell, json_field, json_record, json_value, texts
from bridge.report.notebook import as_notebook
from bridge.report.report import (
    MOST,
    SAMPLE,
    Check,
    Label,
    Report,
    Table,
    error_as_json,
    limit_of,
    plan_as_json,
    sides_as_json,
)
from bridge.report.schema import envelope_schema
from bridge.report.shown import Showable
from bridge.report.view import (
    PAGE_KEYS,
    Bar,
    CauseLine,
    Chart,
    Figure,
    Keys,
    LawCell,
    LawPanel,
    Laws,
    PathLine,
    View,
)

__all__ = [
    "FORMS",
    "MOST",
    "PAGE_KEYS",
    "SAMPLE",
    "Bar",
    "CauseLine",
    "Chart",
    "Check",
    "Figure",
    "Keys",
    "Label",
    "LawCell",
    "LawPanel",
    "Laws",
    "PathLine",
    "Report",
    "Showable",
    "Table",
    "View",
    "as_notebook",
    "cell",
    "envelope_schema",
    "error_as_json",
    "json_field",
    "json_record",
    "json_rows",
    "json_value",
    "limit_of",
    "plan_as_json",
    "sides_as_json",
    "texts",
    "write_report",
]
