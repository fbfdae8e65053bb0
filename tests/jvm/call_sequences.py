"""What the differential tests try on a case: sequences of a few steps, each with payloads of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads import NATURAL_ORDER, HudiRelease

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.jvm.strategies import Case, Version

Step = dict[str, Any]
_CONSTRUCTORS = {"HoodieJsonPayload": "text", "RewriteAvroPayload": "record"}


def sequences(case: Case) -> Iterator[tuple[str, list[Step]]]:
    """Give what is tried: each sequence builds its own payloads, because some remember what they were asked."""
    older, newer = _make("older", case, case.older), _make("newer", case, case.newer)
    asked, combine = {"id": "newer", "props": case.props}, {"op": "combine", "id": "newer", "stored": case.stored[0]}
    metadata, ordering = {"op": "metadata", "id": "newer"}, {"op": "ordering", "id": "newer"}
    insert, deleted = {"op": "insert_value", **asked}, {"op": "is_deleted", **asked}
    with_props = {**combine, "props": case.props}
    for name, merged in _merges(case).items():
        yield name, [older, newer, merged, *_view(case)]
    again = {**with_props, "stored": case.stored[1]}
    yield "combine(props)", [newer, with_props, metadata, again, deleted]
    yield "combine()", [newer, {**combine, "props": None}, insert]
    yield "insert_value(props)", [newer, insert, metadata, deleted, with_props]
    yield "is_deleted({})", [newer, {**deleted, "props": {}}, insert, ordering]
    yield "insert_value()", [newer, {**insert, "props": None}, {"op": "can_produce_sentinel", "id": "newer"}]
    if case.payload_class.release >= HudiRelease.V1_1:
        yield "indexed_record", [newer, {"op": "indexed_record", **asked}, deleted]
    if newer["constructor"] == "record_ordering" and not case.payload_class.__name__.startswith("Empty"):
        yield "by option", [{**newer, "ordering": NATURAL_ORDER, "constructor": "option"}, ordering, with_props]


def _make(name: str, case: Case, version: Version) -> Step:
    constructor = _CONSTRUCTORS.get(case.payload_class.__name__, "record_ordering")
    return {"op": "make", "id": name, "record": version[0], "ordering": version[1], "constructor": constructor}


def _merges(case: Case) -> dict[str, Step]:
    merge = {"op": "pre_combine", "id": "newer", "older": "older", "as": "merged"}
    return {
        "pre_combine(schema, props)": {**merge, "schema": True, "props": case.props},
        "pre_combine(props)": {**merge, "props": case.props},
        "pre_combine()": merge,
    }


def _view(case: Case) -> Iterator[Step]:
    asked = {"id": "merged", "props": case.props}
    for op in ("insert_value", "is_deleted", "ordering", "data", "metadata"):
        # What holds text, or a record that no method shows, has no data of its own.
        if op != "data" or case.payload_class.__name__ not in _CONSTRUCTORS:
            yield {"op": op, **asked}
