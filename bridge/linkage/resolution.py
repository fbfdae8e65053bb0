"""Whether Java finds a member that code uses, and lets the code use it.

Source: The Java Virtual Machine Specification, 5.4.3 (resolution), 5.4.4 (access control) and the linking exceptions of
each instruction in chapter 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.linkage.class_file import CONSTRUCTOR, ClassField, ClassFile, ClassMethod, Flag, Op, written, written_type
from bridge.linkage.class_file import types_of as _types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.linkage.class_file import Use
    from bridge.linkage.class_path import ClassPath

_STATIC_AND_OWN: Final = Flag.STATIC | Flag.PRIVATE


class Problem(NamedTuple):
    """Why code can't use what it names.

    Attributes:
        error: the error that Java raises.
        text: what is wrong, in a clause.
    """

    error: str
    text: str


class Resolved(NamedTuple):
    """What a use of a member refers to.

    Attributes:
        problem: why Java refuses it; None if it does not.
        owner: the class that declares the member; None if that is not known.
        member: the member; None if it is not known.
        needs_one_loader: whether it is open to its own package alone, which is one package only in one class loader.
        doubt: what the problem is unless one of Java's own classes above the owner has the member.
    """

    problem: Problem | None = None
    owner: ClassFile | None = None
    member: ClassField | ClassMethod | None = None
    needs_one_loader: bool = False
    doubt: Problem | None = None


def resolved(use: Use, user: ClassFile, path: ClassPath) -> Resolved:
    """Resolve what the code of the class `user` uses."""
    name = use.owner
    if len(name) == 1 or not path.has(name):  # one letter: the items of an array of numbers
        return Resolved(None if len(name) == 1 else Problem("NoClassDefFoundError", f"there is no class {name}"))
    owner = path.get(name)
    if owner is None:
        return Resolved()
    if not _is_open(owner, user):
        is_near = _package(owner.name) == _package(user.name)
        if not is_near:
            return Resolved(Problem("IllegalAccessError", f"the class {name} is not public"))
    near = not path.is_users(owner.name) and not _is_open(owner, user, same_package=False)
    if use.op in {Op.NEW, Op.CLASS}:
        return Resolved(_not_built(owner) if use.op is Op.NEW else None, owner, needs_one_loader=near)
    found = _field(owner, use, path) if use.op.is_field else _method(owner, use, path)
    if found.problem is not None or found.member is None:
        return found
    problem, needs_one_loader = _access(found, user, path)
    problem = problem or _form(use, found, user)
    return found._replace(problem=problem, needs_one_loader=near or needs_one_loader)


def ancestors(one: ClassFile, path: ClassPath) -> Iterator[tuple[str, ClassFile | None]]:
    """Yield the names of all classes and interfaces above a class, the nearest first, with what is known of each."""
    names = [*one.bases]
    for name in names:
        found = path.get(name)
        yield name, found
        names += [] if found is None else [base for base in found.bases if base not in names]


def supers(one: ClassFile, path: ClassPath) -> Iterator[ClassFile]:
    """Yield a class and the known classes that it extends, one after the other."""
    seen = set()
    at: ClassFile | None = one
    while at is not None and at.name not in seen:
        seen.add(at.name)
        yield at
        at = None if at.parent is None else path.get(at.parent)


def is_known(one: ClassFile, path: ClassPath) -> bool:
    """Whether all classes and interfaces above a class are known, or absent."""
    return all(found is not None or not path.has(name) for name, found in ancestors(one, path))


def overridden(
    method: ClassMethod, one: ClassFile, path: ClassPath, *, beyond_users: bool = True
) -> Iterator[tuple[ClassFile, ClassMethod]]:
    """Yield the methods that a method of a class overrides or implements, the nearest first.

    With `beyond_users` those of the user's own classes are left out. Source: JVMS 5.4.5.
    """
    if method.name.startswith("<") or method.access & _STATIC_AND_OWN:
        return
    for _, base in ancestors(one, path):
        if base is None or (beyond_users and path.is_users(base.name)):
            continue
        for own in base.methods:
            is_same = (own.name, own.descriptor) == (method.name, method.descriptor)
            if is_same and not own.access & _STATIC_AND_OWN and _is_inherited(own, base, one):
                yield base, own


# -- finding members


def _field(owner: ClassFile, use: Use, path: ClassPath) -> Resolved:
    for base in (owner, *(found for _, found in ancestors_of_field(owner, path) if found is not None)):
        for own in base.fields:
            if (own.name, own.descriptor) == (use.name, use.descriptor):
                return Resolved(None, base, own)
    others = [own for base in supers(owner, path) for own in base.fields if own.name == use.name]
    text = f"{_short(owner.name)} has no field {use.name}"
    if others:
        types = f"of type {written_type(others[0].descriptor)}, not {written_type(use.descriptor)}"
        text = f"the field {_short(owner.name)}.{use.name} is {types}"
    return _absent(owner, Problem("NoSuchFieldError", text), path)


def _absent(owner: ClassFile, problem: Problem, path: ClassPath) -> Resolved:
    return Resolved(problem) if is_known(owner, path) else Resolved(doubt=problem)


def ancestors_of_field(one: ClassFile, path: ClassPath) -> Iterator[tuple[str, ClassFile | None]]:
    """Yield what is above a class in the order in which fields are looked for: interfaces before the superclass."""
    for name in (*one.interfaces, *(() if one.parent is None else (one.parent,))):
        found = path.get(name)
        yield name, found
        if found is not None:
            yield from ancestors_of_field(found, path)


def _method(owner: ClassFile, use: Use, path: ClassPath) -> Resolved:
    if (Flag.INTERFACE in owner.access) != use.of_interface:
        kind = "an interface" if Flag.INTERFACE in owner.access else "no interface"
        return Resolved(Problem("IncompatibleClassChangeError", f"{owner.name} is {kind}"))
    wanted = (use.name, use.descriptor)
    for base in supers(owner, path):
        for own in base.methods:
            if (own.name, own.descriptor) == wanted:
                return Resolved(None, base, own)
    if use.name == CONSTRUCTOR:
        return Resolved(_no_method(owner, use, path))
    for base in _interfaces(owner, path):
        for own in base.methods:
            if (own.name, own.descriptor) == wanted and not own.access & _STATIC_AND_OWN:
                return Resolved(None, base, own)
    return _absent(owner, _no_method(owner, use, path), path)


def _interfaces(owner: ClassFile, path: ClassPath) -> Iterator[ClassFile]:
    """Yield what a class has methods of besides the classes that it extends; an interface has those of Object."""
    for _, base in ancestors(owner, path):
        if base is not None and (Flag.INTERFACE in base.access or Flag.INTERFACE in owner.access):
            yield base


def _no_method(owner: ClassFile, use: Use, path: ClassPath) -> Problem:
    same = [
        own
        for base in (owner, *(found for _, found in ancestors(owner, path) if found is not None))
        for own in base.methods
        if own.name == use.name and use.name != CONSTRUCTOR
    ]
    parameters = _types_of(use.descriptor)[:-1]
    for own in same:
        if _types_of(own.descriptor)[:-1] == parameters:
            results = (written_type(_types_of(one.descriptor)[-1]) for one in (own, use))
            text = f"{_called(owner, use)} returns {', not '.join(results)}"
            return Problem("NoSuchMethodError", text)
    return Problem("NoSuchMethodError", f"there is no {_called(owner, use)}")


def _called(owner: ClassFile, use: Use | ClassMethod | ClassField) -> str:
    short = _short(owner.name)
    if use.name == CONSTRUCTOR:
        return f"constructor {written(short, use.descriptor)}"
    return f"{short}.{written(use.name, use.descriptor)}"


# -- using them


def _access(found: Resolved, user: ClassFile, path: ClassPath) -> tuple[Problem | None, bool]:
    """Return why a class may not use a member, and whether it may only where one loader has both classes."""
    owner, member = found.owner, found.member
    assert owner is not None and member is not None  # noqa: PT018, S101 (callers have found it)
    if Flag.PUBLIC in member.access or owner.name == user.name:
        return None, False
    what = f"{_kind(member)} {_called(owner, member)}".removeprefix("constructor ")
    if Flag.PRIVATE in member.access:
        nest = _outermost(owner.name) == _outermost(user.name)
        return None if nest else Problem("IllegalAccessError", f"{what} is private"), False
    if Flag.PROTECTED in member.access:
        heirs = {user.name, *(name for name, _ in ancestors(user, path))}
        if owner.name in heirs:
            return None, False
    if _package(owner.name) == _package(user.name):
        return None, not path.is_users(owner.name)
    word = "protected" if Flag.PROTECTED in member.access else "not public"
    # An array's clone() and the like aside, which no class file names by its owner.
    return Problem("IllegalAccessError", f"{what} is {word}"), False


def _form(use: Use, found: Resolved, user: ClassFile) -> Problem | None:
    """Return what is wrong between an instruction and the member that it is about."""
    owner, member = found.owner, found.member
    assert owner is not None and member is not None  # noqa: PT018, S101 (callers have found it)
    what = f"{_kind(member)} {_called(owner, member)}".removeprefix("constructor ")
    is_static = Flag.STATIC in member.access
    if is_static != use.op.is_static:
        return Problem("IncompatibleClassChangeError", f"{what} is {'static' if is_static else 'not static'}")
    if use.op in {Op.PUT_FIELD, Op.PUT_STATIC} and Flag.FINAL in member.access and owner.name != user.name:
        return Problem("IllegalAccessError", f"{what} is final, and can't be set")
    is_super = use.op is Op.INVOKE_SPECIAL and use.name != CONSTRUCTOR
    if is_super and Flag.ABSTRACT in member.access:
        return Problem("AbstractMethodError", f"{what} is abstract, and can't be called by super")
    return None


def _not_built(owner: ClassFile) -> Problem | None:
    if owner.access & (Flag.ABSTRACT | Flag.INTERFACE):
        kind = "an interface" if Flag.INTERFACE in owner.access else "abstract"
        return Problem("InstantiationError", f"{owner.name} is {kind}, and can't be built")
    return None


def _is_open(owner: ClassFile, user: ClassFile, *, same_package: bool = True) -> bool:
    if Flag.PUBLIC in owner.access or owner.name == user.name:
        return True
    return same_package and _package(owner.name) == _package(user.name)


def _is_inherited(own: ClassMethod, base: ClassFile, one: ClassFile) -> bool:
    return bool(own.access & (Flag.PUBLIC | Flag.PROTECTED)) or _package(base.name) == _package(one.name)


def _kind(member: ClassField | ClassMethod) -> str:
    if isinstance(member, ClassField):
        return "the field"
    return "the constructor" if member.name == CONSTRUCTOR else "the method"


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _outermost(name: str) -> str:
    return name.partition("$")[0]


def _short(name: str) -> str:
    return name.rpartition(".")[2].replace("$", ".")
