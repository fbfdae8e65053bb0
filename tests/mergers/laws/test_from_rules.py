from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies as st

from mergers.laws import Domain, RuleVerdict, rule_preconditions, rule_universe
from mergers.laws.from_rules import DECIDABLE, Decisions
from mergers.laws.rule_universe import StatedRules
from mergers.laws.rules import ACTION, ASSOCIATIVITY, COMMUTATIVITY, IDEMPOTENCE, SCHEDULE_INDEPENDENCE, TOMBSTONE
from payloads import NATURAL_ORDER, HudiRelease
from payloads.rules import (
    DATA,
    Against,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Concat,
    Constant,
    Default,
    DeleteTests,
    Effect,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    How,
    IfElse,
    IsDelete,
    IsNatural,
    LaterIs,
    Least,
    MergeRule,
    Role,
    Sum,
    Take,
    Union,
)
from tests.mergers.laws.rule_draws import differs, refuting, schema_of
from tests.mergers.laws.rule_draws import stated as drawn_rules

OLDER, NEWER, LATER, EARLIER = Role.OLDER, Role.NEWER, Role.LATER, Role.EARLIER
FILLED = FirstNonNull((Take(NEWER), Take(OLDER)))
FILLED_BY_ORDER = FirstNonNull((Take(LATER), Take(EARLIER)))
HOLDS, FAILS, UNDECIDED = RuleVerdict
RELEASES = tuple(map(str, HudiRelease))


def decided(law, stated_by, domain):
    return Decisions(stated_by, domain).of(law)


def rules(later=None, *, fields=("ts",), schema=None, deletes=None, **columns):
    """Return one rule at every point, of a class whose deletes delete."""
    whole = {"later": later} if later else {}
    rule = MergeRule(**whole, columns={DATA if name == "all" else name: node for name, node in columns.items()})
    alone = MergeRule(deletes=deletes or DeleteTests(), cases=(Case(IsDelete(NEWER), Effect.DELETE),))
    return StatedRules(schema or schema_of(), rule, rule, alone, fields, {"id": "key"})


