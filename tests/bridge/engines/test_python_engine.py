"""The python engine equals the plain fold, whatever the batches: in one process, without Spark."""

from __future__ import annotations

import collections
import copy
import dataclasses
import decimal
import itertools
import tracemalloc
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import InputError, MergeFailedError, MergePlan
from bridge.config import capabilities
from bridge.engines import IS_DELETE, Job
from bridge.engines.python.worker import merged
from bridge.explain.trace import trace_key
from bridge.merge import Action
from bridge.programs.path_search import key_paths
from bridge.programs.program import Origin
from bridge.spark.schema import META_COLUMNS
from mergers.laws import fold_left
from payloads import (
    HudiRelease,
    Ordering,
    PayloadBridgeError,
    PayloadConstructorError,
    PayloadNotFoundError,
    parse_schema,
    resolve_payload,
)
from tests.support.plans import plan_of
from tests.support.schemas import nullable_schema, record_schema
from tests.support.user_payloads import Newest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from payloads import Record

FIELDS = {
    "id": pa.string(),
    "ts": pa.int64(),
    "name": pa.string(),
    "Op": pa.string(),
    "_hoodie_is_deleted": pa.bool_(),
}
AVRO_TYPES = {"id": "string", "ts": "long", "name": "string", "Op": "string", "_hoodie_is_deleted": "boolean"}
SCHEMA = parse_schema(nullable_schema("Row", **AVRO_TYPES))
NAMES = tuple(FIELDS)
PAYLOADS = [
    "DefaultHoodieRecordPayload",
    "OverwriteWithLatestAvroPayload",
    "AWSDmsAvroPayload",
    "OverwriteNonDefaultsWithLatestAvroPayload",
    "PartialUpdateAvroPayload",
    "EventTimeAvroPayload",
    "FirstValueAvroPayload",
    "tests.support.user_payloads:KeepsLongestName",
]

rows = st.tuples(
    st.sampled_from(["a", "b", "c", "d"]),
    st.integers(0, 3),
    st.sampled_from([None, "x", "yy", "zzz"]),
    st.sampled_from(["I", "U", "D", "d", None]),
    st.sampled_from([None, False, True]),
)
stored_rows = st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e"]), rows, max_size=5).map(
    lambda found: [(key, *row[1:]) for key, row in sorted(found.items())]
)


def table(versions: Iterable[tuple[Origin, tuple[Any, ...]]]) -> pa.Table:
    """Sort by key and origin, as Spark does; arrival order stays."""
    ordered = sorted(versions, key=lambda version: (version[1][0], version[0]))
    columns = {
        name: pa.array([row[index] for _, row in ordered], kind) for index, (name, kind) in enumerate(FIELDS.items())
    }
    return pa.table(columns | {"_pb_origin": pa.array([origin for origin, _ in ordered], pa.int8())})


def run(job: Job, versions: pa.Table, batch_size: int) -> list[dict[str, Any]]:
    found = [row for batch in merged(job, versions.to_batches(max_chunksize=batch_size)) for row in batch.to_pylist()]
    return sorted(found, key=lambda row: row["id"])


def expected_upsert(payload: str, stored: list[Any], incoming: list[Any]) -> dict[str, tuple[Action, Any]]:
    """Answer from payload calls alone: pre_combine in arrival order, then insert or combine."""
    payload_class = resolve_payload(payload, "0.15")
    props = {"hoodie.payload.ordering.field": "ts"}
    batch: dict[str, list[Any]] = collections.defaultdict(list)
    for row in incoming:
        record: Record = dict(zip(NAMES, row, strict=True))
        batch[row[0]].append(payload_class(record, Ordering("long", row[1])))
    answers: dict[str, tuple[Action, Any]] = {}
    old = {row[0]: dict(zip(NAMES, row, strict=True)) for row in stored}
    for key, base in old.items():
        answers[key] = (Action.KEEP, base)
    for key, versions in batch.items():
        version = fold_left(lambda older, newer: newer.pre_combine(older, SCHEMA, props), versions)
        if key not in old:
            record = None if version.is_deleted(SCHEMA, props) else version.get_insert_value(SCHEMA, props)
            answers[key] = (Action.SKIP, None) if record is None else (Action.INSERT, record)
            continue
        merged = version.combine_and_get_update_value(old[key], SCHEMA, props)
        if merged is None:
            answers[key] = (Action.DELETE, None)
        else:
            answers[key] = (Action.KEEP if merged is old[key] else Action.UPDATE, merged)
    return answers


