"""Payload classes that state a rule in place of methods: the methods that the rule comes to."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ClassVar

from payloads.api import SENTINEL, HoodieRecordPayload, Sentinel
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.ordering_fields import ordering_reader
from payloads.records import RuleOutcome, RuleVersion, outcome_of
from payloads.rules import Case, Effect, IsDelete, MergeRule, Point, Role, check_rule, check_without_methods, completed
from payloads.user.overloads import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from payloads.api import Props
    from payloads.avro import AvroSchema, Record
    from payloads.release import HudiRelease

    RuleOf = Callable[[Point, AvroSchema, Props], MergeRule]

_OF_MERGERS = ("merging_strategy", "get_merging_strategy", "getMergingStrategy")
_NOTHING = RuleVersion(None, NATURAL_ORDER)
_NO_PROPS: Mapping[str, str] = {}


class FoundRule:
    """A payload by rules that were found by asking another class: they say what becomes of deletes, too.

    Attributes:
        found: the rules by merge point.
    """

    found: ClassVar[Mapping[Point, MergeRule]]

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule:  # noqa: ARG003 (as rules are stated)
        """Return the rule of a point."""
        return cls.found[point]


class RulePayload:
    """What a payload class with a rule does, by the interpreter of rules; `by_rule` makes a subclass of it.

    Without a record, or with its flag set, a version is a delete, besides what the rule says.

    Attributes:
        user_class: the class that states the rule.
        release: the release whose ordering fields count.
        known: the schema of the records, where it is known before a call.
        rules: the rules of the points, or what returns them.
    """

    user_class: ClassVar[type]
    release: ClassVar[HudiRelease]
    known: ClassVar[AvroSchema | None] = None
    rules: ClassVar[Mapping[Point, MergeRule] | RuleOf]

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        self.record = record
        self.ordering_value = ordering_value

    @classmethod
    def rule_at(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule:
        """Return the rule of a point: for a key without a row the newer version, unless it is a delete."""
        if point is Point.ALONE and not issubclass(cls.user_class, FoundRule):
            stored = cls.rule_at(Point.STORED, schema, props)
            return MergeRule(deletes=stored.deletes, cases=(Case(IsDelete(Role.NEWER), Effect.DELETE),))
        rules: Any = cls.rules
        rule: MergeRule = rules[point] if isinstance(rules, dict) else rules(point, schema, props)
        return rule

    @classmethod
    def knowing(cls, schema: AvroSchema) -> type[Self]:
        """Return the class for records of a schema, which its rules fit.

        Raises:
            SchemaError: they don't: naming node, column and type.
        """
        return schema.derived(_knowing, cls)  # type: ignore[return-value]

    def pre_combine(self, older: Any, schema: AvroSchema | None = None, props: Props | None = None) -> Any:
        """Merge with the version that came before, by the rule of a batch; "leave what is stored" keeps that one."""
        found = self._outcome(Point.BATCH, older._version, schema, props)  # noqa: SLF001 (of the same class)
        match found.gives:
            case Effect.CURRENT | Effect.SENTINEL:
                return older
            case Effect.INCOMING | Effect.COPY:
                return self
        made = RuleVersion(None, self.ordering_value) if found.version is None else found.version
        return type(self)(made.record, made.ordering)

    def combine_and_get_update_value(
        self, current: Record, schema: AvroSchema, props: Props | None = None
    ) -> Record | Sentinel | None:
        """Merge with the stored row, whose ordering value its columns say."""
        read = ordering_reader(schema, props or _NO_PROPS, self.release)
        stored = RuleVersion(current, NATURAL_ORDER if read is None else read(current))
        found = self._outcome(Point.STORED, stored, schema, props)
        match found.gives:
            case Effect.CURRENT:
                return current
            case Effect.SENTINEL:
                return SENTINEL
            case Effect.INCOMING:
                return self.get_insert_value(schema, props)
        record = None if found.version is None else found.version.record
        return dict(record) if found.gives is Effect.COPY and record is not None else record

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record, unless it is a delete."""
        is_delete = self._outcome(Point.ALONE, _NOTHING, schema, props).gives is Effect.DELETE
        return None if is_delete else self.record

    def get_ordering_value(self) -> Ordering | None:
        """Return the value that the object carries."""
        return self.ordering_value

    @property
    def _version(self) -> RuleVersion:
        return RuleVersion(self.record, self.ordering_value)

    def _outcome(self, point: Point, older: RuleVersion, schema: AvroSchema | None, props: Props | None) -> RuleOutcome:
        known = schema or self.known
        rule = self.rule_at(point, known, props or _NO_PROPS)  # type: ignore[arg-type]  # an engine states it before
        return outcome_of(rule, older, self._version, known)  # type: ignore[arg-type]

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # it never changes, nor do its records

    def __reduce__(self) -> tuple[object, ...]:
        # A class made of a rule has no importable name.
        return _restore, (self.user_class, self.release, self.known), self.__dict__


def states_rule(user_class: type) -> bool:
    """Whether a payload class states a rule: as a value, or, without methods, by a function of a point."""
    owner = next((one for one in user_class.__mro__ if "rule" in vars(one)), object)
    if owner is object or (issubclass(owner, HoodieRecordPayload) and owner.is_shipped()):
        return False
    if any(hasattr(user_class, name) for name in _OF_MERGERS):
        return False
    stated = user_class.rule  # type: ignore[attr-defined]  # an owner was found
    return isinstance(stated, MergeRule) or (callable(stated) and not _methods(user_class))


@functools.cache
def by_rule(user_class: Any, release: HudiRelease) -> type[RulePayload]:
    """Return the class with the methods that the rule of a user's class comes to in a release.

    Raises:
        PayloadConfigError: it has methods, too, or the rule says what only rules of Hudi's classes can say.
    """
    owner = user_class.__qualname__
    check_without_methods(owner, _methods(user_class))
    stated = user_class.rule

    def at(point: Point, schema: AvroSchema, props: Props) -> MergeRule:
        rule: MergeRule = stated(point, schema, props)
        return rule if issubclass(user_class, FoundRule) else completed(rule, owner)

    name = user_class.__name__
    rules: Any = staticmethod(at)
    if isinstance(stated, MergeRule):
        rules = dict.fromkeys((Point.BATCH, Point.STORED), completed(stated, owner))
    return type(name, (RulePayload, user_class), {"user_class": user_class, "release": release, "rules": rules})


def _methods(user_class: type) -> list[str]:
    """Return the methods of payloads that a class defines, in Python's or Java's names."""
    names = {"__init__", *METHODS, *(method.java_name for method in METHODS.values())}
    owners = [owner for owner in user_class.__mro__ if owner not in {HoodieRecordPayload, object}]
    return sorted({name for owner in owners for name in names & vars(owner).keys()})


def _knowing(schema: AvroSchema, found: type[RulePayload]) -> type[RulePayload]:
    for point in (Point.BATCH, Point.STORED, Point.ALONE):
        check_rule(found.rule_at(point, schema, _NO_PROPS), schema)
    return type(found.__name__, (found,), {"known": schema})


def _restore(user_class: type, release: HudiRelease, known: AvroSchema | None) -> RulePayload:
    """Return an empty object, which unpickling fills."""
    found = by_rule(user_class, release)
    kind = found if known is None else found.knowing(known)
    return kind.__new__(kind)
