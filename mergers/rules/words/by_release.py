"""The rules of a class or a merge mode in English, by merge point and release, and how two of them differ."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.rules.words.lines import RuleLine, lines_of
from mergers.rules.words.nodes import FLAG
from mergers.rules.words.terms import TERMS
from mergers.strategies import (
    CHANGED_FIELDS,
    MERGE_PROPERTY_PREFIX,
    RETAIN_FIELDS,
    UNAVAILABLE_VALUE,
    buffered_merger,
)
from payloads.avro import AvroSchema, parse_schema
from payloads.builtin import (
    CHANGED_COLUMNS,
    DELETE_FIELD,
    DELETE_MARKER,
    EVENT_TIME_FIELD,
    UNAVAILABLE,
    UPDATE_ON_SAME_ORDERING,
    BuiltinPayload,
)
from payloads.errors import PayloadBridgeError
from payloads.ordering_fields import (
    CONSISTENT_TIMESTAMP,
    PAYLOAD_ORDERING_FIELD,
    TABLE_ORDERING_FIELDS,
    TABLE_PRECOMBINE_FIELD,
)
from payloads.release import HudiRelease
from payloads.rules import META_COLUMNS, MergeRule, Point
from payloads.user import RulePayload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from payloads.api import Props


_ORDERING, _TEXT, _BYTES, _DELETES, _MARK = "ordering_field", "text_column", "bytes_column", "delete_field", "marked"
_KINDS_OF: Final = {_TEXT: "each text column", _BYTES: "each bytes column"}
_NAMES: Final = {
    _ORDERING: "the ordering field",
    _DELETES: f"the column of `{DELETE_FIELD}`",
}
_TEXTS: Final = {_MARK: f"the text of `{DELETE_MARKER}`"}
_OPTION: Final = {
    "bool": ["null", "boolean"],
    "bytes": ["null", "bytes"],
    "long": ["null", "long"],
    "micros": ["null", {"type": "long", "logicalType": "timestamp-micros"}],
    "text": ["null", "string"],
}
_KINDS: Final = {
    FLAG: "bool",
    _ORDERING: "long",
    _DELETES: "text",
    _TEXT: "text",
    _BYTES: "bytes",
    "Op": "text",
    "_change_operation_type": "text",
    "_event_seq": "text",
    "_event_lsn": "long",
}


class RuleSetting(NamedTuple):
    """A table for which rules are told: its columns, and the properties that the merge gets.

    Attributes:
        text: what it has that others lack, as the beginning of a sentence; empty for an ordinary table.
        schema: the columns that rules look at; a rule calls some by what they stand for.
        props: the properties.
    """

    text: str
    schema: AvroSchema
    props: dict[str, str]


def _schema(names: Iterable[str] = (), **kinds: str) -> AvroSchema:
    columns = {**dict.fromkeys(names, "text"), **_KINDS, **kinds}
    fields = [{"name": name, "type": _OPTION[kind], "default": None} for name, kind in columns.items()]
    return parse_schema({"type": "record", "name": "row", "fields": fields})


_ORDERED: Final = dict.fromkeys((PAYLOAD_ORDERING_FIELD, TABLE_PRECOMBINE_FIELD, TABLE_ORDERING_FIELDS), _ORDERING) | {
    MERGE_PROPERTY_PREFIX + UNAVAILABLE_VALUE: UNAVAILABLE
}
ORDINARY: Final = RuleSetting("", _schema(), _ORDERED)
"""A table with one ordering field and a column `_hoodie_is_deleted`."""
_SETTINGS: Final = (
    RuleSetting("Without an ordering field", ORDINARY.schema, {MERGE_PROPERTY_PREFIX + UNAVAILABLE_VALUE: UNAVAILABLE}),
    RuleSetting("Where rows have Hudi's meta columns", _schema(META_COLUMNS), _ORDERED),
    RuleSetting(
        f"With `{DELETE_FIELD}` and `{DELETE_MARKER}`",
        ORDINARY.schema,
        _ORDERED | {DELETE_FIELD: _DELETES, DELETE_MARKER: _MARK},
    ),
    RuleSetting(
        f"With `{UPDATE_ON_SAME_ORDERING}` = false", ORDINARY.schema, _ORDERED | {UPDATE_ON_SAME_ORDERING: "false"}
    ),
    RuleSetting(f"With `{EVENT_TIME_FIELD}`", ORDINARY.schema, _ORDERED | {EVENT_TIME_FIELD: _ORDERING}),
    RuleSetting(
        f"With a timestamp as ordering field and `{CONSISTENT_TIMESTAMP}` = true",
        _schema(**{_ORDERING: "micros"}),
        _ORDERED | {CONSISTENT_TIMESTAMP: "true"},
    ),
)
_CALLED: Final = RuleLine("always", "no rule is stated: the class is called, row by row")


class LabelledLine(NamedTuple):
    """A line of a rule, with what it is called in a table: `later version`, the number of a step, columns."""

    label: str
    line: RuleLine


class ToldRule(NamedTuple):
    """A rule of some releases.

    Attributes:
        releases: those in which it says the same, oldest first.
        rule: the rule; None if the class is called.
        lines: the rule in words.
    """

    releases: tuple[HudiRelease, ...]
    rule: MergeRule | None
    lines: tuple[RuleLine, ...]


class RuleChange(NamedTuple):
    """How a rule differs from another.

    Attributes:
        releases: those that have the other rule, oldest first.
        came: the lines that the other has alone.
        gone: the lines that it lacks.
    """

    releases: tuple[HudiRelease, ...]
    came: tuple[LabelledLine, ...]
    gone: tuple[LabelledLine, ...]


class PointRules(NamedTuple):
    """What a class does at merge points that have the same rules.

    Attributes:
        points: the points.
        told: its rules in an ordinary table, those of the oldest releases first.
        changes: from each of these to the next, in that order.
        settings: what is different in another table, with the releases in which it is.
    """

    points: tuple[Point, ...]
    told: tuple[ToldRule, ...]
    changes: tuple[RuleChange, ...]
    settings: tuple[tuple[RuleSetting, RuleChange], ...]

    def at(self, release: HudiRelease) -> ToldRule:
        """Return the rule of a release."""
        return next(one for one in self.told if release in one.releases)


def _asked_of(release: HudiRelease, setting: RuleSetting) -> RuleSetting:
    """Return a table as a release merges it: rows of a preview list their changed columns."""
    if not release.is_preview:
        return setting
    lists = {MERGE_PROPERTY_PREFIX + CHANGED_FIELDS: CHANGED_COLUMNS, MERGE_PROPERTY_PREFIX + RETAIN_FIELDS: _ORDERING}
    kept = [name for name in setting.schema.by_name if name in {FLAG, _ORDERING, _TEXT, _BYTES, *META_COLUMNS}]
    fields = [one for one in setting.schema.source["fields"] if one["name"] in kept]
    listed = {"name": CHANGED_COLUMNS, "type": _OPTION["text"], "default": None}
    schema = parse_schema({**setting.schema.source, "fields": [*fields, listed]})
    return setting._replace(schema=schema, props=setting.props | lists)


def rules_of_class(found: Any) -> list[PointRules]:
    """Return the rules of a payload class, bound to a release or not; [] for one that states none."""
    unbound = found.unbound or found
    shipped: Sequence[HudiRelease] = getattr(unbound, "shipped", tuple(HudiRelease))

    def rule_of(release: HudiRelease, point: Point, setting: RuleSetting) -> MergeRule | None:
        asked = _asked_of(release, setting)
        return rule_of_class(unbound.for_release(release), point, asked.schema, asked.props)

    return _told(rule_of, shipped, (Point.BATCH, Point.STORED, Point.ALONE))


def rule_of_class(found: Any, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
    """Return the rule of a payload class of Hudi's, or of one that states its rule in place of methods; else None."""
    target: type = getattr(found, "target", found)
    if issubclass(target, RulePayload):
        return target.rule_at(point, schema, props)
    if not issubclass(found, BuiltinPayload):
        return None
    rule: MergeRule | None = found.rule(point, schema, props)
    return rule


