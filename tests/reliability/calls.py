"""Calls of every public function with one wrong argument, and of the constructors that users write."""

from __future__ import annotations

import functools
import inspect
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import pyspark.sql

import bridge
import mergers
import mergers.laws
import payloads
import payloads.rules
from bridge import Batches, HudiTable, MergePlan, Scope, TableMergeConfig
from bridge.errors import EngineError
from payloads import HudiRelease, parse_schema
from tests.reliability.outcomes import Outcome, of_call

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from pyspark.sql import SparkSession

_AVRO: Final = {
    "type": "record",
    "name": "row",
    "fields": [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}],
}
_CLASS: Final = "OverwriteWithLatestAvroPayload"


class Nothing:
    """A value that no function takes."""

    def __repr__(self) -> str:
        return "Nothing()"


VALUES: Final[tuple[Any, ...]] = (
    *(
        None,
        0,
        -1,
        3,
        1.5,
        0.15,
        float("nan"),
        True,
        "",
        " ",
        "x",
        "1.2",
        "a`b",
        "\x1b[31mx\nerror: forged",
        "x" * 3000,
    ),
    *(b"x", [], {}, (), [None], [1], ["id"], {"a": 1}, {1: "a"}, {"a": None}, {"id": "a"}, (1, 2), {"x"}, 10**30),
    *(Nothing(), Nothing, Path("no/such"), len, HudiRelease.latest(), "no.such:Class", "os:system", "json:loads"),
    *(np.int64(3), np.float32("nan"), np.array(["id"]), {"ts", "id"}, frozenset({1}), range(2), Path(), "\ud800"),
)


PLAIN: Final = (
    *("find_damage", "inspect", "inspect_tables", "key_paths", "plan_migration", "smallest_history", "verify"),
    *("MergePlan", "Scope", "TableMergeConfig.from_properties", "payloads.resolve_payload", "payloads.parse_schema"),
    *("payloads.builtin_payloads", "payloads.rules.rule_from_json", "mergers.AvroRecordMerger", "mergers.adapt_merger"),
    *("mergers.buffered_merger", "mergers.resolve_merger", "mergers.select_merger", "mergers.laws.check_laws"),
    *("mergers.laws.law_cases", "mergers.laws.laws_named"),
)
"""Functions that need no session."""


class World:
    """Right arguments of every function, made once; without a session, of those in `PLAIN`."""

    def __init__(self, spark: SparkSession | None, table: Path, folder: Path) -> None:
        self._spark, self._folder, self._numbers = spark, folder, itertools.count()
        self._path = str(table)
        self.rows = spark and spark.createDataFrame([("a", 1)], "id string, ts long")
        self.plan = MergePlan(merger="COMMIT_TIME_ORDERING", key="id")
        self.old = MergePlan(payload=_CLASS, release="0.15", key="id")
        self.logged = MergePlan(merger="COMMIT_TIME_ORDERING", key="id", table_type="mor")
        self.table = spark and HudiTable(spark, self._path, "1.2")
        self.schema = parse_schema(_AVRO)

    def arguments(self) -> dict[str, dict[str, Any]]:
        """Return right arguments by the function's name, with its module for those outside of `bridge`."""
        rows, plan, table, schema = self.rows, self.plan, self.table, self.schema
        batches = [rows]
        versions = [(1, {"id": "a", "ts": 1})]
        out = str(self._folder / f"out-{next(self._numbers)}")
        settings: dict[str, Any] = {"schema": schema, "key": ["id"]}
        return {
            "all_paths": {"batches": batches, "plan": plan},
            "check_whole": {"table": table},
            "append": {"stored": rows, "log": None, "incoming": rows, "plan": self.logged},
            "combine_input": {"incoming": rows, "plan": plan},
            "compact": {"stored": rows, "log": rows, "plan": self.logged},
            "compare_readers": {"table": table},
            "diff": {"left": rows, "right": rows, "key": ["id"]},
            "explain": {"source": batches, "plan": plan, "row": {"id": "a"}},
            "explain.table": {"source": table, "row": {"id": "a"}},
            "find_damage": {"path": self._path},
            "inspect": {"table": self._path},
            "inspect_tables": {"root": str(Path(self._path).parent), "release": HudiRelease.latest()},
            "key_paths": {"versions": versions, "plan": plan, "schema": schema},
            "merge_frames": {"point": "upsert", "plan": plan, "stored": rows, "incoming": rows},
            "merge_into": {"table": table, "incoming": rows, "plan": plan},
            "migrate": {"plan": self.old},
            "plan_migration": {"table": self._path, "to": "1.2"},
            "rebuilt_commits": {"table": table},
            "rehearse": {"table": table, "to": "1.2", "copy": out},
            "replay": {"source": batches, "plan": self.old, "to": "1.2"},
            "replay.readers": {"source": table, "to": "1.2"},
            "replay.batches": {"source": table, "batches": batches, "to": "1.2"},
            "replay.history": {"source": table, "history": True, "to": "1.2"},
            "simulate": {"batches": batches, "plan": plan},
            "simulate_upgrade": {"batches": batches, "old": self.old, "new": plan, "upgrade_after": 1},
            "smallest_history": {"versions": versions, "plan": plan, "schema": schema},
            "snapshot": {"stored": rows, "log": rows, "plan": self.logged},
            "table_history": {"table": table},
            "upsert": {"stored": rows, "incoming": rows, "plan": plan},
            "verify": {"name": _CLASS, "release": HudiRelease.latest(), "examples": 2, **settings},
            "write_files": {"rows": rows, "path": out, "plan": plan},
            "write_table": {"rows": rows, "path": out, "plan": plan},
            "merge_batch": {"table": out, "plan": plan},
            "MergePlan": {"payload": _CLASS, "key": "id"},
            "HudiTable": {"spark": self._spark, "path": self._path, "release": "1.2"},
            "Scope": {"since": "1"},
            "Batches.of": {"frames": batches},
            "Batches.read": {"spark": self._spark, "path": out},
            "TableMergeConfig.from_properties": {"properties": {"hoodie.table.name": "t"}, "release": "1.2"},
            "payloads.resolve_payload": {"name": _CLASS},
            "payloads.builtin_payloads": {},
            "payloads.parse_schema": {"source": _AVRO},
            "mergers.resolve_merger": {"merger": "EVENT_TIME_ORDERING"},
            "mergers.select_merger": {
                "strategy": "EVENT_TIME_ORDERING",
                "engine": "AVRO",
                "implementations": [mergers.OverwriteWithLatestMerger],
            },
            "mergers.buffered_merger": {"mode": "EVENT_TIME_ORDERING", "schema": schema, "props": {}},
            "mergers.adapt_merger": {"obj_or_class": mergers.OverwriteWithLatestMerger},
            "mergers.AvroRecordMerger": {"payload": _CLASS},
            "mergers.laws.check_laws": {"payload_or_merger": _CLASS, "examples": 2, **settings},
            "mergers.laws.law_cases": {"payload_or_merger": _CLASS, **settings},
            "mergers.laws.laws_named": {"names": ["idempotence"]},
            "payloads.rules.rule_from_json": {"written": {}},
        }


