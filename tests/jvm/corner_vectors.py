"""Vectors of single corners, one a type or path, for each release in which they differ; `expect` is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config import capabilities
from payloads import HudiRelease
from payloads.ordering_fields import CONSISTENT_TIMESTAMP

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = Any

_MODEL = "org.apache.hudi.common.model."
_LATIN = "".join(map(chr, (0, 1, 8, 9, 10, 12, 13, 31, 34, 39, 47, 92, 126, 127, 128, 159, 160, 255)))
_INNER = {"type": "record", "name": "Inner", "namespace": "t", "fields": [{"name": "t", "type": "bytes"}]}
_TYPES: dict[str, tuple[Json, Json, Json]] = {
    # a type, a value in Avro JSON, a default
    "int": ("int", 5, 1),
    "great_int": ("int", 5, 1000),
    "long": ("long", 5, 127),
    "great_long": ("long", 5, 128),
    "float": ("float", 1.5, 1.5),
    "double": ("double", 0.1, 0.0),
    "boolean": ("boolean", True, True),
    "string": ("string", 'a/"\\\u2028\u00e9😀', ""),
    "bytes": ("bytes", _LATIN, "a"),
    "date": ({"type": "int", "logicalType": "date"}, 19_723, 0),
    "millis": ({"type": "long", "logicalType": "timestamp-millis"}, 5, 0),
    "micros": ({"type": "long", "logicalType": "timestamp-micros"}, 5, 0),
    "decimal": ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, "\u00ff\u0001", "a"),
    "fixed": ({"type": "fixed", "name": "F", "namespace": "t", "size": 3}, "\u0000\u007f\u00ff", "aaa"),
    "enum": ({"type": "enum", "name": "E", "namespace": "t", "symbols": ["Z", "A"]}, "A", "Z"),
    "array": ({"type": "array", "items": ["null", "double"]}, [None, {"double": "NaN"}, {"double": 1e21}], []),
    "texts": ({"type": "array", "items": "string"}, ["a", '"', ""], ["a"]),
    "map": (
        {"type": "map", "values": ["null", "bytes"]},
        {"": None, "key1": {"bytes": "a"}, "日本": None},
        {"k": None},
    ),
    "record": (_INNER, {"t": _LATIN}, {"t": ""}),
    "records": ({"type": "map", "values": _INNER}, {"k": {"t": "\n"}}, {}),
    "union": (["long", "string"], {"string": "a"}, 5),
    "null_union": (["null", "long", "string"], {"string": "a"}, None),
    "union_null": (["long", "string", "null"], {"long": 5}, 5),
    "numbers": (["double", "null", "long"], {"long": 1}, 1.0),
    "truth": (["double", "boolean"], {"boolean": True}, 1.0),
    "one_union": (["long"], {"long": 5}, 5),
}
_PATHS = ("t", "a.t", "a..t", ".t", "t.", "t..", "", ".", "..", " ", "a. t", "t.x", "a.t.x", "x.t", "a.", "a..", "t..x")


def schemas() -> dict[str, Json]:
    """Return a schema for each type, by its name: the columns t and, in the record a, t again."""
    return {name: _row(kind, default) for name, (kind, _, default) in _TYPES.items()}


def _row(kind: Json, default: Json) -> Json:
    by_name = f"{kind['namespace']}.{kind['name']}" if isinstance(kind, dict) and "name" in kind else kind
    if isinstance(kind, dict) and kind.get("values") is _INNER:
        by_name = {**kind, "values": "t.Inner"}
    null_first = by_name if isinstance(by_name, list) else ["null", by_name]
    inner = {"type": "record", "name": "A", "fields": [{"name": "t", "type": null_first}]}
    fields = [
        {"name": "id", "type": "string"},
        {"name": "d", "type": kind, "default": default},
        {"name": "t", "type": null_first},
        {"name": "a", "type": ["null", inner], "default": None},
    ]
    return {"type": "record", "name": "Row", "namespace": "t", "fields": fields}


def cases(release: HudiRelease) -> list[dict[str, Json]]:
    """Return the vectors of a release, numbered."""
    found = [*_orderings(release), *_paths(release)]
    if release < HudiRelease.V1_1:
        found += [*_event_times(), *_first_values()]
    found += _non_defaults()
    if release >= HudiRelease.V1_1:
        found += _partial_updates()
    version = capabilities(release).bundle
    return [{"id": f"{version}/corners/{n}", "hudi_version": version, **case} for n, case in enumerate(found)]


def _value(name: str, *, null: bool = False) -> Json:
    kind, value, default = _TYPES[name]
    if isinstance(kind, list):
        other = {kind[0]: default} if kind[0] != "null" else None
        held = None if null and "null" in kind else value
        return {"id": "k", "d": other, "t": held, "a": None if null else {"t.A": {"t": value}}}
    branch = f"t.{kind['name']}" if isinstance(kind, dict) and "name" in kind else _kind(kind)
    held = None if null else {branch: value}
    return {"id": "k", "d": default, "t": held, "a": None if null else {"t.A": {"t": held}}}


def _kind(kind: Json) -> str:
    return str(kind["type"] if isinstance(kind, dict) else kind)


def _orderings(release: HudiRelease) -> Iterator[dict[str, Json]]:
    """A null, an equal and a missing incoming value against a stored one of each type."""
    ordering = {"ordering": {"type": "long", "value": 1}}
    for name in _TYPES:
        for path in ("t", "a.t"):
            for consistent in ("true", "false"):
                props = {"hoodie.payload.ordering.field": path, CONSISTENT_TIMESTAMP: consistent}
                for null in (True, False):
                    records = [{"value": _value(name)}, {"value": _value(name, null=null), **ordering}]
                    common = {"schema": name, "props": props, "records": records}
                    yield {"op": "combine", "payload_class": f"{_MODEL}DefaultHoodieRecordPayload", **common}
                    if release < HudiRelease.V1_1 and null:
                        yield {"op": "combine", "payload_class": f"{_MODEL}PartialUpdateAvroPayload", **common}


def _paths(release: HudiRelease) -> Iterator[dict[str, Json]]:
    """Each path, read in each way, with and without a record on it."""
    for name in ("long", "string", "record", "map", "union", "date"):
        for path in _PATHS:
            for null in (True, False):
                common = {"schema": name, "records": [{"value": _value(name, null=null)}]}
                for lenient in (True, False):
                    flags = {"consistent_logical_timestamp": True, "return_null_if_not_found": lenient}
                    yield {"op": "extract_ordering", "via": "nested_field_val", "fields": path, **flags, **common}
                if release >= HudiRelease.V1_1:
                    for fields in (path, f"{path},t"):
                        yield {"op": "extract_ordering", "via": "record_context", "fields": fields, **common}
                    marker = {"hoodie.payload.delete.field": path, "hoodie.payload.delete.marker": "5"}
                    yield {"op": "is_delete", "props": marker, **common}


def _event_times() -> Iterator[dict[str, Json]]:
    """The text that the metadata shows of a value of each type."""
    for payload in ("Default", "FirstValue"):
        name = f"{_MODEL}{'DefaultHoodieRecord' if payload == 'Default' else 'FirstValueAvro'}Payload"
        for schema in _TYPES:
            for path in ("t", "a", "a.t"):
                props = {"hoodie.payload.event.time.field": path, CONSISTENT_TIMESTAMP: "true"}
                records = [{"value": _value(schema), "ordering": {"type": "long", "value": 1}}]
                yield {
                    "op": "insert_value",
                    "payload_class": name,
                    "schema": schema,
                    "props": props,
                    "records": records,
                }


def _first_values() -> Iterator[dict[str, Json]]:
    """Two versions with one ordering value, equal and not, through both mergers."""
    for merger in ("HoodieAvroRecordMerger", "HoodiePreCombineAvroRecordMerger"):
        for identity in ("k", "l"):
            ordering = {"ordering": {"type": "long", "value": 5}}
            newer = {**_value("long"), "id": identity}
            yield {
                "op": "merger",
                "merger": merger,
                "payload_class": f"{_MODEL}FirstValueAvroPayload",
                "schema": "long",
                "props": {"hoodie.payload.ordering.field": "t"},
                "records": [{"value": _value("long"), **ordering}, {"value": newer, **ordering}],
            }


def _non_defaults() -> Iterator[dict[str, Json]]:
    """A value of each type, in the column with a default, over the default; and the other way round."""
    ordering = {"ordering": {"type": "long", "value": 1}}
    for name, (kind, _, _) in _TYPES.items():
        plain, other = _value(name), _value(name)
        held = other["t"]
        other["d"] = held if isinstance(kind, list) else next(iter(held.values()))
        for records in ([plain, other], [other, plain], [plain, plain]):
            yield {
                "op": "combine",
                "payload_class": f"{_MODEL}OverwriteNonDefaultsWithLatestAvroPayload",
                "schema": name,
                "props": {},
                "records": [{"value": records[0]}, {"value": records[1], **ordering}],
            }


def _partial_updates() -> Iterator[dict[str, Json]]:
    """A version that holds the default of each type, over one that holds another value."""
    for name in _TYPES:
        for mode in ("IGNORE_DEFAULTS", "FILL_UNAVAILABLE"):
            older, newer = _value(name), _value(name)
            held = older["t"]
            older["d"] = held if isinstance(_TYPES[name][0], list) else next(iter(held.values()))
            rest = {"key": "k", "operation": None, "ordering": {"type": "long", "value": 1}}
            yield {
                "op": "buffered",
                "merge_mode": "EVENT_TIME_ORDERING",
                "partial_update_mode": mode,
                "call": "final_merge",
                "schema": name,
                "props": {},
                "records": [{"value": older, **rest}, {"value": newer, **rest}],
            }
