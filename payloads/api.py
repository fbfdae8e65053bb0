"""The payload interface, its types, and binding a class to a release."""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

from payloads.backports import state_of
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import Self

    from payloads.avro import AvroSchema, Record

Props = Mapping[str, str]
"""Properties passed to a payload, like java.util.Properties: text to text."""


class Properties(dict[str, str]):
    """Properties that never change, so that what follows from them is derived once; equal and hashed by value.

    Attributes:
        entries: the keys and their texts, as a set that hashes faster than this object.
    """

    __slots__ = ("entries",)

    def __init__(self, *arguments: Any, **keywords: str) -> None:
        """Take what `dict` takes."""
        super().__init__(*arguments, **keywords)
        self.entries = frozenset(self.items())

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.entries)

    def _refuse(self, *_arguments: object, **_keywords: object) -> NoReturn:
        msg = "the properties of a merge can't be changed; set them in the plan"
        raise TypeError(msg)

    def __reduce__(self) -> tuple[type[Properties], tuple[dict[str, str]]]:
        return Properties, (dict(self),)

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


class Sentinel:
    """The type of `SENTINEL`, which says "leave the stored row as it is" (HoodieRecord.SENTINEL)."""

    _instance: ClassVar[Sentinel | None] = None

    def __new__(cls) -> Self:
        """Return the one instance; it is recognised by identity."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance  # type: ignore[return-value]

    def __reduce__(self) -> tuple[type[Sentinel], tuple[()]]:
        return Sentinel, ()

    def __repr__(self) -> str:
        return "SENTINEL"


SENTINEL: Final = Sentinel()
"""What `combine_and_get_update_value` returns to leave the stored row as it is (HoodieRecord.SENTINEL)."""


class HoodieRecordPayload(ABC):
    """One incoming version of a record and the rule that merges it (org.apache.hudi.common.model.HoodieRecordPayload).

    Records are dicts of physical Avro values. A method must not modify a record that it is given; it may return it. A
    call without `props` (and without `schema` in `pre_combine`) is Java's overload without them, which some classes
    implement differently. Hudi's method names (`preCombine` for `pre_combine`) work as well.

    A record has no schema of its own: it must have the fields of the `schema` that a call gets. If they differ, Hudi
    0.15 and 1.0 fail (EOFException) and later releases decode the bytes by position; here fields are looked up by name.
    Convert a record to the schema of the call first, as Hudi's writers and readers do.

    Attributes:
        record: the version itself; None for a delete that carries no data.
        ordering_value: the ordering value passed to the constructor.
        release: the release whose rules apply; set by `for_release`.
        keeps_schema: whether users' subclasses receive the schema of each call.
        decodes_anew: whether each call of Hudi's class hands a copy of the record to a user's subclass.
        logical_types: a user's class sets this to get datetime, date and Decimal instead of physical values.
    """

    release: ClassVar[HudiRelease] = HudiRelease.latest()
    unbound: ClassVar[type[HoodieRecordPayload] | None] = None
    logical_types: ClassVar[bool] = False
    keeps_schema: ClassVar[bool] = False
    decodes_anew: ClassVar[bool] = False

    record: Record | None
    ordering_value: Ordering

    def __init__(self, record: Record | None, ordering_value: Ordering = NATURAL_ORDER) -> None:
        self.record = record
        self.ordering_value = ordering_value

    @abstractmethod
    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Combine with the version that arrived before: return `self`, `older` or a new payload."""

    @abstractmethod
    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Merge with the stored row `current`: return the row to store, None to delete it, SENTINEL to leave it."""

    @abstractmethod
    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the row to insert for a key without a stored row, or None to store nothing."""

    def get_indexed_record(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record without applying a delete rule (1.1 and later)."""
        return self.get_insert_value(schema, props)

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Whether this version deletes its record; by default, whether it has no insert value."""
        return self.get_insert_value(schema, props) is None

    def can_produce_sentinel(self) -> bool:
        """Whether the class may return SENTINEL."""
        return False

    def get_ordering_value(self) -> Ordering:
        """Return the ordering value."""
        return self.ordering_value

    def get_metadata(self) -> dict[str, str] | None:
        """Return what the last call recorded for the commit's metadata, or None."""
        return None

    # For `super()` in classes that are translated line by line.
    getIndexedRecord = get_indexed_record  # noqa: N815
    isDeleted = is_deleted  # noqa: N815
    canProduceSentinel = can_produce_sentinel  # noqa: N815
    getOrderingValue = get_ordering_value  # noqa: N815
    getMetadata = get_metadata  # noqa: N815

    @classmethod
    def is_shipped(cls) -> bool:
        """Whether Hudi ships the class."""
        return False

    @classmethod
    def missing_base(cls) -> type[HoodieRecordPayload] | None:
        """Return the Hudi class that this class extends but its release does not ship."""
        return None

    @classmethod
    def passed_over(cls) -> dict[str, Callable[..., Any]]:
        """Return the methods that a merge point calls although the class has another overload of the name."""
        return {}

    @classmethod
    def unused_methods(cls) -> Iterable[str]:
        """Describe each method that looks like one of Hudi's and that nothing calls in the release of the class."""
        return ()

    @classmethod
    def for_release(cls, release: str | HudiRelease) -> type[Self]:
        """Return this class with the rules of `release`; the same class for the same release."""
        return bind(cls.unbound or cls, HudiRelease.parse(release))  # type: ignore[return-value]

    @classmethod
    def for_schema(cls, schema: AvroSchema) -> type[Self]:  # noqa: ARG003 (users' classes with logical types read it)
        """Return this class for records of `schema`; an engine calls it once, before it builds payloads."""
        return cls

    def __reduce__(self) -> tuple[object, ...]:
        # A bound class has no importable name: travel as its unbound class and the release.
        return _restore, (type(self).unbound or type(self), type(self).release), state_of(self)


@functools.cache
def bind(payload_class: type[HoodieRecordPayload], release: HudiRelease) -> type[HoodieRecordPayload]:
    """Make the subclass of `payload_class` in which every `by_release` rule is the one of `release`."""
    namespace: dict[str, Any] = {
        "release": release,
        "unbound": payload_class,
        "__doc__": payload_class.__doc__,
        "__module__": payload_class.__module__,
        "__qualname__": payload_class.__qualname__,
        "__slots__": (),
    }
    for name in dir(payload_class):
        rule = inspect.getattr_static(payload_class, name)
        if isinstance(rule, ByRelease):
            namespace[name] = rule.at(release)
    bound: type[HoodieRecordPayload] = type(payload_class)(payload_class.__name__, (payload_class,), namespace)  # type: ignore[misc]
    return bound


def _restore(payload_class: type[HoodieRecordPayload], release: HudiRelease) -> HoodieRecordPayload:
    bound = bind(payload_class, release)
    return bound.__new__(bound)
