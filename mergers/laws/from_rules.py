"""Laws decided from rules alone: for all rows, by running the rules on versions that stand for all.

A law holds for all rows if both sides agree on every choice of stand-ins (`StandIns` says why that is enough), or both
fail with one kind of error. It fails if they differ on some choice, which is the counterexample: the reference
interpreter has merged it. Where stand-ins do not stand for all rows, and none of them differ, it is not decided.

For more operands than are tried it follows: a merge of versions is again a version of the domain, and an error stays
one. So three versions are enough for associativity, and a stored row with two for the action law. Where both hold, any
schedule is a series of acts, whose batches can be split.
"""

from __future__ import annotations

import enum
import itertools
import math
import random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws import core
from mergers.laws.core import Domain, Incoming, Operands
from mergers.laws.rule_algebra import RuleState, run_of
from mergers.laws.rule_preconditions import Asked
from mergers.laws.rule_universe import StandIns, Stater
from mergers.laws.rule_words import difference_text, rules_text
from mergers.laws.rules import ACTION, ASSOCIATIVITY, COMMUTATIVITY, IDEMPOTENCE, SCHEDULE_INDEPENDENCE, TOMBSTONE
from payloads.errors import PayloadBridgeError
from payloads.ordering import compare
from payloads.rules import Effect, MergeRule, check_rule
from payloads.user import error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mergers.laws.core import Equation, Expr, Law
    from mergers.laws.rule_universe import StatedRules
    from payloads.avro import Field, Record
    from payloads.ordering import Ordering

DECIDABLE: Final = (ASSOCIATIVITY, ACTION, SCHEDULE_INDEPENDENCE, IDEMPOTENCE, COMMUTATIVITY, TOMBSTONE)
"""The laws that rules can decide."""
_MOST: Final = 30_000
"""How many choices of operands are tried at most, for each column."""
_SAMPLED: Final = 1_000
"""How many of more than these are tried."""


