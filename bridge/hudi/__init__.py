"""A real table on storage, read in place: timeline, file slices, base files, log blocks, and the merge of a slice."""

from __future__ import annotations

from bridge.hudi.base_files import key_edges
from bridge.hudi.errors import (
    AlteredTableError,
    DamagedFileError,
    HudiTableError,
    UnmergedTableError,
    UnreadableTableError,
    altered_text,
)
from bridge.hudi.file_slices import FileSlice, files_of
from bridge.hudi.files import tables_below
from bridge.hudi.instants import Instant, State
from bridge.hudi.partition_values import ComputedKeys
from bridge.hudi.properties import TableProperties
from bridge.hudi.queries import Answer, TableQueries
from bridge.hudi.readers import ComparedRows, Differing, ReaderQuery, SliceReaders, shown_as_text
from bridge.hudi.schema_evolution import arrow_of, converted
from bridge.hudi.selection import narrowed, partition_rows
from bridge.hudi.slice_merge import looked_up
from bridge.hudi.slice_query import SliceQuery
from bridge.hudi.slice_reader import SliceReader
from bridge.hudi.slice_symptoms import SliceSymptoms, Symptom, SymptomKind
from bridge.hudi.slice_tasks import answer_columns, slices_in, slices_of
from bridge.hudi.slice_versions import GroupVersions
from bridge.hudi.table import HudiTable
from bridge.hudi.table_class import ON_FRAMES
from bridge.hudi.timeline import ActiveTimeline
from bridge.hudi.whole_table import check_whole

__all__ = [
    "ON_FRAMES",
    "ActiveTimeline",
    "AlteredTableError",
    "Answer",
    "ComparedRows",
    "ComputedKeys",
    "DamagedFileError",
    "Differing",
    "FileSlice",
    "GroupVersions",
    "HudiTable",
    "HudiTableError",
    "Instant",
    "ReaderQuery",
    "SliceQuery",
    "SliceReader",
    "SliceReaders",
    "SliceSymptoms",
    "State",
    "Symptom",
    "SymptomKind",
    "TableProperties",
    "TableQueries",
    "UnmergedTableError",
    "UnreadableTableError",
    "altered_text",
    "answer_columns",
    "arrow_of",
    "check_whole",
    "converted",
    "files_of",
    "key_edges",
    "looked_up",
    "narrowed",
    "partition_rows",
    "shown_as_text",
    "slices_in",
    "slices_of",
    "tables_below",
]
