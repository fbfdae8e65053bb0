"""Payload classes and mergers that state a rule in place of methods."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import re

import pytest

import payloads
from mergers import AvroRecordMerger, MergerConfigError, adapt_merger
from payloads import (
    NATURAL_ORDER,
    SENTINEL,
    HoodieRecordPayload,
    HudiRelease,
    NullOrderingError,
    Ordering,
    OrderingTypeError,
    PayloadConfigError,
    PayloadFailedError,
    SchemaError,
    parse_schema,
    resolve_payload,
)
from payloads.rules import (
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    DeleteTests,
    Effect,
    Error,
    ErrorKind,
    IsDelete,
    Marker,
    MergeRule,
    Needs,
    Role,
    RuleNode,
    Sum,
)
from payloads.user import adapt
from tests.support import GUIDE
from tests.support.rule_classes import ByPoint, ClosedStays, Visits, VisitsByHand, VisitsMerger

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "ts", "type": "long"},
            {"name": "hits", "type": ["null", "int"], "default": None},
            {"name": "first_seen", "type": "long", "default": 0},
            {"name": "op", "type": ["null", "string"], "default": None},
            {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
        ],
    }
)
PROPS = {"hoodie.payload.ordering.field": "ts", "hoodie.table.ordering.fields": "ts"}
RELEASES = tuple(map(str, HudiRelease))


def row(ts, hits=1, **others):
    return {"id": "a", "ts": ts, "hits": hits, "first_seen": ts, "op": None, "_hoodie_is_deleted": None, **others}


def built(kind, record, ordering=None, release="1.2"):
    found = adapt(kind, release).for_schema(SCHEMA)
    return found(record, ordering or Ordering("long", 0 if record is None else record["ts"]))


def sent_over(found):
    return pickle.loads(pickle.dumps(found))  # noqa: S301 (our own object)


def stating(rule, *bases):
    return type("Stating", bases, {"rule": rule})


def combined(kind, stored, incoming, ordering=None):
    return built(kind, incoming, ordering).combine_and_get_update_value(stored, SCHEMA, PROPS)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (row(1), row(2)),
        (row(2), row(1)),
        (row(2), row(2, None)),
        (row(1, None), row(2, None)),
        (row(1, 2**31 - 2), row(2)),
        (row(1, _hoodie_is_deleted=True), row(2)),
        (row(2, _hoodie_is_deleted=True), row(1)),
        (row(1), row(2, _hoodie_is_deleted=True)),
        (row(2), row(1, _hoodie_is_deleted=True)),
        (row(1), None),
    ],
)
def test_a_rule_is_what_methods_of_the_same_meaning_are(release, older, newer):
    batches, rows, inserts = [], [], []
    for kind in (Visits, VisitsByHand):
        first, last = (built(kind, one, one is None and NATURAL_ORDER, release) for one in (older, newer))
        kept = last.pre_combine(first, None if release == "0.12" else SCHEMA, PROPS)
        which = "older" if kept is first else "newer" if kept is last else "made"
        batches.append((which, kept.record, kept.get_ordering_value()))
        last = built(kind, newer, newer is None and NATURAL_ORDER, release)
        stored = copy.deepcopy(older)
        merged = last.combine_and_get_update_value(stored, SCHEMA, PROPS)
        rows.append((merged is stored, merged is last.record, merged))
        inserts.append((last.get_insert_value(SCHEMA, PROPS), last.is_deleted(SCHEMA, PROPS)))
    assert batches[0] == batches[1]
    assert rows[0] == rows[1]
    assert inserts[0] == inserts[1]


def test_sums_wrap_as_java_adds():
    assert combined(Visits, row(1, 2**31 - 1), row(2))["hits"] == -(2**31)


def test_it_need_not_extend_anything_and_may_extend_the_interface():
    assert combined(stating(MergeRule(), HoodieRecordPayload), row(1), row(0)) == row(0)


def test_it_is_found_by_name_and_travels_by_it():
    found = resolve_payload("tests.support.rule_classes:Visits", "1.1")
    assert found is adapt(Visits, "1.1")
    merger = AvroRecordMerger("tests.support.rule_classes:Visits", "1.1")
    assert sent_over(merger).payload_class is found
    sent = sent_over(built(Visits, row(1)))
    assert sent.record == row(1)
    assert sent.combine_and_get_update_value(row(0), SCHEMA, PROPS)["hits"] == 2
    twin = copy.deepcopy(built(Visits, row(1)))
    assert twin.get_insert_value(SCHEMA) == row(1)


def test_a_function_gives_rules_that_differ_between_points():
    newer = built(ByPoint, row(2))
    assert newer.pre_combine(built(ByPoint, row(1)), SCHEMA, PROPS) is newer
    assert combined(ByPoint, row(1), row(2))["hits"] == 2
    assert newer.get_insert_value(SCHEMA) == row(2)


@pytest.mark.parametrize(
    ("gives", "expected"),
    [
        (Effect.CURRENT, row(1)),
        (Effect.SENTINEL, SENTINEL),
        (Effect.INCOMING, row(2)),
        (Effect.COPY, row(2)),
        (Effect.DELETE, None),
    ],
)
def test_each_effect_is_what_a_method_would_return(gives, expected):
    stored = row(1)
    found = combined(stating(MergeRule(otherwise=gives)), stored, row(2))
    assert found == expected
    assert (found is stored) is (gives is Effect.CURRENT)


def test_in_a_batch_leaving_the_stored_row_keeps_the_older_version_and_a_delete_has_no_record():
    older = built(stating(MergeRule(otherwise=Effect.SENTINEL)), row(1))
    newer = type(older)(row(2), Ordering("long", 2))
    assert newer.pre_combine(older, SCHEMA) is older
    deleted = stating(MergeRule(otherwise=Effect.DELETE))
    gone = built(deleted, row(2)).pre_combine(built(deleted, row(1)), SCHEMA)
    assert (gone.get_insert_value(SCHEMA), gone.is_deleted(SCHEMA)) == (None, True)


@pytest.mark.parametrize(
    ("rule", "stored", "incoming", "expected"),
    [
        (ByOrdering(), row(5), row(2, _hoodie_is_deleted=True), row(5)),
        (ByOrdering(), row(1), row(2, _hoodie_is_deleted=True), None),
        (ByColumn(("ts",)), row(5), None, None),
    ],
)
def test_a_rule_that_says_nothing_of_deletes_has_those_of_merge_modes(rule, stored, incoming, expected):
    assert combined(stating(MergeRule(rule, columns={"hits": Sum()})), stored, incoming) == expected


def test_a_case_for_deletes_takes_their_place():
    kept = MergeRule(cases=(Case(IsDelete(Role.NEWER), Effect.CURRENT),), deletes=DeleteTests(marker=Marker("op", "D")))
    stored = row(1)
    for gone in (row(2, op="D"), row(2, _hoodie_is_deleted=True)):
        assert combined(stating(kept), stored, gone) == stored
    assert built(stating(kept), row(2, op="D")).get_insert_value(SCHEMA) is None


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (ErrorKind.NULL_ORDERING, NullOrderingError),
        (ErrorKind.UNLIKE_TYPES, OrderingTypeError),
        (ErrorKind.SCHEMA, SchemaError),
        (ErrorKind.FAILED, PayloadFailedError),
        (ErrorKind.UNSUPPORTED, payloads.UnsupportedPayloadOperationError),
    ],
)
def test_an_error_of_a_rule_is_raised(fault, error):
    with pytest.raises(error, match="the rule"):
        combined(stating(MergeRule(otherwise=Error(fault))), row(1), row(2))


def test_values_that_do_not_compare_are_an_error():
    with pytest.raises(OrderingTypeError):
        combined(Visits, row(1), row(2), Ordering("utf8", "x"))


def test_a_rule_is_checked_against_the_schema():
    with pytest.raises(SchemaError, match=r"Sum\(\).*'id'.*string"):
        built(stating(MergeRule(columns={"id": Sum()})), row(1))
    with pytest.raises(SchemaError, match="'version'"):
        built(ClosedStays, row(1))


class WithMethods(Visits):
    def preCombine(self, older):  # noqa: N802 (Java's name)
        return older


@pytest.mark.parametrize(
    "kind", [WithMethods, stating(MergeRule(), payloads.DefaultHoodieRecordPayload), stating(MergeRule(), VisitsByHand)]
)
def test_a_class_has_a_rule_or_methods(kind):
    with pytest.raises(PayloadConfigError, match="states a rule and also has"):
        adapt(kind)


@pytest.mark.parametrize(
    "rule",
    [
        MergeRule(conditions=(Needs.COMPLETE,)),
        MergeRule(otherwise=Effect.EDITED),
        MergeRule(cases=(Case(ColumnIs(Role.NEWER, "op", "D"), Effect.EDITED),)),
    ],
)
def test_what_only_rules_of_hudis_classes_have_is_refused(rule):
    with pytest.raises(PayloadConfigError, match="Hudi's classes"):
        adapt(stating(rule))


def test_a_merger_with_a_rule_needs_its_strategy_alone():
    found = adapt_merger(VisitsMerger)
    assert found.merging_strategy == VisitsMerger.merging_strategy
    assert sent_over(found).rule == found.rule
    with pytest.raises(MergerConfigError, match="merging_strategy"):
        adapt_merger(stating(MergeRule()))
    with pytest.raises(PayloadConfigError, match="merge_columns"):
        adapt_merger(type("Both", (VisitsMerger,), {"merge_columns": lambda *_: None}))
    marked = MergeRule(deletes=DeleteTests(marker=Marker("op", "D")))
    with pytest.raises(MergerConfigError, match=r"Marker\(.*hoodie\.payload\.delete\.field"):
        adapt_merger(stating(marked, VisitsMerger))


@dataclasses.dataclass(frozen=True, repr=False)
class Average(RuleNode):
    """A node that nobody knows."""


@pytest.mark.parametrize("rule", [MergeRule(columns={"hits": Average()}), MergeRule(Average())])
def test_a_node_of_ones_own_is_refused_by_its_name(rule):
    with pytest.raises(PayloadConfigError, match=r"Average\(\) is not a node"):
        built(stating(rule), row(1))


def test_a_sum_of_floats_is_a_float():
    schema = parse_schema(
        {"type": "record", "name": "row", "fields": [{"name": name, "type": "float"} for name in ("big", "small")]}
    )
    payload = adapt(stating(MergeRule(columns={"big": Sum(), "small": Sum()}))).for_schema(schema)
    newer = payload({"big": 3.0000000054977558e38, "small": 0.10000000149011612}, NATURAL_ORDER)
    found = newer.combine_and_get_update_value({"big": 3.0000000054977558e38, "small": 0.20000000298023224}, schema, {})
    assert found == {"big": float("inf"), "small": 0.30000001192092896}


def test_the_examples_of_the_guide_are_classes_with_rules():
    blocks = re.findall(
        r"^```python\n(.*?)^```$", (GUIDE / "python_payloads.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    namespace = {}
    for block in blocks:
        if "MergeRule" in block:
            exec(block, namespace)  # noqa: S102 (our own example)
    assert namespace["Visits"].rule == Visits.rule
    assert adapt(namespace["Visits"]) is not adapt(Visits)
    assert combined(namespace["AddsEachCommit"], row(1), row(2))["hits"] == 2
