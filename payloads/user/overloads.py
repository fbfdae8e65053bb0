"""How a user's class spells the methods of a payload: snake case or Java's names, and which overload of each.

Everything here is decided once a class, from signatures; no call is ever tried.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import types
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads import codegen
from payloads.api import HoodieRecordPayload
from payloads.errors import PayloadConstructorError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_SCHEMA_PROPS = ((), ("schema",), ("schema", "props"))


class Method(NamedTuple):
    """A method of the payload interface: its Java name and the argument lists it may take, shortest first."""

    java_name: str
    overloads: tuple[tuple[str, ...], ...]


METHODS = {
    "pre_combine": Method("preCombine", (("older",), ("older", "props"), ("older", "schema", "props"))),
    "combine_and_get_update_value": Method(
        "combineAndGetUpdateValue",
        (("current",), ("current", "schema"), ("current", "schema", "props")),
    ),
    "get_insert_value": Method("getInsertValue", _SCHEMA_PROPS),
    "get_indexed_record": Method("getIndexedRecord", _SCHEMA_PROPS),
    "is_deleted": Method("isDeleted", _SCHEMA_PROPS),
    "get_ordering_value": Method("getOrderingValue", ((),)),
    "get_metadata": Method("getMetadata", ((),)),
    "can_produce_sentinel": Method("canProduceSentinel", ((),)),
}
"""The methods a payload may have, by their name in snake case."""

# Java declares these three without a body. None has a neutral answer, so none is made up here either.
_REQUIRED = {
    "pre_combine": "`def pre_combine(self, older): return self` keeps the later arrival",
    "combine_and_get_update_value": "`def combine_and_get_update_value(self, current, schema): return self.record` "
    "overwrites the stored row",
    "get_insert_value": "`def get_insert_value(self, schema): return self.record` inserts every new key",
}
_CLOSE = 0.86
_CONSTRUCTORS = ((), ("record",), ("record", "ordering_value"))


class MethodCall(NamedTuple):
    """How to call one method.

    Attributes:
        attribute: the name in the user's class.
        apply: called with an object (for a constructor: with the class) and all our arguments, it passes those
            that the method takes; `{}` replaces missing properties that it requires.
    """

    attribute: str
    apply: Callable[..., object]


@functools.cache
def methods_of(user_class: type) -> Mapping[str, MethodCall]:
    """Return how to call each method that `user_class` defines; what it lacks is left out.

    The definition nearest to the class counts. Where one class body has both spellings, snake case wins and a warning
    says so. The defaults of `HoodieRecordPayload` don't count as definitions: they know nothing of Java's names.

    Raises:
        PayloadConstructorError: a method that every payload needs is missing, or has a signature that fits none of
            Java's overloads.
    """
    found: dict[str, MethodCall] = {}
    for name, method in METHODS.items():
        attribute = _spelling(user_class, name, method.java_name)
        if attribute is not None:
            found[name] = _method_call(user_class, attribute, method.overloads)
    missing = {name: hint for name, hint in _REQUIRED.items() if name not in found}
    if missing:
        names = ", ".join(f"{name} (Java: {METHODS[name].java_name})" for name in missing)
        hints = "; ".join(missing.values())
        msg = f"{user_class.__qualname__} is not a payload: it lacks {names}; add, for example, {hints}"
        raise PayloadConstructorError(msg)
    return found


def misspelled(user_class: type) -> Iterator[str]:
    """Describe each method of a class that has all but the name of one of the interface's, and so is never called."""
    plain = {method.java_name.lower(): method.java_name for method in METHODS.values()}
    known = {*METHODS, *plain.values()}
    for attribute, value in vars(user_class).items():
        if attribute in known or attribute.startswith("_") or not callable(value):
            continue
        close = difflib.get_close_matches(attribute.replace("_", "").lower(), plain, 1, _CLOSE)
        if close and not any(attribute in code.co_names for code in _codes(user_class)):
            yield (
                f"{user_class.__qualname__}.{attribute} looks like {plain[close[0]]} of HoodieRecordPayload, but has "
                "another name, so nothing calls it; rename it"
            )


def _codes(user_class: type) -> list[types.CodeType]:
    return [value.__code__ for value in vars(user_class).values() if isinstance(value, types.FunctionType)]


def constructor_of(user_class: type) -> MethodCall:
    """Return how to call the constructor: with (record, ordering_value), (record) or (), the longest that fits.

    Raises:
        PayloadConstructorError: the constructor needs other arguments.
    """
    call = _fit("__init__", _parameters(user_class), _CONSTRUCTORS)
    if call is None:
        msg = (
            f"{user_class.__qualname__} has no constructor for (record, ordering_value), (record) or (), "
            f"but {_signature_text(user_class)}; give every other parameter a default"
        )
        raise PayloadConstructorError(msg)
    return call


