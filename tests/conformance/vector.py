"""One golden vector: its fields, its inputs as physical values and payloads, and the stages at which it can fail."""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.avro.codec import parse_schema
from payloads.errors import PayloadConfigError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.registry import resolve_payload
from payloads.release import HudiRelease
from tests.conformance.avro_json import VectorFormatError, decode_json, decode_ordering
from tests.conformance.same import same_plain
from tests.conformance.selection import EmptySelectionError, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from payloads.api import HoodieRecordPayload
    from payloads.avro.schema import AvroSchema, Record


class Failure(NamedTuple):
    """An exception and the stage that raised it; stands where a result would stand."""

    stage: str
    error: Exception


class StageError(Exception):
    """Carries a `Failure` out of an operation."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.stage}: {failure.error!r}")
        self.failure = failure


@contextlib.contextmanager
def stage(name: str) -> Iterator[None]:
    """Mark the code under test that belongs to one stage; whatever it raises becomes a `StageError`."""
    try:
        yield
    except Exception as error:
        raise StageError(Failure(name, error)) from error


def attempt(call: Callable[[], Any]) -> Any:
    """Return what `call` gives, or the failure of the stage that it reached."""
    try:
        return call()
    except StageError as error:
        return error.failure


class Vector:
    """A line of a vector file.

    Attributes:
        raw: the JSON object.
        release: the release whose answer it records.
        schema: the schema handed to the method; None where the operation has none.
    """

    def __init__(self, raw: dict[str, Any], schemas: Schemas) -> None:
        self.raw = raw
        self._schemas = schemas
        self.id: str = raw["id"]
        self.op: str = raw["op"]
        self.release = HudiRelease.parse(raw["hudi_version"])
        self.payload_class: str | None = raw.get("payload_class")
        self.optional: bool = raw.get("optional", False)
        self.props: dict[str, str] = raw.get("props") or {}
        self.expect: dict[str, Any] = raw["expect"]
        self._given: list[tuple[int, Record]] = []

    @property
    def short_class(self) -> str:
        """The payload class without its package, or what stands in its place in the report."""
        if self.payload_class is not None:
            return self.payload_class.rpartition(".")[2]
        return str(self.raw.get("merge_mode") or self.raw.get("via") or self.raw.get("function") or "-")

    @functools.cached_property
    def schema(self) -> AvroSchema:
        """The schema handed to the method."""
        return self.named_schema(self.raw["schema"])

    def named_schema(self, name: str) -> AvroSchema:
        """Return the schema with the name `name` in `schemas.json`."""
        schema: AvroSchema = self._schemas[name]
        return schema

    def schema_name_of(self, index: int) -> str:
        """Return the name of the schema that the record `index` was written with."""
        return str(self.raw["records"][index].get("schema", self.raw["schema"]))

    def record(self, index: int) -> Record | None:
        """Return the record `index` as the vector states it, a new object each time."""
        value = self.raw["records"][index].get("value")
        if value is None:
            return None
        record: Record = decode_json(self.named_schema(self.schema_name_of(index)), value)
        return record

    def give(self, index: int) -> Record | None:
        """Return the record `index` for the code under test, which must not change it."""
        record = self.record(index)
        if record is not None:
            self._given.append((index, record))
        return record

    def changed(self) -> list[int]:
        """Return the indices of the records that the code under test changed."""
        return [index for index, record in self._given if not same_plain(record, self.record(index))]

    def payload(self, index: int) -> HoodieRecordPayload:
        """Build the payload of the record `index`."""
        raw, record = self.raw["records"][index], self.give(index)
        name = raw.get("payload_class", self.payload_class)
        with stage(f"construct[{index}]"):
            payload_class: Any = resolve(name, self.release)
            match raw.get("ctor", "record_ordering"):
                case "record_ordering":
                    built = payload_class(record, ordering_of(raw))
                case "option" | "record":
                    built = payload_class(record)
                case "noarg":
                    built = payload_class()
                case "json":
                    built = payload_class(raw["json"])
                case other:
                    msg = f"unknown constructor {other!r}"
                    raise VectorFormatError(msg)
        result: HoodieRecordPayload = built
        return result


def ordering_of(raw: dict[str, Any]) -> Ordering | None:
    """Return the ordering value of a record; Integer 0 where it names none."""
    return decode_ordering(raw["ordering"]) if "ordering" in raw else NATURAL_ORDER


@functools.cache
def resolve(name: str, release: HudiRelease) -> type[HoodieRecordPayload]:
    """Return the payload class `name`, bound to `release`."""
    return resolve_payload(name, release)


def load(directory: Path) -> Iterator[Vector | Unreadable]:
    """Read every vector below `directory`, file by file in name order; any subset of releases and files will do.

    Nothing vanishes: what can't be read is given as such.

    Raises:
        EmptySelectionError: neither `directory` nor the folder above it has a `schemas.json`.
    """
    schemas = _schemas(directory)
    for path in sorted([*directory.rglob("*.jsonl"), *directory.rglob("*.jsonl.gz")]):
        place, number = path.relative_to(directory), 0
        try:
            with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
                for number, line in enumerate(lines, start=1):
                    if line.strip():
                        yield _vector(line, schemas, f"{place}:{number}")
        except (OSError, EOFError, zlib.error) as error:
            yield Unreadable(f"{place}:{number + 1}", f"the file can't be read on: {error}")
        if not number:
            yield Unreadable(str(place), "the file is empty")


def _vector(line: bytes, schemas: Schemas, place: str) -> Vector | Unreadable:
    try:
        return Vector(json.loads(line), schemas)
    except (ValueError, TypeError, KeyError, AttributeError, PayloadConfigError) as error:
        return Unreadable(place, f"the line is not a vector: {error!r}")


class Schemas(dict[str, Any]):
    """The schemas of a `schemas.json` by name; each is parsed when it is first asked for."""

    def __init__(self, stated: dict[str, Any]) -> None:
        super().__init__()
        self._stated = stated

    def __missing__(self, name: str) -> AvroSchema:
        self[name] = found = parse_schema(self._stated[name])
        return found


def _schemas(directory: Path) -> Schemas:
    for folder in (directory, directory.resolve().parent):
        path = folder / "schemas.json"
        if path.exists():
            return Schemas(json.loads(path.read_text(encoding="utf-8")))
    msg = f"there is no schemas.json in {directory} or above it"
    raise EmptySelectionError(msg)
