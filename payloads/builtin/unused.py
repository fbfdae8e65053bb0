"""Which methods of a user's class look like Hudi's and are called by nothing, and what is called instead."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, NamedTuple

from payloads.builtin.overridable import HOOKS, INTERFACE_METHODS, KNOWN, SPELLED
from payloads.builtin.overrides import INSERT_WHILE_MERGING, RULE, codes_of, function_of, is_method, takes
from payloads.release import releases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from payloads.builtin.overridable import Overridable
    from payloads.builtin.overrides import Extension, Raw

_CLOSE = 0.86
_SLOTS = frozenset(hook.slot for hook in HOOKS)
_JAVA = {java_name: name for name, java_name in SPELLED.items()}
_PLAIN = {known.java_name.lower(): known for known in reversed(KNOWN) if known.java_name not in {"read", "write"}}
_OF_USERS = frozenset({RULE, "for_release", "for_schema"})
_INSTEAD = {
    "_java_compare": "; needUpdatingPersistedRecord compares the ordering fields",
    "_java_read": "; each call decodes the record again",
}


class _Method(NamedTuple):
    """A method of the user's.

    Attributes:
        name: its name.
        raw: itself, as its class holds it.
        is_called: whether the user's own code calls it.
    """

    name: str
    raw: Raw
    is_called: bool


def unused_methods(extension: Extension) -> Iterator[str]:
    """Describe each method that looks like one of Hudi's, of any release, and that nothing of Hudi calls in this one.

    So does a name that the ports themselves use for something else: the user's method would take its place.
    """
    called = {name for kind in extension.own for code in codes_of(kind) for name in code.co_names}
    seen: set[str] = set()
    for kind in extension.own:
        for name, raw in vars(kind).items():
            if name in seen or name.startswith("__") or not is_method(raw) or name in _SLOTS:
                continue
            seen.add(name)
            reason = _reason(extension, _Method(name, raw, name in called)) if _is_own(kind, name, raw) else None
            if reason:
                yield f"{extension.user_class.__qualname__}.{name} under Hudi {extension.release}: {reason}"


def _is_own(kind: type, name: str, raw: Raw) -> bool:
    """Whether the attribute is the user's own spelling, not the other one that was added to it."""
    other = SPELLED.get(name) or _JAVA.get(name)
    if other is None or vars(kind).get(other) is not raw:
        return True
    written, order = function_of(raw).__name__, list(vars(kind))
    return bool(written == name or (written != other and order.index(name) < order.index(other)))


def _reason(extension: Extension, method: _Method) -> str | None:
    known = [one for one in KNOWN if method.name in {one.name, one.java_name}]
    if not known:
        return _hidden(extension, method) or _misspelled(extension, method)
    if any(one.slot == INSERT_WHILE_MERGING and extension.override(one) == method.raw for one in known):
        return None
    if known[0].name in extension.passed_over():
        long = next(one for one in INTERFACE_METHODS if one.name == known[0].name)
        instead = _called_instead(extension, long)
        missing = " and ".join(long.parameters[1:])
        return f"it overrides an overload that no merge point calls{instead}; let it take {missing}, too"
    if any(one in INTERFACE_METHODS and one.is_in(extension.release) for one in known):
        return None
    effective = next((one for one in known if one.slot and extension.override(one) == method.raw), None)
    if effective is None:
        return _without_effect(extension, method, known)
    return _changed_type(extension, effective, method.raw) if effective.slot == "_java_need_updating" else None


def _hidden(extension: Extension, method: _Method) -> str | None:
    """Return that a method takes the place of one that the ports use for something else."""
    owner = next((kind for kind in extension.hudis if method.name in vars(kind)), None)
    if owner is None or method.name in _OF_USERS or method.name in SPELLED or method.name in _JAVA:
        return None
    return f"it replaces {method.name}, which {owner.__name__} itself calls here; give it another name"


def _misspelled(extension: Extension, method: _Method) -> str | None:
    close = _close(method.name)
    if close is None or method.is_called:
        return None
    instead = _called_instead(extension, close)
    return f"it looks like {close.java_name} of {close.owner}, but has another name{instead}; rename it"


def _without_effect(extension: Extension, method: _Method, known: list[Overridable]) -> str | None:
    """Return why nothing calls a method that has a name of Hudi's."""
    names = {kind.__name__ for kind in extension.hudis}
    there = [one for one in known if one.is_in(extension.release)]
    if not there:
        first = min(one.shipped[0] for one in known)
        instead = _INSTEAD.get(str(known[0].slot), "")
        return f"Hudi's classes have {known[0].signature} from {first} on, so nothing calls it here{instead}"
    near = [one for one in there if one.owner in names]
    if not near:
        owner = f"{there[0].signature} is a method of {there[0].owner}, which it does not extend"
        return None if method.is_called else f"{owner}, so nothing calls it"
    fitting = next((one for one in near if takes(method.raw, len(one.parameters))), None)
    signature = inspect.signature(function_of(method.raw))
    if fitting is None:
        wanted = " or ".join(one.signature for one in near)
        instead = _called_instead(extension, there[0])
        return None if method.is_called else f"its parameters {signature} are not those of {wanted}{instead}"
    is_kryos = fitting.java_name not in {"read", "write"} or "kryo" in str(signature).lower()
    return f"overriding {fitting.signature} has no effect, as {fitting.note}" if fitting.note and is_kryos else None


def _called_instead(extension: Extension, known: Overridable) -> str:
    """Return what is called in place of a method that overrides nothing, as the end of a sentence."""
    owner = next((kind.__name__ for kind in extension.hudis if known.name in vars(kind)), None)
    is_called = owner is not None and known.is_in(extension.release)
    return f", so {owner}.{known.java_name} is called instead" if is_called else ", so nothing calls it"


def _changed_type(extension: Extension, known: Overridable, raw: Raw) -> str | None:
    """Describe a method whose second parameter is an Option from 1.1 on."""
    parameters = list(inspect.signature(function_of(raw)).parameters.values())
    incoming = parameters[1 if isinstance(raw, staticmethod) else 2 :][:1]
    states_none = any("None" in str(one.annotation) or "Opt" in str(one.annotation) for one in incoming)
    if extension.release in releases(until="1.0") or states_none or not incoming:
        return None
    return (
        f"from 1.1 on Java's {known.java_name} takes Option<IndexedRecord> as {known.parameters[1]}; here this "
        "method is called anyway, with None for a payload without a record, but a Java class with the IndexedRecord "
        f"of 1.0 overrides nothing: {known.owner}.{known.java_name} is called instead; annotate the parameter with "
        "`| None` if yours is the new signature"
    )


def _close(name: str) -> Overridable | None:
    """Return the method of Hudi whose name is almost this one."""
    folded = name.replace("_", "").lower()
    if name.startswith("_"):  # one of the class itself, unless it is the very name of a protected method
        return _PLAIN.get(folded)
    found = difflib.get_close_matches(folded, _PLAIN, 1, _CLOSE)
    return _PLAIN[found[0]] if found else None
