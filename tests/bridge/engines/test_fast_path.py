"""What whole columns and single calls decide is what the program makes of the same keys, and they do decide."""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import random
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from bridge import MergeFailedError
from bridge.engines import COMMIT, IS_DELETE, ORDERING, ORIGIN, Job
from bridge.engines.python.fast_path import RowMerges
from bridge.engines.python.worker import merged
from bridge.programs import PROGRAMS, Origin
from bridge.spark import META_COLUMNS
from payloads import SENTINEL, parse_schema, resolve_payload
from payloads.ordering import compare
from payloads.rules import ByOrdering, MergeRule, Point, Role
from tests.support.pairwise import in_pairs
from tests.support.plans import plan_of
from tests.support.schemas import nullable_schema
from tests.support.user_payloads import KeepsLongestName

KEYS, FEW_KEYS, SEED = 40, 16, 20
ROWS_OF_BATCH = 16  # so that keys go on in the next batch
COLUMNS = {"id": "string", "ts": "long", "name": "string", "_hoodie_is_deleted": "boolean", "Op": "string"}
NAMES = tuple(COLUMNS)
ARROW_TYPES = dict.fromkeys(NAMES, pa.string()) | {"ts": pa.int64(), "_hoodie_is_deleted": pa.bool_()}
META = [pa.field(name, pa.string()) for name in META_COLUMNS]
TEXTS = pa.struct([pa.field("type", pa.string()), pa.field("value", pa.string())])
CONTROL = [pa.field(ORIGIN, pa.int8()), pa.field(COMMIT, pa.int64()), pa.field(IS_DELETE, pa.bool_())]
USERS = "tests.support.user_payloads:"
SETTINGS = {
    "default": {"payload": "DefaultHoodieRecordPayload"},
    "latest": {"payload": "OverwriteWithLatestAvroPayload"},
    "dms": {"payload": "AWSDmsAvroPayload"},
    "partial": {"payload": "PartialUpdateAvroPayload"},
    "non-defaults": {"payload": "OverwriteNonDefaultsWithLatestAvroPayload"},
    "event time": {"payload": "EventTimeAvroPayload"},
    "user's, edits rows": {"payload": f"{USERS}KeepsLongestName"},
    "user's, tests deletes": {"payload": "tests.bridge.engines.test_fast_path:CallsNoNameADelete"},
    "user's, fails": {"payload": f"{USERS}RaisesForNameBoom"},
    "user's, answers anything": {"payload": "tests.bridge.engines.test_fast_path:AnswersAnything"},
    "user's, by arrival": {"payload": "tests.bridge.engines.test_fast_path:AnswersAnything", "ordering": ()},
    "user's, makes rows": {"payload": f"{USERS}Counts"},
    "user's, ignores rows": {"payload": f"{USERS}IgnoresShortNames"},
    "event-time mode": {"payload": None, "merger": "EVENT_TIME_ORDERING"},
    "commit-time mode": {"payload": None, "merger": "COMMIT_TIME_ORDERING"},
}
TABLES = (("0.12", False), ("0.15", False), ("0.15", True), ("1.0", True), ("1.1", False), ("1.2", True))
"""The release, and whether stored rows have meta columns."""
OLD = {"0.12", "0.15", "1.0"}


class Variant(NamedTuple):
    """What the ordering value is read from, and how.

    Attributes:
        kind: the Avro type of `ts`.
        arrow: its type in a batch.
        values: what it may be, besides null.
        has_schema: whether the plan has the schema.
        settings: of the plan.
    """

    kind: Any = "long"
    arrow: pa.DataType = pa.int64()
    values: tuple[Any, ...] = (1, 1, 2, 3)
    has_schema: bool = False
    settings: dict[str, Any] = {}  # noqa: RUF012 (none is changed)

    @property
    def schema(self):
        return parse_schema(nullable_schema(**COLUMNS | {"ts": self.kind}))


def timestamps(unit):
    """Give the settings of a timestamp; 900 and 100 microseconds after the second are one millisecond."""
    values = tuple(
        datetime.datetime(2024, 1, 1, 0, 0, 0, micros, tzinfo=datetime.timezone.utc) for micros in (900, 100, 2100)
    )
    return {"kind": {"type": "long", "logicalType": f"timestamp-{unit}"}, "arrow": US, "values": values}


