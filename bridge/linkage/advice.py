"""What to write instead of a member that a release no longer gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.linkage.class_file import (
    CONSTRUCTOR,
    OBJECT,
    ClassField,
    ClassFile,
    ClassMethod,
    Flag,
    Op,
    class_of,
    types_of,
    written,
)
from bridge.linkage.linkage import short_name
from bridge.linkage.resolution import ancestors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.linkage.class_file import Use
    from bridge.linkage.class_path import ClassPath

_MOST: Final = 3
_RENAMED: Final = {
    "getOrderingField": "getOrderingFields",
    "getPreCombineField": "getOrderingFields",
    "getRecordMergerStrategy": "getRecordMergeStrategyId",
    "indexedRecordToBytes": "avroToBytes",
}
"""The methods of Hudi that go on under another name."""


def same_name(method: ClassMethod, one: ClassFile, path: ClassPath) -> list[ClassMethod]:
    """Return the methods of others above a class that have the name of its method, but not its parameters."""
    found: dict[tuple[str, str], ClassMethod] = {}
    for name, base in ancestors(one, path):
        for own in () if base is None or path.is_users(name) else base.methods:
            is_open = own.access & (Flag.PUBLIC | Flag.PROTECTED)
            is_other = own.name == method.name and own.descriptor != method.descriptor
            if is_open and is_other and not own.access & (Flag.STATIC | Flag.BRIDGE):
                found.setdefault((own.name, own.descriptor), own)
    return [*found.values()]


def instead_of(use: Use, path: ClassPath) -> str:
    """Return what to write instead of what a class names and a release lacks; empty if nothing is like it."""
    release = f"Hudi {path.release}"
    owner = path.get(use.owner)
    if owner is None:
        others = path.hudi.named(use.owner.rpartition(".")[2]) if not path.has(use.owner) else []
        return f"{release} has {_or(others)}" if others else ""
    if use.op.is_field:
        found = [f"`{written(own.name, own.descriptor)}`" for own in _getters(owner, use, path)]
        return f"write {_or(found)} in place of `{use.name}`" if found else ""
    return "" if use.op in {Op.NEW, Op.CLASS} else _instead_of_method(owner, use, path)


def _instead_of_method(owner: ClassFile, use: Use, path: ClassPath) -> str:
    release = f"Hudi {path.release}"
    names = {use.name, _RENAMED.get(use.name, use.name)}
    own = _nearest([one for one in _open(owner, path) if one.name in names], use)
    if own:
        short = short_name(owner.name)
        texts = [f"`{written(short if one.name == CONSTRUCTOR else one.name, one.descriptor)}`" for one in own]
        if any(one.name == use.name and _takes(one, use, path) for one in own):
            return f"compile the class against {release}, which has {_or(texts)}"
        return f"{release} has {_or(texts)}"
    if field := _field_of(owner, use, path):
        return f"write `{field.name}` in place of `{use.name}()`"
    moved = [] if use.op is not Op.INVOKE_STATIC else [*path.hudi.with_method(use.name)]
    near = _nearest([one for _, one in moved], use)
    places = [f"`{short_name(one.name)}.{written(own.name, own.descriptor)}`" for one, own in moved if own in near]
    return f"{release} has {_or(places)}" if places and len(places) <= _MOST else ""


def _nearest(found: list[ClassMethod], use: Use) -> list[ClassMethod]:
    """Return the methods whose parameters are most like those of a use: the same, as many, any."""
    others = [one for one in found if one.descriptor != use.descriptor]
    number = len(types_of(use.descriptor))
    same = [one for one in found if types_of(one.descriptor)[:-1] == types_of(use.descriptor)[:-1]]
    return same or [one for one in others if len(types_of(one.descriptor)) == number] or others


def _open(owner: ClassFile, path: ClassPath) -> Iterator[ClassMethod]:
    """Yield the methods of a class, and of those above it, that a class outside can use."""
    for one in (owner, *(found for _, found in ancestors(owner, path) if found is not None)):
        for own in one.methods:
            is_own = own.name != CONSTRUCTOR or one is owner
            if own.access & (Flag.PUBLIC | Flag.PROTECTED) and Flag.BRIDGE not in own.access and is_own:
                yield own


def _takes(method: ClassMethod, use: Use, path: ClassPath) -> bool:
    """Whether a source that called what is gone calls a method as it stands."""
    *wanted, result = types_of(use.descriptor)
    *taken, returned = types_of(method.descriptor)
    if len(wanted) != len(taken):
        return False
    pairs = [*zip(wanted, taken, strict=True), (returned, result)]
    return all(_is_a(one, other, path) for one, other in pairs)


def _is_a(one: str, other: str, path: ClassPath) -> bool:
    """Whether a value of one type is one of another."""
    name, wanted = class_of(one), class_of(other)
    if one == other or name is None or wanted is None or "[" in one + other:
        return one == other
    found = path.get(name)
    return wanted == OBJECT or (found is not None and wanted in {base for base, _ in ancestors(found, path)})


def _getters(owner: ClassFile, use: Use, path: ClassPath) -> list[ClassMethod]:
    """Return the methods that give the value of a field."""
    if use.op not in {Op.GET_FIELD, Op.GET_STATIC}:
        return []
    names = {use.name, *(f"{word}{use.name[:1].upper()}{use.name[1:]}" for word in ("get", "is"))}
    return [own for own in _open(owner, path) if own.name in names and own.descriptor == f"(){use.descriptor}"]


def _field_of(owner: ClassFile, use: Use, path: ClassPath) -> ClassField | None:
    """Return the field whose value a method without parameters gives in other releases."""
    found = (
        own
        for one in (owner, *(base for _, base in ancestors(owner, path) if base is not None))
        for own in one.fields
        if own.access & (Flag.PUBLIC | Flag.PROTECTED) and use.descriptor == f"(){own.descriptor}"
    )
    return next((own for own in found if use.name == f"get{own.name[:1].upper()}{own.name[1:]}"), None)


def _or(texts: list[str]) -> str:
    *most, last = list(dict.fromkeys(texts))[:_MOST]
    return f"{', '.join(most)} or {last}" if most else last
