"""BaseAvroPayload: what the Avro payload classes share (org.apache.hudi.common.model.BaseAvroPayload)."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from payloads.api import HoodieRecordPayload
from payloads.avro import encode, to_physical
from payloads.builtin.overrides import Extension, keep_own_rule, spell_in_java
from payloads.builtin.unused import unused_methods
from payloads.errors import NullOrderingError, PayloadConfigError, PayloadFamilyError, UnsupportedPayloadOperationError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.release import HudiRelease, releases
from payloads.rules import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record, Value
    from payloads.rules import MergeRule, Point

ALL_RELEASES = tuple(HudiRelease)


class BuiltinPayload(HoodieRecordPayload):
    """A payload class that Hudi ships.

    Attributes:
        java_name: the full name of the Java class.
        aliases: other Java names of the same class.
        shipped: the releases that contain it.
        family: the head of the classes whose `pre_combine` accept each other; Java's generics enforce it with a cast.
        takes_ordering: whether there is the constructor (record, ordering value) that a writer calls.
        is_extended: whether the class is a user's, which may override what the class of Hudi calls on itself.
        own_overloads: the methods of which the class implements the overload with properties itself; the others pass
            it on to the one without.
    """

    __slots__ = ("call_schema", "ordering_value", "record")

    #: The schema of the call that a user's class is in; Java's records carry theirs.
    call_schema: AvroSchema | None

    java_name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    shipped: ClassVar[tuple[HudiRelease, ...]] = ALL_RELEASES
    family: ClassVar[type[BuiltinPayload]]
    takes_ordering: ClassVar[bool] = True
    is_extended: ClassVar[bool] = False
    keeps_schema: ClassVar[bool] = True
    own_overloads: ClassVar[frozenset[str]] = frozenset()

    if TYPE_CHECKING:  # what `spell_in_java` gives; overloads differ by release and class
        canProduceSentinel: Any
        combineAndGetUpdateValue: Any
        compareOrderingVal: Any
        getIndexedRecord: Any
        getInsertValue: Any
        getMetadata: Any
        getOrderingVal: Any
        getOrderingValue: Any
        getPartitionPath: Any
        getRecord: Any
        getRecordBytes: Any
        getRowKey: Any
        isDeleteRecord: Any
        isDeleted: Any
        isDeletedRecord: Any
        isEmptyRecord: Any
        mergeDisorderRecordsWithMetadata: Any
        mergeRecords: Any
        needUpdatingPersistedRecord: Any
        orderingVal: Any
        overwriteField: Any
        preCombine: Any
        recordBytes: Any
        setField: Any
        shouldPickCurrentRecord: Any

    def __init_subclass__(cls, *, heads_family: bool = False) -> None:
        """Make `cls` the family of itself and its subclasses if `heads_family` is set.

        A class of Hudi gets Java's names and keeps a rule that it states itself, a user's class gets the calls of the
        methods that it overrides.
        """
        super().__init_subclass__()
        if heads_family:
            cls.family = cls
        if _Shipped.sealed and (cls.unbound or cls) not in _Shipped.classes:
            Extension(cls, _Shipped.classes).link()
        elif cls.unbound is None:
            _Shipped.classes.add(cls)
            spell_in_java(cls)
            keep_own_rule(cls)

    @classmethod
    def rule(cls, point: Point, schema: AvroSchema, props: Props) -> MergeRule | None:
        """Return what the class does with two versions, as a value; None where it has to be called.

        It is that of `pre_combine` in a batch, of `combine_and_get_update_value` with a stored row, and of
        `get_insert_value` for a key without one, called with these properties and before anything else.

        Args:
            point: where the versions meet.
            schema: that of the records.
            props: what the merge point passes.
        """
        return None

    def check_family(self, older: HoodieRecordPayload) -> None:
        """Check that `pre_combine` may see `older`.

        Raises:
            PayloadFamilyError: `older` belongs to another family.
        """
        if not isinstance(older, self.family):
            raise PayloadFamilyError.from_classes(type(self), type(older))

    # -- what users' classes override or call

    @classmethod
    def is_shipped(cls) -> bool:
        """Whether the class is one of Hudi's, bound to a release or not; a subclass of one is not."""
        return (cls.unbound or cls) in _Shipped.classes

    @classmethod
    def missing_base(cls) -> type[BuiltinPayload] | None:
        """Return the Hudi class that this class extends but its release does not ship."""
        extended: list[Any] = [kind for kind in cls.__mro__ if kind in _Shipped.classes]
        return next((kind for kind in extended if cls.release not in kind.shipped), None)

    @classmethod
    def passed_over(cls) -> dict[str, Callable[..., Any]]:
        """Return the methods that a merge point calls although the class has another overload of the name."""
        return Extension(cls, _Shipped.classes).passed_over()

    @classmethod
    def unused_methods(cls) -> Iterator[str]:
        """Describe each method that looks like one of Hudi's and that nothing calls in the release of the class."""
        return unused_methods(Extension(cls, _Shipped.classes))

    @staticmethod
    def _java_copy(record: Record, _schema: AvroSchema) -> Record:
        return copy.deepcopy(record)

    def _java_insert(self, schema: AvroSchema) -> Record | Sentinel | None:
        """Call Java's `getInsertValue(schema)`, the overload without properties."""
        return self.get_insert_value(schema)

    def _java_read(self, schema: AvroSchema) -> Record | None:
        """Return the record; an object of a user's class gets a copy where Hudi decodes it anew."""
        return self.record

    def _java_is_empty(self) -> bool:
        """Whether there is no record."""
        return self.record is None

    def _java_bytes(self, name: str) -> bytes:
        if self.record is None:
            return b""
        schema: AvroSchema | None = getattr(self, "call_schema", None)
        if schema is None:
            msg = (
                f"{type(self).__name__}.{name}: the record's schema is unknown outside a call that passes one, for "
                "example in the constructor; encode the record with payloads.avro.encode(schema, record)"
            )
            raise PayloadConfigError(msg)
        return encode(schema, to_physical(self.record, schema) if self.logical_types else self.record)

    def _java_schema(self, name: str) -> AvroSchema:
        schema: AvroSchema | None = getattr(self, "call_schema", None)
        if schema is None:
            msg = f"{type(self).__name__}.{name} needs a schema; call it from a method that receives one"
            raise PayloadConfigError(msg)
        return schema

    @classmethod
    def _java_check_known(cls, name: str, since: str) -> None:
        """Check that the method is there.

        Raises:
            UnsupportedPayloadOperationError: the release is older.
        """
        if cls.release not in releases(since=since):
            msg = f"{cls.__name__} has no {name} in Hudi {cls.release}, only from {since} on; don't call it there"
            raise UnsupportedPayloadOperationError(msg)


