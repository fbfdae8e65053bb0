"""Back into a real table: the payload decides, and Hudi's own writer commits."""

from __future__ import annotations

from bridge.write.clock import check_clock
from bridge.write.file_writer import FilesRun, check_form, write_files
from bridge.write.hudi_writer import WRITER_SETTINGS
from bridge.write.merge_into import merge_batch, merge_into
from bridge.write.merge_into_report import MergeIntoReport
from bridge.write.new_table import NewTableRun, new_table, write_table
from bridge.write.target import BATCH, WriteTarget

__all__ = [
    "BATCH",
    "WRITER_SETTINGS",
    "FilesRun",
    "MergeIntoReport",
    "NewTableRun",
    "WriteTarget",
    "check_clock",
    "check_form",
    "merge_batch",
    "merge_into",
    "new_table",
    "write_files",
    "write_table",
]