US = pa.timestamp("us", tz="UTC")
PLAIN = Variant()
CONSISTENT = {"hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled": "true"}
VARIANTS = {
    "micros": Variant(**timestamps("micros"), has_schema=True),
    "millis": Variant(**timestamps("millis"), has_schema=True),
    "consistent": Variant(**timestamps("micros"), settings={"props": CONSISTENT}),
    "nested": Variant(
        nullable_schema("parent", x="long"),
        pa.struct([pa.field("x", pa.int64())]),
        ({"x": 1}, {"x": 2}, {"x": None}, None),
        settings={"ordering": "ts.x"},
    ),
    "uncombined": Variant(settings={"combine_before_upsert": False}),
}
VARIED = {
    "default": ("0.15", "1.0", "1.2"),
    "partial": ("0.15", "1.2"),
    "event-time mode": ("1.2",),
    "user's, makes rows": ("0.15", "1.0", "1.2"),
}
"""The releases in which a setting is tried with every variant."""
LACK = {"partial": {"0.12"}, "event-time mode": OLD, "commit-time mode": OLD}


class CallsNoNameADelete(KeepsLongestName):
    """Has a delete test that its insert value does not follow."""

    def isDeleted(self, schema, props):  # noqa: N802 (Java's name)
        return self.record is not None and self.record["name"] is None


class AnswersAnything:
    """Gives every kind of answer, by the name of its row."""

    def __init__(self, record, ordering):
        self.record, self.ordering = record, ordering

    def preCombine(self, older):  # noqa: N802 (Java's name)
        if self.record is None or older.record is None:
            return self
        if self.record["name"] == "boom" and older.record["name"] != "boom":
            return AnswersAnything({**self.record, "Op": "combined"}, self.ordering)
        if self.record["name"] == "bb" and older.record["name"] != "a":
            return AnswersAnything(None, self.ordering)
        return older if older.record["name"] == "a" else self

    def combineAndGetUpdateValue(self, current, schema):  # noqa: N802 (Java's name)
        match self.record["name"]:
            case "a":
                return None
            case "bb":
                current["Op"] = "edited" if current["ts"] == 1 else current["Op"]
                return SENTINEL if current["name"] == "a" else current
            case "ccc":
                self.record["Op"] = "edited" if current["ts"] == 1 else self.record["Op"]
            case "boom":
                return {**self.record, "Op": "made"}
        return self.record

    def getInsertValue(self, schema):  # noqa: N802 (Java's name)
        match None if self.record is None else self.record["name"]:
            case "a":
                return None
            case "boom":
                return {**self.record, "Op": "made"}
            case "bb":
                self.record["Op"] = "edited"
        return self.record

    def isDeleted(self, schema, props):  # noqa: N802 (Java's name)
        return self.record is None or self.record["Op"] == "D"


READS = {"snapshot", "compact"}
BUILT_IN = [name for name in SETTINGS if not name.startswith("user's")]
DECIDING = [name for name, spec in PROGRAMS.items() if spec.untouched is not None]


def combinations():
    """Give few in which each two of payload, table and program meet: a fault of columns is one of two of them."""
    found = [
        (name, table, program)
        for name, table, program in itertools.product(SETTINGS, TABLES, DECIDING)
        if table[0] not in LACK.get(name, ())
    ]
    return [
        pytest.param(program, *table, name, id=f"{name}-{program}-{table[0]}{'-meta' * table[1]}", marks=marks)
        for (name, table, program), marks in in_pairs(found)
    ]


def variations():
    """Give few, as above: of the way to read an ordering value, of payload and release, and of program."""
    settings = [(name, release) for name, releases in VARIED.items() for release in releases]
    found = [
        (kind, setting, program)
        for kind, setting, program in itertools.product(VARIANTS, settings, DECIDING)
        if (kind, program) != ("uncombined", "combine_input")  # refused: there is nothing to combine
    ]
    return [
        pytest.param(program, release, name, kind, id=f"{kind}-{name}-{program}-{release}", marks=marks)
        for (kind, (name, release), program), marks in in_pairs(found)
    ]


