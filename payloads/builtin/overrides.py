"""How a user's subclass of one of Hudi's classes is tied to it: what it overrides is what Hudi's code calls.

In Java each overload is a method of its own; a Python method overrides those that its parameters take. The ports call
what may be overridden by an attribute each, whose name starts with `_java_`; it is decided once a class and release.
"""

from __future__ import annotations

import inspect
import types
from abc import ABC
from typing import TYPE_CHECKING, Any

from payloads.api import HoodieRecordPayload
from payloads.builtin.overridable import HOOKS, SPELLED, Overridable
from payloads.release import releases

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from payloads.avro import Value
    from payloads.release import HudiRelease

Raw = Any
"""A method as its class holds it: a function, a `staticmethod` or a `classmethod`."""

INSERT, INSERT_WHILE_MERGING = "_java_insert", "_java_insert_while_merging"
_LENGTHS = {"pre_combine": 3, "combine_and_get_update_value": 3, "get_insert_value": 2}
"""The methods with overloads that a merge point calls, and how much the longest takes."""
_OF_FIELDS = frozenset({"_java_set_field", "_java_overwrite_field"})
RULE = "rule"
_DECLARED = frozenset({"_abc_impl", "java_name", "aliases", "shipped", "own_overloads"})
"""What a class says of itself, which overrides nothing."""
_ROOTS = frozenset({object, ABC, HoodieRecordPayload})


def spell_in_java(own: type) -> None:
    """Give a class of Hudi Java's names for the methods and fields that it defines."""
    for name, java_name in SPELLED.items():
        if name in vars(own):
            setattr(own, java_name, vars(own)[name])


def keep_own_rule(own: type) -> None:
    """Leave a class of Hudi that overrides anything of the class it extends without a rule that it does not state.

    A rule says what the methods of the class that states it do, and a subclass may do something else.
    """
    inherited = {name for kind in own.__mro__[1:] if kind not in {object, ABC} for name in vars(kind)}
    overridden = (vars(own).keys() & inherited) - _DECLARED
    is_changed = any(name == "__init__" or not name.startswith("__") for name in overridden)
    if is_changed and RULE not in vars(own):
        setattr(own, RULE, classmethod(_no_rule))


class Extension:
    """A user's class that extends one of Hudi's, in the release that it is bound to.

    Attributes:
        user_class: the class.
        release: the release.
        hudis: the classes of Hudi that it extends, the nearest first.
        own: the classes that the user wrote, likewise.
    """

    def __init__(self, user_class: Any, shipped: Collection[type]) -> None:
        """Take the class, and all classes of Hudi."""
        self.user_class = user_class
        self.release: HudiRelease = user_class.release
        self.hudis = [kind for kind in user_class.__mro__ if kind in shipped]
        self.own = [kind for kind in user_class.__mro__ if not self._is_given(kind)]

    def _is_given(self, kind: type) -> bool:
        is_bound = vars(kind).get("unbound") is not None  # made of the user's class, for a release
        return is_bound or kind in self.hudis or kind in _ROOTS

    def link(self) -> None:
        """Let Hudi's classes call what the user's class overrides.

        Either spelling finds a method, and no rule is left: it states what Hudi's own methods do.
        """
        user_class = self.user_class
        user_class.is_extended = True
        if next(kind for kind in user_class.__mro__ if RULE in vars(kind)) in self.hudis:
            setattr(user_class, RULE, classmethod(_no_rule))
        for name, java_name in SPELLED.items():
            self._spell(name, java_name)
        for hook in HOOKS:
            if hook.slot is not None and hasattr(user_class, hook.slot):
                called = self._called(hook, hook.slot)
                if inspect.getattr_static(user_class, hook.slot) is not called:
                    setattr(user_class, hook.slot, called)
        overridden = {hook.slot for hook in HOOKS if self.override(hook) is not None}
        user_class.sets_fields = not overridden.isdisjoint(_OF_FIELDS)
        user_class.decodes_anew = self._decodes_anew()
        user_class.compares_itself = "_java_compare" in overridden

    def _spell(self, name: str, java_name: str) -> None:
        """Let both spellings of a method find the user's definition that is nearest to the class."""
        for kind in self.user_class.__mro__:
            raw = vars(kind).get(name, vars(kind).get(java_name))
            if raw is None:
                continue
            for spelling in (name, java_name) if kind in self.own else ():
                if inspect.getattr_static(self.user_class, spelling, None) is not raw:
                    setattr(self.user_class, spelling, raw)
            return

    def override(self, hook: Overridable) -> Raw | None:
        """Return the method of the user's that Hudi's classes call for a hook; None if it is Hudi's own."""
        if hook.slot is None or not hook.is_in(self.release):
            return None
        for kind in self.user_class.__mro__:
            if kind in self.hudis and hook.slot in vars(kind):
                return self._first_override(hook, kind)
        return None

    def _first_override(self, hook: Overridable, hudis: type) -> Raw | None:
        """Return the user's override that comes before a class of Hudi in the order of inheritance."""
        for kind in self.user_class.__mro__:
            if kind is hudis:
                return None
            raw = vars(kind).get(hook.name, vars(kind).get(hook.java_name)) if kind in self.own else None
            if raw is not None and is_method(raw) and _overrides(hook, raw):
                return raw
        return None

    def _called(self, hook: Overridable, slot: str) -> Raw:
        """Return what Hudi's classes call for a hook in the release."""
        raw = self.override(hook)
        if raw is not None:
            return _BRIDGES[slot](_plain(raw)) if slot in _BRIDGES else raw
        found: Value = next(vars(kind)[slot] for kind in self.hudis if slot in vars(kind))
        if slot == "_java_read" and self._decodes_anew():
            return _decoded
        return found.at(self.release) if hasattr(found, "at") else found

    def _decodes_anew(self) -> bool:
        """Whether each call of Hudi's class decodes the record: until 1.0, and in HoodieAvroPayload."""
        return self.release in releases(until="1.0") or not any("get_record" in vars(kind) for kind in self.hudis)

    def passed_over(self) -> dict[str, Callable[..., object]]:
        """Return the methods that a merge point calls although the user's class has another overload of the name.

        In Java it calls the longest overload; a class that overrides a shorter one alone is only asked where Hudi's
        class passes the call on to that one.
        """
        return {name: call for name in _LENGTHS if (call := self._longest(name)) is not None}

    def _longest(self, name: str) -> Callable[..., object] | None:
        short: Raw | None = None
        for kind in self.user_class.__mro__:
            if kind in self.hudis and name in vars(kind):
                return None if short is None else self._of_hudi(kind, name, short)
            raw = vars(kind).get(name, vars(kind).get(SPELLED[name])) if kind in self.own else None
            if raw is None or not is_method(raw):
                continue
            if takes(raw, _LENGTHS[name]) and not (name == "get_insert_value" and takes_boolean(raw)):
                return None if short is None else _plain(raw)
            short = short or raw
        return None

    def _of_hudi(self, kind: Any, name: str, short: Raw) -> Callable[..., object] | None:
        """Return what Hudi's class does in the overload with properties; None if it passes the call on."""
        method: Any = vars(kind)[name]
        if name in kind.own_overloads or (name == "get_insert_value" and takes_boolean(short)):
            return _plain(method.at(self.release) if hasattr(method, "at") else method)
        if name != "combine_and_get_update_value" or not hasattr(kind, "with_toasted"):
            return None
        merge = _plain(short)

        def toasted(payload: Any, current: Any, schema: Any, _props: Any = None) -> object:
            return payload.with_toasted(merge(payload, current, schema), current, schema)

        return toasted


