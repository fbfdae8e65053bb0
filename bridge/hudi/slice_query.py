"""One query of a table as its tasks need it: the files, the columns, the rows and the rules of the merge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bridge.config import capabilities
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.config import LogUnits
    from bridge.hudi.block_order import BlockRules
    from bridge.hudi.files import TableFiles
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.schema_on_read import Renames, SchemaHistory
    from bridge.plan import MergePlan
    from payloads.avro import AvroSchema


class Commits(NamedTuple):
    """The commits whose rows an increment has, by the rows' `_hoodie_commit_time`.

    Attributes:
        instants: their requested times.
        after: where all commit times after this one and up to the last instant count, archived ones too: in
            merge-on-read tables until version 6 (MergeOnReadIncrementalRelation). None where the instants alone do.
    """

    instants: frozenset[str]
    after: str | None = None

    def mask(self, times: object) -> Any:
        """Return which rows are of these commits."""
        if self.after is None or not self.instants:
            return pc.is_in(times, pa.array(sorted(self.instants), pa.string()))
        return pc.and_(pc.greater(times, self.after), pc.less_equal(times, max(self.instants)))

    def may_be_within(self, first: str, last: str) -> bool:
        """Whether one of the rows with commit times from `first` to `last` may be of these commits."""
        if not self.instants:
            return False
        begins = last >= min(self.instants) if self.after is None else last > self.after
        return begins and first <= max(self.instants)


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
        vectors: the columns that the answer has as arrays of numbers, each with the type of its elements; files have
            their bytes.
        null_columns: the meta columns that the answer has as null.
        commits: the commits whose rows the answer has; None for all rows.
        bootstrapped: the source file of each bootstrapped file group.
        sources: where these files are.
        shown: the columns of the answer, of those of `schema` and the meta columns; None for all.
        keys: the record keys whose versions are read, a few; None for all.
        unnamed_class: why nothing can be merged; None where it can.
        history: the table's schemas, for schema on read; None where columns go by name.
        quarantines: whether a key that can't be merged is quarantined, with all its versions.
    """

    files: TableFiles
    properties: TableProperties
    schema: AvroSchema
    plan: MergePlan
    rules: BlockRules
    paths_tell: tuple[str, ...] = ()
    text_columns: tuple[str, ...] = ()
    vectors: Mapping[str, str] = field(default_factory=dict)
    null_columns: tuple[str, ...] = ()
    commits: Commits | None = None
    bootstrapped: Mapping[tuple[str, str], str] | None = None
    sources: TableFiles | None = None
    shown: frozenset[str] | None = None
    keys: frozenset[str] | None = None
    unnamed_class: str | None = None
    quarantines: bool = False
    history: SchemaHistory | None = None

    @property
    def checked_key(self) -> tuple[str, ...]:
        """The columns of the record key that a class of the user may not change; none where Hudi's own merge."""
        plan = self.plan
        is_users = (
            plan.mode is None if plan.merger is not None else plan.payload is not None and not plan.payload.is_builtin
        )
        return tuple(name for name in plan.key if is_users and name in self.schema.by_name and name not in META_COLUMNS)

    @property
    def log_units(self) -> LogUnits:
        """The units of timestamps in the files, by the release that reads."""
        return capabilities(self.rules.release).log_units

    def renames(self, instant: str) -> Renames | None:
        """Return how a file that an instant wrote names its columns; None where they go by name."""
        return None if self.history is None else self.history.renames(instant)
