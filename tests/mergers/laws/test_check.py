from __future__ import annotations

import re

import pytest

from mergers import AvroRecordMerger
from mergers.laws import LawNotCheckedError, LawViolationError, Verdict, check_laws, find_violation, law_cases
from mergers.laws.core import text
from mergers.laws.rules import ACTION, ALL, ASSOCIATIVITY, SEMILATTICE, STORAGE
from payloads import (
    DefaultHoodieRecordPayload,
    PayloadConfigError,
    PayloadNotFoundError,
    PayloadRef,
    SchemaError,
    parse_schema,
)
from tests.mergers.laws.faulty import Concatenates, CountsInMemory, Dice, FirstMapEntry
from tests.mergers.laws.lawful import EarlierStaysOnTies, LaterPayload, LaterWins
from tests.mergers.laws.test_defects import SETTINGS
from tests.support.schemas import record_schema
from tests.test_imports import loaded_by


def one(*arguments, **settings):
    (result,) = check_laws(*arguments, **settings).results
    return result


# -- three lines in a user's repository


@pytest.mark.parametrize("case", law_cases(LaterPayload, **SETTINGS, domain="data", exhaustive=True))
def test_a_users_payload_keeps_the_laws(case):
    case.check()


def test_a_case_fails_with_its_counterexample():
    (case,) = law_cases(Concatenates, **SETTINGS, domain="data", laws=["idempotence"], exhaustive=True)
    assert str(case) == case.__name__ == "idempotence-data"
    assert case.result().verdict is Verdict.VIOLATED
    with pytest.raises(LawViolationError, match=r"(?s)Concatenates.*a·a = .*v1v1.*a retried batch changes the row"):
        case.check()


def test_cases_leave_out_what_says_nothing():
    names = [str(case) for case in law_cases("DefaultHoodieRecordPayload")]
    assert "tombstone-flagged" in names
    assert not {"tombstone-data", "agreement-data", "associativity-empty"} & set(names)


# -- what is judged, and how it is named


@pytest.mark.parametrize(
    "subject",
    [
        "DefaultHoodieRecordPayload",
        "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
        PayloadRef("DefaultHoodieRecordPayload"),
        AvroRecordMerger("DefaultHoodieRecordPayload", "1.2", "pre_combine"),
        "OverwriteWithLatestMerger",
        "event_time_ordering",
        "tests.mergers.laws.lawful:LaterPayload",
        "tests.mergers.laws.lawful:LaterWins",
        LaterWins,
        pytest.param(LaterWins(), id="an object"),
    ],
    ids=str,
)
def test_it_can_be_named_in_many_ways(subject):
    assert one(subject, laws=["associativity"], domain="data", exhaustive=True).verdict is Verdict.PROVED


@pytest.mark.parametrize("mode", [None, "combine", "pre_combine"])
@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
def test_a_payload_behind_the_merger_interface_is_as_associative(release, mode):
    merger = AvroRecordMerger("OverwriteNonDefaultsWithLatestAvroPayload", release, mode)
    assert (
        one(merger, release=release, laws=["associativity"], domain="data", exhaustive=True).verdict is Verdict.PROVED
    )


def test_two_implementations_are_compared():
    settings = {**SETTINGS, "laws": ["agreement"], "domain": "data", "exhaustive": True}
    assert one(LaterWins, other="EVENT_TIME_ORDERING", **settings).verdict is Verdict.PROVED
    disagreement = one(LaterWins, other=EarlierStaysOnTies, **settings)
    assert disagreement.verdict is Verdict.VIOLATED
    assert "by the other implementation" in str(disagreement)
    assert one(LaterWins, **settings).verdict is Verdict.NOT_APPLICABLE