class _Shipped:
    """Which classes are Hudi's: those made before the package is complete."""

    classes: ClassVar[set[Any]] = {BuiltinPayload}
    sealed: ClassVar[bool] = False


def seal() -> None:
    """Treat every class from now on as a user's."""
    _Shipped.sealed = True


class BaseAvroPayload(BuiltinPayload):
    """A record, its ordering value, and whether the record is marked as a delete.

    Attributes:
        flagged: whether there is no record, or it marked itself as a delete when the payload was built
            (Java: `isDeletedRecord`).
    """

    __slots__ = ("flagged",)

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        """Decide the delete flag, then check the ordering value, in this order.

        Raises:
            NullOrderingError: `ordering_value` is None, Java's null.
        """
        self.record = record
        self.flagged = record is None or self._java_is_delete_record(record)
        if ordering_value is None:
            msg = (
                f"{type(self).__name__}: the ordering value is null for the record {record}; "
                "fill the ordering field before the write"
            )
            raise NullOrderingError(msg)
        self.ordering_value = ordering_value

    def is_delete_record(self, record: Record) -> bool:
        """Whether the record marks itself as a delete: boolean true in the top-level `_hoodie_is_deleted`."""
        return record.get(IS_DELETED) is True

    _java_is_delete_record = is_delete_record

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Whether the record was null or marked when the payload was built."""
        return self.flagged

    def get_indexed_record(self, schema: AvroSchema, props: Props | None = None) -> Record | None:
        """Return the record even when it marks a delete; None only without a record."""
        return self._java_read(schema)

    #: Whether `pre_combine` asks the older payload for its ordering value, in place of looking at it.
    asks_for_ordering: ClassVar[bool] = False

    def _greater_ordering_wins(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Keep the version with the greater ordering value; ties and empty older versions go to the newer one."""
        self.check_family(older)
        if older.is_extended:  # type: ignore[attr-defined]
            return self._later_of(older)
        return older if older.record is not None and older.ordering_value > self.ordering_value else self

    def _later_of(self, older: Value) -> HoodieRecordPayload:
        """Return the later one of this payload and one of a user's class, which may override what is asked here."""
        if older._java_is_empty():  # noqa: SLF001 (of the same family)
            return self
        theirs = older.get_ordering_value() if self.asks_for_ordering else older.ordering_value
        return older if theirs > self.ordering_value else self

    # -- what Java's subclasses see

    @property
    def ordering_val(self) -> Ordering:
        """The ordering value (Java: the field `orderingVal`)."""
        return self.ordering_value

    @ordering_val.setter
    def ordering_val(self, value: Ordering) -> None:
        self.ordering_value = value

    def get_ordering_val(self) -> Ordering:
        """Return the ordering value."""
        return self.ordering_value

    @property
    def is_deleted_record(self) -> bool:
        """Whether the record was null or marked as a delete (Java: the field `isDeletedRecord`)."""
        return self.flagged

    @is_deleted_record.setter
    def is_deleted_record(self, value: bool) -> None:
        self.flagged = value

    @property
    def record_bytes(self) -> bytes:
        """The record in Avro's binary coding, empty without a record (Java: the field `recordBytes`, until 1.0).

        Raises:
            UnsupportedPayloadOperationError: from 1.1 on, where the field is private.
            PayloadConfigError: no call has passed the schema yet.
        """
        if self.release in releases(since="1.1"):
            msg = f"recordBytes of BaseAvroPayload is private in Hudi {self.release}; call getRecordBytes()"
            raise UnsupportedPayloadOperationError(msg)
        return self._java_bytes("recordBytes")

    def get_record_bytes(self) -> bytes:
        """Return the record in Avro's binary coding, empty without a record; from 1.0 on.

        Raises:
            UnsupportedPayloadOperationError: the release has no such method.
            PayloadConfigError: no call has passed the schema yet.
        """
        self._java_check_known("getRecordBytes", "1.0")
        return self._java_bytes("getRecordBytes")

    def get_record(self, schema: AvroSchema) -> Record | None:
        """Return the record, None without one; from 1.1 on.

        Raises:
            UnsupportedPayloadOperationError: the release has no such method.
        """
        self._java_check_known("getRecord", "1.1")
        return self.record

    def is_empty_record(self) -> bool:
        """Whether there is no record; from 1.1 on.

        Raises:
            UnsupportedPayloadOperationError: the release has no such method.
        """
        self._java_check_known("isEmptyRecord", "1.1")
        return self.record is None
