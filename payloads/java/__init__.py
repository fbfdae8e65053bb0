"""What Java prints, parses and compares: numbers, text, time. Standard library alone."""

from __future__ import annotations

from payloads.java.comparison import floating, natural, signed_bytes, utf16
from payloads.java.floats import double_text, float_text, single
from payloads.java.hash_set import joined_names, listed_names
from payloads.java.iso_time import days, instant_nanos, local_nanos, nanos_of_day
from payloads.java.json_text import printed, written
from payloads.java.letter_case import any_case_pattern, equals_ignore_case, has_sigma, whole_case_pattern

__all__ = [
    "any_case_pattern",
    "days",
    "double_text",
    "equals_ignore_case",
    "float_text",
    "floating",
    "has_sigma",
    "instant_nanos",
    "joined_names",
    "listed_names",
    "local_nanos",
    "nanos_of_day",
    "natural",
    "printed",
    "signed_bytes",
    "single",
    "utf16",
    "whole_case_pattern",
    "written",
]
