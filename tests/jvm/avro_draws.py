"""Draws Avro schemas of every type, with defaults, and values of them in Avro JSON, the defaults among them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from payloads.builtin import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = Any

_LATIN = "".join(map(chr, (0, 1, 9, 10, 34, 39, 65, 92, 127, 128, 233, 255)))
_TEXTS = (
    "",
    "a",
    "D",
    "true",
    '"q"\\',
    "\n\t\x00\x1f",
    "\x7f\x85",
    "é",
    "日本",
    "\u2028",
    "\uffff",
    "😀",
    "10",
    "9",
    "1.9",
)

_SCALARS: dict[str, Sequence[Json]] = {
    "null": (None,),
    "boolean": (True, False),
    "int": (0, 0, 1, -1, 127, 128, 19_723, 2**31 - 1, -(2**31)),
    "long": (0, 0, 1, -1, 127, 128, 999, 1500, -1500, 1_695_159_649_087, 2**63 - 1, -(2**63)),
    "float": (0.0, -0.0, 1.0, 1.5, 0.10000000149011612, 1e10, "NaN", "Infinity", 1.401298464324817e-45),
    "double": (0.0, -0.0, 1.0, 0.1, 1e7, 1.0e21, 5e-324, "NaN", "-Infinity", 2.0e-3, 123456789.125),
    "string": (*_TEXTS, UNAVAILABLE),
}


class AvroDraws:
    """Draws schemas and values from a seed."""

    def __init__(self, seed: int) -> None:
        """Start with no name given to a type."""
        self._chance = random.Random(seed)  # noqa: S311 (reproducible on purpose)
        self._names = 0

    # -- chance

    def _one(self, choices: Sequence[Any]) -> Any:
        return self._chance.choice(choices)

    def _once_in(self, count: int) -> bool:
        return self._chance.randrange(count) == 0

    # -- schemas

    def row(self) -> Json:
        fields = [
            {"name": "id", "type": "string"},
            self._field("t"),
            self._field("u"),
            self._field("v"),
            self._field("w"),
        ]
        fields.insert(1, {"name": "a", "type": self._maybe_null(self._record(1))})
        if isinstance(fields[1]["type"], list):
            fields[1]["default"] = None
        if self._once_in(2):
            fields.append({"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None})
        if self._once_in(4):
            fields.append({"name": "Op", "type": ["null", "string"], "default": None})
        if self._once_in(4):
            fields += [{"name": "_change_operation_type", "type": ["null", "string"], "default": None}]
            fields += [{"name": "_event_seq", "type": ["null", "string"], "default": None}]
            fields += [{"name": "_event_lsn", "type": ["null", "long"], "default": None}]
        return {"type": "record", "name": self._name(), "namespace": "t", "fields": fields}

    def _name(self) -> str:
        self._names += 1
        return f"N{self._names}"

    def _maybe_null(self, kind: Json) -> Json:
        return self._one([kind, ["null", kind], ["null", kind]])

    def _field(self, name: str, depth: int = 0) -> Json:
        kind = self._type(depth)
        shapes = [
            "nullable",
            "nullable",
            "required",
            "required",
            "default",
            "default",
            "default first",
            "default first",
        ]
        shape = "union" if self._once_in(12) else self._one(shapes)
        if shape == "union":
            others = [other for other in (self._type(depth), "string", "long") if _branch(other) != _branch(kind)]
            kinds = [kind, others[0]]
            if self._once_in(2):
                kinds.insert(self._one([0, 1, 2]), "null")
            return self._with_default(name, kinds)
        if shape == "nullable":
            return {"name": name, "type": ["null", kind], "default": None}
        if shape == "required":
            return {"name": name, "type": kind}
        return self._with_default(name, [kind, "null"] if shape == "default first" else kind)

    def _with_default(self, name: str, kind: Json) -> Json:
        first = kind[0] if isinstance(kind, list) else kind
        return {"name": name, "type": kind, "default": self._default(first)}

    def _record(self, depth: int) -> Json:
        names = self._one([["t"], ["t", "b"], ["t", "u", "a"]])
        return {"type": "record", "name": self._name(), "fields": [self._field(name, depth + 1) for name in names]}

    def _type(self, depth: int) -> Json:
        plain = [
            "int", "long", "float", "double", "boolean", "string", "bytes",
            {"type": "int", "logicalType": "date"},
            {"type": "int", "logicalType": "time-millis"},
            {"type": "long", "logicalType": "time-micros"},
            {"type": "long", "logicalType": "timestamp-millis"},
            {"type": "long", "logicalType": "timestamp-micros"},
            {"type": "long", "logicalType": "local-timestamp-millis"},
            {"type": "long", "logicalType": "local-timestamp-micros"},
            {"type": "string", "logicalType": "uuid"},
            {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2},
            {"type": "fixed", "name": self._name(), "size": 2, "logicalType": "decimal", "precision": 4, "scale": 1},
            {"type": "fixed", "name": self._name(), "size": 2},
            {"type": "enum", "name": self._name(), "symbols": ["Z", "A", "D"]},
        ]  # fmt: skip
        if depth > 2 or not self._once_in(3):
            return self._one(plain)
        kind = self._one(["record", "record", "array", "map"])
        if kind == "record":
            return self._record(depth)
        inner = self._type(depth + 1)
        inner = ["null", inner] if self._once_in(3) else inner
        return {"type": "array", "items": inner} if kind == "array" else {"type": "map", "values": inner}

    def _default(self, kind: Json) -> Json:
        """Return a default, as a schema writes it: JSON of the first branch of a union."""
        if isinstance(kind, list):
            return self._default(kind[0])
        match kind_of(kind):
            case "record":
                return {f["name"]: self._default(f["type"]) for f in kind["fields"]}
            case "array":
                return [self._default(kind["items"]) for _ in range(self._one([0, 0, 1]))]
            case "map":
                return {"k": self._default(kind["values"])} if self._once_in(2) else {}
            case "float" | "double":
                return self._one([0.0, 1.0, 1.5])
            case _:
                return self._scalar(kind)

    # -- values

    def _scalar(self, kind: Json) -> Json:
        described = kind if isinstance(kind, dict) else {"type": kind}
        match described["type"]:
            case "enum":
                return self._one(described["symbols"])
            case "fixed":
                return self._latin(described["size"])
            case "bytes":
                return self._latin(self._one([1, 2] if "logicalType" in described else [0, 1, 3]))
            case name:
                return self._one(_SCALARS[name])

    def _latin(self, length: int) -> str:
        return "".join(self._chance.choices(_LATIN, k=length))

    def value(self, kind: Json, default: Json = ...) -> Json:
        """Return a value in Avro JSON, which is the default at times."""
        if default is not ... and self._once_in(3):
            return _of_default(kind, default)
        if isinstance(kind, list):
            branch = self._one(kind)
            return None if branch == "null" else {_branch(branch): self.value(branch)}
        match kind_of(kind):
            case "record":
                return {f["name"]: self.value(f["type"], f.get("default", ...)) for f in kind["fields"]}
            case "array":
                return [self.value(kind["items"]) for _ in range(self._one([0, 1, 2]))]
            case "map":
                return {key: self.value(kind["values"]) for key in self._one([[], ["k"], ['"\n'], ["k", "é"]])}
            case _:
                return self._scalar(kind)


def kind_of(kind: Json) -> str:
    return str(kind["type"] if isinstance(kind, dict) else kind)


def _branch(kind: Json) -> str:
    """Return the name of a branch of a union."""
    if isinstance(kind, dict) and "name" in kind:
        return f"t.{kind['name']}"
    return kind_of(kind)


def _of_default(kind: Json, default: Json) -> Json:
    """Return a default as a value in Avro JSON."""
    if isinstance(kind, list):
        return None if kind[0] == "null" else {_branch(kind[0]): _of_default(kind[0], default)}
    match kind_of(kind):
        case "record":
            return {f["name"]: _of_default(f["type"], default[f["name"]]) for f in kind["fields"]}
        case "array":
            return [_of_default(kind["items"], item) for item in default]
        case "map":
            return {key: _of_default(kind["values"], item) for key, item in default.items()}
        case _:
            return default


_LABELS = {
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "string": "utf8",
    "bytes": "bytes",
}


def ordering_of(kind: Json, value: Json) -> Json:
    """Return the raw value of a column as an ordering value, Integer 0 where it has none."""
    if isinstance(kind, list):
        if value is None:
            return {"type": "int", "value": 0}
        ((name, inner),) = value.items()
        return ordering_of(next(one for one in kind if _branch(one) == name), inner)
    if kind_of(kind) in _LABELS:
        return {"type": _LABELS[kind_of(kind)], "value": value}
    if kind_of(kind) in {"enum", "fixed", "record"}:
        return {"type": "avro", "schema": {**kind, "namespace": "t"}, "value": value}
    return {"type": "int", "value": 0}
