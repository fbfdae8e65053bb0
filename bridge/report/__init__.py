"""The result of a verb: the JSON envelope, and its text, Markdown, HTML and JUnit forms."""

from __future__ import annotations

from bridge.report.files import FORMS, write_report
from bridge.report.json_rows import json_rows
from bridge.report.json_values import cell, json_record, json_value
from bridge.report.report import SAMPLE, Check, Label, Report, Table, error_as_json, plan_as_json, sides_as_json

__all__ = [
    "FORMS",
    "SAMPLE",
    "Check",
    "Label",
    "Report",
    "Table",
    "cell",
    "error_as_json",
    "json_record",
    "json_rows",
    "json_value",
    "plan_as_json",
    "sides_as_json",
    "write_report",
]