# -- arguments


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"laws": []}, PayloadConfigError, "no law is named; name one of associativity, "),
        ({"domain": []}, PayloadConfigError, "no domain is named; the domains are data, flagged, empty"),
        ({"laws": ["assoc"]}, PayloadConfigError, "unknown law 'assoc'; laws: associativity, .* rule sets: semi"),
        ({"domain": "dta"}, PayloadConfigError, "the domains are data, flagged, empty"),
        ({"examples": 0}, PayloadConfigError, "give at least 1, or exhaustive=True"),
        ({"ordering_fields": ["nope"]}, SchemaError, "no field 'nope'"),
        ({"release": "0.9"}, PayloadConfigError, "unknown Hudi release"),
    ],
)
def test_arguments_are_checked(settings, error, message):
    with pytest.raises(error, match=message):
        check_laws("DefaultHoodieRecordPayload", **settings)


def test_an_unknown_name_is_not_a_payload():
    with pytest.raises(PayloadNotFoundError, match="did you mean"):
        check_laws("DefaultHoodieRecordPayloads")


def test_rule_sets_name_laws_and_inherit_them_once():
    assert [law.id for law in SEMILATTICE.laws] == ["associativity", "idempotence", "commutativity", "tombstone"]
    assert STORAGE.laws[:2] == (ASSOCIATIVITY, ACTION)
    assert len(ALL.laws) == len(set(ALL.laws)) == 11
    report = check_laws(LaterWins, laws=["storage", ACTION], domain="data", exhaustive=True, **SETTINGS)
    assert [result.law for result in report.results] == list(STORAGE.laws)


# -- deciding


def test_equality_is_a_parameter():
    def ignoring_v(left, right, schema):
        return {**left, "v": None} == {**right, "v": None}

    settings = {**SETTINGS, "laws": ["idempotence"], "domain": "data"}
    assert one(Concatenates, **settings).verdict is Verdict.VIOLATED
    assert one(Concatenates, **settings, equality=ignoring_v).verdict is Verdict.PROVED


def test_the_same_seed_finds_the_same():
    settings = {"laws": ["associativity"], "domain": "data", "exhaustive": False}
    first, second = (str(check_laws("PartialUpdateAvroPayload", **settings, seed=7)) for _ in range(2))
    assert first == second
    assert "seed 7" in first


def test_verdicts_say_how_far_they_reach():
    settings = {"laws": ["action"], "domain": "data"}
    default = "DefaultHoodieRecordPayload"
    proved = one(default, **settings, exhaustive=True)
    assert (proved.verdict, proved.detail) == (
        Verdict.PROVED,
        (
            "for these values, 1764 cases: every 2 or 3 of 6 versions, on 6 stored rows and on none; "
            "ordering values 1, 2, 3, stored ordering values 0, 2, 4"
        ),
    )
    assert one(default, **settings, exhaustive=False, examples=20).for_all_rows
    undecided = "MySqlDebeziumAvroPayload"  # a text may be no position
    held = one(undecided, **settings, exhaustive=False, examples=20)
    assert (held.verdict, held.detail) == (Verdict.HOLDS, f"no counterexample in {held.cases} examples")
    assert held.line == f"action [data]: {held.detail}"
    assert one(undecided, **settings, examples=20).verdict is Verdict.PROVED


@pytest.mark.parametrize("exhaustive", [True, False])
def test_a_merge_that_only_fails_is_not_checked(exhaustive):
    settings = {"laws": ["associativity"], "domain": "data", "exhaustive": exhaustive, "examples": 20}
    result = one("RewriteAvroPayload", **settings)
    assert result.verdict is Verdict.NOT_CHECKED
    assert re.fullmatch(r"(\d+) of \1 cases fail, most with UnsupportedPayloadOperationError: .*", result.detail)
    (case,) = law_cases("RewriteAvroPayload", **settings)
    with pytest.raises(LawNotCheckedError, match=r"associativity \[data\]: not-checked"):
        case.check()


def test_a_merge_that_answers_at_random_does_not_upset_the_search():
    report = check_laws(Dice, **SETTINGS, laws=["determinism"], domain="data", exhaustive=False)
    assert not report.ok


