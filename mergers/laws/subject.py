"""From what a user names to the subject of a check: a payload or merger, its schema, ordering fields and properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mergers.api import RecordMergeMode
from mergers.avro import AvroRecordMerger
from mergers.compat import adapt_merger
from mergers.errors import MergerNotFoundError
from mergers.laws.merger_algebra import MergerAlgebra
from mergers.laws.modes import MODES, ModeAlgebra
from mergers.laws.payload_algebra import PayloadAlgebra
from mergers.laws.universe import RecordSpec, sample_schema
from mergers.registry import MergerRef, resolve_merger
from mergers.strategies import PartialUpdateMode
from payloads.avro import parse_schema
from payloads.builtin import AbstractDebeziumAvroPayload, MySqlDebeziumAvroPayload, PostgresDebeziumAvroPayload
from payloads.errors import PayloadConfigError, PayloadNotFoundError, SchemaError, did_you_mean
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_ORDERING_FIELDS
from payloads.references import PayloadRef
from payloads.registry import resolve_payload
from payloads.release import HudiRelease
from payloads.user import adapt, states_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergers.laws.algebra import Algebra
    from payloads.api import Props
    from payloads.avro import AvroSchema

_PAYLOAD_METHODS = ("pre_combine", "preCombine")


class Subject(NamedTuple):
    """The subject of a check, and the operands that suit it.

    Attributes:
        algebra: its operations.
        spec: schema, fields and properties.
        release: the release whose rules apply.
        is_sample: whether the schema is the small one that suits the class.
    """

    algebra: Algebra
    spec: RecordSpec
    release: HudiRelease
    is_sample: bool = False


def subject_of(  # noqa: PLR0913 (what a user may state)
    payload_or_merger: Any,
    *,
    schema: AvroSchema | str | dict[str, object] | None,
    key: Sequence[str],
    ordering_fields: Sequence[str] | None,
    release: str | HudiRelease,
    props: Props,
    markers: bool | None = None,
) -> Subject:
    """Find the payload or merger, and fill in what is not given.

    Without a schema a small one that suits the class is taken. Without ordering fields it is the position column of a
    Debezium class, the ordering field of the sample schema, or none: arrival order.

    Raises:
        PayloadBridgeError: the name is unknown, it is neither a payload nor a merger, or a field is not in the schema.
    """
    if isinstance(payload_or_merger, Subject):
        return payload_or_merger
    line = HudiRelease.asked(release)
    if line.is_preview:
        msg = (
            f"laws are not checked under Hudi {line}: no value that they try lists changed columns, and nothing of it "
            "was compared with a release; `simulate` shows its rows"
        )
        raise PayloadConfigError(msg)
    if _is_algebra(payload_or_merger):
        algebra: Algebra = payload_or_merger
        fields = tuple(ordering_fields or ())
        return Subject(algebra, _spec(algebra.schema, key, fields, props, None, markers=markers), line)
    is_mode = isinstance(payload_or_merger, str) and payload_or_merger.upper() in MODES
    payload_class, merger = (None, None) if is_mode else _found(payload_or_merger, line)
    bound_class = payload_class or getattr(merger, "payload_class", None)
    sample, sample_fields = sample_schema(bound_class)
    parsed = sample if schema is None else parse_schema(schema)
    position = getattr(bound_class, "position_field", None)
    known_fields = (position,) if position in parsed.by_name else ()
    fields = tuple(
        ordering_fields if ordering_fields is not None else sample_fields if schema is None else known_fields
    )
    if schema is None and not key:
        key = ("id",)
    for name in (*key, *fields):
        if name.partition(".")[0] not in parsed.by_name:
            raise SchemaError.from_missing_field(name, parsed.by_name)
    if fields:
        joined = ",".join(fields)
        props = {PAYLOAD_ORDERING_FIELD: joined, TABLE_ORDERING_FIELDS: joined, **props}
    spec = _spec(parsed, key, fields, props, bound_class, markers=markers)
    if payload_class is not None:
        return Subject(PayloadAlgebra(payload_class, parsed, props), spec, line, schema is None)
    if is_mode:
        name = payload_or_merger.upper()
        fills = markers is None and name.endswith(PartialUpdateMode.FILL_UNAVAILABLE.value)
        return Subject(
            ModeAlgebra(name, parsed, props, line), spec._replace(markers=spec.markers or fills), line, schema is None
        )
    return Subject(MergerAlgebra(merger, parsed, props, line), spec, line, schema is None)


def _spec(  # noqa: PLR0913 (the fields of a RecordSpec, in order)
    schema: AvroSchema,
    key: Sequence[str],
    fields: tuple[str, ...],
    props: Props,
    payload_class: type | None,
    *,
    markers: bool | None,
) -> RecordSpec:
    found = payload_class or object
    sequences = issubclass(found, MySqlDebeziumAvroPayload)
    if markers is None:
        markers = issubclass(found, PostgresDebeziumAvroPayload)
    if issubclass(found, AbstractDebeziumAvroPayload) and not fields:
        msg = f"{found.__name__} has its own ordering column; give ordering_fields, such as {found.position_field}"
        raise PayloadConfigError(msg)
    return RecordSpec(schema, tuple(key), fields, props, sequences, markers)


def _found(named: object, release: HudiRelease) -> tuple[Any, Any]:
    """Return a payload class or a merger, and None for the other."""
    if isinstance(named, PayloadRef):
        return named.resolve(release), None
    if isinstance(named, MergerRef):
        return None, named.resolve()
    if isinstance(named, str):
        return _named(named, release)
    if isinstance(named, AvroRecordMerger):
        return None, named
    kind = named if isinstance(named, type) else type(named)
    if any(hasattr(named, method) for method in _PAYLOAD_METHODS) or states_rule(kind):
        return adapt(kind, release), None
    return None, adapt_merger(named)


def _named(name: str, release: HudiRelease) -> tuple[Any, Any]:
    try:
        return resolve_payload(name, release), None
    except PayloadNotFoundError as no_payload:
        try:
            return None, resolve_merger(name)
        except MergerNotFoundError as no_merger:
            is_mode = did_you_mean(name, RecordMergeMode.__members__, 0.7)
            raise (no_merger if is_mode else no_payload) from None
    except TypeError:
        # The path names a class that is not a payload; it may be a merger.
        return None, resolve_merger(name)


def _is_algebra(named: object) -> bool:
    return all(hasattr(named, name) for name in ("incoming", "act", "answer", "restored"))
