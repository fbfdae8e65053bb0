"""Making a case that differs smaller: properties, columns and values are left out as long as it still does."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from payloads import NATURAL_ORDER, PayloadBridgeError, parse_schema
from tests.jvm.call_sequences import sequences
from tests.jvm.differential import compared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.engines.jvm.calls import PayloadCalls
    from payloads import AvroSchema
    from tests.jvm.differential import Difference
    from tests.jvm.strategies import Case


def described(difference: Difference, calls: PayloadCalls) -> str:
    """Return the smallest case that still differs in the same sequence of calls, and what differs."""

    def found(case: Case) -> list[Difference]:
        return list(compared([(case, *one) for one in sequences(case) if one[0] == difference.sequence], calls))

    case = shrunk(difference.case, lambda one: bool(found(one)))
    last = (found(case) or [difference])[0]
    return f"{case}\n  {last.sequence}: {last.text}"


def shrunk(case: Case, differs: Callable[[Case], bool]) -> Case:
    """Return a case of which nothing can be left out without the difference."""
    while True:
        for candidate in _smaller(case):
            try:
                if differs(candidate):
                    case = candidate
                    break
            except PayloadBridgeError:
                # What was left out is needed to ask at all.
                continue
        else:
            return case


def _smaller(case: Case) -> Iterator[Case]:
    for name in case.props:
        yield dataclasses.replace(case, props={key: value for key, value in case.props.items() if key != name})
    if case.stored[0] != case.stored[1]:
        yield dataclasses.replace(case, stored=(case.stored[0], case.stored[0]))
    for side in ("older", "newer"):
        record, ordering = getattr(case, side)
        if record is not None:
            yield dataclasses.replace(case, **{side: (None, ordering)})
        if ordering != NATURAL_ORDER:
            yield dataclasses.replace(case, **{side: (record, NATURAL_ORDER)})
    for field in case.schema.fields:
        if len(case.schema.fields) > 1:
            yield _without(case, field.name)
    for field in case.schema.fields:
        if field.schema.nullable:
            yield from _with_nulls(case, field.name)


def _without(case: Case, name: str) -> Case:
    def left(record: Any) -> Any:
        return {key: value for key, value in record.items() if key != name} if isinstance(record, dict) else record

    return dataclasses.replace(
        case,
        schema=_schema_without(case.schema, name),
        stored_schema=_schema_without(case.stored_schema, name),
        older=(left(case.older[0]), case.older[1]),
        newer=(left(case.newer[0]), case.newer[1]),
        stored=(left(case.stored[0]), left(case.stored[1])),
    )


def _schema_without(schema: AvroSchema, name: str) -> AvroSchema:
    fields = [field for field in schema.source["fields"] if field["name"] != name]
    return parse_schema({**schema.source, "fields": fields})


def _with_nulls(case: Case, name: str) -> Iterator[Case]:
    for side in ("older", "newer"):
        record, ordering = getattr(case, side)
        if isinstance(record, dict) and record[name] is not None:
            yield dataclasses.replace(case, **{side: ({**record, name: None}, ordering)})
    row = case.stored[0]
    if row.get(name) is not None:
        yield dataclasses.replace(case, stored=({**row, name: None}, case.stored[1]))