@pytest.mark.parametrize("payload", PAYLOADS)
@given(batch_size=st.sampled_from([1, 3, 10_000]), stored=stored_rows, incoming=st.lists(rows, max_size=8))
def test_upsert_equals_the_plain_fold(payload: str, batch_size: int, stored: list[Any], incoming: list[Any]) -> None:
    job = Job(plan_of(payload), SCHEMA, NAMES, "upsert")
    versions = table([*((Origin.STORED, row) for row in stored), *((Origin.INCOMING, row) for row in incoming)])
    answers = {row["id"]: row for row in run(job, versions, batch_size)}
    expected = expected_upsert(payload, stored, incoming)
    assert answers.keys() == expected.keys()
    for key, (action, record) in expected.items():
        assert answers[key]["_pb_action"] == action
        if record is not None:
            assert {name: answers[key][name] for name in NAMES} == record


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", "PartialUpdateAvroPayload", PAYLOADS[-1]])
@given(stored=stored_rows, incoming=stored_rows)
def test_where_a_batch_ends_does_not_matter(payload: str, release: str, stored: list[Any], incoming: list[Any]) -> None:
    """One stored and one incoming row of a key merge at once in one batch, and step by step in two."""
    job = Job(plan_of(payload, release), SCHEMA, NAMES, "upsert")
    versions = table([*((Origin.STORED, row) for row in stored), *((Origin.INCOMING, row) for row in incoming)])
    assert run(job, versions, 10_000) == run(job, versions, 1)


@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", PAYLOADS[-1]])
@pytest.mark.parametrize("program", ["append", "compact", "snapshot"])
def test_a_pair_in_one_batch_goes_through_its_own_program(program: str, payload: str) -> None:
    """Only an upsert merges one stored and one other row of a key without its program."""
    origin = Origin.INCOMING if program == "append" else Origin.LOG
    stored, other = ("a", 1, "x", "U", None), ("a", 2, "yy", "U", None)
    versions = table([(Origin.STORED, stored), (origin, other), (origin, ("b", 1, "x", "U", None))])
    job = Job(plan_of(payload, table_type="mor"), SCHEMA, NAMES, program)
    found = run(job, versions, 10_000)
    assert found == run(job, versions, 1)
    actions = [Action.KEEP, Action.UPDATE, Action.INSERT] if program == "append" else [Action.UPDATE, Action.INSERT]
    assert [row["_pb_action"] for row in found] == actions


class ShowsCommit(Newest):
    """A stored row has meta columns, an incoming one has none: the name tells which commit wrote the stored row."""

    def combine_and_get_update_value(self, current: Record, schema: object) -> Record:
        return {**current, "name": f"{current['_hoodie_commit_time']}, {len(current) - len(self.record)} more"}


@pytest.mark.parametrize("batch_size", [1, 10_000])
def test_a_stored_row_is_read_with_its_meta_columns_and_an_incoming_one_without(batch_size: int) -> None:
    incoming = ("a", 2, "y", "U", None)
    versions = table([(Origin.STORED, ("a", 1, "x", "U", None)), (Origin.INCOMING, incoming)])
    for index, name in enumerate(META_COLUMNS):
        versions = versions.add_column(index, name, pa.array([f"old {name}", None]))
    job = Job(plan_of(f"{__name__}:ShowsCommit"), SCHEMA, (*META_COLUMNS, *NAMES), "upsert", instant="2024")
    (row,) = run(job, versions, batch_size)
    assert row["name"] == f"old _hoodie_commit_time, {len(META_COLUMNS)} more"


