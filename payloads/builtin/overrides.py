"""What a subclass of one of Hudi's classes may override there, by release, and which of its methods Hudi's code calls.

Source: the members of the payload classes in the released jars of 0.12.3, 0.13.1, 0.14.0, 0.15.0, 1.0.2, 1.1.1 and
1.2.0, and who calls them there. In Java each overload is a method of its own; a Python method overrides those that its
parameters take. The classes call what may be overridden by an attribute each, which is decided once a class.
"""

from __future__ import annotations

import difflib
import inspect
import types
from abc import ABC
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from payloads.api import HoodieRecordPayload
from payloads.release import HudiRelease

Raw = Any
"""A method as its class holds it: a function, a `staticmethod` or a `classmethod`."""
Shipped = Collection[type]
"""Hudi's classes."""


class Overridable(NamedTuple):
    """A method of Hudi's payload classes that a subclass may override: one overload.

    Attributes:
        java_name: its name in Java.
        name: its name in Python.
        parameters: what it takes.
        owner: the class that declares it.
        slot: the attribute by which Hudi's classes call it; None if only merge points do, or nothing does.
        since: the first release that has it.
        until: the last one; None for the latest.
        note: what a subclass should know where nothing calls it.
    """

    java_name: str
    name: str
    parameters: tuple[str, ...]
    owner: str
    slot: str | None = None
    since: HudiRelease = HudiRelease.V0_12
    until: HudiRelease | None = None
    note: str = ""

    @property
    def signature(self) -> str:
        """The method as Java's documentation would write it, without types."""
        return f"{self.java_name}({', '.join(self.parameters)})"

    def is_in(self, release: HudiRelease) -> bool:
        """Whether a release has it."""
        return self.since <= release and (self.until is None or release <= self.until)


_BASE, _LATEST, _DEFAULT = "BaseAvroPayload", "OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload"
_FILLING, _PARTIAL = "OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload"
_DEBEZIUM, _INTERFACE = "AbstractDebeziumAvroPayload", "HoodieRecordPayload"
_V13, _V14, _V1_0, _V1_1, _V1_2 = (HudiRelease.parse(line) for line in ("0.13", "0.14", "1.0", "1.1", "1.2"))
_NOT_SERIALISED = "objects are not serialised with Kryo here"

HOOKS = (
    Overridable("isDeleteRecord", "is_delete_record", ("record",), _BASE, "_java_is_delete_record"),
    Overridable("isDeleteRecord", "is_delete_record", ("record", "properties"), _DEFAULT, "_java_is_delete_by", _V14),
    Overridable(
        "needUpdatingPersistedRecord",
        "need_updating_persisted_record",
        ("currentValue", "incomingRecord", "properties"),
        _DEFAULT,
        "_java_need_updating",
    ),
    Overridable(
        "compareOrderingVal",
        "compare_ordering_val",
        ("oldVal", "newVal", "updateOnSame"),
        _DEFAULT,
        "_java_compare",
        _V1_2,
    ),
    Overridable("overwriteField", "overwrite_field", ("value", "defaultValue"), _FILLING, "_java_overwrite_field"),
    Overridable(
        "mergeRecords", "merge_records", ("schema", "baseRecord", "mergedRecord"), _FILLING, "_java_merge_records", _V13
    ),
    Overridable(
        "setField", "set_field", ("baseRecord", "mergedRecord", "builder", "field"), _FILLING, "_java_set_field", _V13
    ),
    Overridable(
        "mergeDisorderRecordsWithMetadata",
        "merge_disorder_records_with_metadata",
        ("schema", "oldRecord", "updatingRecord", "isPreCombining"),
        _PARTIAL,
        "_java_merge_disorder",
        _V13,
    ),
    Overridable(
        "getInsertValue", "get_insert_value", ("schema", "isPreCombining"), _PARTIAL, "_java_insert_while_merging", _V13
    ),
    Overridable("getInsertValue", "get_insert_value", ("schema",), _INTERFACE, "_java_insert"),
    Overridable(
        "shouldPickCurrentRecord",
        "should_pick_current_record",
        ("currentRecord", "insertRecord", "schema"),
        _DEBEZIUM,
        "_java_picks_current",
    ),
    Overridable("getRecord", "get_record", ("schema",), _BASE, "_java_read", _V1_1),
    Overridable("isEmptyRecord", "is_empty_record", (), _BASE, "_java_is_empty", _V1_1),
    Overridable(
        "getRecordBytes", "get_record_bytes", (), _BASE, None, _V1_0, note="records are not kept as bytes here"
    ),
    Overridable("getOrderingVal", "get_ordering_val", (), _BASE, None, _V13, note="getOrderingValue() is asked"),
    Overridable("write", "write", ("kryo", "output"), _BASE, None, _V1_1, note=_NOT_SERIALISED),
    Overridable("read", "read", ("kryo", "input"), _BASE, None, _V1_1, note=_NOT_SERIALISED),
)
"""The methods that Hudi's classes call on themselves, and those that a subclass may override to no effect here."""

