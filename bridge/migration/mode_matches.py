"""Which merge modes have the rule of a class, as far as the pairs tell that the class was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.config import MERGE_PROPERTY_PREFIX
from bridge.migration.agreement import Agreement, Disagreement
from bridge.migration.class_rules import POINTS
from mergers import HoodieAvroIndexedRecord
from mergers.strategies import buffered_merger
from payloads.errors import PayloadBridgeError
from payloads.records import RuleVersion, outcome_of
from payloads.rules import Effect, Marker, Point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bridge.migration.candidates import Candidate
    from bridge.migration.class_rules import ClassRules
    from payloads.avro import AvroSchema
    from payloads.rules import MergeRule


class ModeMatch(NamedTuple):
    """A merge mode beside the class.

    Attributes:
        candidate: the mode.
        asked: to how many pairs both were held.
        differing: how many of these the mode merges otherwise.
        example: the smallest of them; None where there is none.
    """

    candidate: Candidate
    asked: int
    differing: int
    example: Disagreement | None

    @property
    def is_whole(self) -> bool:
        """Whether the mode gives every answer of the class."""
        return not self.differing


def mode_matches(rules: ClassRules, candidates: Iterable[Candidate]) -> tuple[ModeMatch, ...]:
    """Hold merge modes against a class, on every pair that it was asked; that which differs least comes first.

    A mode is no match of a class that gave two answers to one pair.
    """
    if any(one.unstable is not None for one in rules.found.values()):
        return ()
    found = [_match(rules, one) for one in candidates if one.target is not None and one.target.strategy is None]
    return tuple(sorted(filter(None, found), key=lambda one: one.differing))


def _match(rules: ClassRules, candidate: Candidate) -> ModeMatch | None:
    target, spec = candidate.target, rules.subject.spec
    assert target is not None  # noqa: S101 (the caller asks)
    properties = {MERGE_PROPERTY_PREFIX + name: text for name, text in target.properties.items()}
    settings: dict[str, Any] = {"release": candidate.plan.release, "partial_update_mode": target.partial}
    try:
        mode: Any = buffered_merger(target.mode, spec.schema, {**spec.props, **properties}, **settings)
        stated: dict[Point, MergeRule | None] = {
            point: mode.rule(point, spec.schema) for point in (Point.BATCH, Point.STORED)
        }
    except PayloadBridgeError:  # the release has no such mode, or no column that it fills
        return None
    if None in stated.values():
        return None
    column, text = (target.properties.get(f"hoodie.payload.delete.{name}") for name in ("field", "marker"))
    marker = Marker(column, text) if column in spec.schema.by_name and text else None
    agreement = Agreement(spec.schema, spec.ordering_fields, dict(spec.props), marker)
    wrong = [
        one
        for point in POINTS
        for one in agreement.disagreements(_ByRule(stated.get(point)), point, rules.found[point].pairs)
    ]
    asked = sum(len(one.pairs) for one in rules.found.values())
    return ModeMatch(candidate, asked, len(wrong), min(wrong, key=lambda one: len(repr(one.question)), default=None))


class _ByRule:
    """Merges two versions as the rule of a mode says."""

    def __init__(self, rule: MergeRule | None) -> None:
        self._rule = rule

    def merge(self, older: Any, newer: Any, schema: AvroSchema, props: Any) -> Any:  # noqa: ARG002 (an interface)
        first, last = (RuleVersion(side.record, side.ordering_value, side.marked_delete) for side in (older, newer))
        assert self._rule is not None  # noqa: S101 (it is asked where versions meet)
        found = outcome_of(self._rule, first, last, schema)
        match found.gives:
            case Effect.CURRENT | Effect.SENTINEL:
                return older
            case Effect.INCOMING:
                return newer
        record = None if found.version is None else found.version.record
        return None if record is None else HoodieAvroIndexedRecord(newer.key, dict(record), schema)
