"""Recorded histories key by key, as records of physical values: what the path search takes without Spark."""

from __future__ import annotations

import collections
import datetime
import functools
from typing import NamedTuple

from pyspark.sql.types import StructType

from bridge import MergePlan
from bridge.merge.record_merge import merge_config
from bridge.spark.schema import avro_schema
from payloads import HudiRelease
from payloads.avro.logical import to_physical
from tests.conformance.histories import History, columns_of, read
from tests.support import HISTORIES

_TYPE_NAMES = {"int": "integer", "bigint": "long"}


class Case(NamedTuple):
    """The tables of one case and release, which have the same input."""

    tables: tuple[History, ...]

    @property
    def plan(self):
        first = self.tables[0]
        return MergePlan(
            payload=first.payload_class,
            merger=None if first.payload_class else first.rule,
            release=first.release,
            key=("id",),
            partition=("part",),
            ordering=first.ordering,
            props=first.options,
        )

    @property
    def schema(self):
        return schema_of(self.tables[0])

    @property
    def rule(self):
        """What the law matrix calls the rule of these tables: the payload class, or from 1.1 on the merge mode."""
        if self.plan.release < HudiRelease.V1_1:
            return self.tables[0].rule
        config = merge_config(self.plan)
        if config.merge.payload is not None:
            return config.merge.payload.rpartition(".")[2]
        partial = config.table.partial_update_mode
        return f"{config.merge.mode.value}/{partial}" if partial else config.merge.mode.value

    def keys(self):
        """Return the versions of each key: number of the batch and record."""
        schema, found = self.schema, collections.defaultdict(list)
        longest = max(self.tables, key=lambda table: len(table.commits))  # the other one failed on the same input
        for number, commit in enumerate(longest.commits, start=1):
            for row in commit.incoming:
                found[row["part"], row["id"]].append((number, physical(row, schema)))
        return found

    def disagreeing(self):
        """Return the keys whose row in real Hudi's last snapshot depends on the table type."""
        if len(self.tables) < 2 or len({len(table.commits) for table in self.tables}) > 1:
            return set()  # a table that Hudi gave up has no last snapshot
        left, right = (
            {(row["part"], row["id"]): repr(sorted(row.items())) for row in table.commits[-1].snapshot}
            for table in self.tables
        )
        return {key for key in left.keys() | right.keys() if left.get(key) != right.get(key)}


def schema_of(history):
    fields = [
        {"name": name, "type": _TYPE_NAMES.get(kind, kind), "nullable": True, "metadata": {}}
        for name, kind in columns_of(history.schema_ddl).items()
    ]
    return avro_schema(StructType.fromJson({"type": "struct", "fields": fields}), history.release)


def physical(row, schema):
    """Return a record of a recorded row: an instant without a zone is one in UTC."""
    instants = {
        name: value.replace(tzinfo=datetime.timezone.utc)
        for name, value in row.items()
        if type(value) is datetime.datetime
    }
    return to_physical({**row, **instants}, schema)


def case_names(directory=HISTORIES):
    """Return the cases of a directory of histories as RELEASE/CASE, without reading them."""
    folders = {path.parent for path in directory.glob("*/*/history.json*")}
    return sorted({f"{folder.parent.name}/{folder.name.rpartition('-')[0]}" for folder in folders})


@functools.cache
def read_case(name, directory=HISTORIES):
    """Read the tables of a case."""
    release, case = name.split("/")
    paths = (directory / release).glob(f"{case}-[cm]o[wr]/history.json*")
    return Case(tuple(map(read, sorted(paths))))