class RuleVerdict(enum.Enum):
    """What a rule says of a law."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "not decided"


class Ruling(NamedTuple):
    """A law, decided from rules.

    Attributes:
        outcome: whether it holds for all rows.
        reason: why, in a sentence.
        equation: where it fails, the equation that does not hold.
        operands: those that show it.
        refuted: why the class does not do what its rule says, if it was held against it; an internal error.
    """

    outcome: RuleVerdict
    reason: str
    equation: Equation | None = None
    operands: Operands | None = None
    refuted: str = ""


class Decisions:
    """Decides laws for all rows of a domain: records of the schema, their deletes, and stored rows.

    A version with a record carries the value of its ordering field. One without carries any of that type, or Integer 0.
    """

    def __init__(self, rules: StatedRules, domain: Domain) -> None:
        """Read the rules once a law is asked for."""
        self._rules = rules
        self._domain = domain
        self._known: dict[Law, Ruling] = {}

    def of(self, law: Law) -> Ruling:
        """Return what the rules say of a law."""
        if law not in self._known:
            self._known[law] = self._of_schedules() if law is SCHEDULE_INDEPENDENCE else self._decided(law)
        return self._known[law]

    def _decided(self, law: Law) -> Ruling:
        if law not in DECIDABLE:
            return _open("rules say nothing about it")
        missing = _missing(law, self._rules)
        if missing:
            return _open(missing)
        try:
            for rule in self._rules.all:
                check_rule(rule, self._rules.schema)
            return _Decision(law, self._rules, self._domain).ruling()
        except PayloadBridgeError as error:  # a rule that does not fit, or an ordering field that can't be read
            return _open(error_text(error))

    def _of_schedules(self) -> Ruling:
        """Decide it by the two laws that make any schedule a series of acts, of which one is among its equations."""
        action = self.of(ACTION)
        if action.outcome is RuleVerdict.FAILS:
            (equation,) = SCHEDULE_INDEPENDENCE.stated(ACTION.sizes[0])
            return action._replace(equation=equation)
        both = (action, self.of(ASSOCIATIVITY))
        if all(one.outcome is RuleVerdict.HOLDS for one in both):
            return Ruling(RuleVerdict.HOLDS, f"associativity and the action law hold: {action.reason}")
        return next((one for one in both if one.outcome is RuleVerdict.UNDECIDED), _open("associativity fails"))


def _open(reason: str) -> Ruling:
    return Ruling(RuleVerdict.UNDECIDED, reason)


def _missing(law: Law, rules: StatedRules) -> str:
    """Return why the rules do not say enough for a law, or empty text."""
    if rules.obstacle:
        return rules.obstacle
    if rules.batch is None:
        return "no rule is stated for two versions of a batch"
    if law.has_row and rules.stored is None:
        return "no rule is stated for the stored row"
    if law.has_row and rules.alone is None and not rules.marks:
        return "no rule is stated for a key without a row"
    if law.needs_delete and rules.direction is None:
        return "versions have another order than their ordering values"
    return ""


Bound = tuple[RuleState, ...]


class _Decision:
    """Decides one law in one domain."""

    def __init__(self, law: Law, rules: StatedRules, domain: Domain) -> None:
        self._law = law
        self._rules = rules
        self._domain = domain
        points = {"in a batch": rules.batch} | ({"with the stored row": rules.stored} if law.has_row else {})
        self._judged = {place: rule for place, rule in points.items() if rule is not None}
        judged = [*self._judged.values(), *([rules.alone] if law.has_row and rules.alone else [])]
        # Deletes of the domain are told by the tests of any point.
        tested = [MergeRule(deletes=rule.deletes) for rule in rules.all if domain is Domain.FLAGGED]
        if rules.stater is Stater.FOUND and rules.alone is not None:
            tested = [rules.alone]
        once = law in {IDEMPOTENCE, COMMUTATIVITY, TOMBSTONE}
        self._asked = Asked(rules.schema, rules.ordering_fields, [*judged, *tested], merges_once=once)
        self._stand_ins = StandIns(rules, domain, self._asked)
        self._run = run_of(rules)
        stated = law.stated(law.sizes[0])
        self._equations = [(self._compiled(one.left), self._compiled(one.right), one) for one in stated]
        self._decides = self._sampled = self._hides = False
        self._unlike = ""

    def ruling(self) -> Ruling:
        """Try the stand-ins."""
        reason = rules_text(self._judged, self._rules.schema, self._rules.fixed)
        for text in self._rules.absent:
            reason += f", as no value is {text!r}" * any(text in one.constants for one in self._asked.columns.values())
        for focus in self._stand_ins.focuses():
            found = self._tried(focus, deleted=False)
            if found is None and self._law.has_row and self._makes_deleted_rows():
                found = self._tried(focus, deleted=True)
            if found is not None:
                return found
        crowded = ["too many columns are looked at together"] if self._sampled else []
        obstacles = [*self._asked.obstacles, *self._coupled(), *crowded, *self._leaving()]
        if obstacles:
            return _open("; ".join(obstacles))
        if self._unlike:
            return _open(f"where both sides fail, they fail in different ways ({self._unlike})")
        return Ruling(RuleVerdict.HOLDS, reason) if self._decides else _open("no versions decide it")

    def _tried(self, focus: Field | None, *, deleted: bool) -> Ruling | None:
        """Try the versions in which one column varies, besides those that are tested."""
        size = self._law.sizes[0]
        run, rules = self._run, self._rules
        at = [
            [(one, run.of(rules.seen(one))) for one in self._stand_ins.versions(position + self._law.has_row, focus)]
            for position in range(size)
        ]
        rows: list[Record | None] = self._stand_ins.rows(focus, deleted=deleted) if self._law.has_row else [None]
        for row, *chosen in self._choices([(one, run.row(one)) for one in rows], *at):
            if self._law.condition and not self._law.applies(tuple(one for one, _ in chosen), self._order):
                continue
            bound = (row[1], *[state for _, state in chosen])
            for left, right, equation in self._equations:
                sides = left(bound), right(bound)
                if self._agree(*sides):
                    continue
                reason = difference_text(sides, self._judged, rules.schema)
                operands = Operands(row[0], tuple(version for version, _ in chosen))
                return Ruling(RuleVerdict.FAILS, f"{reason}: {self._law.id} fails", equation, operands)
        return None

    def _choices(self, *operands: Sequence[object]) -> Iterator[tuple[Any, ...]]:
        """Yield every choice of operands; of too many some, which prove nothing."""
        number = math.prod(map(len, operands))
        if number <= (_SAMPLED if self._asked.obstacles else _MOST):
            yield from itertools.product(*operands)
            return
        self._sampled = True
        chance = random.Random(0)  # noqa: S311 (nothing secret)
        yield from (tuple(map(chance.choice, operands)) for _ in range(_SAMPLED))

    def _agree(self, left: RuleState | None, right: RuleState | None) -> bool:
        """Whether both sides are one, or show nothing; notes why if so."""
        if left is None or right is None:
            self._unlike = "a merge in a batch gives no version"
        elif self._run.shown(left) is self._run.shown(right):
            self._decides |= left.fault is None
            self._hides |= left is not right
        elif left.fault and right.fault:
            self._unlike = difference_text((left, right), self._judged, self._rules.schema)
        else:
            return False
        return True

    def _order(self, left: Ordering, right: Ordering) -> int:
        return (self._rules.direction or 1) * compare(left, right)

    # -- expressions

    def _compiled(self, expr: Expr) -> Callable[[Bound], RuleState | None]:
        match expr:
            case core.Row():
                return lambda bound: bound[0]
            case Incoming(position):
                return lambda bound: bound[position + 1]
            case core.Merge(older, newer):
                return _of_two(self._run.merge, self._compiled(older), self._compiled(newer))
            case core.Act(row, newer):
                return _of_two(self._run.act, self._compiled(row), self._compiled(newer))
            case _:
                msg = f"{expr!r} is about more than merging"
                raise TypeError(msg)

    # -- what comes out

    def _coupled(self) -> Iterator[str]:
        """Yield why columns depend on each other around the rules: a made record is data, a kept one may not be."""
        is_made = {Effect.FILLED, Effect.CHANGED}
        effects = {rule.result for rule in self._judged.values()}
        effects |= {case.gives for rule in self._judged.values() for case in rule.cases}
        if (
            self._rules.stater in {Stater.PAYLOAD, Stater.MERGER}
            and self._domain is not Domain.DATA
            and effects & is_made
        ):
            yield "whether a delete becomes data depends on several columns"

    def _makes_deleted_rows(self) -> bool:
        return any(self._rules.deletes(record) for record in self._rows_made())

    def _rows_made(self) -> Iterator[Record]:
        return (one.version.record for one in self._run.rows_made() if one.version and one.version.record is not None)

    def _leaving(self) -> Iterator[str]:
        """Yield why more operands than were tried may do otherwise: a merge makes what is no version of the domain."""
        if self._law.sizes[1] < 2 or self._law.condition is not None:  # noqa: PLR2004 (no merge of a merge)
            return
        rules = self._rules
        if self._hides:
            yield "deletes that look alike are not"
        if self._run.ends:
            yield "a merge makes a delete, which leaves nothing to merge with"
        versions = [one.version for one in self._run.versions_made() if one.version is not None]
        records = [one.record for one in versions if one.record is not None]
        if any(repr(rules.carried(one.record)) != repr(one.ordering) for one in versions if one.record is not None):
            yield "a merged version carries another ordering value than its columns say"
        flagged = [one for one in versions if one.record is not None and (one.marked or rules.deletes(one.record))]
        is_flagged = self._domain is Domain.FLAGGED
        if (flagged and not is_flagged) or (len(records) < len(versions) and self._domain is not Domain.EMPTY):
            yield "data merges into a delete"
        if is_flagged and rules.marks and not all(one.marked for one in flagged):
            yield "data merges into a delete that is not marked as one"
        made = [*records, *self._rows_made()]
        if not all(map(rules.schema.fits, made)):
            yield "a merge makes a record that does not fit the schema"
        if any(record[name] != value for record in made for name, value in rules.fixed.items()):
            yield "the key is merged, too"
        heads = () if rules.null_orderings else rules.ordering_fields
        if any(record.get(name) is None for record in made for name in heads):
            yield "a merge makes the ordering field null"


def _of_two(
    run: Callable[[RuleState, RuleState], RuleState | None],
    left: Callable[[Bound], RuleState | None],
    right: Callable[[Bound], RuleState | None],
) -> Callable[[Bound], RuleState | None]:
    def value(bound: Bound) -> RuleState | None:
        one, other = left(bound), right(bound)
        return None if one is None or other is None else run(one, other)

    return value