def test_null_orderings_are_tried_on_request():
    schema = {
        "type": "record",
        "name": "row",
        "fields": [{"name": "ts", "type": ["null", "long"]}, {"name": "v", "type": ["null", "string"]}],
    }
    settings = {"schema": schema, "ordering_fields": ["ts"], "domain": "data", "laws": ["action"], "release": "1.0"}
    assert one("DefaultHoodieRecordPayload", **settings).verdict is Verdict.PROVED
    result = one("DefaultHoodieRecordPayload", **settings, null_orderings=True)
    assert result.verdict is Verdict.VIOLATED
    assert "Error" in str(result)


@pytest.mark.parametrize("domain", ["data", "flagged"])
def test_arrival_order_is_a_table_without_ordering_fields(domain):
    settings = {**SETTINGS, "ordering_fields": []}
    assert check_laws("COMMIT_TIME_ORDERING", **settings, laws=["storage"], domain=domain, exhaustive=True).ok


def test_one_choice_of_operands_can_be_judged():
    found = check_laws(CountsInMemory, **SETTINGS, laws=["round-trip"], domain="data", exhaustive=True).results[0]
    row, versions = found.counterexample.operands
    again = find_violation(CountsInMemory, "round-trip", row, versions, **SETTINGS)
    assert list(again.lines()) == list(found.counterexample.lines())
    assert find_violation("DefaultHoodieRecordPayload", "round-trip", row, versions, **SETTINGS) is None


def test_the_first_entry_of_a_map_is_found_by_examples_too():
    assert not check_laws(FirstMapEntry, **SETTINGS, laws=["determinism"], domain="data", exhaustive=False).ok


def test_a_custom_delete_column_is_used():
    schema = parse_schema(record_schema(ts="long", op="string"))
    props = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "gone"}
    settings = {"schema": schema, "ordering_fields": ["ts"], "props": props, "exhaustive": True, "domain": "flagged"}
    assert one("DefaultHoodieRecordPayload", laws=["tombstone"], **settings).verdict is Verdict.PROVED


def test_only_the_search_loads_hypothesis():
    assert "hypothesis" not in loaded_by("import mergers.laws")
    assert "hypothesis" not in loaded_by(
        "from mergers.laws import check_laws\ncheck_laws('DefaultHoodieRecordPayload', domain='data', exhaustive=True)"
    )


@pytest.mark.parametrize("law", ALL.laws, ids=lambda law: law.id)
def test_a_law_shows_its_equations_in_one_line(law):
    assert law.equation in {_in_one_line(law, size) for size in range(law.sizes[0], law.sizes[1] + 1)}


def _in_one_line(law, size):
    sides = {}
    for left, right in law.stated(size):
        sides.setdefault(text(left, law.names), []).append(text(right, law.names))
    return "; ".join(" = ".join((left, *rights)) for left, rights in sides.items())


class Totals(DefaultHoodieRecordPayload):
    """Works on tables with its column `total` alone."""

    def pre_combine(self, older, schema=None, props=None):
        return self if self.record["total"] >= older.record["total"] else older


class RefusesTies(DefaultHoodieRecordPayload):
    def pre_combine(self, older, schema=None, props=None):
        assert older.ordering_value != self.ordering_value, "a tie"
        return super().pre_combine(older, schema, props)


@pytest.mark.parametrize("law", ["idempotence", "associativity"])
def test_a_class_that_lacks_its_columns_violates_no_law(law):
    (case,) = law_cases(Totals, domain="data", laws=[law])
    with pytest.raises(LawNotCheckedError, match="total"):
        case.check()


def test_a_merge_that_fails_now_and_then_violates_its_law():
    (case,) = law_cases(RefusesTies, domain="data", laws=["idempotence"])
    with pytest.raises(LawViolationError, match="a tie"):
        case.check()
