"""The result of a verb: the JSON envelope, and its text, Markdown, HTML and JUnit forms."""

from __future__ import annotations

from bridge.report.files import FORMS, write_report
from bridge.report.json_rows import json_rows, list_rows
from bridge.report.json_values import JsonObject, cell, json_field, json_record, json_value, shown_record, texts
from bridge.report.notebook import as_notebook
from bridge.report.report import (
    MOST,
    SAMPLE,
    Check,
    NextStep,
    Report,
    error_as_json,
    limit_of,
    plan_as_json,
    sides_as_json,
)
from bridge.report.result import Closeable, Judged, Listing, Showable
from bridge.report.schema import documented, envelope_schema
from bridge.report.severity import FAILS, REPORTS, STRICT, Severity
from bridge.report.table import Label, Table
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
    ValueLine,
    View,
)
from bridge.report.words import counted, shown_constants

__all__ = [
    "FAILS",
    "FORMS",
    "MOST",
    "PAGE_KEYS",
    "REPORTS",
    "SAMPLE",
    "STRICT",
    "Bar",
    "CauseLine",
    "Chart",
    "Check",
    "Closeable",
    "Figure",
    "JsonObject",
    "Judged",
    "Keys",
    "Label",
    "LawCell",
    "LawPanel",
    "Laws",
    "Listing",
    "NextStep",
    "PathLine",
    "Report",
    "Severity",
    "Showable",
    "Table",
    "ValueLine",
    "View",
    "as_notebook",
    "cell",
    "counted",
    "documented",
    "envelope_schema",
    "error_as_json",
    "json_field",
    "json_record",
    "json_rows",
    "json_value",
    "limit_of",
    "list_rows",
    "plan_as_json",
    "shown_constants",
    "shown_record",
    "sides_as_json",
    "texts",
    "write_report",
]
