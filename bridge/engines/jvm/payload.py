"""JvmPayload: a compiled payload class as an ordinary payload of the library, run in a JVM.

A payload is built by a call of its own where its schema is stated, else by the first call.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, ClassVar

from bridge.config import capabilities
from bridge.engines.jvm.calls import ordering_of
from bridge.engines.jvm.errors import checked
from bridge.engines.jvm.jars import java_name_of
from bridge.merge import ShuffledPayload
from bridge.spark import META_COLUMNS, with_meta
from payloads import (
    NATURAL_ORDER,
    SENTINEL,
    HoodieRecordPayload,
    HudiRelease,
    Ordering,
    PayloadBridgeError,
    PayloadFailedError,
    PayloadFamilyError,
)
from payloads.user import EditedRecord, copied, same_record

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from typing_extensions import Self

    from bridge.engines.jvm.answers import JavaAnswer
    from bridge.engines.jvm.calls import CallStep, ClassCalls
    from payloads import AvroSchema, PayloadRef, Record
    from payloads.api import Props, Sentinel


class JvmPayload(ShuffledPayload):
    """A version carried by an object of a compiled class; `payload_of` makes one subclass for each class.

    Without `for_schema` a payload is built by its first call, whose schema is that of the record; a failing constructor
    raises then.

    Attributes:
        java_name: the full name of the compiled class.
        calls: what runs it.
        of_release: gives the class of the same name in the jars of a release.
        schema: the schema of the records that payloads are built from, where `for_schema` states one.
        is_built_shuffled: whether objects go through a shuffle as soon as they are built.
        is_written: whether objects are those of a writer from 1.1 on, which has shuffled them.
        is_merged: whether their records are what merges of such a writer have made, in a class of Hudi's own.
        number: that of this payload in Java.
        is_built: whether the object exists already.
    """

    java_name: ClassVar[str]
    calls: ClassVar[ClassCalls]
    of_release: ClassVar[Callable[[HudiRelease], type[JvmPayload]]]
    schema: ClassVar[AvroSchema | None] = None
    is_built_shuffled: ClassVar[bool] = False
    is_written: ClassVar[bool] = False
    is_merged: ClassVar[bool] = False

    def __init__(self, record: Record | None, ordering_value: Ordering | None = NATURAL_ORDER) -> None:
        super().__init__(record, ordering_value)  # type: ignore[arg-type]  # the compiled class decides about null
        self.number = self.calls.number_for(self)
        self.is_built = False
        if record is None or self.schema is not None:
            # Now, as a constructor that fails has to fail at the merge point that calls it.
            checked(self.calls.run([self._make(None)])[0], self.java_name)
            self.is_built = True

    @classmethod
    def for_schema(cls, schema: AvroSchema) -> type[Self]:
        """Return this class for records of `schema`."""
        return type(cls.__name__, (cls,), {"schema": schema})

    @classmethod
    def for_writer(cls) -> type[Self]:
        """Return this class for payloads that a writer has shuffled: from 1.1 on they lose the fields of the class."""
        return type(cls.__name__, (cls,), {"is_written": True})

    @classmethod
    def for_merged(cls) -> type[Self]:
        """Return this class for payloads that a writer from 1.1 on builds of what two rows of a batch merged to."""
        return type(cls.__name__, (cls,), {"is_written": True, "is_merged": True})

    @classmethod
    def for_release(cls, release: str | HudiRelease) -> type[Self]:
        """Return the class of the same name in the jars of `release`."""
        wanted = HudiRelease.parse(release)
        return cls if wanted == cls.release else cls.of_release(wanted)  # type: ignore[return-value]

    @classmethod
    def as_shuffled(cls) -> type[Self]:
        """Return this class for objects that go through a shuffle as soon as they are built."""
        if not _is_changed(cls.calls, cls.java_name):
            return cls
        return type(cls.__name__, (cls,), {"is_built_shuffled": True})

    @classmethod
    def gives_own_record(cls) -> bool:
        """Whether getIndexedRecord is BaseAvroPayload's, and gives the very record that an object was built of."""
        return _gives_own_record(cls.calls, cls.java_name)

    def shuffled(self) -> Self:
        """Return the object as Spark's Kryo writes and reads it: its transient fields are null.

        Raises:
            PayloadFailedError: Kryo can't write it, or read it.
        """
        if not _is_changed(self.calls, self.java_name):
            return self
        twin = type(self).__new__(type(self))
        twin.record, twin.ordering_value, twin.is_built = self.record, self.ordering_value, True
        twin.number = self.calls.number_for(twin)
        self._ask({"op": "shuffled", "as": twin.number}, None)
        return twin

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        twin = type(self).__new__(type(self))
        twin.record = None if self.record is None else copied(self.record)
        twin.ordering_value, twin.is_built = self.ordering_value, self.is_built
        twin.number = self.calls.number_for(twin)
        if self.is_built:
            self._ask({"op": "copy", "as": twin.number}, None)
        return twin

    def state_key(self) -> Hashable:
        """Return the state of the object as a shuffle would write it; None if it has no such form."""
        try:
            return self.java_name, str(self._ask({"op": "state"}, None)["value"])
        except PayloadBridgeError:
            return None

    # -- the payload

    def pre_combine(
        self,
        older: HoodieRecordPayload,
        schema: AvroSchema | None = None,
        props: Props | None = None,
    ) -> HoodieRecordPayload:
        """Let the two objects combine.

        Raises:
            PayloadFamilyError: `older` is not a compiled payload of the same jars.
        """
        if not isinstance(older, JvmPayload) or older.calls is not self.calls:
            raise PayloadFamilyError.from_classes(type(self), type(older))
        new = type(self).__new__(type(self))
        number = self.calls.number_for(new)
        step = {"op": "pre_combine", "older": older.number, "as": number, **self.calls.call_fields(schema, props)}
        answer = self._ask(step, schema, older)
        if answer["winner"] == "null":
            msg = f"{self.java_name}.preCombine returned null; it must return one of the payloads or a new one"
            raise PayloadFailedError(msg)
        if answer["winner"] != "new":
            return self if answer["winner"] == "self" else older
        known = schema or self.schema
        new.number, new.is_built = number, True
        data, ordering = self.calls.run(
            [{"op": "data", "id": number, "schema": self.calls.schema_number(known)}, {"op": "ordering", "id": number}]
        )
        new.record = self.calls.record_of(checked(data, self.java_name))
        new.ordering_value = ordering_of(checked(ordering, self.java_name))  # type: ignore[assignment]
        return new

    def combine_and_get_update_value(
        self, current: Record, schema: AvroSchema, props: Props | None = None
    ) -> Record | Sentinel | None:
        """Let the object merge with `current`, which is of `schema` or has Hudi's meta columns in front."""
        stored = self.calls.stored(_stored_schema(current, schema), current)
        return self._answered(
            self._ask({"op": "combine", **stored, **self.calls.call_fields(schema, props)}, schema), current
        )

    def get_insert_value(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the row to insert."""
        return self._answered(self._ask({"op": "insert_value", **self.calls.call_fields(schema, props)}, schema), None)

    def get_indexed_record(self, schema: AvroSchema, props: Props | None = None) -> Record | Sentinel | None:
        """Return the record without any delete rule from 1.1 on; before that the insert value."""
        if not capabilities(self.release).indexed_records:
            return self.get_insert_value(schema, props)
        return self._answered(
            self._ask({"op": "indexed_record", **self.calls.call_fields(schema, props or {})}, schema), None
        )

    def is_deleted(self, schema: AvroSchema, props: Props | None = None) -> bool:
        """Return, as Hudi does, `isDeleted` of a BaseAvroPayload, else whether there is no insert value."""
        return bool(self._ask({"op": "is_deleted", **self.calls.call_fields(schema, props or {})}, schema)["value"])

    def can_produce_sentinel(self) -> bool:
        """Return whether the object may return SENTINEL."""
        return bool(self._ask({"op": "can_produce_sentinel"}, None)["value"])

    def get_ordering_value(self) -> Ordering:
        """Return the ordering value of the object."""
        return ordering_of(self._ask({"op": "ordering"}, None))  # type: ignore[return-value]

    def get_metadata(self) -> dict[str, str] | None:
        """Return the metadata of the object."""
        found = self._ask({"op": "metadata"}, None)["value"]
        return found if isinstance(found, dict) else None

    # -- asking

    def _ask(self, step: CallStep, schema: AvroSchema | None, *others: JvmPayload) -> JavaAnswer:
        """Run a step, after building what is not built yet; return the result of the step."""
        new = [payload for payload in (self, *others) if not payload.is_built]
        steps = [payload._make(schema) for payload in new]
        answers = self.calls.run([*steps, {"id": self.number, **step}])
        for payload, answer in zip(new, answers, strict=False):
            checked(answer, payload.java_name)
            payload.is_built = True
        return checked(answers[-1], self.java_name)

    def _make(self, schema: AvroSchema | None) -> CallStep:
        known = self.schema or schema
        step = self.calls.make_step(
            self.number, self.java_name, _written(self.record, known), self.ordering_value, known
        )
        step = {**step, "written": True} if self.is_written else step
        step = {**step, "of_merge": True} if self.is_merged else step
        return {**step, "shuffled": True} if self.is_built_shuffled else step

    def _answered(self, answer: JavaAnswer, current: Record | None) -> Record | Sentinel | None:
        if answer["outcome"] == "empty":
            return None
        record = self.calls.record_of(answer)
        if answer["outcome"] == "sentinel":
            return SENTINEL if record is None or current is None or same_record(current, record) else _edited(record)
        # A class that decodes its record anew answers an equal one, which is its own for those who insert it.
        of = "own" if current is None else answer["winner"]
        given = {"current": current, "own": self.record}.get(of)
        if given is None or record is None:
            return record
        if same_record(given, record) or (of == "own" and same_record(_written(given, self.schema) or {}, record)):
            return given
        if answer["winner"] == "new":
            return record
        return _edited(record, is_current=given is current)


@functools.lru_cache(maxsize=64)
def _is_changed(calls: ClassCalls, java_name: str) -> bool:
    """Whether a shuffle may change objects of a class."""
    return bool(checked(calls.run([{"op": "is_changed_by_shuffle", "class": java_name}])[0], java_name)["value"])


@functools.lru_cache(maxsize=64)
def _gives_own_record(calls: ClassCalls, java_name: str) -> bool:
    """Whether a merge gets the record of a class without asking for it."""
    return bool(checked(calls.run([{"op": "gives_own_record", "class": java_name}])[0], java_name)["value"])


def _edited(record: Record, *, is_current: bool = True) -> EditedRecord:
    edited = EditedRecord(record)
    edited.is_current = is_current
    return edited


def payload_of(
    payload: PayloadRef, release: HudiRelease, calls: ClassCalls, of_release: Callable[[HudiRelease], type[JvmPayload]]
) -> type[JvmPayload]:
    """Return the class of a compiled payload that `calls` runs; `of_release` gives that of another release."""
    name = java_name_of(payload, release)
    namespace = {
        "java_name": name,
        "calls": calls,
        "of_release": staticmethod(of_release),
        "release": release,
        "__doc__": f"The compiled class {name}.",
    }
    return type(re.split(r"[.$]", name)[-1], (JvmPayload,), namespace)


def _written(record: Record | None, schema: AvroSchema | None) -> Record | None:
    """Return a record as writers build payloads of it, without the meta columns that a merge may have left in it."""
    if record is None or schema is None or META_COLUMNS[0] not in record or META_COLUMNS[0] in schema.by_name:
        return record
    return {name: record[name] for name in schema.by_name}


def _stored_schema(record: Record, schema: AvroSchema) -> AvroSchema:
    has_meta = META_COLUMNS[0] in record and META_COLUMNS[0] not in schema.by_name
    return with_meta(schema) if has_meta else schema
