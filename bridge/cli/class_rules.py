"""The rules of a payload class or merge mode for `payload-bridge payloads`: as tables, and as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bridge.merge import MergePoint, Rule, calls_of
from bridge.report import Table
from mergers.rules.words import labelled
from payloads import HudiRelease
from payloads.rules import Point, rule_to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.report import JsonObject
    from mergers.rules.words import LabelledLine, PointRules, RuleChange

NO_RULE: Final = (
    "It states no rule, so in every release its methods are called for each pair of versions; see its source. "
    "`payload-bridge verify` checks its laws, `payload-bridge explain` shows its answers for a row."
)
_WIDTH: Final = 80
_GAP: Final = 3
HOW_TO_READ: Final = (
    "The first step that applies decides. Older and newer refer to the order of arrival; later and earlier to what a "
    "merge compares, such as ordering values."
)


def title_of(points: Sequence[Point], *, of_mode: bool = False) -> str:
    """Say where versions meet at merge points that have one rule."""
    return "; ".join(_titles(of_mode=of_mode)[point] for point in points)


def _titles(*, of_mode: bool) -> dict[Point, str]:
    folded = [one for one in HudiRelease if calls_of(one)[MergePoint.LOG_FOLD].rule is Rule.PRE_COMBINE]
    later = [one for one in HudiRelease if one not in folded]
    logs = (
        ("log merging", "") if of_mode else (f"until {folded[-1]} also log merging", f"; from {later[0]} log merging")
    )
    return {
        Point.BATCH: f"Two versions of one batch (deduplication; {logs[0]})",
        Point.STORED: f"A version and the stored row (copy-on-write merge, compaction, snapshot query{logs[1]})",
        Point.ALONE: "A version without a stored row (insert)",
        Point.ENTRY: "An entry of a delete block and the version before it in the log",
    }


def span_words(releases: Sequence[HudiRelease]) -> str:
    """Write releases that follow one another."""
    first, last = releases[0], releases[-1]
    if tuple(releases) == tuple(HudiRelease):
        return "every release"
    if first is last:
        return str(first)
    return f"{first} {'and' if len(releases) == 2 else 'to'} {last}"  # noqa: PLR2004 (a pair)


def becomes_words(successor: Any) -> str:
    """Say which merge mode replaces a class in table version 9."""
    mode = f"{successor.mode.value}{f'/{successor.partial}' if successor.partial else ''}"
    return (
        f"Tables of version 9, which 1.1 and later create, merge by the merge mode {mode} instead: "
        f"`payload-bridge payloads {mode}` shows its rule."
    )


# -- for people


def tables(rules: Sequence[PointRules], release: HudiRelease | None, *, of_mode: bool = False) -> Iterator[str | Table]:
    """Give the rule of each merge point in a release, or the newest, what differs in others, and by settings."""
    yield HOW_TO_READ
    for one in rules:
        told = one.told[-1] if release is None else one.at(release)
        yield rule_table(labelled(told.lines), f"rule in {hudi(told.releases)}", title_of(one.points, of_mode=of_mode))
        if one.changes:
            yield _changes(one)
        if one.settings:
            yield _settings(one)


def rule_table(lines: Sequence[LabelledLine], heading: str, title: str) -> Table:
    """Return the table of a rule, for 80 columns."""
    width = _WIDTH - _GAP - max(len(one.label) for one in lines)
    return Table(("", heading), labelled_once(lines), title, folded=width)


def labelled_once(lines: Sequence[LabelledLine]) -> list[tuple[str, str]]:
    """Return labels and texts of lines; of lines that follow one another with one label, the first has it."""
    found: list[tuple[str, str]] = []
    before = None
    for label, line in lines:
        found.append(("" if label == before else label, line.text))
        before = label
    return found


def hudi(releases: Sequence[HudiRelease]) -> str:
    """Write releases that follow one another, with the word Hudi."""
    said = span_words(releases)
    return said if said.endswith("release") else f"Hudi {said}"


def changes_of(rules: PointRules) -> Iterator[tuple[str, LabelledLine]]:
    """Give the lines in which rules differ, the newest change first, with the release from or until which they hold."""
    for old, change in reversed([*zip(rules.told, rules.changes, strict=False)]):
        for when, lines in ((f"from {change.releases[0]}", change.came), (f"until {old.releases[-1]}", change.gone)):
            yield from ((when, line) for line in lines)


def settings_of(rules: PointRules) -> Iterator[tuple[str, list[str]]]:
    """Give the settings that change rules, with the lines that hold there."""
    asked = tuple(release for told in rules.told for release in told.releases)
    for setting, change in rules.settings:
        where = "" if change.releases == asked else f" ({hudi(change.releases)})"
        yield f"{setting.text}{where}", _instead(change)


def _changes(rules: PointRules) -> Table:
    found = list(changes_of(rules))
    width = _WIDTH - 2 * _GAP - max(len(when) for when, _ in found) - max(len(one.label) for _, one in found)
    rows, before = [], None
    for when, (label, line) in found:
        rows.append(("" if when == before else when, label, line.text))
        before = when
    return Table(("release", "", "rule"), rows, "What changes between releases", folded=width)


def _settings(rules: PointRules) -> Table:
    rows = [["\n  ".join((f"{setting}:", *lines))] for setting, lines in settings_of(rules)]
    return Table(("in other tables",), rows, folded=_WIDTH)


def _instead(change: RuleChange) -> list[str]:
    """Return the lines of another setting, and those that it lacks and does not replace."""
    labels = {one.label for one in change.came}
    gone = [f"no longer {one.label}: {one.line.text}" for one in change.gone if one.label not in labels]
    return [*(f"{one.label}: {one.line.text}" for one in change.came), *gone]


# -- for programs


def as_json(rules: Sequence[PointRules], *, of_mode: bool = False) -> JsonObject:
    """Return the rules and how they differ: `rules`, `changes` and `settings`."""
    return {
        "rules": [
            {
                **_where(one, of_mode=of_mode),
                "releases": [str(release) for release in told.releases],
                "rule": None if told.rule is None else rule_to_json(told.rule),
                "words": _lines(labelled(told.lines)),
            }
            for one in rules
            for told in one.told
        ],
        "changes": [
            {**_where(one, of_mode=of_mode), "from": str(change.releases[0]), **_change(change)}
            for one in rules
            for change in one.changes
        ],
        "settings": [
            {
                **_where(one, of_mode=of_mode),
                "setting": setting.text,
                "releases": [str(release) for release in change.releases],
                **_change(change),
            }
            for one in rules
            for setting, change in one.settings
        ],
    }


def _where(one: PointRules, *, of_mode: bool) -> JsonObject:
    return {"points": [point.value for point in one.points], "where": title_of(one.points, of_mode=of_mode)}


def _change(change: RuleChange) -> dict[str, object]:
    return {"came": _lines(change.came), "gone": _lines(change.gone)}


def _lines(lines: Sequence[LabelledLine]) -> list[dict[str, str]]:
    return [{"label": label, "part": line.part, "text": line.text} for label, line in lines]
