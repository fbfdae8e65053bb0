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


class PairCalls(NamedTuple):
    """How a payload class is called for many pairs of records.

    Attributes:
        build: turns a record and its ordering value into what `merge` takes.
        merge: merges what `build` made of a record, and that record, with a stored one; returns what
            `combine_and_get_update_value` does, and one of the two records themselves where it is the result.
    """

    build: Callable[[Record, Ordering | None], Any]
    merge: Callable[[Any, Record, Record], Record | Sentinel | None]


class UserClass(Protocol):
    """What is known of a user's class: how to call it, and what its results and errors become."""

    target: type
    calls: Mapping[str, MethodCall]
    construct: MethodCall

    def copy(self, record: Record, /) -> Record:
        """Copy a record for the constructor."""

    def failed(self, error: Exception, name: str, record: Record | None) -> PayloadFailedError:
        """Return the error to raise where the method `name` raised `error`."""

    def returned(self, name: str, result: Any, schema: AvroSchema | None) -> Record | Sentinel | None:
        """Check and copy what the method `name` returned."""


def pair_calls(user: UserClass, schema: AvroSchema, props: Props) -> PairCalls:
    """Return two calls that do what the constructor and `combine_and_get_update_value` do, in physical values."""
    copy_own, copy_stored, is_same = user.copy, copier(schema), comparer(schema)
    construct, target = user.construct.apply, user.target
    combine = user.calls["combine_and_get_update_value"].apply

    def build(record: Record, ordering: Ordering | None) -> tuple[Any, Record]:
        given = copy_own(record)
        try:
            return construct(target, given, ordering), given
        except PayloadBridgeError:
            raise
        except Exception as error:
            raise user.failed(error, "__init__", record) from error

    def merge(built: tuple[Any, Record], record: Record, current: Record) -> Record | Sentinel | None:
        own, given = built
        lent = copy_stored(current)
        try:
            result = combine(own, lent, schema, props)
        except PayloadBridgeError:
            raise
        except Exception as error:
            raise user.failed(error, "combine_and_get_update_value", record) from error
        if result is lent or result is SENTINEL:  # Hudi keeps the very object that it lent
            if is_same(lent, current):
                return current
            result = lent
        if result is given and is_same(given, record):
            return record
        return user.returned("combine_and_get_update_value", result, None)

    return PairCalls(build, merge)
