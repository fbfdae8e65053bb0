"""Rewriting records to another schema as Hudi does around payloads: plain, deep with renamed columns, and shallow.

Source: HoodieAvroUtils. What a pair of schemas demands is worked out once and kept with the new schema.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING

from payloads.avro.branch import Branch
from payloads.avro.defaults import default_value
from payloads.avro.promotion import Conversion, keep, promotion
from payloads.avro.schema import branch_of
from payloads.errors import SchemaError
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from payloads.avro.schema import AvroSchema, Field, Record, Value

Renames = dict[str, str]
"""Renamed columns: full dotted new name to old leaf name (`element` and `value` name collection members)."""


def rewrite_record(
    record: Record,
    old_schema: AvroSchema,
    new_schema: AvroSchema,
    release: str | HudiRelease,
) -> Record:
    """Return a record of `new_schema` with the values that `record` has under the same names (rewriteRecord).

    Until 1.1 only records are gone into, other values are copied unseen, and a null makes way for the default of its
    field. From 1.2 on this is `rewrite_record_with_new_schema`.

    Raises:
        SchemaError: a field without default that refuses null has no value; the message names it.
    """
    line = HudiRelease.parse(release)
    rewritten: Record = _compiled(_PLAIN.at(line), old_schema, new_schema, line, {})(record)
    return rewritten


def rewrite_record_with_new_schema(
    record: Record,
    old_schema: AvroSchema,
    new_schema: AvroSchema,
    release: str | HudiRelease,
    renames: Mapping[str, str] | None = None,
) -> Record:
    """Return a record of `new_schema`, converted at every depth; `record` itself if the schemas are equal.

    `renames` gives columns that were renamed: full new name to old name. Null stays null even where the new field
    refuses it.

    Raises:
        SchemaError: a value can't be converted, or (from 1.0) a missing field has neither default nor null; the
            message names the field.
    """
    line = HudiRelease.parse(release)
    rewritten: Record = _compiled(_deep, old_schema, new_schema, line, dict(renames or {}))(record)
    return rewritten


def project_record(record: Record, old_schema: AvroSchema, new_schema: AvroSchema) -> Record:
    """Return a record with the fields of `new_schema` and null for those that `record` lacks (1.2).

    Schemas with equally many fields give `record` itself, whatever their fields are.
    """
    if len(old_schema.fields) == len(new_schema.fields):
        return record
    return {field.name: record.get(field.name) for field in new_schema.fields}


Compiler = Callable[["AvroSchema", "AvroSchema", "_Run"], Conversion]


class _Run:
    """One compilation: the release, the renames, the path so far, and the records that are being compiled."""

    def __init__(self, release: HudiRelease, renames: Renames, path: tuple[str, ...] = ()) -> None:
        self.release = release
        self.renames = renames
        self.path = path
        self.open: dict[tuple[int, int], Conversion] = {}

    @property
    def name(self) -> str:
        """Full dotted name of the field in the new schema."""
        return ".".join(self.path)

    def below(self, name: str) -> _Run:
        """Return the run one level deeper."""
        run = _Run(self.release, self.renames, (*self.path, name))
        run.open = self.open
        return run


def _compiled(
    compiler: Compiler, old: AvroSchema, new: AvroSchema, release: HudiRelease, renames: Renames
) -> Conversion:
    return new.derived_with(old, _conversion, compiler, release, tuple(sorted(renames.items())))


def _conversion(
    new: AvroSchema, old: AvroSchema, compiler: Compiler, release: HudiRelease, renames: tuple[tuple[str, str], ...]
) -> Conversion:
    return compiler(old, new, _Run(release, dict(renames)))


def _alike(old: AvroSchema, new: AvroSchema, seen: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Whether two schemas are equal, and so are the types that they only name."""
    pair = (id(old), id(new))
    if old is new or pair in seen:
        return True
    return old.source == new.source and all(
        _alike(a, b, seen | {pair}) for a, b in zip(old.parts, new.parts, strict=True)
    )


# -- the plain rewrite


def _plain(old: AvroSchema, new: AvroSchema, run: _Run) -> Conversion:
    if old.non_null.kind != "record" or new.non_null.kind != "record":
        return _copied(old, new)
    old, new = old.non_null, new.non_null
    key = (id(old), id(new))
    if key in run.open:
        return run.open[key]
    fields: list[tuple[str, Conversion, Callable[[], Value]]] = []

    def rewrite(value: Value) -> object:
        return {name: absent() if value.get(name) is None else convert(value[name]) for name, convert, absent in fields}

    run.open[key] = rewrite
    for field in new.fields:
        inside = run.below(field.name)
        source = old.by_name.get(field.name)
        convert = keep if source is None else _plain(source.schema, field.schema, inside)
        fields.append((field.name, convert, _default(field, inside, strict=True)))
    del run.open[key]
    return rewrite


