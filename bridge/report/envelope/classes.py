"""The JSON of `payloads`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from bridge.report.envelope.base import Count, Point, Row

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class RuleLineJson(TypedDict):
    """A line of a rule in English: what it is called in a table, what it is about, and the sentence."""

    label: str
    part: Literal["winner", "delete", "step", "otherwise", "always", "column", "fails", "called"]
    text: str


class RuleJson(TypedDict):
    """The rule at merge points, as payloads.rules.rule_to_json writes it; null where the class is called."""

    points: list[Point]
    where: str
    releases: list[str]
    rule: Row | None
    words: list[RuleLineJson]


RuleChanged = TypedDict(
    "RuleChanged",
    {"points": list[Point], "where": str, "from": str, "came": list[RuleLineJson], "gone": list[RuleLineJson]},
)
"""The lines that a release brought, and those that it dropped."""


class RuleSetting(TypedDict):
    """The lines that another setting brings and drops."""

    points: list[Point]
    where: str
    setting: str
    releases: list[str]
    came: list[RuleLineJson]
    gone: list[RuleLineJson]


class ClassJson(TypedDict):
    """A class or a merge mode; `rules` is empty for a class that states none."""

    name: str
    doc: NotRequired[str]
    source: NotRequired[str]
    java_name: NotRequired[str]
    releases: NotRequired[list[str]]
    aliases: NotRequired[dict[str, list[str]]]
    rules: list[RuleJson]
    changes: list[RuleChanged]
    settings: list[RuleSetting]


class Listed(TypedDict):
    """A class of Hudi."""

    name: str
    java_name: str
    releases: list[str]
    aliases: dict[str, list[str]]


class Nothing(TypedDict):
    """No statistics."""


class Classes(TypedDict):
    """How many classes there are."""

    classes: Count


class Links(TypedDict):
    """The releases to which a class links, and those to which it does not."""

    links: list[str]
    fails: list[str]


class Linked(TypedDict):
    """How a class links to a release."""

    release: str
    links: bool
    refusal: str | None
    faults: list[Row]
    dead: list[Row]
    advice: list[str]


class FoundRules(TypedDict):
    """At how many merge points a rule was found, by how many pairs of versions."""

    points: Count
    rules: Count
    pairs: Count


class LawOfRule(TypedDict):
    """What a rule that was found says of a law."""

    law: str
    domain: str
    outcome: str
    reason: str


class FoundRule(TypedDict):
    """The rule of a class at a merge point, found by asking it."""

    point: Point
    where: str
    rule: Row | None
    words: list[RuleLineJson]
    pairs: Count
    decided_by_the_class: list[str]
    is_function: bool
    laws: list[LawOfRule]