@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", PAYLOADS[-1]])
@pytest.mark.parametrize("batch_size", [1, 10_000])
def test_a_job_may_return_only_the_rows(payload: str, batch_size: int) -> None:
    """Without actions, and without the keys of deleted rows."""
    incoming = [("a", 2, "yy", "U", None), ("b", 2, "yy", "U", True), ("c", 2, "x", "I", None)]
    stored = [("a", 1, "x", "U", None), ("b", 1, "x", "U", None), ("d", 1, "x", "U", None)]
    versions = table([*((Origin.STORED, row) for row in stored), *((Origin.INCOMING, row) for row in incoming)])
    job = Job(plan_of(payload), SCHEMA, NAMES, "upsert")
    with_actions = run(job, versions, batch_size)
    expected = [{name: row[name] for name in NAMES} for row in with_actions if row["_pb_action"] != Action.DELETE]
    assert run(dataclasses.replace(job, only_rows=True), versions, batch_size) == expected
    assert [row["id"] for row in expected] == ["a", *"b" * (payload == PAYLOADS[-1]), "c", "d"]


# Values of an ordering column: equal, less, greater, null, and what Java compares otherwise than Arrow.
ORDERINGS: dict[str, tuple[Any, pa.DataType, list[Any]]] = {
    "int": ("int", pa.int32(), [0, 1, -2]),
    "long": ("long", pa.int64(), [0, 1, 2**40]),
    "string": ("string", pa.string(), ["", "a", "b", "é", "\U0001f600", "\uffee"]),
    "double": ("double", pa.float64(), [0.0, -0.0, 1.5, float("nan")]),
    "boolean": ("boolean", pa.bool_(), [False, True]),
    "bytes": ("bytes", pa.binary(), [b"", b"\x01", b"\xff"]),
    "date": ({"type": "int", "logicalType": "date"}, pa.date32(), [0, 1]),
    "instant": ({"type": "long", "logicalType": "timestamp-micros"}, pa.timestamp("us", tz="UTC"), [0, 1, 1500, -1]),
    "millis": ({"type": "long", "logicalType": "timestamp-millis"}, pa.timestamp("us", tz="UTC"), [1000, 1500, 2000]),
    "decimal": (
        {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
        pa.decimal128(9, 2),
        [decimal.Decimal("1.00"), decimal.Decimal("-1.00")],
    ),
    "enum": ({"type": "enum", "name": "Size", "symbols": ["S", "M", "L"]}, pa.string(), ["S", "M", "L"]),
}
PROPS: list[dict[str, str]] = [
    {},
    {"hoodie.payload.delete.field": "Op", "hoodie.payload.delete.marker": "D"},
    {"hoodie.payload.update.on.same.ordering.field": "false"},
    {"hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled": "true"},
    {"hoodie.payload.event.time.field": "name"},
]


@pytest.mark.parametrize("kind", ORDERINGS)
@settings(max_examples=settings().max_examples * 50 // 100)  # of four pairs each
@given(data=st.data())
def test_pairs_decided_by_columns_equal_pairs_that_the_payload_merges(kind: str, data: st.DataObject) -> None:
    """Without the short way the payload or the mode is asked about each key."""
    payload = data.draw(st.sampled_from([*PAYLOADS, "ReverseOrderHoodieRecordPayload", None]))
    releases = ["1.1", "1.2"] if payload is None else [r.value for r in HudiRelease if is_shipped(payload, r)]
    mode = data.draw(st.sampled_from(["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"])) if payload is None else None
    avro, arrow, values = ORDERINGS[kind]
    plan = MergePlan(
        payload=payload,
        merger=mode,
        release=data.draw(st.sampled_from(releases)),
        key="id",
        ordering=data.draw(st.sampled_from(["ts", "ts", ()])),
        props=data.draw(st.sampled_from(PROPS)),
    )
    schema = parse_schema(nullable_schema("Row", **AVRO_TYPES | {"ts": avro}))
    others = st.tuples(st.sampled_from(["I", "U", "D", None]), st.sampled_from([None, False, False, True]))
    job = Job(plan, schema, NAMES, "upsert")
    for _ in range(4):  # one pair a job: a failure ends it
        rows = [("a", None, f"{origin}", *data.draw(others)) for origin in (Origin.STORED, Origin.INCOMING)]
        orderings = [data.draw(st.sampled_from([None, *values, *values])) for _ in rows]
        column = pa.array(orderings, pa.int32() if kind == "date" else arrow).cast(arrow)
        pair = table(zip((Origin.STORED, Origin.INCOMING), rows, strict=True)).set_column(1, "ts", column)
        assert answer_or_error(job, pair) == answer_or_error(job, asked_each(pair))


RULED = [*PAYLOADS[:-1], "ReverseOrderHoodieRecordPayload", "COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"]


@pytest.mark.parametrize("kind", ORDERINGS)
@pytest.mark.parametrize("rule", RULED)
def test_every_pair_of_ordering_values_is_decided_by_columns_as_by_the_rule(kind: str, rule: str) -> None:
    """In each release, of rows and of deletes; each pair has a key of its own, so that one job decides all."""
    is_mode = rule.endswith("_ORDERING")
    avro, arrow, values = ORDERINGS[kind]
    schema = parse_schema(nullable_schema("Row", **AVRO_TYPES | {"ts": avro}))
    chosen = list(itertools.product(values, values, [("U", None), ("U", True), ("D", False)]))
    rows, orderings = [], []
    for number, (old, new, flags) in enumerate(chosen):
        rows.append((Origin.STORED, (f"{number:03}", None, "stored", "U", None)))
        rows.append((Origin.INCOMING, (f"{number:03}", None, "incoming", *flags)))
        orderings += [old, new]
    column = pa.array(orderings, pa.int32() if kind == "date" else arrow).cast(arrow)
    versions = table(rows).set_column(1, "ts", column)
    for release in ("1.1", "1.2") if is_mode else [one for one in HudiRelease if is_shipped(rule, one)]:
        chosen_rule = {"merger": rule} if is_mode else {"payload": rule}
        plan = MergePlan(release=release, key="id", ordering="ts", **chosen_rule)  # type: ignore[arg-type]
        job = Job(plan, schema, NAMES, "upsert")
        assert answer_or_error(job, versions) == answer_or_error(job, asked_each(versions)), release


TOLD = {
    "id": "string",
    "op": "string",
    "n": "long",
    "price": ["null", "double"],
    "tags": {"type": "array", "items": "string"},
}
MERGED = ["own", "row", "copy", "negate", "negate own", "add tag", "delete", "skip"]
FAILED = ["retype", "lose", "wrong", "fail", "fail to build"]
PRICES = [0.0, float("nan"), None]


@pytest.mark.parametrize("release", list(HudiRelease))
@pytest.mark.parametrize("names", [tuple(TOLD)[:-1], tuple(TOLD)], ids=["flat", "nested"])
@pytest.mark.parametrize("origins", [(Origin.STORED, Origin.INCOMING), (Origin.INCOMING,)], ids=["update", "insert"])
def test_what_a_users_class_does_with_records_has_one_answer(
    release: HudiRelease, names: tuple[str, ...], origins: tuple[Origin, ...]
) -> None:
    """Flat records and nested ones are copied and compared in ways of their own."""
    types = [pa.string(), pa.string(), pa.int64(), pa.float64(), pa.list_(pa.string())]
    schema = parse_schema(record_schema("Told", **{name: kind for name, kind in TOLD.items() if name in names}))
    plan = MergePlan(payload="tests.support.user_payloads:DoesAsTold", release=release, key="id")
    job = Job(plan, schema, names, "upsert")

    def answer(*told: tuple[str, float | None]) -> str:
        """Merge one key for each operation and price."""
        rows = []
        for number, (op, price) in enumerate(told):
            both = [(f"{number:02}", "stored", 1, price, ["s"]), (f"{number:02}", op, 2, price, ["i"])]
            rows += both[-len(origins) :]
        given = zip(TOLD, zip(*rows, strict=True), types, strict=True)
        versions = pa.table({name: pa.array(values, kind) for name, values, kind in given if name in names})
        versions = versions.append_column("_pb_origin", pa.array(list(origins) * len(told), pa.int8()))
        found = answer_or_error(job, versions)
        assert found == answer_or_error(job, asked_each(versions)), told
        return found

    merged = [(op, price) for op in MERGED for price in PRICES if op != "add tag" or "tags" in names]
    assert "DoesAsTold" not in answer(*merged)
    completes = len(origins) > 1 and not capabilities(release).indexed_records
    for op, price in itertools.product(FAILED, PRICES):
        told = answer((op, price))
        if op == "lose" and completes:
            assert "'price': None" in told
        else:
            assert "DoesAsTold" in told


def test_a_merged_record_that_does_not_fit_is_named() -> None:
    """By its own merge point and key, although another key of the batch goes through another point after it."""
    schema = parse_schema(record_schema("Told", **{name: kind for name, kind in TOLD.items() if name != "tags"}))
    columns = {"id": ["a", "a", "b"], "op": ["stored", "lose", "own"], "n": [1, 2, 3], "price": [1.0, 2.0, 3.0]}
    versions = pa.table(
        columns | {"_pb_origin": pa.array([Origin.STORED, Origin.INCOMING, Origin.INCOMING], pa.int8())}
    )
    job = Job(MergePlan(payload="tests.support.user_payloads:DoesAsTold", key="id"), schema, tuple(columns), "upsert")
    with pytest.raises(MergeFailedError) as error:
        run(job, versions, 10)
    assert (error.value.merge_point, error.value.key) == ("upsert", {"id": "a"})
    assert "returned a record without the field 'price'" in str(error.value)


@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload"])
@pytest.mark.parametrize("release", list(HudiRelease))
@pytest.mark.parametrize("origins", [(Origin.STORED, Origin.INCOMING), (Origin.INCOMING,)])
@pytest.mark.parametrize(
    "column",  # its Avro type, its Arrow type, a value that the Avro type does not allow
    [
        ("string", pa.string(), None),
        ({"type": "enum", "name": "E", "symbols": ["old"]}, pa.string(), "new"),
        ({"type": "fixed", "name": "F", "size": 3}, pa.binary(), b"four"),
        ({"type": "array", "items": "string"}, pa.list_(pa.string()), [None]),
    ],
)
def test_what_a_given_schema_does_not_allow_is_refused(
    payload: str, release: HudiRelease, origins: tuple[Origin, ...], column: tuple[Any, pa.DataType, Any]
) -> None:
    """This holds for rows that bypass the payload, too."""
    names = ("id", "ts", "name")
    avro, arrow, value = column
    kinds = ("string", ["null", "long"], avro)
    fields = [{"name": name, "type": kind} for name, kind in zip(names, kinds, strict=True)]
    schema = parse_schema({"type": "record", "name": "Given", "fields": fields})
    good = {pa.string(): "old", pa.binary(): b"old"}.get(arrow, ["old"])
    columns = {"id": pa.array(["a", "a"]), "ts": pa.array([1, 2]), "name": pa.array([good, value], arrow)}
    columns["_pb_origin"] = pa.array([Origin.STORED, Origin.INCOMING], pa.int8())
    versions = pa.table(columns).slice(2 - len(origins))
    plan = MergePlan(payload=payload, release=release, key="id", ordering="ts", schema=schema)
    with pytest.raises(PayloadBridgeError, match="name"):
        run(Job(plan, schema, names, "upsert"), versions, 10)


def asked_each(versions: pa.Table) -> pa.Table:
    """Return the rows as those of a combined batch, for which there is no short way."""
    return versions.append_column(IS_DELETE, pa.nulls(len(versions), pa.bool_()))


def is_shipped(payload: str, release: HudiRelease) -> bool:
    try:
        resolve_payload(payload, release)
    except PayloadNotFoundError:
        return False
    return True


def answer_or_error(job: Job, versions: pa.Table) -> str:
    try:
        return repr(run(job, versions, 10_000))  # repr: NaN is NaN, and 0.0 is not -0.0
    except MergeFailedError as error:
        return str(error)


@pytest.mark.parametrize("batch_size", [1, 10_000])
def test_written_rows_get_meta_columns_and_kept_rows_keep_theirs(batch_size: int) -> None:
    """Updated (a), kept against an older version (b), not met (d), inserted (e), deleted (f)."""
    old = [("a", 1, "x"), ("b", 9, "x"), ("d", 1, "x"), ("f", 1, "x")]
    new = [("a", 2, "y"), ("b", 1, "y"), ("e", 1, "y"), ("f", 2, "y")]
    deleted = {"f": True}
    versions = table(
        [(Origin.STORED, (*row, "U", False)) for row in old]
        + [(Origin.INCOMING, (*row, "U", deleted.get(row[0], False))) for row in new]
    )
    for index, name in enumerate(META_COLUMNS):
        stood = [f"old {name}" if origin == Origin.STORED else None for origin in versions["_pb_origin"].to_pylist()]
        versions = versions.add_column(index, name, pa.array(stood, pa.string()))
    plan = plan_of("DefaultHoodieRecordPayload")
    job = Job(plan, SCHEMA, (*META_COLUMNS, *NAMES), "upsert", instant="2024")
    answers = {row["id"]: [row[name] for name in META_COLUMNS] for row in run(job, versions, batch_size)}
    stands = [f"old {name}" for name in META_COLUMNS]
    assert (answers["b"], answers["d"], answers["f"]) == (stands, stands, [None] * len(META_COLUMNS))
    written = [answers[key] for key in "ae"]
    assert [row[:1] + row[2:] for row in written] == [["2024", key, "", None] for key in "ae"]
    assert len({row[1] for row in written}) == len(written)


@pytest.mark.parametrize("payload", PAYLOADS)
@given(incoming=st.lists(rows, max_size=8))
def test_a_combined_batch_merges_like_the_batch(payload: str, incoming: list[Any]) -> None:
    """combine_input hands on all that upsert needs: the survivor, its ordering value, and deletes without data."""
    plan = plan_of(payload)
    combine = Job(plan, SCHEMA, NAMES, "combine_input")
    upsert = Job(plan, SCHEMA, NAMES, "upsert")
    stored = [(key, 2, "yy", "U", None) for key in "abc"]
    versions = table((Origin.INCOMING, row) for row in incoming)
    combined = list(merged(combine, versions.to_batches()))
    survivors = pa.Table.from_batches(combined).drop_columns("_pb_action") if combined else versions
    if combined:
        survivors = survivors.append_column("_pb_origin", pa.array([Origin.INCOMING] * len(survivors), pa.int8()))
    old = table((Origin.STORED, row) for row in stored)
    both = pa.concat_tables([old, survivors], promote_options="default").sort_by(
        [
            ("id", "ascending"),
            ("_pb_origin", "ascending"),
        ]
    )
    direct = table([*((Origin.STORED, row) for row in stored), *((Origin.INCOMING, row) for row in incoming)])
    assert run(upsert, both, 10_000) == run(upsert, direct, 10_000)


def test_a_key_of_many_versions_keeps_no_batch_alive() -> None:
    versions = 200_000
    batches = (
        pa.record_batch(
            {
                "id": pa.array(["a"] * 1000),
                "ts": pa.array(range(start, start + 1000)),
                "name": pa.array([f"name-{number}" for number in range(start, start + 1000)]),
                "Op": pa.array(["U"] * 1000),
                "_hoodie_is_deleted": pa.nulls(1000, pa.bool_()),
                "_pb_origin": pa.array([Origin.INCOMING] * 1000, pa.int8()),
            }
        )
        for start in range(0, versions, 1000)
    )
    most = 0

    def watched() -> Iterable[pa.RecordBatch]:
        nonlocal most
        for batch in batches:
            yield batch
            most = max(most, pa.total_allocated_bytes() - before)

    before = pa.total_allocated_bytes()
    job = Job(plan_of("DefaultHoodieRecordPayload"), SCHEMA, NAMES, "upsert")
    (result,) = [row for batch in merged(job, watched()) for row in batch.to_pylist()]
    assert result["ts"] == versions - 1
    assert most < 2_000_000  # a few batches; all of them are 7 MB


def test_a_null_key_is_refused() -> None:
    job = Job(plan_of("DefaultHoodieRecordPayload"), SCHEMA, NAMES, "upsert")
    versions = table([(Origin.INCOMING, ("a", 1, None, "U", None))])
    versions = versions.set_column(0, "id", pa.array([None], pa.string()))
    with pytest.raises(InputError, match="key column 'id' is null"):
        run(job, versions, 10)


@pytest.mark.parametrize("batch_size", [1, 10_000])
def test_a_failure_names_payload_merge_point_key_and_field(batch_size: int) -> None:
    job = Job(plan_of("DefaultHoodieRecordPayload"), SCHEMA, NAMES, "upsert")
    versions = table(
        [
            (Origin.STORED, ("b", 1, None, "U", None)),
            (Origin.INCOMING, ("a", 1, None, "U", None)),
            (Origin.INCOMING, ("b", None, None, "U", None)),
        ]
    )
    with pytest.raises(MergeFailedError) as caught:
        run(job, versions, batch_size)
    error = caught.value
    assert (error.payload, error.merge_point) == ("DefaultHoodieRecordPayload", "combine-input")
    assert (error.key, error.field) == ({"id": "b"}, "ts")
    assert "ordering value is null" in str(error)


def test_two_stored_rows_of_a_key_are_refused() -> None:
    job = Job(plan_of("DefaultHoodieRecordPayload"), SCHEMA, NAMES, "upsert")
    twice = table([(Origin.STORED, ("a", 1, "x", "U", None)), (Origin.STORED, ("a", 2, "x", "U", None))])
    with pytest.raises(MergeFailedError, match="more than one row"):
        run(job, twice, 10)


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
@pytest.mark.parametrize("payload", ["HoodieJsonPayload", "RewriteAvroPayload"])
def test_a_payload_that_no_writer_can_build_is_refused(payload: str, release: str) -> None:
    plan = dataclasses.replace(plan_of(payload), release=HudiRelease.parse(release))
    versions = table([(Origin.INCOMING, ("a", 1, None, "U", None))])
    with pytest.raises(PayloadConstructorError, match=f"{payload} has no constructor"):
        run(Job(plan, SCHEMA, NAMES, "upsert"), versions, 10)


# -- users' mergers that write into what they are given


COUNTS = parse_schema(record_schema("Row", id="string", n="long"))


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize("merger", ["AddsToNewer", "AddsToOlder"])
@pytest.mark.parametrize("incoming", [[10], [10, 100]])
def test_what_a_merger_writes_into_a_version_is_stored(release: str, merger: str, incoming: list[int]) -> None:
    plan = adding_plan(merger, release, "cow")
    versions = pa.table(
        {
            "id": ["a"] * (1 + len(incoming)) + ["b"],
            "n": pa.array([1, *incoming, 5], pa.int64()),
            "_pb_origin": pa.array([Origin.STORED, *[Origin.INCOMING] * (len(incoming) + 1)], pa.int8()),
        }
    )
    found = run(Job(plan, COUNTS, ("id", "n"), "upsert"), versions, 10_000)
    expected = [{"id": "a", "n": 1 + sum(incoming)}, {"id": "b", "n": 5}]
    assert sorted(({"id": row["id"], "n": row["n"]} for row in found), key=lambda row: row["id"]) == expected


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize("merger", ["AddsToNewer", "AddsToOlder"])
def test_a_merger_that_writes_into_versions_gives_one_answer_on_every_path(release: str, merger: str) -> None:
    versions = [(commit, {"id": "a", "n": 10**commit}) for commit in range(3)]
    given_before = copy.deepcopy(versions)
    paths = key_paths(versions, adding_plan(merger, release, "cow"), COUNTS)
    assert [answer.row.record["n"] for answer in paths.answers if answer.row] == [111]
    for table_type in ("cow", "mor"):
        plan = adding_plan(merger, release, table_type)
        counted = [(commit + 1, record) for commit, record in versions]
        for compactions in ((), (2,), (3,)) if table_type == "mor" else ((),):
            traced = trace_key(counted, plan, COUNTS, commits=3, compact_after=compactions).row_after(3)
            assert traced == {"id": "a", "n": 111}
    assert versions == given_before


def adding_plan(merger: str, release: str, table_type: str) -> MergePlan:
    return MergePlan(merger=f"tests.support.user_mergers:{merger}", release=release, key="id", table_type=table_type)


# -- keys that Python, or Arrow, compares otherwise than Spark


@pytest.mark.parametrize("batch_size", [1, 2, 10_000])
@pytest.mark.parametrize(
    ("kind", "avro", "values"),
    [
        (pa.float64(), "double", [float("nan"), float("nan")]),
        (pa.float32(), "float", [float("nan"), float("nan")]),
        (pa.date32(), {"type": "int", "logicalType": "date"}, [10**7, 10**7]),
        (pa.timestamp("us", "UTC"), {"type": "long", "logicalType": "timestamp-micros"}, [10**18, 10**18]),
    ],
    ids=["nan-double", "nan-float", "far-date", "far-timestamp"],
)
def test_equal_keys_are_one_group_wherever_a_batch_ends(
    kind: pa.DataType, avro: Any, values: list[Any], batch_size: int
) -> None:
    schema = parse_schema(record_schema("Row", id=avro, n="long"))
    other = 1.0 if pa.types.is_floating(kind) else 1
    versions = pa.table(
        {
            "id": pa.array([other, *values, values[0]], kind),
            "n": pa.array([0, 1, 2, 3], pa.int64()),
            "_pb_origin": pa.array([Origin.INCOMING, Origin.STORED, Origin.INCOMING, Origin.INCOMING], pa.int8()),
        }
    )
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", key="id")
    job = Job(plan, schema, ("id", "n"), "upsert")
    found = pa.Table.from_batches(merged(job, versions.to_batches(max_chunksize=batch_size)))
    actions = zip(found["n"].to_pylist(), found["_pb_action"].to_pylist(), strict=True)
    assert sorted(actions) == [(0, Action.INSERT), (3, Action.UPDATE)]


@pytest.mark.parametrize("batch_size", [1, 2, 10_000])
@pytest.mark.parametrize("zeros", [(-0.0, 0.0), (0.0, -0.0)], ids=str)
def test_zero_and_negative_zero_are_two_keys_as_their_texts_are(zeros: tuple[float, float], batch_size: int) -> None:
    fields = [{"name": "id", "type": ["null", "double"], "default": None}, {"name": "n", "type": "long"}]
    schema = parse_schema({"type": "record", "name": "Row", "fields": fields})
    one, other = zeros
    versions = pa.table(
        {
            "id": pa.array([one, one, other, other, 1.0], pa.float64()),
            "n": pa.array(range(5), pa.int64()),
            "_pb_origin": pa.array([Origin.STORED, Origin.INCOMING, Origin.STORED, *[Origin.INCOMING] * 2], pa.int8()),
        }
    )
    job = Job(MergePlan(payload="OverwriteWithLatestAvroPayload", key="id"), schema, ("id", "n"), "upsert")
    found = pa.Table.from_batches(merged(job, versions.to_batches(max_chunksize=batch_size))).to_pylist()
    outcomes = {(str(row["id"]), row["n"]): row["_pb_action"] for row in found}
    assert outcomes == {(str(one), 1): Action.UPDATE, (str(other), 3): Action.UPDATE, ("1.0", 4): Action.INSERT}


def test_a_failure_names_a_key_beyond_the_years_of_python() -> None:
    kind = {"type": "int", "logicalType": "date"}
    schema = parse_schema(record_schema("Row", id=kind))
    versions = pa.table(
        {"id": pa.array([10**7] * 2, pa.date32()), "_pb_origin": pa.array([Origin.STORED] * 2, pa.int8())}
    )
    job = Job(MergePlan(payload="OverwriteWithLatestAvroPayload", key="id"), schema, ("id",), "upsert")
    with pytest.raises(MergeFailedError, match=r"key id=10000000.*more than one row"):
        list(merged(job, versions.to_batches()))


@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", "tests.support.user_payloads:KeepsLongestName"])
def test_memory_does_not_grow_with_the_versions_of_a_key(payload):
    def peak(batches):
        versions = [(Origin.INCOMING, ("a", number, "x" * 100, "U", False)) for number in range(500)]
        (batch,) = table(versions).combine_chunks().to_batches()
        job = Job(plan_of(payload), SCHEMA, NAMES, "combine_input")
        tracemalloc.start()
        assert sum(found.num_rows for found in merged(job, itertools.repeat(batch, batches))) == 1
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    few, many = peak(4), peak(40)
    assert many < 1.2 * few
