"""`payload-bridge payloads CLASS --schema`: the rules of a class, found by asking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.cli.class_rules import HOW_TO_READ, rule_table, title_of
from bridge.cli.parameters import OF_DATA, refused
from bridge.cli.quiet import quiet_session
from bridge.cli.rule_sentences import sentences
from bridge.cli.verify_data import drawn_rows
from bridge.migration import ClassRules, rules_of
from bridge.report import Report, Table
from bridge.spark import read_schema
from bridge.verify import compiled
from mergers.laws import subject_of
from mergers.laws.infer import infer, laws_of, property_effects
from mergers.rules.source import Example, examples_of
from mergers.rules.words import TERMS, RuleLine, labelled, lines_of
from payloads import HudiRelease, PayloadRef
from payloads.rules import Point, rule_to_json
from payloads.user import CallGuard

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.cli.inputs import BatchSource
    from bridge.report import JsonObject
    from mergers.laws import Subject
    from mergers.laws.infer import Answer, FoundLaws, Inferred, PropertyEffect, Question
    from payloads.avro import Record

_POINTS = (Point.BATCH, Point.STORED, Point.ALONE)
_CHECKED = (
    "Each rule gives the result of the class for every pair that was tried. It is checked, not proved: other pairs "
    "may have other results."
)


def found_rules(  # noqa: PLR0913 (the options)
    name: str,
    release: HudiRelease | None,
    jars: Sequence[str],
    *,
    schema: str | None,
    batches: BatchSource | None,
    table: str | None,
    key: tuple[str, ...] | None,
    ordering: tuple[str, ...] | None,
    props: Sequence[tuple[str, str]],
    call_timeout: float,
) -> Report:
    """Ask a class for its rule at each merge point, and report the rules in English and as JSON.

    Raises:
        click.ClickException: the class or a column is not there.
        CallEndedError: a call of the class took too long, or tried to end the process.
    """
    line = release or HudiRelease.latest()
    parsed = None if schema is None else read_schema(schema, line, quiet_session)[0]
    settings: dict[str, Any] = {"schema": parsed, "key": key or (), "ordering": ordering, "props": dict(props)}
    drawn = drawn_rows(batches, table, line, parsed, 0)
    settings = settings if drawn is None else drawn.completed(settings)
    with refused(but=OF_DATA), CallGuard(name, call_timeout or None) as guard:
        subject = _subject(name, line, jars, settings, guard)
        rows = () if drawn is None else drawn.rows
        found = {point: infer(subject, point, data=rows, guard=guard) for point in _POINTS}
        laws = laws_of(list(found.values()), subject, guard)
        effects = list(
            property_effects(
                list(found.values()),
                subject,
                lambda props: _subject(name, line, jars, settings | {"props": props}, guard),
            )
        )
    report = _report(name, line, rules_of(found, subject), rows, laws)
    report.body += map(_effect, effects)
    return report


def _effect(one: PropertyEffect) -> str:
    question, before, after = one.shows
    where = title_of((one.found.point,)).partition(" (")[0].lower()
    return (
        f"The class reads the property `{one.name}`: if it is {one.value!r}, then, for {where}, {_pair(question)}, it "
        f"returns {_answer(after)}, else {_answer(before)}."
    )


def _subject(
    name: str, release: HudiRelease, jars: Sequence[str], settings: dict[str, Any], guard: CallGuard
) -> Subject:
    if jars:  # fetching Hudi's bundle takes time, and is no call of the class
        return compiled(quiet_session(), PayloadRef(name, jars=jars), release, **settings).java
    told = {("ordering_fields" if name == "ordering" else name): value for name, value in settings.items()}
    return guard.call("loading it", lambda: subject_of(name, **told, release=release))


def _report(name: str, release: HudiRelease, rules: ClassRules, rows: Sequence[Record], laws: FoundLaws) -> Report:
    found = list(rules.found.values())
    asked = sum(one.asked for one in found if one.rule is not None)
    whole = [one for one in found if one.rule is not None and not one.unsaid]
    verdict = f"{name} in Hudi {release}: a rule was found at {len(whole)} of {len(found)} merge points"
    verdict += f"; none of the {asked:,} pairs tried contradicts it." if asked else "."
    statistics = {"points": len(found), "rules": len(whole), "pairs": asked}
    report = Report("payloads", verdict, statistics=statistics)
    report.body = [*sentences(rules, release), HOW_TO_READ, _CHECKED]
    for one in found:
        report.body += _told(one)
        report.body += _shown(one, rules, rows)
    report.body += laws.sentences
    report.results = [_as_json(one, laws) for one in found]
    return report


def _told(one: Inferred) -> list[str | Table]:
    title = title_of((one.point,))
    if one.unstable is not None:
        question, first, second = one.unstable
        twice = f"For {_pair(question)} it returned {_answer(first)}, then {_answer(second)}."
        return [f"{title}: the result of the class depends on more than the two versions. {twice}"]
    if one.rule is None:
        return [f"{title}: no rule gives the results of the class for all {one.asked:,} pairs."]
    body: list[str | Table] = [rule_table(labelled(_lines(one)), f"rule (agrees with {one.asked:,} pairs)", title)]
    body += [
        f"`{left.column}` is decided only by the class: for {_pair(left.question)} it returns {_answer(left.answer)}."
        for left in one.unsaid
    ]
    return body


def _shown(one: Inferred, rules: ClassRules, rows: Sequence[Record]) -> Iterator[Table]:
    """Give a table a branch of a rule, with a pair of the user's own rows that takes it."""
    own = {repr(row) for row in rows}
    pairs = [
        Example("", question.older, question.newer, answer.record if answer.is_row else None)
        for question, answer in one.pairs
        if answer.error is None and repr(question.older.record) in own and question.newer.record is not None
    ]
    if one.rule is None or not pairs:
        return
    terms = TERMS[one.point]
    for example in examples_of(one.rule, pairs, rules.schema, terms):
        labels = (terms.older, terms.newer, "becomes" if example.merged is not None else "becomes no row")
        records = (example.older.record, example.newer.record, example.merged)
        rows_shown = [record or dict.fromkeys(rules.schema.by_name) for record in records]
        yield Table.of_rows([*rules.schema.by_name], rows_shown, f"From your rows: {example.shows}", [("", labels)])


def _lines(one: Inferred) -> list[RuleLine]:
    lines = [] if one.rule is None else list(lines_of(one.rule, TERMS[one.point]))
    return [*lines, *(RuleLine("column", "the class decides", f"`{left.column}`") for left in one.unsaid)]


def _pair(question: Question) -> str:
    return f"{question.older.record} and {question.newer.record}"


def _answer(answer: Answer) -> str:
    if answer.error is not None:
        return f"an error ({answer.error})"
    return "a delete" if answer.is_delete or answer.record is None else str(answer.record)


def _as_json(one: Inferred, laws: FoundLaws) -> JsonObject:
    # A law with a stored row is about the rules of both points.
    judged = [law for law in laws.laws if one.point is (Point.STORED if law.law.has_row else Point.BATCH)]
    return {
        "point": one.point.value,
        "where": title_of((one.point,)),
        "rule": None if one.rule is None else rule_to_json(one.rule),
        "words": [{"label": label, "part": line.part, "text": line.text} for label, line in labelled(_lines(one))],
        "pairs": one.asked,
        "decided_by_the_class": [left.column for left in one.unsaid],
        "is_function": one.unstable is None,
        "laws": [
            {"law": law.law.id, "domain": law.domain.value, "outcome": law.outcome.value, "reason": law.reason}
            for law in judged
        ],
    }
