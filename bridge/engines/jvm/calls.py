"""Calls of compiled classes from Python: steps on payloads and mergers in a JVM, many in one round trip."""

from __future__ import annotations

import base64
import itertools
import json
import weakref
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from bridge.engines.jvm.connection import Connection
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import address_of, jars_of
from bridge.engines.ordering_text import from_text, to_text
from bridge.plan import CALL_TIMEOUT
from payloads import PayloadConfigError, SchemaError
from payloads.avro import decode, encode, parse_schema
from payloads.released import digest_of, digests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

    from bridge.engines.jvm.answers import JavaAnswer
    from payloads import AvroSchema, HudiRelease, Ordering, PayloadRef, Record
    from payloads.api import Props

CallStep = Mapping[str, object]
"""A step, by `op`; schemas and payloads are referred to by number."""


class _Reply(TypedDict):
    """The answers to steps, and the schemas by number that only they have."""

    results: list[JavaAnswer]
    schemas: dict[str, str]


class ClassCalls:
    """Runs steps with the classes of one list of jars, several in one call."""

    def __init__(self, ask: Callable[[str], str], call_timeout: int = CALL_TIMEOUT) -> None:
        """Begin without payloads and schemas; `ask` takes a script as JSON and returns its results."""
        self._ask = ask
        self._timeout = call_timeout
        self.numbers = itertools.count()
        self._left: list[int] = []
        # From 0 on the schemas that steps name, below 0 those that occur only in results.
        self._schemas: dict[int, AvroSchema] = {}
        self._schema_numbers: dict[str, int] = {}
        self._untold: dict[int, str] = {}

    def number_for(self, owner: object) -> int:
        """Return a number for a payload, which Java forgets after `owner` has gone."""
        number = next(self.numbers)
        weakref.finalize(owner, self._left.append, number).atexit = False
        return number

    def run(self, steps: Sequence[CallStep]) -> list[JavaAnswer]:
        """Run steps in order, and return what each answers; a step on a payload that Java does not have is skipped."""
        free, self._left[:] = list(self._left), []
        script = json.dumps(
            {"call_timeout": self._timeout, "free": free, "schemas": self._untold, "steps": list(steps)}
        )
        try:
            answer: _Reply = json.loads(self._ask(script))
        except BaseException:
            # The next call may be on a new connection, at whose end no schema is known.
            self._untold = {number: text for text, number in self._schema_numbers.items()}
            raise
        self._untold.clear()
        self._schemas |= {int(number): parse_schema(text) for number, text in answer["schemas"].items()}
        return answer["results"]

    # -- steps

    def schema_number(self, schema: AvroSchema | None) -> int | None:
        """Return the number by which steps refer to a schema."""
        if schema is None:
            return None
        text = schema.derived(_json_text)
        number = self._schema_numbers.get(text)
        if number is None:
            number = self._schema_numbers[text] = len(self._schema_numbers)
            self._schemas[number] = schema
            self._untold[number] = text
        return number

    def make_step(
        self, number: int, java_name: str, record: Record | None, ordering: Ordering | None, schema: AvroSchema | None
    ) -> CallStep:
        """Return the step that builds a payload by (record, ordering).

        Raises:
            PayloadConfigError: there is a record and no schema.
        """
        if record is not None and schema is None:
            msg = f"{java_name} can't be built without the schema of its record; bind the class with for_schema(schema)"
            raise PayloadConfigError(msg)
        return {
            "op": "make",
            "id": number,
            "class": java_name,
            "constructor": "record_ordering",
            "schema": self.schema_number(schema),
            "record": None if record is None or schema is None else base64_of(schema, record),
            "ordering": texts_of(ordering),
        }

    def call_fields(self, schema: AvroSchema | None, props: Props | None) -> CallStep:
        """Return the fields of a step on a payload."""
        return {"schema": self.schema_number(schema), "props": None if props is None else dict(props)}

    def stored(self, schema: AvroSchema, record: Record) -> CallStep:
        """Return the stored row of a step `combine`."""
        return {"current": base64_of(schema, record), "current_schema": self.schema_number(schema)}

    # -- answers

    def schema_of(self, answer: JavaAnswer) -> AvroSchema:
        """Return the schema of the record in a result."""
        return self._schemas[answer["schema"]]

    def record_of(self, answer: JavaAnswer) -> Record | None:
        """Return the record in a result.

        Raises:
            SchemaError: it does not fit its own schema.
        """
        if "misfit" in answer:
            msg = f"the payload returned a record that does not fit its own schema: {answer['misfit']}"
            raise SchemaError(msg)
        if answer["record"] is None:
            return None
        return decoded(self.schema_of(answer), answer["record"])


class PayloadCalls(ClassCalls):
    """Runs steps in the driver's JVM.

    Attributes:
        spark: the session of the JVM.
        jars: where the classes come from.
    """

    def __init__(
        self, spark: SparkSession, payload: PayloadRef, release: HudiRelease, call_timeout: int = CALL_TIMEOUT
    ) -> None:
        """Load the classes; raises what `jars_of` raises."""
        self.spark, self.jars = spark, jars_of(spark, payload, release)
        self._own = payload.jars
        super().__init__(Connection(address_of(spark), self.jars.names).ask, call_timeout)

    def class_file(self, name: str) -> bytes | None:
        """Return the class file of a class of the user's jars by its full name; None for any other class.

        Where packages alone are named, theirs and the bundle's are given.
        """
        entry = name.replace(".", "/") + ".class"
        if not self._own:
            driver = Driver(self.spark)
            calls = driver.class_in(self.jars.paths, "bridge.jvm.PayloadCalls")
            return driver.resource(calls.getClassLoader(), entry)
        data = next((found for jar in self._own if (found := _entry(jar, entry)) is not None), None)
        return None if data is None or digest_of(data) in digests().get(name, ()) else data


def _entry(jar: str, name: str) -> bytes | None:
    """Return an entry of a jar; None if it has none of this name."""
    with zipfile.ZipFile(jar) as archive:
        return archive.read(name) if name in archive.NameToInfo else None


def decoded(schema: AvroSchema, text: str) -> Record:
    """Return the record decoded from Avro bytes in base64."""
    record: Record = decode(schema, base64.b64decode(text))
    return record


def base64_of(schema: AvroSchema, record: Record) -> str:
    """Return the Avro bytes of a record as steps carry them."""
    return base64.b64encode(encode(schema, record)).decode("ascii")


def texts_of(ordering: Ordering | None) -> list[str] | None:
    """Return an ordering value as steps carry it: type and text."""
    text = to_text(ordering)
    return None if text is None else [text["type"], text["value"]]


def ordering_of(answer: JavaAnswer) -> Ordering | None:
    """Return the ordering value in a result."""
    value = answer["value"]
    return from_text({"type": value[0], "value": value[1]}) if isinstance(value, list) else None


def _json_text(schema: AvroSchema) -> str:
    return json.dumps(schema.source)