KNOWN = [
    # what a column does, law by law
    (rules(hits=Sum()), ASSOCIATIVITY, HOLDS, "`hits` adds"),
    (rules(hits=Sum()), ACTION, HOLDS, "`hits` adds"),
    (rules(hits=Sum()), IDEMPOTENCE, FAILS, "`hits` adds: idempotence fails"),
    (rules(ByOrdering(), hits=Sum()), COMMUTATIVITY, HOLDS, "`hits` adds"),
    (rules(score=Sum()), ASSOCIATIVITY, FAILS, "`score` adds: associativity fails"),
    (rules(ByOrdering(), score=Sum()), COMMUTATIVITY, HOLDS, "`score` adds"),
    (rules(score=Greatest()), IDEMPOTENCE, HOLDS, "`score` is the greater value"),
    (rules(score=Least()), ASSOCIATIVITY, HOLDS, "`score` is the lesser value"),
    (rules(ByOrdering(), note=Least()), COMMUTATIVITY, HOLDS, "`note` is the lesser value"),
    (rules(tags=Concat()), ASSOCIATIVITY, HOLDS, "`tags` joins"),
    (rules(flags=Concat()), ASSOCIATIVITY, HOLDS, "`flags` joins"),
    (rules(tags=Concat()), IDEMPOTENCE, FAILS, "`tags` joins: idempotence fails"),
    (rules(ByOrdering(), tags=Concat()), COMMUTATIVITY, FAILS, "`tags` joins: commutativity fails"),
    (rules(counts=Union()), ASSOCIATIVITY, HOLDS, "`counts` joins"),
    (rules(counts=Union()), IDEMPOTENCE, HOLDS, "`counts` joins"),
    (rules(ByOrdering(), counts=Union()), COMMUTATIVITY, FAILS, "`counts` joins"),
    (rules(note=Constant("c")), ASSOCIATIVITY, HOLDS, "`note` is a constant"),
    (rules(note=Constant("c")), IDEMPOTENCE, FAILS, "`note` is a constant"),
    (rules(all=FILLED), ASSOCIATIVITY, HOLDS, "is the first value that is not null"),
    (rules(all=FILLED), SCHEDULE_INDEPENDENCE, HOLDS, "associativity and the action law hold"),
    (rules(ByOrdering(), note=FILLED_BY_ORDER), ASSOCIATIVITY, FAILS, "`note` is the first value that is not null"),
    (rules(ByOrdering(), plain=FILLED_BY_ORDER), ASSOCIATIVITY, HOLDS, "`plain` is the first value"),
    (rules(ByOrdering(), note=FILLED), COMMUTATIVITY, FAILS, "`note` is the first value"),
    (rules(flags=FirstNonNull((Take(EARLIER),))), ASSOCIATIVITY, HOLDS, "`flags`"),
    (rules(ByOrdering(tie=OLDER), flags=Take(NEWER), plain=Take(EARLIER)), ASSOCIATIVITY, FAILS, "`plain`"),
    (rules(ByOrdering(tie=OLDER), plain=Take(NEWER), flags=Take(EARLIER)), ASSOCIATIVITY, FAILS, "`flags`"),
    (rules(note=FirstNonMarker((Take(NEWER), Take(OLDER)), "x")), ASSOCIATIVITY, HOLDS, "is not the marker"),
    (rules(count=FirstNonDefault((Take(NEWER), Take(OLDER)))), ASSOCIATIVITY, HOLDS, "is not the default"),
    (rules(count=FirstNonDefault((Take(OLDER), Take(NEWER)), Default.VALUE)), IDEMPOTENCE, HOLDS, "default"),
    (rules(ok=IfElse(LaterIs(NEWER), Take(NEWER), Take(OLDER))), ASSOCIATIVITY, HOLDS, "depends on a test"),
    (rules(note=IfElse(ColumnIs(NEWER, "ok", value=True), Take(NEWER), Take(OLDER))), ACTION, FAILS, "`note`"),
    # which version stays
    (rules(), ASSOCIATIVITY, HOLDS, "one version is kept whole, by arrival"),
    (rules(), COMMUTATIVITY, FAILS, "another version stays, by arrival"),
    (rules(ByOrdering()), ASSOCIATIVITY, HOLDS, "one version is kept whole, by ordering value"),
    (rules(ByOrdering(tie=OLDER)), ACTION, HOLDS, "by ordering value"),
    (rules(ByOrdering()), COMMUTATIVITY, HOLDS, "by ordering value"),
    (rules(ByColumn(("ts",))), SCHEDULE_INDEPENDENCE, HOLDS, "by `ts`"),
    (rules(ByColumn(("hits",))), ASSOCIATIVITY, FAILS, "one side fails"),
    # what is not decided
    (rules(ByOrdering(), fields=("ts", "count")), ASSOCIATIVITY, UNDECIDED, "several or nested fields"),
    (rules(ByOrdering(how=How.TEXT)), ASSOCIATIVITY, UNDECIDED, "compare as texts"),
    (rules(ByColumn(("count",), Against.COLUMN_OR_CARRIED)), ASSOCIATIVITY, UNDECIDED, "which is read from others"),
    (rules(ByColumn(("ts",), consistent=True)), ASSOCIATIVITY, UNDECIDED, "timestamps are truncated"),
    (rules(count=FirstNonDefault((Sum(), Take(OLDER)))), ASSOCIATIVITY, UNDECIDED, "in several ways"),
    (rules(ByOrdering(), ts=Take(EARLIER)), ACTION, FAILS, "action fails"),
    (rules(ByOrdering(), ts=Constant(2)), ASSOCIATIVITY, UNDECIDED, "in several ways"),
]


@pytest.mark.parametrize(("stated_by", "law", "outcome", "reason"), KNOWN)
def test_a_law_follows_from_the_nodes_of_a_rule(stated_by, law, outcome, reason):
    found = decided(law, stated_by, Domain.DATA)
    assert (found.outcome, reason in found.reason) == (outcome, True), found
    if outcome is HOLDS:
        assert refuting(stated_by, law, Domain.DATA) is None
    if outcome is FAILS:
        assert differs(stated_by, law, found.operands.row, list(found.operands.versions))


_FINAL = Case(IsNatural(NEWER), Effect.INCOMING)
NATURAL_DELETES = StatedRules(
    schema_of(), MergeRule(ByOrdering(), cases=(_FINAL,)), ordering_fields=("ts",), fixed={"id": "key"}
)


