"""Checking the laws of a payload, merge mode or merger: the verdicts, and files that reproduce a violation."""

from __future__ import annotations

from bridge.engines.subjects import compiled
from bridge.verify.columns_algebra import columns_subject, gives_columns_alone
from bridge.verify.pytest_file import pytest_text, write
from bridge.verify.report import Verification
from bridge.verify.sample import Sample, sample_of
from bridge.verify.spark_script import spark_text
from bridge.verify.verification import verify

__all__ = [
    "Sample",
    "Verification",
    "columns_subject",
    "compiled",
    "gives_columns_alone",
    "pytest_text",
    "sample_of",
    "spark_text",
    "verify",
    "write",
]
