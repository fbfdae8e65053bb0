"""The path search beside the laws and beside real Hudi: who is said to depend on the path does, and nobody else."""

from __future__ import annotations

import collections
import functools
import itertools

import pytest

from bridge import MergePlan, TableType
from bridge.merge.record_merge import RecordMerge
from bridge.pipeline.path_text import step_words
from bridge.programs.path_search import PathSearch, history_of
from bridge.programs.path_walk import Path, as_given
from mergers.laws import Domain, Verdict, check_laws
from mergers.laws.equality import canonical
from mergers.laws.subject import subject_of
from mergers.laws.universe import small_universe
from payloads import HudiRelease, PayloadBridgeError, builtin_payloads
from tests.mergers.laws.recorded import case_names, physical, read_case

NAMES = case_names()
LAW = "schedule-independence"
each_case = pytest.mark.parametrize("name", NAMES)


@functools.cache
def verdicts(rule, release):
    """Return the verdicts of the law matrix on `LAW`, for records and with records that say that they are deletes."""
    report = check_laws(rule, release=release, laws=[LAW], domain=(Domain.DATA, Domain.FLAGGED), exhaustive=True)
    return tuple(result.verdict for result in report.results)


def rule_of(name):
    case = read_case(name)
    return case.rule, str(case.plan.release)


@functools.cache
def merge_of(name):
    case = read_case(name)
    return RecordMerge(case.plan, case.schema)


@functools.cache
def found(name):
    """Return the paths of each key of a case."""
    merge = merge_of(name)
    search = PathSearch(merge)
    return {key: search.paths(history_of(versions, merge)) for key, versions in read_case(name).keys().items()}


def named(name):
    return {key for key, paths in found(name).items() if paths.depends}


@each_case
def test_the_keys_on_which_real_tables_disagree_are_named(name):
    assert read_case(name).disagreeing() - named(name) == set()


@each_case
def test_no_path_ends_in_an_error_of_our_own(name):
    errors = [answer.error for paths in found(name).values() for answer in paths.answers if answer.error]
    assert [error for error in errors if not isinstance(error, PayloadBridgeError)] == []


def test_no_case_disagrees_where_the_law_is_proved():
    proved = [name for name in NAMES if set(verdicts(*rule_of(name))) == {Verdict.PROVED}]
    assert proved
    assert {name: named(name) | read_case(name).disagreeing() for name in proved} == {name: set() for name in proved}


def is_plain(versions, name):
    """Whether versions are of the kind that the domain `data` has: no deletes, ordering by whole numbers."""
    case, merge = read_case(name), merge_of(name)
    columns = [case.schema.by_name[field].schema.non_null.source for field in case.plan.ordering]
    records = [record for _, record in versions]
    return (
        all(column in ("int", "long") for column in columns)
        and not any(record.get("_hoodie_is_deleted") for record in records)
        and not any(merge.is_deleted(merge.incoming(None, dict(record), None)) for record in records)
    )


def test_no_key_without_deletes_is_named_where_the_law_is_proved_for_records():
    proved = [name for name in NAMES if verdicts(*rule_of(name))[0] is Verdict.PROVED]
    plain = {name: {key for key, own in read_case(name).keys().items() if is_plain(own, name)} for name in proved}
    assert any(plain.values())
    assert {name: named(name) & keys for name, keys in plain.items()} == {name: set() for name in proved}


def test_keys_are_named_for_every_rule_that_violates_the_law():
    by_rule = collections.defaultdict(set)
    for name in NAMES:
        by_rule[rule_of(name)] |= named(name)
    violated = {rule for rule in by_rule if Verdict.VIOLATED in verdicts(*rule)}
    assert {rule for rule, keys in by_rule.items() if keys} == violated


@pytest.mark.parametrize("name", [name for name in NAMES if "small-files" not in name])
def test_the_path_that_a_real_table_took_ends_as_the_table_did(name):
    case, merge = read_case(name), merge_of(name)
    search = PathSearch(merge)
    for table in case.tables:
        compacted = {number for number, commit in enumerate(table.commits, start=1) if commit.compacted_inline}
        kind = TableType.COPY_ON_WRITE if table.table_type == "COPY_ON_WRITE" else TableType.MERGE_ON_READ
        rows = {}
        for key, versions in case.keys().items():
            history = history_of([one for one in versions if one[0] <= len(table.commits)] or versions[:1], merge)
            # A compaction between two batches of the key is one after the earlier of them.
            own = sorted(set(history.batches))
            points = {sum(batch <= point for batch in own) for point in compacted} - {0}
            answer = search.answer(history, Path(kind, as_given(history.batches), tuple(sorted(points))))
            if answer.row is not None and history.batches[0] <= len(table.commits):
                rows[key] = canonical(
                    {column: answer.row.record[column] for column in case.schema.by_name}, case.schema
                )
        snapshot = (physical(row, case.schema) for row in table.commits[-1].snapshot)
        assert rows == {(row["part"], row["id"]): canonical(row, case.schema) for row in snapshot}


# -- generated sequences


def subjects():
    """Give payloads where they merge at every point, and merge modes where these do."""
    for payload_class in builtin_payloads(HudiRelease.V0_15):
        if payload_class.__name__ not in {"HoodieJsonPayload", "RewriteAvroPayload"}:  # no writer can build these
            yield payload_class.__name__, "0.15"
    for release in ("1.0", "1.1", "1.2"):
        yield "COMMIT_TIME_ORDERING", release
        yield "EVENT_TIME_ORDERING", release


@pytest.mark.parametrize(("rule", "release"), list(subjects()))
@pytest.mark.parametrize("domain", [Domain.DATA, Domain.FLAGGED], ids=lambda domain: domain.value)
def test_paths_depend_on_generated_versions_where_the_law_is_violated_and_nowhere_else(rule, release, domain):
    parsed = HudiRelease.parse(release)
    spec = subject_of(rule, schema=None, key=("id",), ordering_fields=None, release=parsed, props={}, markers=None).spec
    payload, mode = (None, rule) if rule.endswith("_ORDERING") else (rule, None)
    plan = MergePlan(payload=payload, merger=mode, release=parsed, key=("id",), ordering=spec.ordering_fields)
    merge = RecordMerge(plan, spec.schema)
    search = PathSearch(merge)
    universe = small_universe(
        spec, domain, lambda one: merge.is_deleted(merge.incoming(None, dict(one.record), None, one.ordering))
    )
    histories = (
        history_of(enumerate((version.record for version in chosen), start=1), merge)
        for chosen in itertools.product(universe.incoming, repeat=3)
    )
    depends = any(search.paths(history).depends for history in histories)
    verdict = verdicts(rule, release)[0 if domain is Domain.DATA else 1]
    assert depends == (verdict is Verdict.VIOLATED)


# -- the smallest sequence


def test_the_smallest_history_can_lose_no_version_and_its_paths_are_one_step_apart():
    parting = [name for name in NAMES if read_case(name).disagreeing()][::3]
    assert len(parting) > 10
    for name in parting:
        case, merge = read_case(name), merge_of(name)
        search, versions = PathSearch(merge), case.keys()
        keys = sorted(named(name))[:10]
        assert keys, name
        for key in keys:
            history, left, right = search.smallest(history_of(versions[key], merge))
            assert step_words(left.path, right.path, history.batches), (name, key)
            for dropped in range(len(history)):
                rest = history.chosen(at for at in range(len(history)) if at != dropped)
                assert not search.paths(rest).depends, (name, key)
