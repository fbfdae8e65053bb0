"""The python engine: a payload in Python over sorted Arrow batches."""

from __future__ import annotations

from bridge.engines.python.engine import run
from bridge.engines.python.records import RecordReader, RecordWriter, arrow_schema

__all__ = ["RecordReader", "RecordWriter", "arrow_schema", "run"]
