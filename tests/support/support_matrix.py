"""The support matrix of the guide, asked of the code: `python -m tests.support.support_matrix` brings it up to date."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge import MergePlan, PlanError
from bridge.config import WRITE_TABLE_VERSION, capabilities
from bridge.engines import Job, engine_of
from bridge.engines.jvm.jars import check_spark
from bridge.engines.jvm.job import Calls
from bridge.engines.jvm.merger import records_refused
from bridge.explain import check_traceable
from bridge.merge import RecordMerge
from bridge.programs import (
    PROGRAMS,
    UPSERTS,
    EngineName,
    NextWriter,
    Operations,
    WriteOperation,
    check_operated,
    check_operations,
    check_plan,
    handovers,
)
from bridge.spark.lines import LINES
from mergers import HoodieRecordType, MergerRef
from payloads import HudiRelease, PayloadBridgeError, PayloadRef, parse_schema
from payloads.release import releases
from tests.support.folders import GUIDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SPARK: Final = "3.5"
PAGE: Final = GUIDE / "support_matrix.md"
STRATEGY: Final = "5d1a2f6e-6f0b-4f0e-9d57-0a8f6b7c1e21"
SCHEMA: Final = parse_schema(
    {
        "type": "record",
        "name": "Row",
        "fields": [
            {"name": "id", "type": "int"},
            {"name": "ts", "type": ["null", "long"], "default": None},
            {"name": "name", "type": ["null", "string"], "default": None},
            {"name": "v", "type": ["null", "string"], "default": None},
        ],
    }
)


@dataclasses.dataclass(frozen=True)
class Row:
    """A row: a program under some settings.

    Attributes:
        what: what a user does, in a few words.
        program: the program that does it, or `explain`, which runs one without an engine.
        settings: of the plan.
        merges: what merges in a release, as the arguments of a plan in each engine; None for a payload of the user's.
        records: the record type of its merger, which of a compiled one only Java can say.
        steps: the writers that take the table over in turn.
        operations: those of the commits that are not upserts.
    """

    what: str
    program: str
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    merges: Callable[[HudiRelease], dict[EngineName, dict[str, Any]]] | None = None
    records: HoodieRecordType = HoodieRecordType.AVRO
    steps: tuple[Step, ...] = ()
    operations: Operations = UPSERTS

    @property
    def written(self) -> dict[str, Any]:
        """What the program gets besides: the writers that take the table over, and the operations."""
        operations = {"operations": self.operations} if self.operations.by_commit else {}
        return {**({"steps": self.steps} if self.steps else {}), **operations}

    def plan(self, release: HudiRelease, engine: EngineName, jar: str = "acme.jar") -> MergePlan:
        """Return the plan of the row; `jar` has its compiled class.

        Raises:
            PayloadBridgeError: there is none.
        """
        if self.merges is None:
            compiled = PayloadRef("com.acme.Twins$Latest", jar=jar)
            own = compiled if engine is EngineName.JVM else PayloadRef("tests.jvm.twins:Latest")
            merges: dict[str, Any] = {"payload": own}
        else:
            merges = dict(self.merges(release)[engine])
            if "merger" in merges and merges["merger"].jars:
                merges["merger"] = dataclasses.replace(merges["merger"], jars=(jar,))
        return MergePlan(
            **{"release": release, "key": "id", "ordering": "ts", "engine": engine.value, **merges, **self.settings}
        )

    def refusal(self, release: HudiRelease, engine: EngineName) -> str | None:
        """Return why an engine does not do this; None if it does."""
        try:
            plan = self.plan(release, engine)
            for check in _CHECKS.get(self.program, ()):
                check(plan)
            check_operations(plan, self.operations)
            if self.steps:
                change = handovers(plan, [*next_writers(plan, self.steps)], commits=_COMMITS)
                if self.operations.by_commit:
                    check_operated(plan, change, self.operations)
            if self.program in PROGRAMS:
                engine_of(Job(plan, SCHEMA, tuple(SCHEMA.by_name), self.program))
            if engine is EngineName.JVM:
                check_spark(release, SPARK)
                if self.records is not HoodieRecordType.AVRO:
                    raise records_refused(plan.payload_name, self.records.value, release)
                Calls(plan, in_java=False)
            else:
                RecordMerge(plan, SCHEMA)
        except PayloadBridgeError as error:
            return str(error)
        return None


class Step(NamedTuple):
    """A writer that takes a table over.

    Attributes:
        after: the number of the last commit before.
        release: its release.
        version: the table version that it names, if any.
    """

    after: int
    release: str
    version: int | None = None


def next_writers(plan: MergePlan, steps: tuple[Step, ...]) -> Iterator[NextWriter]:
    """Give the writers that follow the one of `plan`, upgrades and then a downgrade.

    Raises:
        PlanError: a step leads nowhere from the release before it.
    """
    before, is_new = plan.release, True
    for after, name, version in steps:
        release = HudiRelease.parse(name)
        goes_down = release is HudiRelease.V0_15
        if is_new and (release >= before if goes_down else release <= before):
            msg = f"there is no {'earlier release to go down' if goes_down else 'later release to upgrade'} to"
            raise PlanError(msg)
        props = {**plan.props, **({} if version is None else {WRITE_TABLE_VERSION.key: str(version)})}
        yield NextWriter(after, dataclasses.replace(plan, release=release, props=props))
        before, is_new = release, False


_CHECKS: Final[dict[str, tuple[Callable[[MergePlan], object], ...]]] = {
    "all_paths": (check_plan,),
    "smallest_history": (check_plan,),
    "explain": (check_traceable,),
}
_ON_READ: Final = {"table_type": "mor"}
_QUARANTINES: Final = {"on_error": "quarantine"}
_INDEX: Final = {"global_index": True, "partition": "name"}
_RECORD_INDEX: Final = {
    "props": {"hoodie.index.type": "RECORD_INDEX", "hoodie.record.index.update.partition.path": "true"},
    "partition": "name",
    **_ON_READ,
}
_COMMITS: Final = 6
_UP: Final = (Step(3, "1.2"),)
_UP_TWICE: Final = (Step(2, "1.2", 8), Step(4, "1.2"))
_UP_TO_1_0: Final = (Step(3, "1.0"),)
_DOWN: Final = (Step(3, "0.15"),)
_UP_AND_DOWN: Final = (Step(2, "1.2"), Step(4, "0.15"))
_DELETES: Final = Operations({2: WriteOperation.DELETE, 5: WriteOperation.SQL_DELETE})
_INSERTS: Final = Operations({2: WriteOperation.INSERT})
_UPDATES: Final = Operations({5: WriteOperation.SQL_UPDATE}, {5: ("v",)})


def _merger(python: str, java: str | None) -> dict[EngineName, dict[str, Any]]:
    """Return the plans of a merger, in Python and in a jar."""
    named = MergerRef(python)
    compiled = named if java is None else MergerRef(java, jar="acme.jar", strategy=STRATEGY)
    return {engine: {"merger": compiled if engine is EngineName.JVM else named} for engine in EngineName}


def _mode(_: HudiRelease) -> dict[EngineName, dict[str, Any]]:
    return _merger("EVENT_TIME_ORDERING", None)


def _avro_merger(release: HudiRelease) -> dict[EngineName, dict[str, Any]]:
    """Return a merger of the interface that the release has."""
    new = "New" if capabilities(release).buffered_mergers else ""
    return _merger(f"tests.jvm.twin_mergers:{new}Larger", f"com.acme.{new}Mergers$Larger")


ROWS: Final = (
    Row("deduplicate a batch", "combine_input"),
    Row("write, copy-on-write", "upsert"),
    Row("write, merge-on-read", "append", _ON_READ),
    Row("write, copy-on-write, failing keys quarantined", "upsert", _QUARANTINES),
    Row("query", "snapshot", _ON_READ),
    Row("query, failing keys quarantined", "snapshot", {**_ON_READ, **_QUARANTINES}),
    Row("compaction", "compact", _ON_READ),
    Row("commits, copy-on-write", "simulate"),
    Row("commits, merge-on-read", "simulate", _ON_READ),
    Row("commits, failing keys quarantined", "simulate", _QUARANTINES),
    Row("commits under the small-file rule", "simulate_small_files", _ON_READ),
    Row("commits of a batch that is not combined", "simulate", {"combine_before_upsert": False}),
    Row("commits that put new keys into logs", "simulate", {**_ON_READ, "inserts_to": "log"}),
    Row("commits without ordering field", "simulate", {"ordering": ()}),
    Row("commits with several ordering fields", "simulate", {"ordering": ("ts", "name")}),
    Row("commits in partitions, null ones too", "simulate", {"partition": "name"}),
    Row("global index: write, copy-on-write", "upsert_global_index", _INDEX),
    Row("global index: write, merge-on-read", "append_global_index", {**_INDEX, **_ON_READ}),
    Row("global index: commits", "simulate_global_index", _INDEX),
    Row("commits with an upgrade to 1.2 in between", "simulate_upgrade", _ON_READ, steps=_UP),
    Row("commits with an upgrade to 1.0 in between", "simulate_upgrade", _ON_READ, steps=_UP_TO_1_0),
    Row(
        "commits with an upgrade in two steps, by way of table version 8", "simulate_upgrade", _ON_READ, steps=_UP_TWICE
    ),
    Row("commits with a downgrade to 0.15 in between", "simulate_upgrade", _ON_READ, steps=_DOWN),
    Row(
        "global index: commits with an upgrade to 1.2 in between",
        "simulate_global_upgrade",
        {**_INDEX, **_ON_READ},
        steps=_UP,
    ),
    Row(
        "global index: commits with an upgrade to 1.0 in between",
        "simulate_global_upgrade",
        {**_INDEX, **_ON_READ},
        steps=_UP_TO_1_0,
    ),
    Row("every path", "all_paths"),
    Row("smallest history", "smallest_history"),
    Row("explain a row", "explain"),
    Row("commits of operations other than upserts", "simulate_operations"),
    Row("global index: commits of operations other than upserts", "simulate_global_operations", _INDEX),
    Row("record index: commits of deletes and SQL", "simulate_global_operations", _RECORD_INDEX, operations=_DELETES),
    Row("record index: commits of inserts", "simulate_global_operations", _RECORD_INDEX, operations=_INSERTS),
    Row(
        "commits of other operations with an upgrade to 1.2 in between",
        "simulate_operations_upgrade",
        steps=_UP,
        operations=_DELETES,
    ),
    Row(
        "SQL UPDATE after an upgrade to 1.2, merge-on-read",
        "simulate_operations_upgrade",
        _ON_READ,
        steps=_UP,
        operations=_UPDATES,
    ),
    Row(
        "SQL UPDATE after an upgrade to 1.0, merge-on-read",
        "simulate_operations_upgrade",
        _ON_READ,
        steps=_UP_TO_1_0,
        operations=_UPDATES,
    ),
    Row(
        "commits of other operations with an upgrade in two steps",
        "simulate_operations_upgrade",
        _ON_READ,
        steps=_UP_TWICE,
        operations=_DELETES,
    ),
    Row(
        "commits of other operations with an upgrade to 1.0 in between",
        "simulate_operations_upgrade",
        _ON_READ,
        steps=_UP_TO_1_0,
        operations=_DELETES,
    ),
    Row(
        "commits of other operations with a downgrade to 0.15 in between",
        "simulate_operations_upgrade",
        _ON_READ,
        steps=_DOWN,
        operations=_DELETES,
    ),
    Row(
        "commits of other operations with an upgrade and a downgrade",
        "simulate_operations_upgrade",
        _ON_READ,
        steps=_UP_AND_DOWN,
        operations=_DELETES,
    ),
    Row(
        "global index: commits of other operations with an upgrade to 1.2 in between",
        "simulate_global_operations_upgrade",
        {**_INDEX, **_ON_READ},
        steps=_UP,
        operations=_DELETES,
    ),
    Row(
        "global index: commits of deletes by key with an upgrade to 1.0 in between",
        "simulate_global_operations_upgrade",
        {**_INDEX, **_ON_READ},
        steps=_UP_TO_1_0,
        operations=Operations({2: WriteOperation.DELETE, 5: WriteOperation.DELETE}),
    ),
    Row("a merge mode: write, copy-on-write", "upsert", {}, _mode),
    Row("a merge mode: query", "snapshot", _ON_READ, _mode),
    Row("a merge mode: commits", "simulate", {}, _mode),
    Row(
        "a merger for Spark rows",
        "simulate",
        _ON_READ,
        lambda _: _merger("tests.jvm.twin_mergers:OfSpark", "com.acme.Mergers$OfSpark"),
        HoodieRecordType.SPARK,
    ),
    Row(
        "a merger for Avro records",
        "simulate",
        _ON_READ,
        _avro_merger,
    ),
)
"""The rows: every program, then the settings that decide how it goes."""


def text() -> str:
    """Return the page."""
    reasons: dict[str, int] = {}
    shown = releases()
    lines = [
        "# Support matrix",
        "",
        "<!-- Generated from the code by `python -m tests.support.support_matrix`; do not edit. -->",
        "",
        f"What each [engine](engines.md) runs on Spark {SPARK}, release by release, with a payload class of your own",
        "unless the row says otherwise. Every row is a test, on the python and the jvm engine if both run it.",
        "",
        "A cell names the engines that run the program (p: `python`, j: `jvm`, n: `native`), or none (-). The numbers",
        "refer to the [reasons](#reasons) why the other engines don't run it.",
        "",
        "| what | program | " + " | ".join(map(str, shown)) + " |",
        "|" + "---|" * (2 + len(shown)),
    ]
    for row in ROWS:
        cells = [_cell(row, release, reasons) for release in shown]
        lines.append(f"| {row.what} | `{row.program}` | " + " | ".join(cells) + " |")
    lines += _native_lines(reasons)
    lines += ["", "## Real tables in place", "", *_of_tables()]
    lines += ["", "## Other lines of PySpark", "", *_of_lines(), ""]
    lines += ["On Spark 4.0 the jvm engine runs " + ", ".join(_on_spark_4()) + ".", "", "## Reasons", ""]
    lines += [f"{number}. {reason}" for reason, number in reasons.items()]
    return "\n".join(lines) + "\n"


_NATIVE_PROGRAMS: Final = tuple(name for name, spec in PROGRAMS.items() if spec.native)
_CHANGE_COLUMNS: Final = {"Op": "string", "_event_lsn": "long", "_event_bin_file": "string", "_event_pos": "long"}
_CHANGES: Final = parse_schema(
    {
        **SCHEMA.source,
        "fields": [
            *SCHEMA.source["fields"],
            *({"name": name, "type": ["null", kind], "default": None} for name, kind in _CHANGE_COLUMNS.items()),
        ],
    }
)
_ORDERED: Final = ("Default", "OverwriteWithLatest", "EventTime", "AWSDms", "FirstValue")
_FILLING: Final = ("PartialUpdate", "OverwriteNonDefaultsWithLatest", "PostgresDebezium", "MySqlDebezium")


def _native_lines(reasons: dict[str, int]) -> Iterator[str]:
    """Give the table of built-in classes and merge modes, program by program."""
    shown = releases()
    yield from (
        "",
        "## Built-in rules on the native engine",
        "",
        "The native engine runs a built-in class or a merge mode if its rule as expressions gives equal rows on",
        "generated keys (`python -m tests.bridge.engines.agreement`); `auto` then uses it. The table is for an",
        "ordering field of type long, and the columns that a class for change data needs.",
        "",
        "| rule | program | " + " | ".join(map(str, shown)) + " |",
        "|" + "---|" * (2 + len(shown)),
    )
    modes = {mode: {"merger": mode} for mode in ("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")}
    names = {name: f"{name}{'HoodieRecord' if name == 'Default' else 'Avro'}Payload" for name in (*_ORDERED, *_FILLING)}
    rules = {**modes, **{full: {"payload": full} for full in names.values()}}
    for name, rule in rules.items():
        for program in _NATIVE_PROGRAMS:
            cells = [_native_cell(rule, program, release, reasons) for release in shown]
            yield f"| {name} | `{program}` | " + " | ".join(cells) + " |"


def _native_cell(rule: dict[str, str], program: str, release: HudiRelease, reasons: dict[str, int]) -> str:
    try:
        plan = MergePlan(**{**rule, "release": release, "key": "id", "ordering": "ts", "engine": "native"})
        engine_of(Job(plan, _CHANGES, tuple(_CHANGES.by_name), program))
    except PayloadBridgeError as error:
        return f"- ({reasons.setdefault(_reason(str(error), release), len(reasons) + 1)})"
    return "n"


def _of_tables() -> Iterator[str]:
    """Say who reads a real table in place."""
    runs = [str(release) for release in releases() if _has_bundle(release)]
    yield "Tasks in Python read and merge the files of a real table, under every release that reads its version. A"
    yield f"compiled class is called in the JVM of the executor, under {', '.join(runs[:-1])} and {runs[-1]}; all"
    yield "verbs that read tables take `--payload` with `--jar` ([Your table](your_table.md#in-python))."
    yield ""
    yield "`snapshot` and `diff` also take `--engine native` and `--engine jvm`, which run of a table what they run of"
    yield "`snapshot` above. What they refuse besides depends on its files ([Engines](engines.md#tables-in-place))."


def _has_bundle(release: HudiRelease, spark: str = SPARK) -> bool:
    try:
        check_spark(release, spark)
    except PayloadBridgeError:
        return False
    return True


_TRIED = "tried on 4.0.1: an upsert, a merge-on-read table, a global index and a merger"


_TRIED_ON: Final[dict[str, list[str]]] = {"3.3": ["0.14"], "3.4": ["0.14"]}
"""The releases whose compiled classes have run on a line; all that it has a bundle for, if it is not named."""


def _of_lines() -> Iterator[str]:
    """Say what changes by the line of PySpark: Java, Python, Spark Connect, and the bundles of the jvm engine."""
    yield "The python and the native engine behave the same on every line of PySpark, with one exception: on 3.3"
    yield "mergers of columns and classes with a rule don't run natively, because Spark fails on their expressions."
    yield "Compiled classes need a Hudi bundle for the line."
    yield ""
    yield "`python -m tests.lines` tests the lines on Python 3.10 (`.ci/run` those of 3.3 and the newest 4): DataFrames"
    yield "with nested types on each engine, recorded tables read in place, and two compiled classes, compared with the"
    yield "rows of the real release (`tests/FIGURES.md`). For Spark 3.3 and 3.4 Maven Central resolved only the"
    yield "bundles of 0.14.0 (`--package org.apache.hudi:hudi-spark3.3-bundle_2.12:0.14.0`); releases in brackets"
    yield "were not tested with one. If no bundle is found, the error names it: name the release's bundle for Spark"
    yield "3.5 instead (`--package org.apache.hudi:hudi-spark3.5-bundle_2.12:1.0.2`). With these, tests of compiled"
    yield "classes passed on both, since a payload class calls nothing of Spark."
    yield ""
    yield "| PySpark | Python | Java | Spark Connect | `timestamp_ntz` | compiled classes |"
    yield "|---|---|---|---|---|---|"
    for line in LINES:
        python = "3.10 or later" if line.newest_python is None else f"up to {'.'.join(map(str, line.newest_python))}"
        java = f"{line.java.start} " + ("or later" if line.java.stop == sys.maxsize else f"to {line.java[-1]}")
        runs = [str(release) for release in releases() if _has_bundle(release, line.name)]
        tried = _TRIED_ON.get(line.name, runs)
        said = ", ".join(one if one in tried else f"({one})" for one in runs) or "-"
        name = "4.2 and later" if line.name == "4" else line.name
        connect, local = ("yes" if one else "no" for one in (line.connect, line.timestamp_ntz))
        yield f"| {name} | {python} | {java} | {connect} | {local} | {said} |"


def _on_spark_4() -> Iterator[str]:
    for release in releases(since="1.0"):
        try:
            check_spark(release, "4.0")
        except PayloadBridgeError:
            yield f"nothing of {release}"
        else:
            bundle = capabilities(release).on_spark_4
            yield f"{release} by `{bundle}` ({_TRIED}; `python -m tests.jvm.spark_4` compares both engines)"


def _cell(row: Row, release: HudiRelease, reasons: dict[str, int]) -> str:
    refused = {engine: row.refusal(release, engine) for engine in EngineName}
    runs = [engine.value[0] for engine, reason in refused.items() if reason is None]
    word = " ".join(runs) or "-"
    found = dict.fromkeys(_reason(reason, release) for reason in refused.values() if reason is not None)
    numbers = [str(reasons.setdefault(reason, len(reasons) + 1)) for reason in found]
    return " ".join((word, *([f"({', '.join(numbers)})"] if numbers else [])))


def _reason(refusal: str, release: HudiRelease) -> str:
    """Return a refusal in words that are the same for all releases and for any class."""
    for name, said in ((f"Hudi {release}", "the release"), ("com.acme.Twins$Latest", "the class")):
        refusal = refusal.replace(name, said)
    return refusal


def claims() -> Iterator[tuple[Row, HudiRelease, tuple[EngineName, ...]]]:
    """Give every row and release that some engine runs, with the engines that do."""
    for row in ROWS:
        for release in releases():
            engines = tuple(engine for engine in EngineName if row.refusal(release, engine) is None)
            if engines:
                yield row, release, engines


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
