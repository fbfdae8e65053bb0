"""Rules as source code: in Python they are the rule again, laid out as ruff does; in Java what it lacks is named."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sqlglot
from hypothesis import given, settings

import payloads.rules
from mergers.rules.source import (
    JavaNames,
    MergerRules,
    Merging,
    NotStatedError,
    PointRule,
    forms_of,
    java_merger,
    marker_of,
    merge_statement,
    python_merger,
)
from mergers.rules.source.literals import literal, names_in, quoted
from payloads import parse_schema
from payloads.errors import PayloadConfigError
from payloads.rules import (
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Constant,
    DeleteTests,
    Effect,
    How,
    IsDelete,
    IsEmpty,
    IsNatural,
    Marker,
    MergeRule,
    Point,
    Role,
    TextIs,
    completed,
    nodes_of,
)
from tests.payloads.rules import drawn

NAMES = JavaNames("com.acme", "OrderMerger", "com.acme.OrderPayload", "0.15", "6f1a2f0e-6a3c-4e0b-9f35-2d7c1f9a4b10")
DELETED = Case(IsDelete(Role.NEWER), Effect.DELETE)


@given(rule=drawn.RULES)
def test_source_in_python_is_the_rule_again(rule):
    text = literal(rule, "rule = ")
    scope = {name: getattr(payloads.rules, name) for name in names_in(rule)}
    exec(text, scope)  # noqa: S102 (what was written)
    assert scope["rule"] == rule


def test_source_in_python_is_laid_out_as_ruff_does(tmp_path):
    found = []
    given(rule=drawn.RULES)(settings(max_examples=80, database=None)(lambda rule: found.append(rule)))()  # noqa: PLW0108 (its argument is named)
    text = "\n".join(literal(rule, f"rule_{number} = ") for number, rule in enumerate(found))
    file = tmp_path / "rules.py"
    file.write_text(f"{text}\n", encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "format", "--check", "--isolated", "--no-cache", "."]
    subprocess.run(command, check=True, cwd=tmp_path)


@pytest.mark.parametrize("text", ["plain", "it's", 'say "so"', "both ' and \"", "a\\b\n", "\u00e9\U0001f600"])
def test_a_text_is_itself_again(text):
    assert eval(quoted(text)) == text  # noqa: S307 (what was written)


@given(rule=drawn.RULES)
def test_java_has_a_node_or_refuses_it_by_its_name(rule):
    try:
        whole = PointRule(rule).whole
    except PayloadConfigError:
        return  # only Hudi's classes can have it
    try:
        text = java_merger(NAMES, "1.1", MergerRules(PointRule(rule)), drawn.SCHEMA)
    except NotStatedError as error:
        assert str(error).startswith("Java source can't express ")  # noqa: PT017 (most rules are accepted)
        return
    assert text.count("{") == text.count("}")
    assert ("newerWins(Version older" in text) is not isinstance(whole.later, ByArrival)


@given(rule=drawn.RULES, alone=drawn.RULES)
def test_sql_has_a_node_or_refuses_it_by_its_name(rule, alone):
    rules = {Point.STORED: rule, Point.ALONE: alone, Point.BATCH: rule}
    try:
        text = merge_statement(rules, Merging(drawn.SCHEMA, ("id",), ("ts",), "seq"), "Merges as the class does.")
    except NotStatedError as error:
        assert str(error).startswith("SQL can't express ")  # noqa: PT017 (most rules are accepted)
        return
    assert text.count("(") >= text.count("CASE")
    assert text.count("CASE ") == text.count(" END") or "'" in text


def test_a_text_that_ends_comments_or_escapes_is_told_all_the_same():
    text = '*/ \\u12 """ <b>'
    rules = MergerRules(PointRule(MergeRule(cases=(Case(ColumnIs(Role.OLDER, "note", text), Effect.CURRENT),))))
    source = python_merger("OrderMerger", "acme:Order", "0.15", "id", rules, "1.2")
    scope = {}
    exec(source, scope)  # noqa: S102 (what was written)
    assert (scope["OrderMerger"].rule, text in scope["OrderMerger"].__doc__) == (rules.stored.rule, True)
    comment = java_merger(NAMES, "1.1", rules, drawn.SCHEMA).partition("Version merged")[0]
    assert comment.count("*/") == comment.count("/**")
    assert "\\u" not in comment


def test_a_merger_compares_by_the_ordering_value_where_the_class_reads_its_column():
    rule = MergeRule(ByColumn(("ts",), tie=Role.OLDER), cases=(DELETED,))
    by_ordering = MergeRule(ByOrdering(tie=Role.OLDER), cases=(payloads.rules.RESETS, DELETED))
    assert [*forms_of(rule, ("ts",))] == [by_ordering, rule]
    assert [*forms_of(rule, ("at",))] == [rule]


def test_a_delete_that_wins_by_arrival_alone_is_left_to_what_the_modes_do():
    """One that compares is not: an older delete would then leave the row that the class deletes."""
    by_arrival = MergeRule(cases=(DELETED,), columns={"hits": payloads.rules.Sum()})
    assert next(forms_of(by_arrival, ())) == MergeRule(columns={"hits": payloads.rules.Sum()})
    compares = MergeRule(ByOrdering(), cases=(DELETED,))
    assert all(DELETED in form.cases for form in forms_of(compares, ()))