def _overrides(hook: Overridable, raw: Raw) -> bool:
    if hook.slot in {INSERT, INSERT_WHILE_MERGING}:
        is_boolean = takes_boolean(raw)
        return is_boolean if hook.slot == INSERT_WHILE_MERGING else not is_boolean and takes(raw, 1)
    return takes(raw, len(hook.parameters))


def takes(raw: Raw, count: int) -> bool:
    """Whether a method takes so many arguments by position, besides the object."""
    parameters = _parameters(raw)
    if parameters is None:
        return True
    positional = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    required = sum(p.default is p.empty for p in positional)
    has_more = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    needs_names = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    return required <= count and (has_more or count <= len(positional)) and not needs_names


def takes_boolean(raw: Raw) -> bool:
    """Whether `getInsertValue` is the overload with a boolean, `isPreCombining`."""
    parameters = _parameters(raw) or []
    return len(parameters) > 1 and ("combin" in parameters[1].name.lower() or "bool" in str(parameters[1].annotation))


def _parameters(raw: Raw) -> list[inspect.Parameter] | None:
    """Return what a method takes besides the object; None if that is not known."""
    try:
        parameters = list(inspect.signature(function_of(raw)).parameters.values())
    except (TypeError, ValueError):  # compiled code
        return None
    is_variadic = bool(parameters) and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL
    return parameters if isinstance(raw, staticmethod) or is_variadic else parameters[1:]


def function_of(raw: Raw) -> Any:
    """Return the function of a method."""
    return raw.__func__ if isinstance(raw, staticmethod | classmethod) else raw


def is_method(raw: Raw) -> bool:
    """Whether an attribute of a class is a method."""
    return isinstance(raw, types.FunctionType | staticmethod | classmethod)


def codes_of(kind: type) -> Iterator[types.CodeType]:
    """Return the code of the methods of a class, and of the functions in them."""
    pending = [getattr(function_of(raw), "__code__", None) for raw in vars(kind).values() if is_method(raw)]
    while pending:
        found = pending.pop()
        if found is not None:
            yield found
            pending += [one for one in found.co_consts if isinstance(one, types.CodeType)]


def _plain(raw: Raw) -> Callable[..., object]:
    """Return a method as a function of the object and its arguments."""
    if isinstance(raw, types.FunctionType):
        return raw
    return lambda payload, *arguments: raw.__get__(payload, type(payload))(*arguments)


def _need_updating(method: Callable[..., object]) -> Callable[..., object]:
    def need_updating(payload: Any, current: Any, incoming: Any, schema: Any, props: Any) -> bool:
        payload.call_schema = schema
        return bool(method(payload, current, incoming, props))

    return need_updating


def _is_delete_by(method: Callable[..., object]) -> Callable[..., object]:
    def is_delete_by(payload: Any, record: Any, schema: Any, props: Any) -> bool:
        payload.call_schema = schema
        return bool(method(payload, record, props))

    return is_delete_by


def _is_delete_record(method: Callable[..., object]) -> Callable[..., object]:
    return lambda payload, record: bool(method(payload, record))


_BRIDGES: dict[str, Callable[[Callable[..., object]], Raw]] = {
    "_java_need_updating": _need_updating,
    "_java_is_delete_by": _is_delete_by,
    "_java_is_delete_record": _is_delete_record,
}
"""Calls with other arguments or results: Java's records carry the schema, and its tests give booleans."""


def _decoded(payload: Any, schema: Any) -> object:
    return None if payload.record is None else payload._java_copy(payload.record, schema)  # noqa: SLF001 (of Hudi's class)


def _no_rule(_cls: type, *_arguments: object) -> None:
    return  # no rule is stated: the class is asked for each pair