def row(key, make, values):
    return {
        "id": key,
        "ts": make.choice(values) if make.random() > 0.04 else None,
        "name": make.choice(("a", "bb", "ccc", "boom")) if make.random() > 0.1 else None,
        "_hoodie_is_deleted": make.choice((True, False, None, None, None)),
        "Op": make.choice(("I", "D", None)),
        **{name: make.choice((f"{name} {key}", "", None)) for name in META_COLUMNS},
    }


def versions(program, make, keys=KEYS, values=PLAIN.values):
    """Give the rows of each key, in their order: mostly one stored row, one newer one, or one of each."""
    newer = Origin.LOG if program in READS else Origin.INCOMING
    for number in range(keys):
        key = f"key-{number:03}"
        has_stored = program != "combine_input" and make.random() < 0.7
        found = [{**row(key, make, values), ORIGIN: int(Origin.STORED)}] if has_stored else []
        for commit in range(make.choice((0, 1, 1, 1, 2) if program != "combine_input" else (1, 2, 2, 3))):
            is_delete = newer is Origin.LOG and make.random() < 0.15
            data = {"id": key} if is_delete else row(key, make, values)
            text = {"type": "long", "value": str(make.choice((1, 2, 3)))} if is_delete else None
            found.append({**data, ORIGIN: int(newer), COMMIT: commit, IS_DELETE: is_delete, ORDERING: text})
        yield found


def outcomes(job, schema, keys, rows_of_batch):
    """Return what becomes of each key, or how its merge fails."""
    failed = {}
    while True:
        rows = [row for name, found in keys.items() if name not in failed for row in found]
        try:
            batches = pa.Table.from_pylist(rows, schema).to_batches(rows_of_batch)
            made = [one for batch in merged(job, batches) for one in batch.to_pylist()]
        except MergeFailedError as error:
            failed[error.key["id"]] = str(error)
            continue
        by_key = {name: [one for one in made if one["id"] == name] for name in keys}
        return by_key | failed


def parts_of(program, release, name, *, has_meta=False, variant=PLAIN):
    schema = variant.schema
    own = {"schema": schema} if variant.has_schema else {}
    plan = plan_of(release=release, table_type="mor", **SETTINGS[name] | own | variant.settings)
    columns = (*(META_COLUMNS if has_meta else ()), *NAMES)
    job = Job(plan, schema, columns, program, instant=None, has_entries=program in READS)
    control = [*CONTROL, pa.field(ORDERING, TEXTS)] if job.has_entries else CONTROL[:1]
    types = ARROW_TYPES | {"ts": variant.arrow}
    return job, pa.schema([*(META if has_meta else ()), *map(pa.field, types, types.values()), *control])


def agreed(job, schema, generated, monkeypatch):
    """Return what becomes of each key, with the fast path and without."""
    keys = {found[0]["id"]: found for found in generated if found}
    fast = outcomes(job, schema, keys, ROWS_OF_BATCH)
    monkeypatch.setitem(PROGRAMS, job.program, dataclasses.replace(PROGRAMS[job.program], untouched=None))
    slow = outcomes(job, schema, keys, None)
    differing = [(keys[key], fast[key], slow[key]) for key in keys if fast[key] != slow[key]]
    assert not differing, differing[0]
    return fast


@pytest.mark.parametrize(("program", "release", "has_meta", "name"), combinations())
def test_the_fast_path_decides_as_the_program(program, release, has_meta, name, monkeypatch):
    job, schema = parts_of(program, release, name, has_meta=has_meta)
    generated = versions(program, random.Random(f"{SEED}{program}{name}"))  # noqa: S311 (a seed repeats it)
    found = agreed(job, schema, generated, monkeypatch)
    assert sum(type(one) is list and bool(one) for one in found.values()) > KEYS // 3


@pytest.mark.parametrize(("program", "release", "name", "kind"), variations())
def test_the_fast_path_reads_ordering_values_as_the_program(program, release, name, kind, monkeypatch):
    variant = VARIANTS[kind]
    job, schema = parts_of(program, release, name, variant=variant)
    seed = random.Random(f"{SEED}{program}{kind}")  # noqa: S311 (a seed repeats it)
    agreed(job, schema, versions(program, seed, FEW_KEYS, variant.values), monkeypatch)


