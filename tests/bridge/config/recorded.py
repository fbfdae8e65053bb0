"""What real Hudi stored and inferred: reads `tests/data/config`."""

from __future__ import annotations

import gzip
import json
import re
from typing import NamedTuple

from bridge.config.keys import is_merge_key
from bridge.migration.examples import differences
from bridge.migration.silent_changes import silent_changes as changes_of
from tests.support import CONFIG

MODEL = "org.apache.hudi.common.model."
TYPES = {"COPY_": "COPY_ON_WRITE", "MERGE": "MERGE_ON_READ"}


def silent_changes(move):
    """Return what a move changes silently, with the examples that it changes played."""
    return changes_of(move, differences).found


def lines_of(name):
    with gzip.open(CONFIG / name, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def upgraded_tables():
    """Tables that 0.15.0 or 1.0.2 wrote and 1.2.0 went on writing; those that it could not write left out."""
    tables = map(json.loads, lines_of("upgraded-properties.jsonl.gz"))
    return [table for table in tables if table["properties_after"] is not None]


def created_tables():
    return [json.loads(line) for line in lines_of("created-properties.jsonl.gz")]


class Life(NamedTuple):
    """A table that 1.2.0 created, upgraded to 9, downgraded to 8 and then to 6, with its properties at each stage."""

    table_type: str
    version: str
    payload: str | None
    ordering: str | None
    stages: dict[str, dict[str, str]]

    @property
    def name(self):
        short = (self.payload or "none").rpartition(".")[2]
        return f"v{self.version}-{self.table_type}-{short}-{self.ordering}"


def lives():
    found = {}
    pattern = re.compile(r"bundle=1\.2\.0 src=v(\d) (\w+) payload=(\S+) pre=(\S+) (\w+) (.*)")
    for line in lines_of("upgrade-downgrade-props-1.2.0.txt.gz"):
        version, table_type, payload, ordering, stage, properties = pattern.fullmatch(line).groups()
        key = (version, table_type, payload, ordering)
        stored = {k: MODEL + v if k.endswith("payload.class") else v for k, v in json.loads(properties).items()}
        found.setdefault(key, {})[stage] = stored
    return [
        Life(TYPES[table_type], version, _full(payload), None if ordering == "None" else ordering, stages)
        for (version, table_type, payload, ordering), stages in found.items()
    ]


def _full(payload):
    if payload == "none":
        return None
    return MODEL + ("debezium." if "Debezium" in payload else "") + payload


def merge_properties(properties):
    return {key: value for key, value in properties.items() if is_merge_key(key)}
