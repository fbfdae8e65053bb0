"""The result of `verify`: the verdict on each law, and counterexamples for people and programs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bridge.errors import InputError
from bridge.report import json_bytes, json_float
from mergers.laws import NAMES, Failed, Observed, Verdict, answer_text, check_laws
from payloads.avro import Branch
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bridge.verify.compiled import Compiled
    from mergers.laws import Bounds, Counterexample, LawReport, LawResult, MergeStep, Version
    from payloads import HudiRelease
    from payloads.avro import AvroSchema


@dataclasses.dataclass(frozen=True)
class Verification:
    """A check with its settings.

    Attributes:
        name: the payload, merge mode or merger, as it was named.
        release: the release.
        key: the key fields.
        ordering: the ordering fields; None if they follow from the class or the sample schema.
        props: the properties.
        allowed: the laws whose violation is known and not a failure.
        report: the verdicts.
        has_schema: whether a schema was given, rather than the small one that suits the class.
        compiled: the compiled class, if that was checked.

    Added in 0.1.0.
    """

    name: str
    release: HudiRelease
    key: tuple[str, ...]
    ordering: tuple[str, ...] | None
    props: Mapping[str, str]
    allowed: frozenset[str]
    report: LawReport
    has_schema: bool
    compiled: Compiled | None = None

    @property
    def unexpected(self) -> tuple[LawResult, ...]:
        """The violations of laws that are not allowed to be violated."""
        return tuple(result for result in self.report.violations if result.law.id not in self.allowed)

    @property
    def success(self) -> bool:
        """Whether no law is violated except the allowed ones."""
        return not self.unexpected

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        broken = list(dict.fromkeys(result.law.id for result in self.report.violations))
        if not broken:
            unchecked = ", ".join(dict.fromkeys(result.law.id for result in self.report.unchecked))
            known = f"; not checked: {unchecked}" if unchecked else ""
            return f"{self.report.subject}: no violation was found{known}; seed {self.report.seed}."
        known = "" if self.unexpected else ", all of them allowed"
        return f"{self.report.subject} violates {', '.join(broken)}{known}; seed {self.report.seed}."


def verify(  # noqa: PLR0913 (the options of the verb)
    name: str,
    *,
    release: HudiRelease,
    schema: AvroSchema | None = None,
    key: Sequence[str] = (),
    ordering: Sequence[str] | None = None,
    props: Mapping[str, str] | None = None,
    laws: Iterable[str] | None = None,
    domains: Iterable[str] = ("data", "flagged"),
    examples: int = 100,
    exhaustive: bool | None = None,
    seed: int = 0,
    allow: Iterable[str] = (),
    subject: Compiled | None = None,
) -> Verification:
    """Check a payload, a merge mode or a merger.

    Args:
        name: its name.
        release: the release whose rules apply.
        schema: the schema of the records; without it a small one that suits the class.
        key: the key fields.
        ordering: the ordering fields.
        props: properties passed to the merge.
        laws: ids of laws or names of rule sets; all without it.
        domains: `data`, `flagged`, `empty`.
        examples: how many examples Hypothesis tries.
        exhaustive: True for the small universe alone, False for Hypothesis alone, None for both.
        seed: reproduces the examples.
        allow: the laws whose violation is known.
        subject: the compiled class that is judged in place of what `name` names, and its port for `agreement`.

    Raises:
        PayloadBridgeError: nothing has this name, the settings contradict each other, or no law applies.

    Added in 0.1.0.
    """
    report = check_laws(
        name if subject is None else subject.java,
        schema=schema,
        key=key,
        ordering_fields=ordering,
        release=release,
        laws=laws,
        domain=tuple(domains),
        examples=examples,
        exhaustive=exhaustive,
        seed=seed,
        props=dict(props or {}),
        other=None if subject is None else subject.port,
    )
    if all(result.verdict is Verdict.NOT_APPLICABLE for result in report.results):
        msg = f"{report.subject}: no law applies; {'; '.join(report.left_out)}"
        raise PayloadConfigError(msg)
    known = {result.law.id for result in report.results}
    unknown = [law for law in allow if law not in known]
    if unknown:
        msg = f"--allow {', '.join(unknown)}: not among the checked laws, which are {', '.join(sorted(known))}"
        raise InputError(msg)
    fields = None if ordering is None else tuple(ordering)
    return Verification(
        name, release, tuple(key), fields, dict(props or {}), frozenset(allow), report, schema is not None, subject
    )


# -- as JSON


def result_as_json(result: LawResult) -> dict[str, Any]:
    """Return one verdict as JSON values; the counterexample is None if there is none."""
    found = result.counterexample
    return {
        "law": result.law.id,
        "domain": result.domain.value,
        "verdict": result.verdict.value,
        "cases": result.cases,
        "detail": result.detail,
        "counterexample": None if found is None else _counterexample_as_json(found, result.law.meaning),
    }


def universe_as_json(bounds: Bounds) -> dict[str, Any]:
    """Return the operands of which every combination was tried, for `proved`; None for no row."""
    return {
        "versions": [_version_as_json(version) for version in bounds.versions],
        "rows": [_json_value(row) for row in bounds.rows],
    }


def _version_as_json(version: Version) -> dict[str, Any]:
    return {
        "record": _json_value(version.record),
        "ordering": _json_value(version.ordering.value),
        "is_delete": version.is_delete,
    }


def _counterexample_as_json(found: Counterexample, meaning: str) -> dict[str, Any]:
    versions = zip(NAMES, found.operands.versions, strict=False)
    return {
        "row": _json_value(found.operands.row) if found.speaks_of_row else None,
        "versions": [{"name": name, **_version_as_json(version)} for name, version in versions],
        "left": _side_as_json(found.left),
        "right": _side_as_json(found.right),
        "cause": found.cause or None,
        "meaning": meaning,
    }


def _side_as_json(steps: tuple[MergeStep, ...]) -> dict[str, Any]:
    return {
        "bracketing": steps[-1].text,
        "steps": [{"merge": s.text, "result": _answer_as_json(s.answer)} for s in steps],
    }


def _answer_as_json(answer: Any) -> Any:
    if isinstance(answer, Failed):
        return {"error": f"{type(answer.error).__name__}: {answer.error}"}
    if isinstance(answer, Observed):
        return {"record": _json_value(answer.record), "is_delete": answer.is_delete}
    return [_answer_as_json(part) for part in answer]


def _json_value(value: Any) -> Any:
    if isinstance(value, float):
        return json_float(value)
    if isinstance(value, bytes):
        return json_bytes(value)
    if isinstance(value, Branch):
        return {value.name: _json_value(value.value)}
    if isinstance(value, dict):
        return {name: _json_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(inner) for inner in value]
    inner = getattr(value, "value", value)
    return inner if inner is value or isinstance(inner, str | int | bool) or inner is None else _json_value(inner)


# -- as text


@dataclasses.dataclass(frozen=True)
class Story:
    """A counterexample as text.

    Attributes:
        title: the law and what it says.
        operands: name and content of the stored row and the versions.
        columns: the two bracketings.
        steps: the merges of both, side by side; the last line has the two results.
        meaning: what it means for a table.
    """

    title: str
    operands: tuple[tuple[str, str], ...]
    columns: tuple[str, str]
    steps: tuple[tuple[str, str], ...]
    meaning: str


def story_of(result: LawResult) -> Story:
    """Describe a violation: its operands, and both bracketings side by side.

    Raises:
        LookupError: the law is not violated.
    """
    found = result.counterexample
    if found is None:
        msg = f"{result.law.id} is not violated on {result.domain.value}"
        raise LookupError(msg)
    operands = [("s", "no row" if found.operands.row is None else repr(found.operands.row))] * found.speaks_of_row
    for name, version in zip(NAMES, found.operands.versions, strict=False):
        answer = Observed(version.record, version.ordering, version.is_delete)
        operands.append((name, answer_text(answer)))
    left, right = ([f"{step.text} = {answer_text(step.answer)}" for step in side] for side in (found.left, found.right))
    # Both sides end in the same line, their results.
    depth = max(len(left), len(right))
    padded = [[""] * (depth - len(side)) + side for side in (left, right)]
    return Story(
        f"{result.law.id} on {result.domain.value}: {result.law.statement}",
        tuple(operands),
        (found.left[-1].text, found.right[-1].text),
        tuple(zip(*padded, strict=True)),
        " ".join(filter(None, (found.cause, f"For a table: {result.law.meaning}."))),
    )
