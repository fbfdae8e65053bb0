"""Users' mergers behind the merger interface: Java's names, its argument lists of either generation, classes too."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mergers.api import HoodieRecordType
from mergers.columns import has_columns_alone
from mergers.errors import MergerConfigError
from mergers.record import HoodieAvroIndexedRecord
from payloads.records import RuleVersion, outcome_of
from payloads.rules import Effect, MergeRule, check_without_methods, completed

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergers.api import HoodieRecordMerger
    from mergers.record import HoodieRecord
    from payloads.api import Props
    from payloads.avro import AvroSchema

_STRATEGY_NAMES = ("merging_strategy", "get_merging_strategy", "getMergingStrategy")
_RECORD_TYPE_NAMES = ("record_type", "get_record_type", "getRecordType")
_PRE_COMBINING_NAMES = ("as_pre_combining_mode", "asPreCombiningMode")

# How many arguments `merge` takes, and which of ours they are. Java's five (until 1.0) pass each side's schema.
_ARGUMENTS: dict[int, Callable[[Any, Any, Any, Any], tuple[object, ...]]] = {
    2: lambda older, newer, _schema, _props: (older, newer),
    3: lambda older, newer, _schema, props: (older, newer, props),
    4: lambda older, newer, schema, props: (older, newer, schema, props),
    5: lambda older, newer, schema, props: (older, _schema_of(older, schema), newer, _schema_of(newer, schema), props),
}


def _schema_of(side: object, schema: object) -> object:
    return getattr(side, "schema", None) or schema


class AdaptedMerger:
    """A user's merger as a HoodieRecordMerger; `adapt_merger` makes it.

    Attributes:
        target: the user's object.
        record_type: that of the object.
        merging_strategy: that of the object.
    """

    def __init__(self, target: Any) -> None:
        """Look up names and the argument list of `merge`, once.

        Raises:
            MergerConfigError: the object lacks a part of a merger, or `merge` takes another number of arguments.
        """
        self.target: Final = target
        self.record_type = _record_type(target)
        self.merging_strategy = _strategy(target)
        self._arguments = _refused if has_columns_alone(target) else _ARGUMENTS[_count(target)]

    def merge(self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props) -> HoodieRecord | None:
        """Call the user's merge; of a pair (record, schema), as Java returns it until 1.0, the record comes back."""
        arguments = self._arguments(older, newer, schema, props)  # before `merge` is looked up: it may be missing
        merged = self.target.merge(*arguments)
        record: HoodieRecord | None = merged[0] if isinstance(merged, tuple) else merged
        return record

    def __reduce__(self) -> tuple[type[AdaptedMerger], tuple[Any]]:
        return AdaptedMerger, (self.target,)

    def __repr__(self) -> str:
        return f"AdaptedMerger({self.target!r})"


class RuleMerger(AdaptedMerger):
    """A user's merger that states a rule in place of methods.

    Attributes:
        rule: what it does with any two versions.
    """

    def __init__(self, target: Any) -> None:
        """Complete the rule of the class.

        Raises:
            PayloadConfigError: the class merges by a method, too, or the rule says what only Hudi's classes can say.
            MergerConfigError: it has no merging strategy, or its rule has a marker of deletes, which Hudi looks for.
        """
        owner = type(target).__qualname__
        check_without_methods(owner, [name for name in ("merge", "merge_columns") if hasattr(target, name)])
        self.target: Final = target  # type: ignore[misc]  # in place of the other constructor
        self.rule: Final = completed(target.rule, owner)
        if self.rule.deletes.marker is not None:
            msg = (
                f"{owner}: its rule has {self.rule.deletes.marker!r}, and a merger is not called for a version "
                "without a counterpart; set hoodie.payload.delete.field and hoodie.payload.delete.marker instead"
            )
            raise MergerConfigError(msg)
        is_told = any(hasattr(target, name) for name in _RECORD_TYPE_NAMES)
        self.record_type = _record_type(target) if is_told else HoodieRecordType.AVRO
        self.merging_strategy = _strategy(target)

    def merge(self, older: HoodieRecord, newer: HoodieRecord, schema: AvroSchema, props: Props) -> HoodieRecord | None:  # noqa: ARG002
        """Return what the rule makes of two versions: one of them, a row, or None for a delete; raises its errors."""
        sides: tuple[Any, Any] = older, newer
        first, last = (RuleVersion(side.record, side.ordering_value, side.marked_delete) for side in sides)
        found = outcome_of(self.rule, first, last, schema)
        match found.gives:
            case Effect.CURRENT | Effect.SENTINEL:
                return older
            case Effect.INCOMING:
                return newer
        made = None if found.version is None else found.version.record
        return None if made is None else HoodieAvroIndexedRecord(newer.key, dict(made), schema)

    def __reduce__(self) -> tuple[type[AdaptedMerger], tuple[Any]]:
        return RuleMerger, (self.target,)


