"""Merging many pairs of records with a user's class, without an adapter for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from payloads.api import SENTINEL
from payloads.errors import PayloadBridgeError, PayloadFailedError
from payloads.user.copies import comparer, copier

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from payloads.api import Props, Sentinel
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering
    from payloads.user.overloads import MethodCall

    Built = tuple[Any, Record]
    """An object of the user's class, and the copy of the record that it holds."""
    Merge = Callable[[Built, Record | None, Record], Record | Sentinel | None]

COMBINE = "combine_and_get_update_value"


class PairCalls(NamedTuple):
    """How a payload class is called for many pairs of records.

    Attributes:
        build: turns a record and its ordering value into what `merge` takes.
        merge: merges what `build` made of a record, and that record, with a stored one; returns what
            `combine_and_get_update_value` does, and one of the two records themselves where it is the result.
    """

    build: Callable[[Record, Ordering | None], Any]
    merge: Callable[[Any, Record, Record], Record | Sentinel | None]


class UserCalls(NamedTuple):
    """How a user's class is called for many records; what `build` makes of one is `built`.

    Attributes:
        build: as in `PairCalls`.
        merge: as in `PairCalls`.
        merge_lent: the same where a reader on Spark lends the records (from 1.1 on): one that the class changed and
            handed back counts as the row that it was made from.
        is_deleted: does what `is_deleted` does.
        insert_value: does what `get_insert_value` does; returns the record itself where it is the result.
        pre_combine: does what `pre_combine` does with what was built of a newer and an older record; returns one of the
            two, or the new payload.
        declares_sentinel: does what `can_produce_sentinel` does.
    """

    build: Callable[[Record | None, Ordering | None], Any]
    merge: Callable[[Any, Record | None, Record], Record | Sentinel | None]
    merge_lent: Callable[[Any, Record, Record], Record | Sentinel | None]
    is_deleted: Callable[[Any, Record], bool]
    insert_value: Callable[[Any, Record], Record | Sentinel | None]
    pre_combine: Callable[[Any, Any, Record], Any]
    declares_sentinel: Callable[[Any], bool]

    @property
    def pair(self) -> PairCalls:
        """The calls for a stored row and a newer one, as payload writers use them."""
        return PairCalls(self.build, self.merge)


class UserClass(Protocol):
    """What is known of a user's class: how to call it, and what its results and errors become."""

    target: type
    keeps_schema: bool
    decodes_anew: bool
    asks_for_deletes: bool
    calls: Mapping[str, MethodCall]
    construct: MethodCall

    def copy(self, record: Record, /) -> Record:
        """Copy a record for the constructor."""

    def failed(self, error: BaseException, name: str, record: Record | None) -> PayloadFailedError:
        """Return the error to raise where the method `name` raised `error`."""

    def combined(self, result: object, schema: AvroSchema | None) -> Any:
        """Return what `pre_combine` returned, none of its two objects, as a payload."""

    def returned(self, name: str, result: object, schema: AvroSchema | None) -> Record | Sentinel | None:
        """Check and copy what the method `name` returned."""

    def completed(self, name: str, result: object, schema: AvroSchema) -> Any:
        """Return what the method `name` returned with null in the columns that it lacks."""


def user_calls(user: UserClass, schema: AvroSchema, props: Props) -> UserCalls:
    """Return calls that do what the constructor and the methods do, in physical values."""
    copy_own, construct, target = user.copy, _guarded(user, "__init__", user.construct.apply), user.target

    def build(record: Record | None, ordering: Ordering | None) -> Built:
        given: Any = None if record is None else copy_own(record)
        return construct(record, target, given, ordering), given

    def build_knowing(record: Record | None, ordering: Ordering | None) -> Built:
        built, given = build(record, ordering)
        built.call_schema = schema
        return built, given

    of_class = user, schema, props
    return UserCalls(
        build_knowing if user.keeps_schema else build,
        _merge(*of_class),
        _merge_lent(*of_class),
        *_inserts(*of_class),
        pre_combine=_pre_combine(*of_class),
        declares_sentinel=lambda built: declares_sentinel(user, built[0]),
    )


