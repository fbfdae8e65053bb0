"""A built-in class on a few rows, and on all golden vectors that name it."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING, Any, Final

import pytest

from payloads import NATURAL_ORDER, SENTINEL, HudiRelease, Ordering, builtin_payloads, parse_schema, resolve_payload
from tests.conformance import pins
from tests.conformance.vector import Vector
from tests.conformance.vector_report import VectorReport
from tests.conformance.vectors import Selection, run, select
from tests.support import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Row = dict[str, Any]

_TEXT: Final = {"type": ["null", "string"], "default": None}
SCHEMA: Final = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "ts", "type": ["null", "long"], "default": None},
            {"name": "note", **_TEXT},
            {"name": "n", "type": "long", "default": 0},
            *({"name": name, **_TEXT} for name in ("Op", "_change_operation_type", "_event_seq")),
            {"name": "_event_lsn", "type": ["null", "long"], "default": None},
            {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
        ],
    }
)
PROPS: Final = {"hoodie.payload.ordering.field": "ts"}


def row(ts: int | None = None, note: str | None = None, **more: Any) -> Row:
    """Return a row of the key `a` in which all that is not named has its default."""
    defaults = {field.name: None for field in SCHEMA.fields} | {"id": "a", "n": 0}
    return {**defaults, "ts": ts, "note": note, **more}


def built(name: str, release: str, record: Row | None, ordering: int | None = None) -> Any:
    """Return a payload as Hudi's writer builds it: a delete without data has no ordering value."""
    payload: Any = resolve_payload(name, release).for_schema(SCHEMA)
    value = ordering if ordering is not None or record is None else record["ts"]
    return payload(record, NATURAL_ORDER if value is None else Ordering("long", value))


def batch(name: str, release: str, older: Row | None, newer: Row | None, **props: str) -> Row | None:
    """Return what deduplication keeps of two rows of a batch."""
    first, last = (built(name, release, record) for record in (older, newer))
    kept: Row | None = last.pre_combine(first, SCHEMA, {**PROPS, **_named(props)}).record
    return kept


def stored(name: str, release: str, current: Row, newer: Row | None, **props: str) -> Row | None:
    """Return the stored row after a merge with an incoming one; None is a delete."""
    came = built(name, release, newer)
    found = came.combine_and_get_update_value(copy.deepcopy(current), SCHEMA, {**PROPS, **_named(props)})
    return current if found is SENTINEL else found


def inserted(name: str, release: str, newer: Row, **props: str) -> Row | None:
    """Return what is stored of a row of a new key; None is nothing."""
    found: Row | None = built(name, release, newer).get_insert_value(SCHEMA, {**PROPS, **_named(props)})
    return found


def _named(props: dict[str, str]) -> dict[str, str]:
    return {f"hoodie.payload.{name.replace('_', '.')}": value for name, value in props.items()}


def releases_of(name: str) -> list[str]:
    """Return the releases that ship a class."""
    return [str(one) for one in HudiRelease if any(p.__name__ == name for p in builtin_payloads(one))]


def held(name: str) -> Callable[[str], None]:
    """Return a test of all golden vectors that name a class, in each release that ships it."""
    folders = {str(HudiRelease.parse(path.name)): path for path in GOLDEN.iterdir() if path.is_dir()}

    @pytest.mark.parametrize("release", releases_of(name))
    def test(release: str) -> None:
        chosen = [one for one in _vectors(folders[release]) if Selection(payload_class=name).takes(one)]
        report = VectorReport(map(run, chosen), pins.find(folders[release]), Selection(payload_class=name))
        assert [(one.vector.id, one.reasons) for one in report.failures if not report.is_excused(one)] == []
        assert (report.drops, report.notes) == ([], [])
        assert report.total["passed"]

    return test


@functools.cache
def _vectors(folder: Path) -> list[Vector]:
    """Read the vectors of a release once for all classes; `test_conformance_vectors.py` has each of them as well."""
    return [one for one in select(folder) if isinstance(one, Vector)]