@pytest.mark.parametrize("wins", [(True, False, False), (False, True, True), (False, False, True), (True, True, False)])
def test_a_rule_of_a_batch_is_followed_or_calls_decide(wins, monkeypatch):
    payload = resolve_payload("DefaultHoodieRecordPayload", "0.15")

    def pre_combine(self, older, schema=None, props=None):
        return self if wins[compare(older.ordering_value, self.ordering_value) + 1] else older

    stated = payload.rule
    later = {
        (True, True, False): ByOrdering(),
        (True, False, False): ByOrdering(tie=Role.OLDER),
        (False, True, True): ByOrdering(reverse=True),
        (False, False, True): ByOrdering(tie=Role.OLDER, reverse=True),
    }[wins]

    def rule(_cls, point, schema, props):
        return MergeRule(later) if point is Point.BATCH else stated(point, schema, props)

    monkeypatch.setattr(payload, "rule", classmethod(rule), raising=False)
    monkeypatch.setattr(payload, "pre_combine", pre_combine, raising=False)
    job, schema = parts_of("combine_input", "0.15", "default")
    pairs = {"a rising": (1, 2), "an equal": (1, 1), "falling": (2, 1)}
    rows = [
        {"id": key, "ts": ts, "name": name, ORIGIN: int(Origin.INCOMING)}
        for key, values in pairs.items()
        for name, ts in zip(("first", "last"), values, strict=True)
    ]
    batches = pa.Table.from_pylist(rows, schema).combine_chunks().to_batches()
    kept = [one["name"] for batch in merged(job, batches) for one in batch.to_pylist()]
    assert kept == ["last" if one else "first" for one in wins]


def decidable(program):
    """Give the rows of three keys that need no program: a new key, and two with two rows each."""
    newer = Origin.LOG if program in READS else Origin.INCOMING
    older = Origin.INCOMING if program == "combine_input" else Origin.STORED
    filled = {"name": "a", "_hoodie_is_deleted": False, "Op": "I", IS_DELETE: False}
    first, last = {**filled, ORIGIN: int(older), COMMIT: 0}, {**filled, ORIGIN: int(newer), COMMIT: 1}
    yield {"id": "new", "ts": 1, **last}
    yield {"id": "newer", "ts": 1, **first}
    yield {"id": "newer", "ts": 2, **last}
    yield {"id": "older", "ts": 2, **first}
    yield {"id": "older", "ts": 1, **last, "Op": None}


def left_to_others(program, release, name):
    """Return how many of these keys take the program, and how many a call."""
    if name == "user's, makes rows" and (program, release) == ("combine_input", "1.2"):
        return 2, 1  # what two rows merge to is built of their insert values
    if name.startswith("user's"):
        return 0, 2 if program in READS and release == "1.0" else 3  # there a reader calls nothing for a new key
    if program == "combine_input" and (name == "partial" or (name, release) == ("non-defaults", "1.2")):
        return 2, 0
    return 0, 2 if program in READS and release == "1.0" and name != "latest" else 0  # its readers build payloads


@pytest.mark.parametrize("program", DECIDING)
@pytest.mark.parametrize(
    ("name", "release"),
    [
        (name, release)
        for name, release in itertools.product(SETTINGS, ("0.15", "1.0", "1.2"))
        if release not in LACK.get(name, ()) and name in {*BUILT_IN, "user's, makes rows"}
    ],
)
def test_what_the_fast_path_leaves_to_program_and_calls(name, release, program, monkeypatch):
    job, schema = parts_of(program, release, name)
    program_class, started, called = PROGRAMS[program].program, [], []
    start, pairs, singles = program_class.start, RowMerges.pairs, RowMerges.singles
    monkeypatch.setattr(program_class, "start", lambda self, key: started.append(key) or start(self, key))
    monkeypatch.setattr(RowMerges, "pairs", lambda self, batch, rows: called.extend(rows) or pairs(self, batch, rows))
    monkeypatch.setattr(
        RowMerges, "singles", lambda self, batch, rows: called.extend(rows) or singles(self, batch, rows)
    )
    rows = pa.Table.from_pylist(list(decidable(program)), schema).combine_chunks()
    assert sum(batch.num_rows for batch in merged(job, rows.to_batches()))
    assert (len(started), len(called)) == left_to_others(program, release, name)
