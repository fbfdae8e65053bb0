"""Many cases of one shape at the price of a few: values are drawn once, then combined at random from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from payloads import NATURAL_ORDER, PayloadBridgeError
from payloads.avro.codec import encode
from tests.jvm.call_sequences import sequences
from tests.jvm.json_values import json_text
from tests.jvm.strategies import ORDERINGS, Row, shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from payloads.avro.schema import Field
    from payloads.builtin.base import BuiltinPayload
    from tests.jvm.call_sequences import Step
    from tests.jvm.strategies import Case, Shape, Version

Values = list[tuple[Any, bytes]]
_POOL = 10
_DELETES = 1 / 6
_AS_WRITTEN = 4 / 5


@dataclass(frozen=True)
class Pool:
    """A shape, and the values that its cases are made of.

    Attributes:
        shape: what the cases have in common.
        incoming: the values of each column of incoming versions, with their Avro bytes.
        stored: the values of each column of stored rows, likewise.
        orderings: ordering values that no record has.
        number: what the choices are reproduced from, with the pool.
    """

    shape: Shape
    incoming: dict[str, Values]
    stored: dict[str, Values]
    orderings: list[Any]
    number: int

    def cases(self, count: int) -> Iterator[Case]:
        """Combine values to cases."""
        chance = random.Random(self.number)  # noqa: S311 (reproducible on purpose)
        for _ in range(count):
            older, newer = self._version(chance), self._version(chance)
            yield self.shape.case(older, newer, (_row(self.stored, chance), _row(self.stored, chance)))

    def _version(self, chance: random.Random) -> Version:
        record = None if chance.random() < _DELETES else _row(self.incoming, chance)
        if not self.shape.takes_ordering:
            return json_text(record) if self.shape.holds_text and record is not None else record, NATURAL_ORDER
        if self.shape.ordering_of is not None and chance.random() < _AS_WRITTEN:
            try:
                return record, self.shape.ordering_of(_row(self.incoming, chance) if record is None else record)
            except PayloadBridgeError:
                pass
        return record, chance.choice(self.orderings)


def _row(columns: dict[str, Values], chance: random.Random) -> Row:
    picked = [values[int(chance.random() * _POOL)] for values in columns.values()]
    # A record's encoding is that of its fields, one after the other.
    return Row(zip(columns, (value for value, _ in picked), strict=True), b"".join(data for _, data in picked))


@st.composite
def pools(draw: st.DrawFn, payload_class: type[BuiltinPayload]) -> Pool:
    """Draw a pool for a payload class that is bound to a release."""
    shape = draw(shapes(payload_class))
    incoming = {name: draw(_pool(values)) for name, values in shape.incoming.items()}
    stored = {name: draw(_pool(values)) for name, values in shape.stored.items()}
    # The members of a JSON text are in no schema.
    fields = {} if shape.holds_text else shape.schema.by_name
    sides = _with_bytes(fields, incoming), _with_bytes(shape.stored_schema.by_name, stored)
    return Pool(shape, *sides, draw(_pool(ORDERINGS)), draw(st.integers(0, 2**32 - 1)))


def _pool(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, min_size=_POOL, max_size=_POOL)


def _with_bytes(fields: dict[str, Field], columns: dict[str, list[Any]]) -> dict[str, Values]:
    return {
        name: [(one, encode(fields[name].schema, one) if name in fields else b"") for one in values]
        for name, values in columns.items()
    }


def each_pool(payload_class: type[BuiltinPayload], number: int, count: int, run: Callable[[Pool], None]) -> None:
    """Run on `count` pools that `number` reproduces."""

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(pools(payload_class))
    def each(pool: Pool) -> None:
        run(pool)

    each()


def some_sequences(case: Case, count: int, chance: random.Random) -> list[tuple[Case, str, list[Step]]]:
    """Return some of the sequences of a case, each as likely as any other."""
    played = [(case, name, sequence) for name, sequence in sequences(case)]
    return played if count >= len(played) else chance.sample(played, count)
