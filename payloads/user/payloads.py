"""Users' payload classes behind the payload interface: checking and adapting them."""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import Any

from payloads.api import HoodieRecordPayload
from payloads.backports import is_class
from payloads.errors import PayloadConstructorError
from payloads.release import HudiRelease
from payloads.user.adapter import PayloadAdapter
from payloads.user.by_rule import by_rule, states_rule
from payloads.user.copies import copier
from payloads.user.overloads import METHODS, MethodCall, constructor_of, methods_of, misspelled


def adapt(user_class: object, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
    """Return the class that mergers call for `user_class`: always the same one for the same class and release.

    A class of this package is bound to the release and returned as it is. Any other class gets a `PayloadAdapter`, also
    where it inherits ours: only the adapter keeps its records and its errors apart from everybody else's.

    Raises:
        PayloadConstructorError: it is not a class, extends a class of Hudi that the release does not ship, lacks a
            method that every payload needs, has a constructor or method with parameters that are not known, or is
            abstract.
    """
    if not is_class(user_class):
        msg = f"{user_class!r} is a {type(user_class).__name__}, not a class; name a payload class"
        raise PayloadConstructorError(msg)
    wanted: type = user_class.user_class if issubclass(user_class, PayloadAdapter) else user_class
    return _adapt(wanted, HudiRelease.parse(release))


@functools.cache
def _adapt(wanted: type, release: HudiRelease) -> type[HoodieRecordPayload]:
    user_class: Any = wanted
    target: type[Any] = wanted
    if issubclass(wanted, HoodieRecordPayload):
        user_class = wanted.unbound or wanted
        target = wanted.for_release(release)
        if user_class.is_shipped() and not inspect.isabstract(target):
            return target
        missing = target.missing_base()
        if missing is not None:
            msg = (
                f"{user_class.__qualname__} extends {missing.__name__}, which Hudi {release} does not ship; "
                "extend a class that it has"
            )
            raise PayloadConstructorError(msg)
    states = states_rule(user_class)
    called: Any = by_rule(user_class, release) if states else user_class
    target = called if states else target
    calls = dict(methods_of(called))
    left = set(getattr(target, "__abstractmethods__", ()))
    if issubclass(target, HoodieRecordPayload) and left <= set(METHODS):
        # Java's names fill the gaps that the abstract methods leave open; the bound class is ours to change.
        target.__abstractmethods__ = frozenset()
    elif left:
        # A method of Hudi's has its name in Java, too, and that by which Hudi's classes call it.
        named = sorted(name for name in left if name.islower() and not name.startswith("_java_")) or sorted(left)
        msg = f"{user_class.__qualname__} is abstract: it lacks {', '.join(named)}; define them or name a subclass"
        raise PayloadConstructorError(msg)
    if issubclass(target, HoodieRecordPayload):
        calls |= {name: MethodCall(calls[name].attribute, call) for name, call in target.passed_over().items()}
        target._java_copy = staticmethod(lambda record, schema: copier(schema)(record))  # noqa: SLF001
    is_extension = issubclass(target, HoodieRecordPayload) and target.keeps_schema
    for message in target.unused_methods() if is_extension else misspelled(user_class):
        warnings.warn(message, stacklevel=4)
    namespace = {
        "__doc__": user_class.__doc__,
        "__module__": user_class.__module__,
        "__qualname__": user_class.__qualname__,
        "release": release,
        "logical_types": bool(getattr(user_class, "logical_types", False)) and not states,
        "knowing": staticmethod(lambda schema: {"target": target.knowing(schema)} if states else {}),
        "user_class": user_class,
        "target": target,
        "keeps_schema": is_extension,
        "decodes_anew": is_extension and target.decodes_anew,
        "calls": calls,
        "construct": constructor_of(target),
        "adapt": staticmethod(adapt),
    }
    return type(user_class.__name__, (PayloadAdapter,), namespace)