_INTERFACE_METHODS = (
    Overridable("preCombine", "pre_combine", ("older", "schema", "props"), _INTERFACE),
    Overridable("combineAndGetUpdateValue", "combine_and_get_update_value", ("current", "schema", "props"), _INTERFACE),
    Overridable("getInsertValue", "get_insert_value", ("schema", "props"), _INTERFACE),
    Overridable("getIndexedRecord", "get_indexed_record", ("schema", "props"), _INTERFACE, since=_V1_1),
    Overridable("isDeleted", "is_deleted", ("schema", "props"), _BASE, since=_V13),
    Overridable("canProduceSentinel", "can_produce_sentinel", (), _BASE, since=_V13),
    Overridable("getMetadata", "get_metadata", (), _INTERFACE),
    Overridable("getOrderingValue", "get_ordering_value", (), _INTERFACE),
)
_KNOWN = (*HOOKS, *_INTERFACE_METHODS)
_SPELLED = {known.name: known.java_name for known in _KNOWN} | {
    # Fields of Java that a subclass reads, and methods that only users call.
    "ordering_val": "orderingVal",
    "is_deleted_record": "isDeletedRecord",
    "record_bytes": "recordBytes",
    "get_row_key": "getRowKey",
    "get_partition_path": "getPartitionPath",
}
_OVERLOADED = {"pre_combine": 3, "combine_and_get_update_value": 3, "get_insert_value": 2}
"""The methods with overloads that a merge point calls, and how much the longest takes."""
_RULES = ("insert_tests", "pair_rule", "fill_rule", "batch_wins")
_CLOSE = 0.86
_ROOTS = frozenset({object, ABC, HoodieRecordPayload})


def spell_in_java(own: type) -> None:
    """Give a class of Hudi Java's names for the methods and fields that it defines."""
    for name, java_name in _SPELLED.items():
        if name in vars(own):
            setattr(own, java_name, vars(own)[name])


def link(user_class: Any, shipped: Shipped) -> None:
    """Let Hudi's classes call what a user's class overrides in the release that it is bound to.

    Either spelling finds the method, and no rule for whole columns is left: they state what Hudi's own methods do.
    """
    user_class.is_extended = True
    for rule in _RULES:
        if _definer(user_class, rule) in shipped:
            setattr(user_class, rule, classmethod(_no_rule))
    for name, java_name in _SPELLED.items():
        found = _nearest(user_class, name, java_name)
        if found is not None and found[0] not in shipped and found[0] not in _ROOTS:
            for spelling in (name, java_name):
                if inspect.getattr_static(user_class, spelling, None) is not found[1]:
                    setattr(user_class, spelling, found[1])
    for hook in HOOKS:
        if hook.slot is not None:
            setattr_if(user_class, hook.slot, _slot(user_class, hook, shipped))
    user_class.sets_fields = any(_override(user_class, hook, shipped) for hook in HOOKS if hook.slot in _OF_FIELDS)
    user_class.compares_itself = any(_override(user_class, hook, shipped) for hook in HOOKS if hook.slot == "_java_compare")


_OF_FIELDS = frozenset({"_java_set_field", "_java_overwrite_field"})


def setattr_if(user_class: type, name: str, value: Any) -> None:
    """Set an attribute where there is a value."""
    if value is not None:
        setattr(user_class, name, value)


def passed_over(user_class: Any, shipped: Shipped) -> dict[str, Callable[..., Any]]:
    """Return the methods of Hudi that a merge point calls although the user's class has one of that name.

    In Java it calls the longest overload; a class that overrides a shorter one alone is only asked where Hudi's class
    passes the call on to that one.
    """
    return {name: call for name in _OVERLOADED if (call := _longest(user_class, name, shipped)) is not None}