def declares_sentinel(user: UserClass, made: object) -> bool:
    """Whether a writer looks for SENTINEL in the insert value of an object: of any class where Hudi knows no better."""
    declared = user.calls.get("can_produce_sentinel")
    return not user.asks_for_deletes or (declared is not None and bool(declared.apply(made)))


def _guarded(user: UserClass, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """Return `call`, given the record that an error of the class is reported with, and then its own arguments."""

    def guarded(record: Record, *arguments: object) -> object:
        try:
            return call(*arguments)
        except PayloadBridgeError:
            raise
        except BaseException as error:
            raise user.failed(error, name, record) from error

    return guarded


def _returned(user: UserClass, schema: AvroSchema, name: str) -> Callable[[Any], Record | Sentinel | None]:
    """Return what checks, copies and completes what the method `name` returned."""
    completed, returned = user.completed, user.returned
    return lambda result: returned(name, completed(name, result, schema), None)


def _pre_combine(user: UserClass, schema: AvroSchema, props: Props) -> Callable[[Built, Built, Record], Any]:
    call = _guarded(user, "pre_combine", user.calls["pre_combine"].apply)

    def pre_combine(newer: Built, older: Built, record: Record) -> Any:
        own, theirs = newer[0], older[0]
        result = call(record, own, theirs, schema, props)
        if result is own:
            return newer
        return older if result is theirs else user.combined(result, schema)

    return pre_combine


def _merge(user: UserClass, schema: AvroSchema, props: Props) -> Merge:
    copy_stored, is_same, decodes = copier(schema), comparer(schema), user.decodes_anew
    combine, returned = _guarded(user, COMBINE, user.calls[COMBINE].apply), _returned(user, schema, COMBINE)

    def merge(built: Built, record: Record | None, current: Record) -> Record | Sentinel | None:
        own, given = built
        lent = copy_stored(current)
        result = combine(record, own, lent, schema, props)
        if result is lent or result is SENTINEL:  # Hudi keeps the very object that it lent
            if is_same(lent, current):
                return current
            result = lent
        may_be = result is given or (decodes and isinstance(result, dict))
        if record is not None and may_be and is_same(result, record):
            return record
        return returned(result)

    return merge


def _merge_lent(user: UserClass, schema: AvroSchema, props: Props) -> Merge:
    copy_stored, combine = copier(schema), _guarded(user, COMBINE, user.calls[COMBINE].apply)
    returned = _returned(user, schema, COMBINE)

    def merge_lent(built: Built, record: Record | None, current: Record) -> Record | Sentinel | None:
        own, given = built
        lent = copy_stored(current)
        result = combine(record, own, lent, schema, props)
        if result is lent or result is SENTINEL:
            return current
        return record if result is given else returned(result)

    return merge_lent


def _inserts(
    user: UserClass, schema: AvroSchema, props: Props
) -> tuple[Callable[[Built, Record], bool], Callable[[Built, Record], Record | Sentinel | None]]:
    insert, is_same = _guarded(user, "get_insert_value", user.calls["get_insert_value"].apply), comparer(schema)
    decodes, returned = user.decodes_anew, _returned(user, schema, "get_insert_value")

    def insert_value(built: Built, record: Record) -> Record | Sentinel | None:
        own, given = built
        result = insert(record, own, schema, props)
        if (result is given or (decodes and isinstance(result, dict))) and is_same(result, record):
            return record
        return returned(result)

    if not user.asks_for_deletes or "is_deleted" not in user.calls:
        return (lambda built, record: insert_value(built, record) is None), insert_value
    method = user.calls["is_deleted"].apply
    test = _guarded(user, "is_deleted", lambda own: bool(method(own, schema, props)))
    return (lambda built, record: test(record, built[0])), insert_value
