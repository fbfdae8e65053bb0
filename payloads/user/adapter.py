"""An object of a user's class as a payload: what its code sees, and how its results and errors are handled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from payloads.api import SENTINEL, HoodieRecordPayload, Sentinel
from payloads.avro import same_record, to_logical
from payloads.errors import NullOrderingError, PayloadBridgeError, PayloadConfigError, PayloadFailedError, SchemaError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.ordering_fields import as_ordering
from payloads.release import by_release
from payloads.user.absent_fields import completed
from payloads.user.bound import Adapt, adapter_of, for_schema, restored
from payloads.user.by_rule import RulePayload
from payloads.user.copies import EditedRecord, copied, copier, deep_copied, kept
from payloads.user.pair_calls import UserCalls, declares_sentinel, user_calls
from payloads.user.raised import failure_of, shown

if TYPE_CHECKING:
    from typing_extensions import Self

    from payloads.api import Props
    from payloads.avro import AvroSchema, Record
    from payloads.release import HudiRelease
    from payloads.user.overloads import MethodCall


class PayloadAdapter(HoodieRecordPayload):
    """An object of a user's class as a payload. `adapt` makes one subclass for each user's class and release.

    The user's code sees its own objects only: `pre_combine` gets the other side unwrapped, and what it returns is
    wrapped again, or is one of the two adapters if it is one of their objects. Methods that the class does not
    define behave as in Java's interface: no metadata, ordering Integer 0 (the ordering value given, if it inherits
    ours), the insert value as indexed record, a delete if there is no insert value, and no SENTINEL to insert.

    With `logical_types` the user's constructor can't run before the schema is known: `for_schema` states it, else the
    first call that has a schema does. Whatever the user's code raises becomes a PayloadFailedError.

    Attributes:
        record: what the constructor got.
        wrapped: the object of the user's class.
        user_class: the user's class.
        target: the class that is constructed: the user's, bound to the release where it inherits ours.
        calls: how to call the methods that it defines.
        construct: how to call its constructor.
        adapt: what makes the adapter of a class for a release.
        knowing: gives what changes where the schema of all records is known.
        schema: the schema of the records that objects with logical types are built from, where `for_schema` states it.
        copy: what copies the records that objects are built from.
        asks_for_deletes: whether Hudi knows isDeleted and canProduceSentinel.
    """

    user_class: ClassVar[type]
    target: ClassVar[type]
    calls: ClassVar[Mapping[str, MethodCall]]
    construct: ClassVar[MethodCall]
    adapt: ClassVar[Adapt]
    knowing: ClassVar[Callable[[AvroSchema], Mapping[str, object]]]
    schema: ClassVar[AvroSchema | None] = None
    copy: Callable[[Record], Record] = staticmethod(copied)
    asks_for_deletes = by_release(False, since={"0.13": True})
    reads_by_position = by_release(False, since={"1.1": True})
    completed = classmethod(completed)

    _object: Any = None
    _untouched: Record | None = None  # `record` as the user's constructor sees it, for comparison
    _given: Record | None = None  # the copy of it that the user's code holds
    _schema: AvroSchema | None = None

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        """Build the user's object, unless its record needs a schema that is not known yet.

        Raises:
            PayloadFailedError: the user's constructor raised.
        """
        self.record = record
        self.ordering_value = ordering_value  # type: ignore[assignment]  # the user's class decides about null
        if self.schema is not None or not self.logical_types:
            self._build(self.schema)

    @classmethod
    def for_schema(cls, schema: AvroSchema) -> type[Self]:
        """Return this class for records of `schema`, so that a constructor sees logical values at once."""
        return schema.derived(for_schema, cls)  # type: ignore[no-any-return]

    @classmethod
    def for_release(cls, release: str | HudiRelease) -> type[Self]:
        """Return the adapter of the same class and schema for `release`."""
        return adapter_of(cls.adapt, cls.user_class, release, cls.schema)  # type: ignore[no-any-return]

    @property
    def wrapped(self) -> Any:
        """The object of the user's class.

        Raises:
            PayloadConfigError: it is not built yet, because its schema is not known.
        """
        if self._object is None:
            msg = (
                f"{self.user_class.__qualname__} wants logical types, but no schema is known yet; "
                "build payloads with for_schema(schema), or pass the schema"
            )
            raise PayloadConfigError(msg)
        return self._object

    # -- the payload

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Let the user's objects combine; a result that is not a payload raises PayloadFailedError."""
        own = self.opened(schema)
        theirs = older.opened(schema) if isinstance(older, PayloadAdapter) else older
        result = self._call("pre_combine", theirs, schema, props)
        if result is own or result is theirs:
            return self if result is own else older
        return self.combined(result, schema or self._schema)

    def combine_and_get_update_value(
        self,
        current: Record,
        schema: AvroSchema,
        props: Props | None = None,
    ) -> Record | Sentinel | None:
        """Let the user's object merge with a copy of `current`; `current` itself comes back where nothing changed.

        SENTINEL keeps `current` as the user's object left it: a copy that it changed comes back.

        Raises:
            PayloadFailedError: the user's code raised, or returned something other than a record.
        """
        own = self.opened(schema) if self._object is None or self.keeps_schema else self._object
        untouched = to_logical(current, schema) if self.logical_types else current
        given = copier(schema)(untouched)
        try:  # as `_call` does, but this call happens for each merge
            result = self.calls["combine_and_get_update_value"].apply(own, given, schema, props)
        except PayloadBridgeError:
            raise
        except BaseException as error:
            raise self.failed(error, "combine_and_get_update_value", self.record) from error
        if result is not given and result is not SENTINEL:  # for these Hudi keeps the very object that it lent
            return self._taken_back("combine_and_get_update_value", result, schema)
        if same_record(given, untouched):
            return SENTINEL if result is SENTINEL else current
        edited = EditedRecord(self.returned("combine_and_get_update_value", given, self._logical(schema)))  # type: ignore[arg-type]  # a record
        edited.is_current = True
        return edited

    @classmethod
    def combined(cls, result: object, schema: AvroSchema | None) -> HoodieRecordPayload:
        """Return a payload that the user's `pre_combine` made; anything else raises PayloadFailedError."""
        if isinstance(result, cls.user_class):
            return cls._wrap(result, schema)
        if isinstance(result, HoodieRecordPayload):
            return result
        raise cls._wrong(result, "pre_combine", "self, the older payload or a new one")

    @classmethod
    def gives_ordering(cls) -> bool:
        """Whether an object may give another ordering value than Integer 0."""
        return "get_ordering_value" in cls.calls or issubclass(cls.target, HoodieRecordPayload)

    @classmethod
    def user_calls(cls, schema: AvroSchema, props: Props) -> UserCalls | None:
        """Return calls that do what constructor and methods do, faster than by adapters; None with logical types."""
        return None if cls.logical_types else user_calls(cls, schema, props)

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the user's insert value."""
        return self._record_of("get_insert_value", schema, props)

    def get_indexed_record(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the user's indexed record, else the insert value."""
        name = "get_indexed_record" if "get_indexed_record" in self.calls else "get_insert_value"
        return self._record_of(name, schema, props)

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Return the user's result, else whether there is no insert value, as where Hudi lacks the method."""
        if "is_deleted" not in self.calls or not self.asks_for_deletes:
            return self.get_insert_value(schema, props) is None
        self.opened(schema)
        return bool(self._call("is_deleted", schema, props))

    def can_produce_sentinel(self) -> bool:
        """Return the user's result, else what Hudi assumes: False."""
        return declares_sentinel(type(self), self.wrapped)

    def get_ordering_value(self) -> Ordering:
        """Return the user's result as an `Ordering`, else what Java's interface gives.

        A plain value has the type of the ordering value that the payload was built with, where that is of the same
        Python type; else an int is a `long` (0: natural order), a str a `string`.

        Raises:
            NullOrderingError: the user's class returned None.
        """
        if "get_ordering_value" not in self.calls:
            if not issubclass(self.target, HoodieRecordPayload):
                return NATURAL_ORDER
            inherited: Ordering = getattr(self._object, "ordering_value", self.ordering_value)
            return inherited
        value = self._call("get_ordering_value")
        if value is None:
            msg = f"{self._label('get_ordering_value')} returned None; fill the ordering field before the write"
            raise NullOrderingError(msg)
        ordering = as_ordering(value, self.ordering_value)
        if ordering is None:
            raise self._wrong(value, "get_ordering_value", "an Ordering, or a plain number or text")
        return ordering

    def get_metadata(self) -> dict[str, str] | None:
        """Return the user's metadata, else None."""
        result = self._call("get_metadata") if "get_metadata" in self.calls else None
        if result is not None and not isinstance(result, Mapping):
            raise self._wrong(result, "get_metadata", "a dict of texts or None")
        return None if result is None else dict(result)

    def __reduce__(self) -> tuple[object, ...]:
        # A generated class has no importable name: travel as the user's class, the release and the schema.
        return restored, (type(self).adapt, self.user_class, self.release, self.schema), self.__dict__

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        if issubclass(self.target, RulePayload):
            twin.__dict__ |= self.__dict__
        else:
            twin.__dict__ |= {name: deep_copied(value, memo) for name, value in self.__dict__.items()}
        return twin

    # -- the user's object

    def opened(self, schema: AvroSchema | None) -> Any:
        """Return the user's object, built now if it was waiting for a schema."""
        if schema is not None:
            if self._object is None:
                self._build(schema)
            if self.keeps_schema:
                self._object.call_schema = schema
        return self.wrapped

    def _build(self, schema: AvroSchema | None) -> None:
        self._schema = schema
        if self.record is not None:
            self._untouched = to_logical(self.record, schema) if self.logical_types and schema else self.record
            self._given = self.copy(self._untouched)
        try:
            self._object = self.construct.apply(self.target, self._given, self.ordering_value)
        except PayloadBridgeError:
            raise
        except BaseException as error:
            raise self.failed(error, "__init__", self.record) from error

    @classmethod
    def _wrap(cls, made: Any, known: AvroSchema | None) -> PayloadAdapter:
        """Return an adapter of `made`, an object that the user's code built itself."""
        if type(made) is cls.user_class is not cls.target:
            made.__class__ = cls.target  # named by its own name, a class that inherits ours is bound to no release
        if cls.keeps_schema:
            made.call_schema = known
        adapter = cls.__new__(cls)
        record, ordering_value = (getattr(made, name, None) for name in ("record", "ordering_value"))
        adapter.__dict__ |= {
            "record": kept(record, cls._logical(known)) if isinstance(record, dict) else None,
            "ordering_value": ordering_value if isinstance(ordering_value, Ordering) else NATURAL_ORDER,
        }
        adapter.__dict__ |= {"_object": made, "_schema": known}
        return adapter

    # -- calls

    @classmethod
    def _label(cls, name: str) -> str:
        spelled = cls.calls[name].attribute if name in cls.calls else name
        return f"{cls.user_class.__qualname__}.{spelled}"

    def _call(self, name: str, *arguments: object) -> object:
        try:
            return self.calls[name].apply(self.wrapped, *arguments)
        except PayloadBridgeError:
            raise
        except BaseException as error:
            raise self.failed(error, name, self.record) from error

    @classmethod
    def failed(cls, error: BaseException, name: str, record: Record | None) -> PayloadFailedError:
        """Return the error to raise where the method `name` raised `error`; Ctrl-C of the user is raised here."""
        return failure_of(error, cls._label(name), record)

    @classmethod
    def _wrong(cls, result: object, name: str, wanted: str) -> PayloadFailedError:
        return PayloadFailedError(
            f"{cls._label(name)} returned {shown(result)} ({type(result).__name__}); return {wanted}"
        )

    # -- records out and in

    @classmethod
    def _logical(cls, schema: AvroSchema | None) -> AvroSchema | None:
        return schema if cls.logical_types else None

    def _record_of(self, name: str, schema: AvroSchema, props: Props | None) -> Record | Sentinel | None:
        self.opened(schema)
        return self._taken_back(name, self._call(name, schema, props), schema)

    def _taken_back(self, name: str, result: object, schema: AvroSchema) -> Record | Sentinel | None:
        """Return a result for the engine: `record` itself if its copy came back as it was, else a new record."""
        is_given = result is not None and result is self._given
        may_be = is_given or (self.decodes_anew and isinstance(result, dict) and self._untouched is not None)
        if may_be and same_record(result, self._untouched):  # type: ignore[arg-type]  # set with `_given`
            return self.record
        result = type(self).completed(name, result, schema)  # type: ignore[arg-type]  # bound to the class
        returned = self.returned(name, result, self._logical((is_given and self._schema) or schema))
        return EditedRecord(returned) if is_given else returned  # type: ignore[arg-type]  # a record

    @classmethod
    def returned(cls, name: str, result: object, schema: AvroSchema | None) -> Record | Sentinel | None:
        """Return a result that is not one of the given records, in physical values of the logical `schema`."""
        if result is None or result is SENTINEL:
            return result
        if not isinstance(result, dict):
            raise cls._wrong(result, name, "a record (dict), None to delete the row or SENTINEL to leave it")
        try:
            return kept(result, schema)
        except SchemaError as error:
            msg = f"{cls._label(name)} returned a record that doesn't fit: {error}"
            raise SchemaError(msg) from error