def _copied(old: AvroSchema, new: AvroSchema) -> Conversion:
    """Return what keeps a value and puts it into, or takes it out of, a `Branch` as the new schema wants it."""
    if old.ambiguous == new.ambiguous:
        return keep
    if new.ambiguous:
        return lambda value: Branch(branch_of(old, value)[0].name if old.branches else old.name, value)
    return lambda value: value.value if isinstance(value, Branch) else value


# -- the deep rewrite


def _deep(old: AvroSchema, new: AvroSchema, run: _Run) -> Conversion:
    """Return what rewrites values of `old`, null included."""
    convert = keep if _alike(old, new) else _deep_union(old, new, run)
    return keep if convert is keep else lambda value: None if value is None else convert(value)


def _deep_union(old: AvroSchema, new: AvroSchema, run: _Run) -> Conversion:
    if old.branches and old.non_null is old:
        by_branch = {branch.name: _deep_union(branch, new, run) for branch in old.branches if branch.kind != "null"}

        def convert_branch(value: object) -> object:
            branch, plain = branch_of(old, value)
            return by_branch[branch.name](plain)

        return convert_branch
    old = old.non_null
    if new.branches and new.non_null is new:
        return _into_union(old, new, run)
    return _deep_plain(old, new.non_null, run)


def _into_union(old: AvroSchema, new: AvroSchema, run: _Run) -> Conversion:
    """Return what puts a value into the branch of its own type; Hudi converts no type here."""
    target = next((b for b in new.branches if b.name == old.name), None)
    if target is None:
        return _refused(f"field {run.name!r}: no branch of {new.source} takes a {old.name}; add one to the union")
    convert = keep if _alike(old, target) else _deep_plain(old, target, run)
    if not new.ambiguous:
        return convert
    name = target.name
    return lambda value: Branch(name, convert(value))


def _deep_plain(old: AvroSchema, new: AvroSchema, run: _Run) -> Conversion:
    if _alike(old, new):
        return keep
    match new.kind:
        case "record" | "array" | "map" as kind if old.kind != kind:
            return _refused(f"field {run.name!r}: a {old.name} can't become {'an' if kind == 'array' else 'a'} {kind}")
        case "record":
            return _deep_record(old, new, run)
        case "array":
            item = _deep(old.items, new.items, run.below("element"))
            return lambda value: [item(element) for element in value]
        case "map":
            member = _deep(old.values, new.values, run.below("value"))
            return lambda value: {key: member(element) for key, element in value.items()}
        case _:
            return promotion(old, new, run.release, run.name)


def _deep_record(old: AvroSchema, new: AvroSchema, run: _Run) -> Conversion:
    key = (id(old), id(new))
    if key in run.open:
        return run.open[key]  # a record that contains itself: complete by the time it runs
    fields: list[tuple[str, str, Conversion]] = []
    absent: list[tuple[str, Callable[[], Value]]] = []

    def rewrite(value: Value) -> object:
        try:
            found = {name: convert(value[source]) for name, source, convert in fields}
        except KeyError as error:
            raise SchemaError.from_missing_field(str(error.args[0]), value) from error
        if not absent:
            return found
        found |= {name: default() for name, default in absent}
        return {field.name: found[field.name] for field in new.fields}

    run.open[key] = rewrite
    for field in new.fields:
        inside = run.below(field.name)
        # A renamed column hides an old one of the same name.
        source = field.name
        if source not in old.by_name or source in run.renames:
            source = run.renames.get(inside.name, "")
        if source in old.by_name:
            fields.append((field.name, source, _deep(old.by_name[source].schema, field.schema, inside)))
        else:
            absent.append((field.name, _default(field, inside, strict=_REFUSES_MISSING.at(run.release))))
    del run.open[key]
    return rewrite


def _refused(msg: str) -> Conversion:
    def refuse(_value: object) -> Value:
        raise SchemaError(msg)

    return refuse


# -- defaults


def _default(field: Field, run: _Run, *, strict: bool) -> Callable[[], object]:
    """Return what gives the default of `field`, null if it has none; `strict` refuses null that does not fit."""
    if not field.has_default and strict and not field.schema.nullable:
        msg = f"field {run.name!r} has no default value and can't be null; give it a default in the new schema"
        refuse = _refused(msg)
        return lambda: refuse(None)
    value = default_value(field.schema, field.default) if field.has_default else None
    return (lambda: copy.deepcopy(value)) if isinstance(value, dict | list | Branch) else lambda: value


_PLAIN: ByRelease[Compiler] = ByRelease(_plain, {"1.2": _deep})
_REFUSES_MISSING = ByRelease(False, {"1.0": True})