@pytest.mark.parametrize(("domain", "outcome"), [(Domain.DATA, HOLDS), (Domain.EMPTY, FAILS)])
def test_a_delete_without_an_ordering_value_carries_integer_0(domain, outcome):
    found = decided(ASSOCIATIVITY, NATURAL_DELETES, domain)
    assert found.outcome is outcome
    if outcome is FAILS:
        assert NATURAL_ORDER in [version.ordering for version in found.operands.versions]


def test_what_is_equal_in_an_ordering_of_ints_may_be_integer_0():
    stated_by = NATURAL_DELETES._replace(schema=schema_of("int"))
    assert decided(ASSOCIATIVITY, stated_by, Domain.DATA).outcome is FAILS


def test_a_null_ordering_field_counts_where_it_may_be():
    whole = rules(ByColumn(("ts",)))
    assert decided(ACTION, whole, Domain.DATA).outcome is HOLDS
    assert decided(ACTION, whole._replace(null_orderings=True), Domain.DATA).outcome is FAILS


def test_a_decimal_is_not_compared_as_its_bytes():
    decimal = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    found = decided(ASSOCIATIVITY, rules(ByOrdering(), schema=schema_of(decimal)), Domain.DATA)
    assert (found.outcome, "`ts` has a type" in found.reason) == (UNDECIDED, True)


@pytest.mark.parametrize(
    ("stated_by", "reason"),
    [(rules(note=Sum()), "adds numbers"), (rules(schema=schema_of(["int", "string"])), "can't be a union")],
)
def test_what_does_not_fit_is_not_decided(stated_by, reason):
    found = decided(ASSOCIATIVITY, stated_by, Domain.DATA)
    assert (found.outcome, reason in found.reason) == (UNDECIDED, True), found


def test_a_made_record_whose_gaps_depend_on_others_is_not_proved():
    rule = MergeRule(otherwise=Effect.FILLED, columns={"note": Take(OLDER), "hits": FILLED})
    found = decided(ASSOCIATIVITY, StatedRules(schema_of(), rule, fixed={"id": "key"}), Domain.DATA)
    assert found.outcome is not HOLDS


@pytest.mark.parametrize("law", [TOMBSTONE, ACTION])
def test_what_is_not_stated_is_not_decided(law):
    only_batch = NATURAL_DELETES._replace(direction=None)
    assert decided(law, only_batch, Domain.EMPTY).outcome is UNDECIDED


# -- random rules


@hypothesis.given(drawn_rules(), st.sampled_from(Domain), st.sampled_from(DECIDABLE), st.integers(0, 2**20))
@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples * 80 // 100,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large],
)
def test_no_random_versions_refute_what_random_rules_prove(stated_by, domain, law, seed):
    found = decided(law, stated_by, domain)
    if found.outcome is HOLDS:
        assert refuting(stated_by, law, domain, seed=seed, tries=60) is None
    if found.outcome is FAILS:
        assert differs(stated_by, law, found.operands.row, list(found.operands.versions))


# -- planted mistakes

COUPLED = MergeRule(
    otherwise=Effect.FILLED, columns={"note": Take(OLDER), "count": FirstNonDefault((Take(OLDER), Take(NEWER)))}
)


def rounded_sums_associate(patch):
    for module in (rule_preconditions, rule_universe):
        patch.setattr(module, "WRAPPING", rule_preconditions.WRAPPING | {"double"})


def gaps_concern_one_column(patch):
    patch.setattr(rule_preconditions, "_keeps_what_is_no_gap", lambda _node: True)


def nothing_is_null(patch):
    values = rule_universe.StandIns._values
    patch.setattr(rule_universe.StandIns, "_values", lambda *given: [one for one in values(*given) if one is not None])


@pytest.mark.parametrize(
    ("plant", "stated_by"),
    [
        (rounded_sums_associate, rules(score=Sum())),
        (gaps_concern_one_column, StatedRules(schema_of(), COUPLED, fixed={"id": "key"})),
        (nothing_is_null, rules(ByOrdering(), note=FILLED_BY_ORDER)),
    ],
)
def test_random_versions_refute_what_a_mistake_in_the_table_proves(plant, stated_by, monkeypatch):
    assert decided(ASSOCIATIVITY, stated_by, Domain.DATA).outcome is not HOLDS
    plant(monkeypatch)
    assert decided(ASSOCIATIVITY, stated_by, Domain.DATA).outcome is HOLDS
    assert refuting(stated_by, ASSOCIATIVITY, Domain.DATA) is not None
