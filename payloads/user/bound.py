"""Adapters of users' classes for a release and a schema, also where an object of one is unpickled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from payloads.user.copies import copier

if TYPE_CHECKING:
    from payloads.api import HoodieRecordPayload
    from payloads.avro import AvroSchema
    from payloads.release import HudiRelease

Adapt = Callable[[type, "str | HudiRelease"], "type[HoodieRecordPayload]"]
"""Makes the class through which mergers call a user's class."""


def for_schema(schema: AvroSchema, adapter: Any) -> Any:
    """Return an adapter for records of `schema`."""
    namespace: Any = {
        "__doc__": adapter.__doc__,
        "__module__": adapter.__module__,
        "__qualname__": adapter.__qualname__,
    }
    namespace |= {"schema": schema} if adapter.logical_types else adapter.knowing(schema)
    return type(adapter.__name__, (adapter,), namespace | {"copy": staticmethod(copier(schema))})


def adapter_of(adapt: Adapt, user_class: type, release: str | HudiRelease, schema: AvroSchema | None) -> Any:
    """Return the adapter of `user_class` for `release`, bound to `schema` where there is one."""
    adapter: Any = adapt(user_class, release)
    return adapter if schema is None else adapter.for_schema(schema)


def restored(adapt: Adapt, user_class: type, release: HudiRelease, schema: AvroSchema | None) -> Any:
    """Return an empty adapter, which unpickling fills."""
    adapter = adapter_of(adapt, user_class, release, schema)
    return adapter.__new__(adapter)