def unused(user_class: Any, shipped: Shipped) -> Iterator[str]:
    """Describe each method that looks like one of Hudi's, of any release, and that nothing of Hudi calls in this one."""
    release: HudiRelease = user_class.release
    over = passed_over(user_class, shipped)
    own = [kind for kind in user_class.__mro__ if _is_users(kind, shipped)]
    called = {name for kind in own for code in _codes(kind) for name in code.co_names}
    seen: set[str] = set()
    for kind in own:
        for attribute, raw in vars(kind).items():
            if attribute in seen or attribute.startswith("__") or not _is_method(raw):
                continue
            seen.add(attribute)
            if attribute in _GENERATED or not _is_spelled_here(kind, attribute, raw):
                continue
            reason = _reason(user_class, attribute, raw, over, called, shipped)
            if reason:
                yield f"{user_class.__qualname__}.{attribute} under Hudi {release}: {reason}"


_GENERATED = {hook.slot for hook in HOOKS}


def _is_spelled_here(kind: type, attribute: str, raw: Raw) -> bool:
    """Whether the attribute is the user's own spelling, not the other one that was added to it."""
    other = _SPELLED.get(attribute) or next((name for name, java in _SPELLED.items() if java == attribute), None)
    if other is None or vars(kind).get(other) is not raw:
        return True
    own = _function(raw).__name__
    return own == attribute or (own != other and list(vars(kind)).index(attribute) < list(vars(kind)).index(other))


def _reason(
    user_class: Any,
    attribute: str,
    raw: Raw,
    over: dict[str, Callable[..., Any]],
    called: set[str],
    shipped: Shipped,
) -> str | None:
    """Return why nothing calls a method; None where something does, or it looks like nothing of Hudi."""
    release: HudiRelease = user_class.release
    known = [one for one in _KNOWN if attribute in {one.name, one.java_name}]
    if not known:
        close = _close(attribute)
        if close is None or attribute in called:
            return None
        called_instead = _called_instead(user_class, close, shipped)
        return f"it looks like {close.java_name} of {close.owner}, but has another name{called_instead}; rename it"
    merging = next(one for one in HOOKS if one.slot == "_java_insert_while_merging")
    if known[0].name == merging.name and _override(user_class, merging, shipped) == raw:
        return None
    if known[0].name in over:
        long = next(one for one in _INTERFACE_METHODS if one.name == known[0].name)
        return (
            "it overrides an overload that no merge point calls"
            f"{_called_instead(user_class, long, shipped)}; let it take {' and '.join(long.parameters[1:])}, too"
        )
    if any(one in _INTERFACE_METHODS and one.is_in(release) for one in known):
        return None
    if any(_override(user_class, one, shipped) == raw for one in known if one.slot):
        return _changed_type(user_class, known[0], raw) if known[0].slot == "_java_need_updating" else None
    there = [one for one in known if one.is_in(release)]
    names = {kind.__name__ for kind in user_class.__mro__}
    if not there:
        first = min(one.since for one in known)
        return f"Hudi's classes have {known[0].signature} from {first} on, so nothing calls it here{_instead(known[0])}"
    if not any(one.owner in names for one in there):
        if attribute in called:
            return None
        return f"{there[0].signature} is a method of {there[0].owner}, which it does not extend, so nothing calls it"
    fitting = [one for one in there if one.owner in names and takes(raw, len(one.parameters))]
    if not fitting:
        wanted = " or ".join(one.signature for one in there if one.owner in names)
        taken = f"({', '.join(map(str, inspect.signature(_function(raw)).parameters.values()))})"
        called_instead = _called_instead(user_class, there[0], shipped)
        return None if attribute in called else f"its parameters {taken} are not those of {wanted}{called_instead}"
    if fitting[0].name in {"read", "write"} and "kryo" not in str(inspect.signature(_function(raw))).lower():
        return None
    return f"overriding {fitting[0].signature} has no effect, as {fitting[0].note}" if fitting[0].note else None