def adapt_merger(obj_or_class: Any) -> HoodieRecordMerger:
    """Return an object as a merger; a class is instantiated without arguments.

    An object with Python's names and four arguments of `merge` is returned unchanged. Java's names work as well
    (`getMergingStrategy`, `getRecordType`), and `merge` may take (older, newer), (older, newer, props), (older, newer,
    schema, props) or (older, older schema, newer, newer schema, props). A class with a `rule` has no `merge`: the rule
    is run.

    Raises:
        MergerConfigError: it is not a merger, or its class needs arguments.
        PayloadConfigError: it states a rule and merges by a method, too.
    """
    merger = _instance(obj_or_class) if isinstance(obj_or_class, type) else obj_or_class
    if isinstance(getattr(merger, "rule", None), MergeRule) and not isinstance(merger, RuleMerger):
        return RuleMerger(merger)
    is_ours = isinstance(getattr(merger, "record_type", None), HoodieRecordType) and not has_columns_alone(merger)
    if is_ours and isinstance(getattr(merger, "merging_strategy", None), str) and _count(merger) == 4:  # noqa: PLR2004
        _spelling(merger, _STRATEGY_NAMES)
        _spelling(merger, _RECORD_TYPE_NAMES)
        ours: HoodieRecordMerger = merger
        return ours
    return AdaptedMerger(merger)


def pre_combining(merger: HoodieRecordMerger) -> HoodieRecordMerger:
    """Return the merger to use for two versions of one batch: `merger` itself unless it offers another.

    A merger offers another by `as_pre_combining_mode()`, in Java `asPreCombiningMode()` (OperationModeAwareness).

    Raises:
        MergerConfigError: what it gives is not a merger.
    """
    target = merger.target if isinstance(merger, AdaptedMerger) else merger
    offered = (getattr(target, name, None) for name in _PRE_COMBINING_NAMES)
    found = next(filter(callable, offered), None)
    return merger if found is None else adapt_merger(found())


def _refused(*_: object) -> NoReturn:
    msg = (
        "the merger has only merge_columns, which only the native engine runs; add `merge` for everything that "
        "merges row by row"
    )
    raise MergerConfigError(msg)


def _instance(merger_class: type) -> Any:
    try:
        return merger_class()
    except TypeError as error:
        msg = f"{merger_class.__qualname__} can't be instantiated without arguments ({error}); pass an instance"
        raise MergerConfigError(msg) from error


def _spelling(merger: object, names: tuple[str, ...]) -> str:
    found = [name for name in names if hasattr(merger, name)]
    if not found:
        msg = f"{type(merger).__qualname__} is not a merger: it lacks {names[0]} (Java: {names[-1]}); add it"
        raise MergerConfigError(msg)
    if len(found) > 1:
        owner = type(merger).__qualname__
        warnings.warn(f"{owner} defines {' and '.join(found)}; {found[0]} is used; remove the other", stacklevel=4)
    return found[0]


def _stated(merger: object, names: tuple[str, ...]) -> Any:
    value = getattr(merger, _spelling(merger, names))
    return value() if callable(value) else value


def _strategy(merger: object) -> str:
    strategy = _stated(merger, _STRATEGY_NAMES)
    if not isinstance(strategy, str):
        msg = f"{type(merger).__qualname__}: the merging strategy is {strategy!r}; give the UUID as text"
        raise MergerConfigError(msg)
    return strategy


def _record_type(merger: object) -> HoodieRecordType:
    stated = _stated(merger, _RECORD_TYPE_NAMES)
    try:
        return stated if isinstance(stated, HoodieRecordType) else HoodieRecordType(str(stated).upper())
    except ValueError as error:
        known = ", ".join(member.value for member in HoodieRecordType)
        msg = f"{type(merger).__qualname__}: the record type is {stated!r}; use one of {known}"
        raise MergerConfigError(msg) from error


def _count(merger: object) -> int:
    """Return how many of our arguments `merge` takes: the most that fit its signature."""
    label = f"{type(merger).__qualname__}.merge"
    merge = getattr(merger, "merge", None)
    if not callable(merge):
        msg = f"{label} is missing, so it is not a merger; add `def merge(self, older, newer, schema, props)`"
        raise MergerConfigError(msg)
    parameters = list(inspect.signature(merge).parameters.values())
    positional = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 4
    required = sum(p.default is p.empty for p in positional)
    needs_keyword = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    fitting = [count for count in _ARGUMENTS if required <= count <= len(positional)]
    if not fitting or needs_keyword:
        msg = f"{label} takes {inspect.signature(merge)}; change it to (older, newer, schema, props)"
        raise MergerConfigError(msg)
    return fitting[-1]
