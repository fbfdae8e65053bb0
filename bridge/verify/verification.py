"""The result of `verify`: the laws of a payload, merge mode or merger, with the settings of the check."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.errors import InputError
from bridge.verify.report import report_of
from mergers.laws import Verdict, check_laws
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bridge.report import Report
    from bridge.verify.compiled import Compiled
    from mergers.laws import LawReport, LawResult
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

    def to_report(self) -> Report:
        """Return the report of the command line."""
        return report_of(self)

    def to_json(self) -> str:
        """Return what `payload-bridge verify --output json` prints."""
        return self.to_report().as_json()


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
