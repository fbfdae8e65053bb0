"""Checking the laws of a payload, merge mode or merger: the verdicts, and files that reproduce a violation."""

from __future__ import annotations

from bridge.verify.compiled import compiled
from bridge.verify.pytest_file import pytest_text, write
from bridge.verify.spark_script import spark_text
from bridge.verify.verification import Verification, result_as_json, story_of, universe_as_json, verify

__all__ = [
    "Verification",
    "compiled",
    "pytest_text",
    "result_as_json",
    "spark_text",
    "story_of",
    "universe_as_json",
    "verify",
    "write",
]
