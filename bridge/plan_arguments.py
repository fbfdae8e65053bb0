"""What users may write for the settings of a `MergePlan`, each checked by itself and brought into one form."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sized
from collections.abc import Set as AbstractSet
from typing import Any

from pyspark import cloudpickle

from bridge.config import TableMergeConfig, TableType
from bridge.errors import PlanError
from mergers import HoodieRecordMerger, MergerRef, RecordMergeMode
from mergers.registry import SentMergerRef
from payloads import AvroSchema, HoodieRecordPayload, HudiRelease, PayloadRef
from payloads.backports import is_class
from payloads.references import SentPayloadRef
from payloads.registry import check_spelling

_FLAGS = ("combine_before_upsert", "global_index", "plain", "trust_rule")
_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "table_version": (int, "a number, such as 8"),
    "schema": (AvroSchema, "an Avro schema, as payloads.parse_schema returns it"),
    "arrival": (str, "the name of a column"),
    "table": (TableMergeConfig, "a TableMergeConfig"),
    "stored_payload": (PayloadRef, "a PayloadRef"),
    "trust_sample": (int, "a number of keys"),
    "call_timeout": ((int, float), "a number of seconds, or 0 for any time"),
    **dict.fromkeys(_FLAGS, (bool, "True or False")),
}
_OPTIONAL = ("table_version", "schema", "arrival", "table", "stored_payload")


def is_given(value: object) -> bool:
    """Whether a parameter has another value than none: an empty list is none."""
    return value is not None and value is not False and not (isinstance(value, Sized) and not len(value))


def accepted(given: Mapping[str, Any]) -> dict[str, object]:
    """Return the settings of a plan as it keeps them: names as references, columns as tuples.

    Raises:
        PlanError: a value has a wrong type; names the setting, and says what to write.
        PayloadConfigError: the release is unknown.
        PayloadNotFoundError, MergerNotFoundError: a name looks like one of Hudi, and is none.
    """
    given = {name: _plain(value) for name, value in given.items()}
    for name, (kind, wanted) in _TYPES.items():
        value = given[name]
        is_number = kind is not bool and isinstance(value, bool)
        if (not isinstance(value, kind) or is_number) and not (value is None and name in _OPTIONAL):
            raise _wrong(name, wanted, value)
    release = HudiRelease.asked(given["release"])
    return {
        **given,
        "release": release,
        "table_type": _table_type(given["table_type"]),
        "payload": payload_reference(given["payload"], release),
        "merger": _merger_reference(given["merger"]),
        "props": _props(given["props"]),
        **{name: _columns(name, given[name]) for name in ("key", "partition", "ordering")},
    }


def _plain(value: Any) -> Any:
    """Return a whole number of another library, such as NumPy's, as Python's."""
    return value if isinstance(value, bool) or not isinstance(value, numbers.Integral) else int(value)


def _wrong(name: str, wanted: str, value: object) -> PlanError:
    msg = f"{name} is {wanted}, not {value!r}"
    return PlanError(msg)


def _table_type(text: object) -> TableType:
    try:
        return TableType.__members__.get(str(text).upper()) or TableType(text)  # also COPY_ON_WRITE, as Hudi has it
    except ValueError as error:
        msg = f"unknown table type {text!r}; choose cow or mor"
        raise PlanError(msg) from error


def _columns(name: str, columns: object) -> tuple[str, ...]:
    if isinstance(columns, str):
        return tuple(columns.split(","))
    found = tuple(columns) if isinstance(columns, Iterable) else (columns,)
    # The order of columns counts, and a set has another one in each process.
    if not all(isinstance(one, str) for one in found) or isinstance(columns, (AbstractSet, Mapping)):
        raise _wrong(name, "the names of columns, as text or a list of texts", columns)
    return found


def _props(props: object) -> dict[str, str]:
    if not isinstance(props, Mapping):
        msg = f"props is a dictionary of Hudi's options, not {props!r}"
        raise PlanError(msg)
    for name, value in props.items():
        if not isinstance(name, str) or not isinstance(value, str):
            written = str(value).lower() if isinstance(value, bool) else str(value)
            msg = f"props[{name!r}] is {value!r}; options of Hudi are text, so write {str(name)!r}: {written!r}"
            raise PlanError(msg)
    return dict(props)


def payload_reference(payload: object, release: HudiRelease) -> PayloadRef | None:
    """Return a payload class, given as itself, by name or by reference, as the reference by which workers find it.

    Raises:
        PlanError: it is something else, or workers can't get it.
        PayloadNotFoundError: the name is that of no class of Hudi, although it looks like one.
    """
    found: Any = _reference("payload", payload, PayloadRef, HoodieRecordPayload)
    if type(found) is PayloadRef and not found.is_compiled:
        check_spelling(found.name, release)
    return found  # type: ignore[no-any-return]  # as `_reference` says


def _merger_reference(merger: object) -> MergerRef | None:
    found: Any = _reference("merger", merger, MergerRef, HoodieRecordMerger)
    is_short = type(found) is MergerRef and not found.is_compiled and "." not in found.name and ":" not in found.name
    if is_short and found.name.upper() not in RecordMergeMode.__members__:
        found.resolve()
    return found  # type: ignore[no-any-return]  # as `_reference` says


def _reference(name: str, value: object, reference: type, base: type) -> object:
    """Return a class as the name by which Spark's workers find it."""
    if value is None or isinstance(value, reference):
        return value
    if isinstance(value, str):
        return reference(value)
    if not is_class(value):
        raise _wrong(name, f"a class, its name or a {reference.__name__}", value)
    if value.__module__.startswith(("payloads.", "mergers.")) and issubclass(value, base):
        return reference(value.__name__)
    if "<locals>" in value.__qualname__:
        msg = (
            f"Spark's workers can't import the class {value.__qualname__} of {value.__module__}; move it to the top "
            f"level of a module, and give the class or {name}='module:{value.__name__}'"
        )
        raise PlanError(msg)
    full = f"{value.__module__}:{value.__qualname__}"
    if value.__module__ == "__main__":  # a cell of a notebook, or a script
        return (SentPayloadRef if reference is PayloadRef else SentMergerRef)(full, code=_code_of(value))
    return reference(full)


def _code_of(value: type) -> bytes:
    """Return a class of this process by value, for workers.

    Raises:
        PlanError: it refers to what can't be sent, such as a Spark session.
    """
    try:
        code: bytes = cloudpickle.dumps(value)  # type: ignore[attr-defined,no-untyped-call]
    except Exception as error:
        msg = (
            f"the class {value.__qualname__} can't be sent to Spark's workers ({type(error).__name__}: {error}); move "
            "it to a module without what it refers to here (in a notebook: begin its cell with %%writefile module.py)"
        )
        raise PlanError(msg) from error
    return code
