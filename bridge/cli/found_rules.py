"""`payload-bridge payloads CLASS --schema`: the rules of a class, found by asking it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.cli.class_rules import HOW_TO_READ, rule_table, title_of
from bridge.cli.options import refuse
from bridge.cli.quiet import quiet_session
from bridge.cli.verify_data import drawn_rows
from bridge.errors import ClassLinkError, EngineError, InputError
from bridge.report import Report
from bridge.spark import read_schema
from bridge.verify import compiled
from mergers.laws import subject_of
from mergers.laws.infer import infer
from mergers.rules.words import TERMS, RuleLine, labelled, lines_of
from payloads import HudiRelease, PayloadRef
from payloads.errors import PayloadBridgeError
from payloads.rules import Point, rule_to_json
from payloads.user import CallEndedError, CallGuard

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bridge.cli.inputs import BatchSource
    from bridge.report import Table
    from mergers.laws import Subject
    from mergers.laws.infer import Answer, Inferred, Question

_POINTS = (Point.BATCH, Point.STORED, Point.ALONE)
_CHECKED = (
    "Each rule gives the answer of the class to every pair that was asked. It is checked, not proved: a pair that was "
    "not asked may have another answer."
)


def found_rules(  # noqa: PLR0913 (the options)
    name: str,
    release: HudiRelease | None,
    jars: Sequence[str],
    *,
    schema: Path | None,
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
    try:
        with CallGuard(name, call_timeout) as guard:
            subject = guard.call("loading it", _subject, name, line, jars, settings)
            found = [infer(subject, point, data=() if drawn is None else drawn.rows, guard=guard) for point in _POINTS]
    except (ClassLinkError, InputError, EngineError, CallEndedError):
        raise
    except PayloadBridgeError as error:
        refuse(error)
    return _report(name, line, found)


def _subject(name: str, release: HudiRelease, jars: Sequence[str], settings: dict[str, Any]) -> Subject:
    if jars:
        return compiled(quiet_session(), PayloadRef(name, jars=jars), release, **settings).java
    fields = settings.pop("ordering")
    return subject_of(name, **settings, ordering_fields=fields, release=release)


def _report(name: str, release: HudiRelease, found: Sequence[Inferred]) -> Report:
    asked = sum(one.asked for one in found if one.rule is not None)
    whole = [one for one in found if one.rule is not None and not one.unsaid]
    verdict = f"{name} in Hudi {release}: a rule was found at {len(whole)} of {len(found)} merge points"
    verdict += f"; none of the {asked:,} pairs that were asked contradicts one." if asked else "."
    statistics = {"points": len(found), "rules": len(whole), "pairs": asked}
    report = Report("payloads", verdict, statistics=statistics)
    report.body = [HOW_TO_READ, _CHECKED]
    for one in found:
        report.body += _told(one)
    report.results = [_as_json(one) for one in found]
    return report


def _told(one: Inferred) -> list[str | Table]:
    title = title_of((one.point,))
    if one.unstable is not None:
        question, first, second = one.unstable
        twice = f"Of {_pair(question)} it made {_answer(first)}, then {_answer(second)}."
        return [f"{title}: the answer of the class depends on more than the two versions. {twice}"]
    if one.rule is None:
        return [f"{title}: no rule of the language gives the answers of the class to {one.asked:,} pairs."]
    body: list[str | Table] = [rule_table(labelled(_lines(one)), f"rule that {one.asked:,} pairs agree with", title)]
    body += [
        f"`{left.column}` is decided by the class alone: of {_pair(left.question)} it makes {_answer(left.answer)}."
        for left in one.unsaid
    ]
    return body


def _lines(one: Inferred) -> list[RuleLine]:
    lines = [] if one.rule is None else list(lines_of(one.rule, TERMS[one.point]))
    return [*lines, *(RuleLine("column", "the class decides", f"`{left.column}`") for left in one.unsaid)]


def _pair(question: Question) -> str:
    return f"{question.older.record} and {question.newer.record}"


def _answer(answer: Answer) -> str:
    if answer.error is not None:
        return f"an error ({answer.error})"
    return "a delete" if answer.is_delete or answer.record is None else str(answer.record)


def _as_json(one: Inferred) -> dict[str, Any]:
    return {
        "point": one.point.value,
        "where": title_of((one.point,)),
        "rule": None if one.rule is None else rule_to_json(one.rule),
        "words": [{"label": label, "part": line.part, "text": line.text} for label, line in labelled(_lines(one))],
        "pairs": one.asked,
        "decided_by_the_class": [left.column for left in one.unsaid],
        "is_function": one.unstable is None,
    }
