"""One query of a table as its tasks need it: the files, the columns, the rows and the rules of the merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.hudi.block_order import BlockRules
    from bridge.hudi.files import TableFiles
    from bridge.hudi.properties import TableProperties
    from bridge.plan import MergePlan
    from payloads.avro import AvroSchema


@dataclass(frozen=True)
class SliceQuery:
    """One query of a table, as a task needs it.

    Attributes:
        files: the table's files.
        properties: the table's.
        schema: the columns of the answer, without meta columns.
        plan: how versions merge.
        rules: which log blocks count.
        paths_tell: the partition columns whose values the answer takes from the path.
        text_columns: the columns that the answer has as text, whatever the files have.
        null_columns: the meta columns that the answer has as null.
        commits: the instants whose rows the answer has; None for all rows.
        bootstrapped: the source file of each bootstrapped file group.
        sources: where these files are.
        shown: the columns of the answer, of those of `schema` and the meta columns; None for all.
        keys: the record keys whose versions are read; None for all.
        unnamed_class: why nothing can be merged; None where it can.
    """

    files: TableFiles
    properties: TableProperties
    schema: AvroSchema
    plan: MergePlan
    rules: BlockRules
    paths_tell: tuple[str, ...] = ()
    text_columns: tuple[str, ...] = ()
    null_columns: tuple[str, ...] = ()
    commits: frozenset[str] | None = None
    bootstrapped: Mapping[tuple[str, str], str] | None = None
    sources: TableFiles | None = None
    shown: frozenset[str] | None = None
    keys: frozenset[str] | None = None
    unnamed_class: str | None = None