def _called_instead(user_class: Any, known: Overridable, shipped: Shipped) -> str:
    """Return what is called in place of a method that overrides nothing, as the end of a sentence."""
    own = [kind.__name__ for kind in user_class.__mro__ if kind in shipped and known.name in vars(kind)]
    is_called = own and known.is_in(user_class.release)
    return f", so {own[0]}.{known.java_name} is called instead" if is_called else ", so nothing calls it"


def _instead(known: Overridable) -> str:
    by = {"_java_compare": "needUpdatingPersistedRecord compares the ordering fields", "_java_read": "records are decoded anew"}
    return f"; {by[known.slot]}" if known.slot in by else ""


def _changed_type(user_class: Any, known: Overridable, raw: Raw) -> str | None:
    """Return what has become of a method whose second parameter is an Option from 1.1 on."""
    if user_class.release < _V1_1:
        return None
    parameters = list(inspect.signature(_function(raw)).parameters.values())
    incoming = parameters[1 if isinstance(raw, staticmethod) else 2] if len(parameters) > 2 else None  # noqa: PLR2004
    stated = "" if incoming is None else str(incoming.annotation)
    if incoming is None or "None" in stated or "Opt" in stated:
        return None
    return (
        f"from 1.1 on Java's {known.java_name} takes Option<IndexedRecord> as {known.parameters[1]}; this method is called "
        "in its place, with None for a payload without a record, but a Java class that has the IndexedRecord of 1.0 "
        f"overrides nothing there: {known.owner}.{known.java_name} is called instead; annotate the parameter with "
        "`| None` if yours is the new one"
    )


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


def _parameters(raw: Raw) -> list[inspect.Parameter] | None:
    try:
        parameters = list(inspect.signature(_function(raw)).parameters.values())
    except (TypeError, ValueError):  # compiled code
        return None
    is_variadic = bool(parameters) and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL
    return parameters if isinstance(raw, staticmethod) or is_variadic else parameters[1:]


def _function(raw: Raw) -> Any:
    return raw.__func__ if isinstance(raw, staticmethod | classmethod) else raw


def _is_method(raw: Raw) -> bool:
    return isinstance(raw, types.FunctionType | staticmethod | classmethod)


def _codes(kind: type) -> Iterator[types.CodeType]:
    for raw in vars(kind).values():
        code = getattr(_function(raw), "__code__", None) if _is_method(raw) else None
        pending = [] if code is None else [code]
        while pending:
            found = pending.pop()
            yield found
            pending += [one for one in found.co_consts if isinstance(one, types.CodeType)]


def _is_users(kind: type, shipped: Shipped) -> bool:
    is_bound = vars(kind).get("unbound") is not None  # made of the user's class, for a release
    return not is_bound and kind not in shipped and kind not in _ROOTS


def _definer(user_class: type, name: str) -> type | None:
    return next((kind for kind in user_class.__mro__ if name in vars(kind)), None)


def _nearest(user_class: type, *names: str) -> tuple[type, Raw] | None:
    """Return the nearest class that has one of the names, the first one first, and what it is there."""
    for kind in user_class.__mro__:
        for name in names:
            if name in vars(kind):
                return kind, vars(kind)[name]
    return None


def _override(user_class: Any, hook: Overridable, shipped: Shipped) -> Raw | None:
    """Return the method of the user's that Hudi's classes call for a hook; None if it is Hudi's own."""
    if hook.slot is None or not hook.is_in(user_class.release) or not hasattr(user_class, hook.slot):
        return None
    for kind in user_class.__mro__:
        if kind in shipped:
            if hook.slot in vars(kind):
                return None
        elif _is_users(kind, shipped):
            raw = vars(kind).get(hook.name, vars(kind).get(hook.java_name))
            if raw is not None and _is_method(raw) and _overrides(hook, raw):
                return raw
    return None


def _overrides(hook: Overridable, raw: Raw) -> bool:
    if hook.slot in {"_java_insert", "_java_insert_while_merging"}:
        is_boolean = _takes_boolean(raw)
        return is_boolean if hook.slot == "_java_insert_while_merging" else not is_boolean and takes(raw, 1)
    return takes(raw, len(hook.parameters))


def _takes_boolean(raw: Raw) -> bool:
    """Whether `getInsertValue` is the overload with a boolean, `isPreCombining`."""
    parameters = _parameters(raw) or []
    return len(parameters) > 1 and ("combin" in parameters[1].name.lower() or "bool" in str(parameters[1].annotation))


