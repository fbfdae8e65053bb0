"""What a replay answers in a sentence: of one table type, and of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bridge.compare.grade import Grade
from bridge.report import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.compare.comparison import Comparison
    from bridge.compare.difference import Counts


class Replayed(Protocol):
    """What is asked of a replay, under the names of `ReplayReport`."""

    @property
    def comparison(self) -> Comparison:
        """Both plans."""

    @property
    def counts(self) -> tuple[Counts, ...]:
        """How many keys differ after each commit."""

    @property
    def refused(self) -> str | None:
        """Why the right side is refused."""

    @property
    def by_identity(self) -> int:
        """How many keys differ by the identity of objects alone."""

    @property
    def as_it_is(self) -> str | None:
        """Why the class of the right side is refused as it is."""

    @property
    def grade(self) -> Grade:
        """How far the sides agree."""

    @property
    def is_equal(self) -> bool:
        """Whether no key differs."""

    @property
    def keys_in(self) -> int:
        """How many keys the batches have."""

    @property
    def verdict(self) -> str:
        """The result in one sentence."""


_EXPLAINED = {
    Grade.IDENTICAL: "both follow the same rules",
    Grade.IDENTICAL_HERE: "no key differs after any batch; other data may show differences",
    Grade.ON_TIES: "no key differs without versions that tie on the ordering value",
    Grade.ON_DELETES: "no key differs without deletes",
    Grade.DIFFERS: "not explained by ties or deletes alone",
}


def verdict_of(found: Replayed) -> str:
    """Return the grade of a replay with what it means, in a sentence or two."""
    grade, as_it_is = found.grade, found.as_it_is
    if found.refused is not None:
        return f"{grade.value}: {found.refused}" if as_it_is is None else f"{as_it_is}; recompiled, {found.refused}"
    if as_it_is is not None:
        told = f"{grade.value}: {as_it_is}; recompiled, {_of_all(found)}"
        return f"{told} after the last of {counted(found.counts[-1].commit, 'batch', 'batches')} ({_EXPLAINED[grade]})."
    lines = f"{grade.value}: {_EXPLAINED[grade]}."
    if found.is_equal:
        return lines
    batches = counted(found.counts[-1].commit, "batch", "batches")
    lines += f" After the last of {batches} {keys_differ(found.counts[-1].total)}."
    if found.by_identity:
        lines += (
            f" Of these, {found.by_identity:,} differ only because Hudi's IGNORE_DEFAULTS compares objects, not values."
        )
    return lines


def keys_differ(number: int) -> str:
    """Say how many keys differ."""
    many = f"{number:,}" if number else "no"
    return "1 key differs" if number == 1 else f"{many} keys differ"


def joint_verdict(parts: Sequence[Replayed], grade: Grade) -> str:
    """Return the verdict on the same batches on one table type or more, whose overall grade is `grade`."""
    if len(parts) == 1 or (grade is Grade.REFUSED and len({part.verdict for part in parts}) == 1):
        return parts[0].verdict
    each = ", ".join(f"{part.comparison.left.table_type.long_name} {_short(part)}" for part in parts)
    as_it_is = parts[0].as_it_is
    return f"{grade.value}: {each}." if as_it_is is None else f"{grade.value}: {as_it_is}; recompiled, {each}."


def _short(part: Replayed) -> str:
    if part.grade is Grade.REFUSED or part.grade.is_equal:
        return part.grade.value
    differ = keys_differ(_last(part)) if part.as_it_is is None else _of_all(part)
    return f"{part.grade.value} ({differ} after the last of {counted(part.comparison.commits, 'batch', 'batches')})"


def _last(part: Replayed) -> int:
    return part.counts[-1].total if part.counts else 0


def _of_all(part: Replayed) -> str:
    return f"{_last(part):,} of {part.keys_in:,} {'key differs' if part.keys_in == 1 else 'keys differ'}"