def test_a_merger_that_compares_expects_deletes_without_an_ordering_value():
    """Hudi's own mergers get them from 1.1 on; a class does not, so its rule has nothing to say of them."""
    rule = MergeRule(ByOrdering(), cases=(Case(IsEmpty(Role.NEWER), Effect.INCOMING),))
    assert all(completed(form, "it").cases[0] == payloads.rules.RESETS for form in forms_of(rule, ()))


def test_a_marker_is_hudis_to_look_for():
    rule = MergeRule(deletes=DeleteTests(marker=Marker("op", "D")), cases=(DELETED,), otherwise=Effect.INCOMING)
    assert {form.deletes for form in forms_of(rule, (), Marker("op", "D"))} == {DeleteTests()}
    any_case = MergeRule(deletes=DeleteTests(marker=Marker("op", "D", ignore_case=True)), cases=(DELETED,))
    by_text = Case(TextIs(Role.NEWER, "op", "D"), Effect.DELETE)
    assert all(by_text in form.cases for form in forms_of(any_case, ()))
    with pytest.raises(NotStatedError, match="any case"):
        marker_of(any_case)


def test_hudi_looks_for_what_the_class_deletes_by_without_a_stored_row():
    gone = ColumnIs(Role.NEWER, "gone", value=True)
    alone = MergeRule(cases=(Case(AnyOf((IsEmpty(Role.NEWER), gone)), Effect.DELETE),))
    assert marker_of(alone) == Marker("gone", "true")
    assert marker_of(MergeRule(deletes=DeleteTests(marker=Marker("op", "D")), cases=(DELETED,))) == Marker("op", "D")
    assert marker_of(MergeRule(otherwise=Effect.INCOMING)) is None
    by_row = MergeRule(cases=(Case(AnyOf((IsEmpty(Role.NEWER), gone)), Effect.DELETE),), otherwise=Effect.INCOMING)
    assert all(gone not in nodes_of(form.cases) for form in forms_of(by_row, (), Marker("gone", "true")))


def test_a_text_that_hudi_does_not_look_for_is_a_case_of_the_merger():
    rule = MergeRule(deletes=DeleteTests(marker=Marker("op", "D")), cases=(DELETED,), otherwise=Effect.INCOMING)
    by_text = Case(ColumnIs(Role.NEWER, "op", "D"), Effect.DELETE)
    assert all(by_text in form.cases for form in forms_of(rule, ()))
    assert not any(by_text in form.cases for form in forms_of(rule, (), Marker("op", "D")))


def test_sql_ignores_case_as_java_does_and_keeps_digits_apart_from_escapes():
    marker = Marker("note", "skip", ignore_case=True)
    rule = MergeRule(deletes=DeleteTests(marker=marker), cases=(DELETED,), columns={"note": Constant("\x0012")})
    text = merge_statement({Point.STORED: rule, Point.ALONE: rule}, Merging(drawn.SCHEMA, ("id",)), "Merges.")
    assert "coalesce(newer.note RLIKE '(?iu)\\\\Ask[iI\u0131\u0130]p\\\\z', false)" in text
    assert r"note = '\u000012'" in text


def test_sql_updates_no_row_that_is_nothing_but_its_key():
    schema = parse_schema({"type": "record", "name": "Seen", "fields": [{"name": "id", "type": "string"}]})
    rules = dict.fromkeys((Point.STORED, Point.ALONE), MergeRule(otherwise=Effect.INCOMING))
    (statement,) = sqlglot.parse(merge_statement(rules, Merging(schema, ("id",)), "Merges."), dialect="spark")
    assert [type(when.args["then"]).__name__ for when in statement.find_all(sqlglot.exp.When)] == ["Insert"]


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (MergeRule(ByOrdering()), "ByOrdering"),
        (MergeRule(ByColumn(("ts",), how=How.POSITION)), "POSITION"),
        (MergeRule(otherwise=Effect.FILLED), "FILLED"),
        (MergeRule(cases=(Case(IsNatural(Role.NEWER), Effect.CURRENT),)), "IsNatural"),
        (MergeRule(columns={"part": Constant(float("inf"))}), "inf"),
    ],
)
def test_what_sql_lacks_is_named(rule, named):
    rules = dict.fromkeys((Point.STORED, Point.ALONE), rule)
    with pytest.raises(NotStatedError, match=f"SQL can't express .*{named}"):
        merge_statement(rules, Merging(drawn.SCHEMA, ("id",)), "Merges as the class does.")


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (MergeRule(ByOrdering(how=How.POSITION)), "POSITION"),
        (MergeRule(ByOrdering(unlike_wins=True)), "unlike_wins"),
        (MergeRule(otherwise=Effect.FILLED), "FILLED"),
        (MergeRule(cases=(Case(ColumnIs(Role.NEWER, "raw", b"x"), Effect.CURRENT),)), "b'x'"),
    ],
)
def test_what_java_lacks_is_named(rule, named):
    with pytest.raises(NotStatedError, match=named):
        java_merger(NAMES, "1.1", MergerRules(PointRule(rule)), drawn.SCHEMA)