def _slot(user_class: Any, hook: Overridable, shipped: Shipped) -> Raw | None:
    """Return what Hudi's classes call for a hook in this release; None where the class has no such hook."""
    raw = _override(user_class, hook, shipped)
    if raw is not None:
        return _BRIDGES[hook.slot](_plain(raw)) if hook.slot in _BRIDGES else raw
    if not hasattr(user_class, str(hook.slot)):
        return None
    found = next(vars(kind)[hook.slot] for kind in user_class.__mro__ if kind in shipped and hook.slot in vars(kind))
    found = found.at(user_class.release) if hasattr(found, "at") else found
    return _decoded if hook.slot == "_java_read" and _decodes_anew(user_class) else found


def _decodes_anew(user_class: Any) -> bool:
    """Whether each call of Hudi's class decodes the record: until 1.0, and in HoodieAvroPayload."""
    names = {kind.__name__ for kind in user_class.__mro__}
    return user_class.release < _V1_1 or _BASE not in names


def _decoded(payload: Any, schema: Any) -> Any:
    return None if payload.record is None else payload._java_copy(payload.record, schema)  # noqa: SLF001 (of Hudi's class)


def _plain(raw: Raw) -> Callable[..., Any]:
    """Return a method as a function of the object and its arguments."""
    if isinstance(raw, types.FunctionType):
        return raw
    return lambda payload, *arguments: raw.__get__(payload, type(payload))(*arguments)


def _needs_update(method: Callable[..., Any]) -> Callable[..., Any]:
    def needs_update(payload: Any, current: Any, incoming: Any, schema: Any, props: Any) -> bool:
        payload.call_schema = schema  # noqa: SLF001 (Java's records carry it)
        return bool(method(payload, current, incoming, props))

    return needs_update


def _is_marked(method: Callable[..., Any]) -> Callable[..., Any]:
    def is_marked(payload: Any, record: Any, schema: Any, props: Any) -> bool:
        payload.call_schema = schema  # noqa: SLF001 (Java's records carry it)
        return bool(method(payload, record, props))

    return is_marked


_BRIDGES: dict[str | None, Callable[[Callable[..., Any]], Raw]] = {
    "_java_need_updating": _needs_update,
    "_java_is_delete_by": _is_marked,
}


def _longest(user_class: Any, name: str, shipped: Shipped) -> Callable[..., Any] | None:
    count, short = _OVERLOADED[name], None
    for kind in user_class.__mro__:
        if kind in shipped:
            if name in vars(kind):
                return None if short is None else _of_hudi(kind, name, short, user_class)
        elif _is_users(kind, shipped):
            raw = vars(kind).get(name, vars(kind).get(_SPELLED[name]))
            if raw is None or not _is_method(raw):
                continue
            if takes(raw, count) and not (name == "get_insert_value" and _takes_boolean(raw)):
                return None if short is None else _plain(raw)
            short = short or raw
    return None


def _of_hudi(kind: Any, name: str, short: Raw, user_class: Any) -> Callable[..., Any] | None:
    """Return what Hudi's class does in the overload with properties; None if it passes the call on."""
    method: Any = vars(kind)[name]
    method = method.at(user_class.release) if hasattr(method, "at") else method
    if name in kind.own_overloads or (name == "get_insert_value" and _takes_boolean(short)):
        return _plain(method)
    if name == "combine_and_get_update_value" and hasattr(kind, "_with_toasted"):
        merge = _plain(short)
        return lambda payload, current, schema, props=None: payload._with_toasted(  # noqa: SLF001 (of Hudi's class)
            merge(payload, current, schema), current, schema
        )
    return None


def _no_rule(_cls: type, *_arguments: Any) -> None:
    """State no rule: a user's class is asked for each pair."""


def _close(attribute: str) -> Overridable | None:
    """Return the method of Hudi whose name is all but that of the attribute."""
    plain = {known.java_name.lower(): known for known in reversed(_KNOWN) if known.java_name not in {"read", "write"}}
    folded = attribute.replace("_", "").lower()
    if attribute.startswith("_"):
        return plain.get(folded)
    found = difflib.get_close_matches(folded, plain, 1, _CLOSE)
    return plain[found[0]] if found else None
