"""Draws vectors of corners that ordinary tables do not reach: nested orderings, odd paths, defaults of every type."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bridge.config import capabilities
from payloads import HudiRelease, builtin_payloads
from payloads.builtin import UNAVAILABLE
from payloads.ordering_fields import CONSISTENT_TIMESTAMP
from tests.jvm.avro_draws import AvroDraws, kind_of, ordering_of

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any

_PROPS = {
    "ordering": (
        "hoodie.payload.ordering.field",
        "hoodie.datasource.write.precombine.field",
        "hoodie.table.precombine.field",
        "hoodie.table.ordering.fields",
    ),
    "event time": "hoodie.payload.event.time.field",
    "consistent": CONSISTENT_TIMESTAMP,
    "tie": "hoodie.payload.update.on.same.ordering.field",
    "delete field": "hoodie.payload.delete.field",
    "delete marker": "hoodie.payload.delete.marker",
}


class Corners(AvroDraws):
    """Draws schemas and vectors of one release; `expect` is left to who knows the answers.

    Attributes:
        schemas: the schemas that the vectors name.
    """

    def __init__(self, release: HudiRelease, seed: int, schemas: int = 40) -> None:
        """Draw the schemas."""
        super().__init__(seed)
        self.release = release
        self.schemas = {f"s{number}": self.row() for number in range(schemas)}
        self._classes = [port.java_name for port in builtin_payloads(release) if not _holds_text(port.java_name)]

    def vectors(self, count: int) -> list[dict[str, Json]]:
        """Draw vectors."""
        drawers: list[Callable[[str], dict[str, Json]]] = [
            self._payload_op,
            self._payload_op,
            self._extract,
            self._merger,
        ]
        if self.release >= HudiRelease.V1_1:
            drawers += [self._buffered, self._buffered, self._is_delete]
        found = []
        for number in range(count):
            schema = self._one(list(self.schemas))
            vector = {
                "id": f"{self.release}/{number}",
                "hudi_version": capabilities(self.release).bundle,
                "schema": schema,
            }
            found.append(vector | self._one(drawers)(schema))
        return found

    # -- orderings and properties

    def path(self, schema: str) -> str:
        """Draw a path, mostly of a field; any part can be empty, missing or past a leaf."""
        kind: Json = self.schemas[schema]
        parts: list[str] = []
        while True:
            kind = next((one for one in kind if one != "null"), kind) if isinstance(kind, list) else kind
            if kind_of(kind) != "record" or (parts and self._once_in(3)):
                break
            field = self._one([f for f in kind["fields"] if not parts or f["name"] != "id"])
            parts.append(field["name"])
            kind = field["type"]
        if self._once_in(4):
            parts.insert(self._chance.randint(0, len(parts)), self._one(["", "", " ", "t", "x", "k", "0"]))
        return ".".join(parts) + self._one([""] * 12 + [".", "..", " ", ".x"])

    def _paths(self, schema: str) -> str:
        if self._once_in(25):
            return str(self._one(["", ".", "..", ",", " ", ",t", "t,", "t,,u", "t, u", "..,t", ".t"]))
        return ",".join(self.path(schema) for _ in range(self._one([1, 1, 1, 2])))

    def _props(self, schema: str) -> dict[str, str]:
        props = {}
        ordering = _PROPS["ordering"]
        for _ in range(self._one([0, 1, 1, 1, 1, 2])):
            props[self._one(ordering)] = self._paths(schema)
        if self._once_in(2):
            props[_PROPS["event time"]] = self._paths(schema) if self._once_in(6) else self.path(schema)
        if self._once_in(4):
            props[_PROPS["consistent"]] = self._one(["true", "TRUE", "false"])
        if self._once_in(6):
            props[_PROPS["tie"]] = self._one(["true", "false"])
        if self._once_in(10):
            props[_PROPS["delete field"]] = self._one(["t", "u", "v", "a", "missing", "a.t"])
            if self._once_in(2):
                props[_PROPS["delete marker"]] = self._one(["D", "true", "0", "1.5", "A", "[]", "{}"])
        if self._once_in(10):
            props["hoodie.record.merge.property.hoodie.table.partial.update.unavailable.value"] = UNAVAILABLE
        return props

    def _ordering(self, field: Json, record: Json) -> Json:
        """Return an ordering value as a writer would take it of a plain column, or any other."""
        if self._once_in(3) or record is None:
            return self._one([{"type": "int", "value": 0}, {"type": "long", "value": 1}, {"type": "long", "value": 0}])
        return ordering_of(field["type"], record[field["name"]])

    # -- operations

    def _records(self, schema: str, *, deletes: bool = True) -> list[Json]:
        older, newer = (self.value(self.schemas[schema]) for _ in range(2))
        if self._once_in(4):
            newer = json.loads(json.dumps(older))
        elif self._once_in(3):
            for name in self._chance.sample(sorted(older), len(older) // 2):
                newer[name] = older[name]
        records = [{"value": older}, {"value": newer}]
        if deletes and self._once_in(8):
            self._one(records)["value"] = None
        # One field for both: values of unlike schemas are compared by accident.
        field = self._one([f for f in self.schemas[schema]["fields"] if f["name"] in "tuvw"])
        for record in records:
            record["ordering"] = self._ordering(field, record["value"])
        if self._once_in(3):
            records[1]["ordering"] = records[0]["ordering"]
        return records

    def _payload_op(self, schema: str) -> dict[str, Json]:
        op = self._one(["construct", "insert_value", "pre_combine", "combine", "combine"])
        records = self._records(schema)
        vector = {"op": op, "payload_class": self._one(self._classes), "props": self._props(schema)}
        if op in {"construct", "insert_value"}:
            records = records[:1]
        elif op == "combine":
            if records[0]["value"] is None:
                records[0]["value"] = self.value(self.schemas[schema])
            del records[0]["ordering"]
        apis = {"insert_value": ["no_props"], "combine": ["no_props"], "pre_combine": ["props", "plain"]}
        if op in apis and self._once_in(6):
            vector["api"] = self._one(apis[op])
        return vector | {"records": [_fit(record, vector["payload_class"]) for record in records]}

    def _extract(self, schema: str) -> dict[str, Json]:
        via = "record_context" if self.release >= HudiRelease.V1_1 and self._once_in(2) else "nested_field_val"
        vector = {"op": "extract_ordering", "via": via, "fields": self._paths(schema)}
        if via == "nested_field_val":
            vector |= {
                "consistent_logical_timestamp": self._once_in(2),
                "return_null_if_not_found": not self._once_in(3),
            }
        return vector | {"records": [{"value": self.value(self.schemas[schema])}]}

    def _is_delete(self, schema: str) -> dict[str, Json]:
        field, marker = _PROPS["delete field"], _PROPS["delete marker"]
        texts = ["D", "true", "0", "1", "1.0", "A", "Z", "[]", "{}", "null", '{"t": null}', "[0, 65]", "NaN"]
        props = {field: self.path(schema), marker: self._one(texts)} if not self._once_in(10) else self._props(schema)
        return {"op": "is_delete", "props": props, "records": [{"value": self.value(self.schemas[schema])}]}

    def _merger(self, schema: str) -> dict[str, Json]:
        name = self._one(self._classes)
        merger = self._one(["HoodieAvroRecordMerger", "HoodiePreCombineAvroRecordMerger"])
        records = self._records(schema)
        if self.release >= HudiRelease.V1_1:
            records = self._keyed(records)
        else:
            records = [_fit(record, name) for record in records]
        return {
            "op": "merger",
            "merger": merger,
            "payload_class": name,
            "props": self._props(schema),
            "records": records,
        }

    def _buffered(self, schema: str) -> dict[str, Json]:
        mode = self._one(["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING", "EVENT_TIME_ORDERING", "CUSTOM"])
        partial = self._one([None, "IGNORE_DEFAULTS", "IGNORE_DEFAULTS", "FILL_UNAVAILABLE"])
        call = self._one(["delta_merge", "final_merge", "final_merge", "delta_merge_delete"])
        records = self._keyed(self._records(schema, deletes=call != "delta_merge_delete"))
        if call == "delta_merge_delete":
            records[1] = {"key": "k1", "ordering": records[1]["ordering"], "delete_record": True}
        vector = {
            "op": "buffered",
            "merge_mode": mode,
            "partial_update_mode": partial,
            "call": call,
            "records": records,
        }
        if mode == "CUSTOM":
            vector |= {"payload_class": self._one(self._classes), "merger": "HoodieAvroRecordMerger"}
            vector["partial_update_mode"] = None
        return vector | {"props": self._props(schema)}

    def _keyed(self, records: list[Json]) -> list[Json]:
        for record in records:
            flagged = record["value"] is None or (record["value"].get("_hoodie_is_deleted") or {}).get("boolean")
            record |= {"key": "k1", "operation": "DELETE" if flagged else self._one([None, None, "UPDATE_AFTER"])}
        return records


def _holds_text(name: str) -> bool:
    return name.endswith("HoodieJsonPayload")


def _fit(record: Json, name: str) -> Json:
    """Return a record with the constructor that its class has."""
    if name.endswith("RewriteAvroPayload"):
        return {key: value for key, value in record.items() if key != "ordering"} | {"ctor": "record"}
    return record