def rules_of_mode(name: str) -> list[PointRules]:
    """Return the rules of a merge mode, such as `EVENT_TIME_ORDERING`, with a partial update mode after a slash.

    [] where the name is of no mode with a rule.
    """
    mode, _, partial = name.partition("/")

    def merger_of(release: HudiRelease, setting: RuleSetting) -> Any:
        settings: dict[str, Any] = {"release": release, "partial_update_mode": partial or None}
        asked = _asked_of(release, setting)
        return buffered_merger(mode, asked.schema, asked.props, **settings)

    def rule_of(release: HudiRelease, point: Point, setting: RuleSetting) -> MergeRule | None:
        rule: MergeRule | None = merger_of(release, setting).rule(point, _asked_of(release, setting).schema)
        return rule

    def has(release: HudiRelease) -> bool:
        try:
            return merger_of(release, ORDINARY) is not None
        except PayloadBridgeError:
            return False

    releases = tuple(filter(has, HudiRelease.__members__.values()))
    return _told(rule_of, releases, (Point.BATCH, Point.STORED, Point.ENTRY))


def difference(old: Sequence[RuleLine], new: Sequence[RuleLine], releases: tuple[HudiRelease, ...] = ()) -> RuleChange:
    """Return the lines that came and went from one rule to another, which `releases` have.

    A line in another place is among both.
    """
    before, after = labelled(old), labelled(new)
    if tuple(new) == (_CALLED,):
        return RuleChange(releases, tuple(after), ())
    common = [[one for one in side if one.line in other] for side, other in ((before, new), (after, old))]
    moved: set[LabelledLine] = set()
    if [one.line for one in common[0]] != [one.line for one in common[1]]:
        moved = {*common[0]} ^ {*common[1]}
    came = tuple(one for one in after if one.line not in old or one in moved)
    return RuleChange(releases, came, tuple(one for one in before if one.line not in new or one in moved))


