"""JvmMerger: a compiled merger as an ordinary merger of the library; one merge is one round trip to its JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.engines.jvm.calls import base64_of, ordering_of, texts_of
from bridge.engines.jvm.errors import checked
from mergers import HoodieAvroIndexedRecord as Version
from mergers import HoodieKey, HoodieRecordType
from mergers.record import DELETE
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from bridge.engines.jvm.answers import JavaAnswer
    from bridge.engines.jvm.calls import CallStep, ClassCalls
    from payloads import AvroSchema, Record
    from payloads.api import Props

_NO_KEY = HoodieKey("")


class JvmMerger:
    """A compiled merger of Avro records, in the interface of the release whose jars run it.

    Attributes:
        name: the full name of the class.
        merging_strategy: the strategy id that it returns.
    """

    record_type: Final = HoodieRecordType.AVRO

    def __init__(self, name: str, merging_strategy: str, calls: ClassCalls, *, pre_combines: bool = False) -> None:
        """Merge by `calls`; with `pre_combines` by what the merger offers for the versions of one batch, if it does."""
        self.name = name
        self.merging_strategy = merging_strategy
        self._calls = calls
        self._pre_combines = pre_combines

    def as_pre_combining_mode(self) -> JvmMerger:
        """Return the merger for the versions of one batch."""
        return JvmMerger(self.name, self.merging_strategy, self._calls, pre_combines=True)

    def merge(self, older: Version, newer: Version, schema: AvroSchema, props: Props) -> Version | None:
        """Return a side that the merger answered, with what it wrote into it, or what it made; None for a delete.

        Raises:
            PayloadBridgeError: the class failed, as `checked` says.
        """
        step = {
            "op": "merge",
            "class": self.name,
            "pre_combines": self._pre_combines,
            "schema": self._calls.schema_number(schema),
            "props": dict(props),
            "key": list(newer.key or _NO_KEY),
            "before": self._side(older, schema),
            "after": self._side(newer, schema),
        }
        answer = checked(self._calls.run([step])[0], self.name)
        if answer["outcome"] == "empty":
            return None
        record = self._calls.record_of(answer)
        sides = {"older": older, "newer": newer}
        of_data, of_object = sides.get(answer["winner"]), sides.get(answer["side"])
        if record is None:
            return of_object or self._made(newer, None, None, answer)
        if of_data is not None and of_data.record is not None:
            of_data.record.update(record)  # it is a copy, lent as Java's is
            record = of_data.record
        return of_object if of_object is not None else self._made(newer, record, self._calls.schema_of(answer), answer)

    def _side(self, side: Version, schema: AvroSchema) -> CallStep:
        known = side.schema or schema
        return {
            "record": None if side.record is None else base64_of(known, side.record),
            "schema": self._calls.schema_number(known),
            "ordering": texts_of(side.ordering_value),
            "deletes": side.marked_delete,
        }

    @staticmethod
    def _made(newer: Version, record: Record | None, schema: AvroSchema | None, answer: JavaAnswer) -> Version:
        ordering = ordering_of(answer)
        if answer["deletes"]:
            return Version(newer.key, record, schema, DELETE, ordering)
        return Version(newer.key, record, schema, None, NATURAL_ORDER if ordering is None else ordering)
