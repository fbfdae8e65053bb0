"""Back into a real table: the payload decides, and Hudi's own writer commits."""

from __future__ import annotations

from bridge.write.hudi_writer import WRITER_SETTINGS
from bridge.write.merge_into import merge_batch, merge_into
from bridge.write.merge_into_report import MergeIntoReport
from bridge.write.target import BATCH, WriteTarget

__all__ = ["BATCH", "WRITER_SETTINGS", "MergeIntoReport", "WriteTarget", "merge_batch", "merge_into"]