def labelled(lines: Sequence[RuleLine]) -> list[LabelledLine]:
    """Return lines with what they are called: steps are numbered."""
    numbers = itertools.count(1)

    def label(line: RuleLine) -> str:
        match line.part:
            case "step":
                return f"step {next(numbers)}"
            case "column":
                return line.columns
            case "winner":
                return "later version"
            case "fails":
                return "fails if"
            case "called":
                return "not covered if"
        return line.part

    return [LabelledLine(label(one), one) for one in lines]


def _told(rule_of: Any, releases: Sequence[HudiRelease], points: Sequence[Point]) -> list[PointRules]:
    """Tell rules point by point; those that are the same at two points together."""
    asked = [
        (point, {(release, setting.text): rule_of(release, point, setting) for release in releases for setting in _ALL})
        for point in points
    ]
    if all(rule is None for _, rules in asked for rule in rules.values()):
        return []
    found = []
    while asked:
        first, rules = asked.pop(0)
        same = [one for one in asked if one[1] == rules]
        asked = [one for one in asked if one not in same]
        found.append(_at_points((first, *(point for point, _ in same)), rules, releases))
    return found


_ALL: Final = (ORDINARY, *_SETTINGS)


def _at_points(
    points: tuple[Point, ...],
    rules: Mapping[tuple[HudiRelease, str], MergeRule | None],
    releases: Sequence[HudiRelease],
) -> PointRules:
    terms = dataclasses.replace(TERMS[points[0]], names=_NAMES, kinds=_KINDS_OF, texts=_TEXTS)

    @functools.cache
    def lines(release: HudiRelease, text: str) -> tuple[RuleLine, ...]:
        rule = rules[release, text]
        return (_CALLED,) if rule is None else lines_of(rule, terms)

    told = tuple(
        ToldRule(span, rules[span[-1], ""], shown) for span, shown in _spans(releases, lambda one: lines(one, ""))
    )
    changes = tuple(difference(one.lines, other.lines, other.releases) for one, other in itertools.pairwise(told))

    def changed(text: str, release: HudiRelease) -> RuleChange:
        return difference(lines(release, ""), lines(release, text))

    settings = [
        (setting, found._replace(releases=span))
        for setting in _SETTINGS
        for span, found in _spans(releases, functools.partial(changed, setting.text))
        if found.came or found.gone
    ]
    return PointRules(points, told, changes, tuple(settings))


def _spans(releases: Sequence[HudiRelease], of: Callable[[HudiRelease], Any]) -> Iterator[tuple[Any, Any]]:
    """Give releases that follow one another and have the same, with what they have."""
    for found, span in itertools.groupby(releases, of):
        yield tuple(span), found