HOMES: Final = {
    "payloads": payloads,
    "mergers": mergers,
    "mergers.laws": mergers.laws,
    "payloads.rules": payloads.rules,
}
_NAMED: Final = {
    "Batches.of": Batches.of,
    "Batches.read": Batches.read,
    "TableMergeConfig.from_properties": TableMergeConfig.from_properties,
    "Scope": Scope,
    "explain.table": bridge.explain,
    **dict.fromkeys(("replay.readers", "replay.batches", "replay.history"), bridge.replay),
}


def no_session(*_: object, **__: object) -> NoReturn:
    """Take the place of what starts a session."""
    msg = "this trial has no session"
    raise EngineError(msg)


def function_of(name: str) -> Callable[..., Any]:
    """Return what a name of `World.arguments` calls."""
    if name in _NAMED:
        return _NAMED[name]
    module, _, own = name.rpartition(".")
    return getattr(HOMES.get(module, bridge), own)


@functools.cache
def _parameters(name: str) -> tuple[str, ...]:
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = inspect.signature(function_of(name)).parameters.items()
    return tuple(parameter for parameter, one in found if one.kind not in kinds)


_ONCE: Final = 0.1
_MANY: Final = 1000
_CALLED: Final = {"before_commit", "equality", "session"}
_TRUTH: Final = {"exhaustive", "real"}
"""Parameters with which a right value takes minutes."""


def drawn(name: str, world: World, draw: random.Random) -> tuple[str, Outcome]:
    """Call a function with one wrong argument, or with a right list that can be read only once."""
    given = world.arguments()[name]
    if world.rows is None and "session" in _parameters(name):
        given |= {"session": no_session}
    lists = [key for key, value in given.items() if isinstance(value, (list, tuple))]
    if lists and draw.random() < _ONCE:
        given |= {(parameter := draw.choice(lists)): iter(given[parameter])}
        return f"{name}({parameter}=iter(...))", of_call(lambda: _collected(function_of(name)(**given)), takes=True)
    parameter = draw.choice([one for one in _parameters(name) if one not in _TRUTH])
    value = draw.choice(VALUES)
    if parameter == "examples" and isinstance(value, int) and value > _MANY:
        value = _MANY  # it would take as long as it says
    if parameter in _CALLED and callable(value):
        value = None  # what a user's function raises is its own
    if parameter == "session" and world.rows is None and value is None:
        value = no_session
    takes = not isinstance(value, Nothing) or name == "mergers.laws.law_cases"  # whose cases look at it

    def call() -> None:
        _collected(function_of(name)(**{**given, parameter: value}))

    return f"{name}({parameter}={value!r:.60})", of_call(call, takes=takes)


def _collected(found: object) -> None:
    if isinstance(found, pyspark.sql.DataFrame):
        found.collect()
