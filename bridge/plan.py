"""MergePlan: everything that decides how a table merges, said once and checked before any job starts."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bridge.errors import PlanError
from payloads import HudiRelease, PayloadRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers import MergerRef
    from payloads import AvroSchema


class TableType(enum.Enum):
    """How a table stores updates."""

    COPY_ON_WRITE = "cow"
    MERGE_ON_READ = "mor"


ENGINES = ("auto", "python")
_TABLE_VERSIONS = {HudiRelease.V0_15: 6, HudiRelease.V1_0: 8, HudiRelease.V1_1: 9, HudiRelease.V1_2: 9}


@dataclass(frozen=True, kw_only=True)
class MergePlan:
    """How the versions of a record merge.

    Attributes:
        payload: the writer's payload class, by name; exactly one of `payload` and `merger` is set.
        merger: a merger, by name; a merge mode is a merger.
        release: the Hudi release whose rules hold.
        table_version: 6, 8 or 9; None for the version that the release creates.
        table_type: copy-on-write or merge-on-read.
        key: the record key columns.
        partition: the partition path columns; empty for a table without partitions.
        ordering: the ordering (precombine) fields, dotted paths allowed; empty for arrival order.
        schema: an Avro schema that overrides the one derived from the DataFrame.
        props: further writer properties, as Hudi names them.
        arrival: the column that gives the order of arrival; None for the order of files and rows.
        combine_before_upsert: whether a batch is deduplicated first.
        inserts_to: where a merge-on-read table writes new keys.
        global_index: whether the key alone, without the partition, identifies a row.
        engine: what runs the merges; `auto` picks the fastest that can.
    """

    payload: PayloadRef | None = None
    merger: MergerRef | None = None
    release: HudiRelease = HudiRelease.latest()
    table_version: int | None = None
    table_type: TableType = TableType.COPY_ON_WRITE
    key: tuple[str, ...] = ()
    partition: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()
    schema: AvroSchema | None = None
    props: Mapping[str, str] = field(default_factory=dict)
    arrival: str | None = None
    combine_before_upsert: bool = True
    inserts_to: Literal["base", "log"] = "base"
    global_index: bool = False
    engine: Literal["auto", "python"] = "auto"

    def __post_init__(self) -> None:
        """Accept what users write (names, text, lists) and refuse what contradicts itself.

        Raises:
            PlanError: naming the setting and what to write instead.
        """
        set_field = object.__setattr__
        set_field(self, "release", HudiRelease.parse(self.release))
        set_field(self, "table_type", TableType(self.table_type))
        for name in ("key", "partition", "ordering"):
            set_field(self, name, _names(getattr(self, name)))
        if isinstance(self.payload, str):
            set_field(self, "payload", PayloadRef(self.payload))
        set_field(self, "props", dict(self.props))
        if (self.payload is None) == (self.merger is None):
            msg = "give exactly one of payload and merger"
            raise PlanError(msg)
        if not self.key:
            msg = "the record key is missing; name its columns (--key a[,b])"
            raise PlanError(msg)
        if self.release < HudiRelease.V1_1 and len(self.ordering) > 1:
            msg = f"Hudi {self.release} has one ordering field, not {', '.join(self.ordering)}; name one"
            raise PlanError(msg)
        if not self.combine_before_upsert:
            msg = "combine_before_upsert=False is not ported; leave it at True"
            raise PlanError(msg)
        if self.inserts_to != "base":
            msg = "inserts_to='log' is not ported; leave it at 'base'"
            raise PlanError(msg)
        if self.merger is not None:
            msg = "a plan with a merger is not ported yet; give a payload"
            raise PlanError(msg)
        if self.engine not in ENGINES:
            msg = f"unknown engine {self.engine!r}; choose one of {', '.join(ENGINES)}"
            raise PlanError(msg)
        created = _TABLE_VERSIONS[self.release]
        if self.table_version not in {None, created}:
            msg = f"Hudi {self.release} creates table version {created}; other versions are not ported"
            raise PlanError(msg)

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that identify a row: partition and key, or the key alone with a global index."""
        partition = () if self.global_index else self.partition
        return (*partition, *(name for name in self.key if name not in partition))

    @property
    def payload_name(self) -> str:
        """The name of the payload class, for messages."""
        return self.payload.name if self.payload is not None else "no payload"


def _names(columns: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(columns.split(",")) if isinstance(columns, str) else tuple(columns)