def _spelling(user_class: type, name: str, java_name: str) -> str | None:
    for owner in user_class.__mro__:
        if owner in {HoodieRecordPayload, object}:
            continue
        here = [
            attribute
            for attribute in (name, java_name)
            if attribute in vars(owner) and not getattr(vars(owner)[attribute], "__isabstractmethod__", False)
        ]
        if not here:
            continue
        if len(here) > 1 and vars(owner)[name] is not vars(owner)[java_name]:
            warnings.warn(
                f"{owner.__qualname__} defines both {name} and {java_name}; {name} is called, remove {java_name}",
                stacklevel=2,
            )
        # Where both are one function, the other spelling was added to the user's own.
        is_one = len(here) > 1 and vars(owner)[name] is vars(owner)[java_name]
        return java_name if is_one and getattr(vars(owner)[name], "__name__", name) == java_name else here[0]
    return None


def _method_call(user_class: type, attribute: str, overloads: tuple[tuple[str, ...], ...]) -> MethodCall:
    method = getattr(user_class, attribute)
    label = f"{user_class.__qualname__}.{attribute}"
    if not callable(method):
        msg = f"{label} is a {type(method).__name__}, not a method; define it with `def`"
        raise PayloadConstructorError(msg)
    parameters = _parameters(method)
    static = inspect.getattr_static(user_class, attribute)
    if parameters and not isinstance(static, staticmethod | classmethod):
        takes_self = parameters[0].kind in {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
        parameters = parameters[1:] if takes_self else parameters
    call = _fit(attribute, parameters, overloads)
    if call is None:
        accepted = " or ".join(f"({', '.join(overload)})" for overload in overloads)
        msg = f"{label} has the parameters {_signature_text(method)}; change them to {accepted}"
        raise PayloadConstructorError(msg)
    return call


_ANY = (
    inspect.Parameter("arguments", inspect.Parameter.VAR_POSITIONAL),
    inspect.Parameter("named", inspect.Parameter.VAR_KEYWORD),
)


def _parameters(function: Any) -> tuple[inspect.Parameter, ...]:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):  # compiled code without a signature takes what the interface gives
        return _ANY


def _signature_text(function: object) -> str:
    return f"({', '.join(map(str, _parameters(function)))})"


def _fit(
    attribute: str, parameters: Iterable[inspect.Parameter], overloads: tuple[tuple[str, ...], ...]
) -> MethodCall | None:
    """Choose the longest overload that the parameters take; None if none fits.

    Parameters named after `schema` and `props` get these; other names go by Java's order, in which the second of two
    arguments of `preCombine` is the properties.
    """
    parameters = tuple(parameters)
    full = overloads[-1]
    subject = full[:1] if full[:1] and full[0] not in {"schema", "props"} else ()
    by_kind = {kind: [p for p in parameters if p.kind == kind] for kind in {p.kind for p in parameters}}
    positional = [p for p in parameters if p.kind in {p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD}]
    variadic = inspect.Parameter.VAR_POSITIONAL in by_kind
    required = sum(p.default is p.empty for p in positional)
    room = len(full) if variadic else len(positional)
    fitting = [overload for overload in ((), *overloads) if required <= len(overload) <= room]
    if not fitting:
        return None
    roles = list(fitting[-1])
    named = [_role(p.name) for p in positional[len(subject) : len(roles)]]
    if len(set(named)) == len(named) == len(roles) - len(subject) and set(named) <= set(full):
        roles[len(subject) :] = [role for role in named if role is not None]
    keywords: dict[str, str] = {}
    for parameter in by_kind.get(inspect.Parameter.KEYWORD_ONLY, ()):
        role = _role(parameter.name) or parameter.name
        if role in full and role not in roles:
            keywords[parameter.name] = role
        elif parameter.default is parameter.empty:
            return None
    if inspect.Parameter.VAR_KEYWORD in by_kind:
        keywords |= {role: role for role in full if role not in roles and role not in keywords.values()}
    given = {*roles, *keywords.values()}
    if overloads[0] and overloads[0][0] not in given:
        return None
    placed = dict(zip((p.name for p in positional), roles, strict=False)) | keywords
    needs_props = any(p.default is p.empty and placed.get(p.name) == "props" for p in parameters)
    return MethodCall(attribute, codegen.call(attribute, full, roles, keywords, needs_props=needs_props))


def _role(name: str) -> str | None:
    lowered = name.lower()
    if "schema" in lowered:
        return "schema"
    return "props" if "prop" in lowered or "config" in lowered else None
