"""Frames for an engine: check the columns of stored rows, log and batch, bring them to one schema, sort them by key.

The order of arrival is made explicit before the shuffle: the plan's arrival column, the column that
`bridge.pipeline.batches` adds, or the order of the rows in the frame.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.config import capabilities
from bridge.engines import ARRIVAL, CLAUSE, COMMIT, IS_DELETE, KIND, ORDERING, ORIGIN, PREFIX, SEQUENCE, is_own
from bridge.errors import InputError, PlanError
from bridge.plan import TableType
from bridge.programs import Origin
from bridge.redaction import current
from bridge.spark import (
    META_COLUMNS,
    avro_schema,
    common_type,
    converts_values,
    in_one_task,
    is_floating,
    promoted,
    promotes_in_array,
    quoted,
    takes_bytes_for_text,
    takes_plain_for_logical,
    widens_decimal,
)
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan
    from payloads import AvroSchema, HudiRelease


@dataclasses.dataclass(frozen=True)
class Layout:
    """The data columns that the frames of one call have in common.

    Attributes:
        fields: the columns of the result in order; meta columns first where the stored side has them.
        schema: the Avro schema of the written columns, without meta columns.
        onto_table: whether the versions of a real table are among the written ones.
    """

    fields: tuple[spark_types.StructField, ...]
    schema: AvroSchema
    onto_table: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(field.name for field in self.fields)


def data_fields(frame: DataFrame) -> list[spark_types.StructField]:
    """Return the fields of a frame without the project's own control columns."""
    return [field for field in frame.schema.fields if not field.name.startswith(PREFIX)]


def layout_of(plan: MergePlan, written: DataFrame, *others: DataFrame) -> Layout:
    """Return the layout in which `written` (the batch; else the stored rows) is merged with the `others`.

    As in Hudi, the others are rewritten to the schema of the batch: a column that they lack is null, if it may be, and
    one of two types gets the wider, on both sides.

    Raises:
        InputError: a column has two types without a wider one, or is missing on a side where it can't be null, or is
            named like the project's own control columns.
        PlanError: a column that the plan names does not exist.
    """
    for name in (name for frame in (written, *others) for name in frame.columns):
        if name.startswith(PREFIX) and not is_own(name):
            msg = f"the column {name!r} begins with {PREFIX}, as columns that are added to the data do; rename it"
            raise InputError(msg)
    fields = data_fields(written)
    own = {field.name: field for field in fields}
    meta: list[spark_types.StructField] = []
    for other in others:
        for field in data_fields(other):
            if field.name in own:
                own[field.name] = evolved(own[field.name], field, plan.release)
            elif field.name in META_COLUMNS:
                meta.append(as_nullable(field))
            else:
                msg = (
                    f"the column {field.name!r} is stored but not in the newer data, which has {', '.join(own)}; "
                    "Hudi does not drop columns on its own: add it (null where unknown)"
                )
                raise InputError(msg)
        present = {field.name for field in data_fields(other)}
        for field in fields:
            if field.name not in present and not field.nullable:
                msg = f"the column {field.name!r} is required but not in the stored data; make it nullable"
                raise InputError(msg)
    _check_names(plan, own)
    fields = list(own.values())
    current().learn(spark_types.StructType([*meta, *fields]).jsonValue())
    ordered = {field.name: field for field in (*meta, *fields)}
    in_order = [*(name for name in META_COLUMNS if name in ordered), *(n for n in ordered if n not in META_COLUMNS)]
    data = tuple(ordered[name] for name in in_order)
    return Layout(data, _write_schema(plan, fields), onto_table=ORIGIN in written.columns)


def as_nullable(field: spark_types.StructField) -> spark_types.StructField:
    """Return `field` as nullable."""
    return spark_types.StructField(field.name, field.dataType, nullable=True)


def evolved(
    newer: spark_types.StructField, older: spark_types.StructField, release: HudiRelease
) -> spark_types.StructField:
    """Return the column that a release makes of an older and a newer one.

    Raises:
        InputError: it refuses them.
    """
    can = capabilities(release)
    kind = common_type(older.dataType, newer.dataType, keeps_order=can.keeps_field_order)
    if not can.widens_decimals and widens_decimal(older.dataType, newer.dataType):
        kind = None
    if not can.plain_for_logical and takes_plain_for_logical(older.dataType, newer.dataType):
        kind = None
    if not can.converts_values and converts_values(older.dataType, newer.dataType):
        kind = None
    if not can.reads_bytes_as_text and takes_bytes_for_text(older.dataType, newer.dataType):
        kind = None
    if not can.promotes_in_arrays and promotes_in_array(older.dataType, newer.dataType):
        msg = (
            f"the column {newer.name!r} is {older.dataType.simpleString()} in the older data and "
            f"{newer.dataType.simpleString()} in the newer; Hudi {release} can't read a struct in an array whose field "
            "became wider: cast the newer one"
        )
        raise InputError(msg)
    if kind is None:
        msg = (
            f"the column {newer.name!r} is {older.dataType.simpleString()} in the older data and "
            f"{newer.dataType.simpleString()} in the newer; cast one of them"
        )
        raise InputError(msg)
    return spark_types.StructField(newer.name, kind, newer.nullable)


def _check_names(plan: MergePlan, fields: Iterable[str]) -> None:
    known = set(fields)
    wanted = {
        "key": plan.key,
        "partition": plan.partition,
        "ordering": tuple(path.split(".")[0] for path in plan.ordering),
        "arrival": () if plan.arrival is None else (plan.arrival,),
    }
    for role, names in wanted.items():
        for name in names:
            if name not in known:
                msg = (
                    f"{plan.payload_name}: the {role} column {name!r} is not in the data, which has "
                    f"{', '.join(sorted(known))}{did_you_mean(name, known) or f'; name another with --{role}'}"
                )
                raise PlanError(msg)


def _write_schema(plan: MergePlan, fields: list[spark_types.StructField]) -> AvroSchema:
    written = [field for field in fields if field.name not in META_COLUMNS]
    if plan.schema is None:
        return avro_schema(spark_types.StructType(written), plan.release)
    missing = [field.name for field in plan.schema.fields if field.name not in {f.name for f in written}]
    extra = [field.name for field in written if field.name not in plan.schema.by_name]
    if missing or extra:
        msg = (
            "the given schema does not fit the data: "
            + "; ".join(
                f"{what} {', '.join(names)}"
                for what, names in (("the data lacks", missing), ("the schema lacks", extra))
                if names
            )
            + "; correct the schema"
        )
        raise InputError(msg)
    return plan.schema


# -- one side of a merge, with its control columns


def stored_side(frame: DataFrame, layout: Layout) -> DataFrame:
    """Return stored rows in the layout."""
    return frame.select(*_data(frame, layout), *_control(Origin.STORED))


def log_side(frame: DataFrame, layout: Layout) -> DataFrame:
    """Return log entries in the layout; delete entries with the ordering value they carry."""
    for name in (COMMIT, KIND, SEQUENCE):
        if name not in frame.columns:
            msg = f"the log has no column {name!r}; give the log frame that append made"
            raise InputError(msg)
    ordering = sf.col(ORDERING) if ORDERING in frame.columns else None
    delete = sf.col(KIND) == "delete"
    control = _control(Origin.LOG, commit=sf.col(COMMIT), delete=delete, ordering=ordering, arrival=sf.col(SEQUENCE))
    return frame.select(*_data(frame, layout), *control)


def incoming_side(frame: DataFrame, layout: Layout, plan: MergePlan, commit: Column | None = None) -> DataFrame:
    """Return a batch in the layout, with its order of arrival and what `combine_input` may have added."""
    if plan.arrival is not None:
        arrival = quoted(plan.arrival)
    else:
        arrival = sf.col(ARRIVAL) if ARRIVAL in frame.columns else sf.monotonically_increasing_id()
    delete = sf.col(IS_DELETE) if IS_DELETE in frame.columns else None
    ordering = sf.col(ORDERING) if ORDERING in frame.columns else None
    clause = sf.col(CLAUSE) if CLAUSE in frame.columns else None
    control = _control(Origin.INCOMING, commit=commit, delete=delete, ordering=ordering, arrival=arrival, clause=clause)
    if ORIGIN in frame.columns:  # rows of a real table among those of batches
        control[0] = sf.col(ORIGIN)
    stored = without_empty_partitions(frame, plan, layout.fields)
    return stored.select(*_data(frame, layout), *control)


def without_empty_partitions(frame: DataFrame, plan: MergePlan, fields: Iterable[spark_types.StructField]) -> DataFrame:
    """Make the empty text in a partition column null: for Hudi both are one partition, which a query shows as null.

    A query of a merge-on-read table of 0.15 shows the text of the file, so there it stays.
    """
    if not capabilities(plan.release).partition_from_path and plan.table_type is TableType.MERGE_ON_READ:
        return frame
    for field in fields:
        is_text = isinstance(field.dataType, spark_types.StringType)
        if is_text and field.nullable and field.name in plan.partition and field.name not in plan.key:
            column = quoted(field.name)
            frame = frame.withColumn(field.name, sf.when(column != "", column))
    return frame


def _data(frame: DataFrame, layout: Layout) -> list[Column]:
    present = {field.name: field.dataType for field in frame.schema.fields}
    if list(present.items()) == [(field.name, field.dataType) for field in layout.fields]:
        return [sf.col("*")]  # a column takes several calls of the JVM
    return [
        promoted(quoted(field.name), present[field.name], field.dataType).alias(field.name)
        if field.name in present
        else sf.lit(None).cast(field.dataType).alias(field.name)
        for field in layout.fields
    ]


def _control(  # noqa: PLR0913 (one a column)
    origin: Origin,
    *,
    commit: Column | None = None,
    delete: Column | None = None,
    ordering: Column | None = None,
    arrival: Column | None = None,
    clause: Column | None = None,
) -> list[Column]:
    columns = [sf.lit(int(origin)).cast("tinyint").alias(ORIGIN)]
    named = {COMMIT: commit, IS_DELETE: delete, ORDERING: ordering, ARRIVAL: arrival, CLAUSE: clause}
    return columns + [column.alias(name) for name, column in named.items() if column is not None]


def join_rows(
    left: DataFrame, right: DataFrame, names: Iterable[str], how: str = "inner", *, or_empty: Collection[str] = ()
) -> DataFrame:
    """Join on equal `names`, where null equals null, as it does for Hudi; the columns of `left` come first.

    Spark's own join on names drops the rows of a null partition. In the columns `or_empty` null is equal to the empty
    text, too; 0.0 and -0.0 differ. No columns other than `names` may be on both sides.
    """
    of_right = {name: f"{PREFIX}of_right_{number}" for number, name in enumerate(names)}
    others = [name for name in right.columns if name not in of_right]
    renamed = right.select(*(quoted(name).alias(of_right.get(name, name)) for name in (*of_right, *others)))
    matches = sf.lit(True)
    for name, other in of_right.items():
        one, another = quoted(name), sf.col(other)
        if is_floating(left, name):  # as Hudi's keys, which are texts
            one, another = one.cast("string"), another.cast("string")
        if name in or_empty:
            one, another = (sf.coalesce(column.cast("string"), sf.lit("")) for column in (one, another))
        matches &= one.eqNullSafe(another)
    joined = left.join(renamed, matches, how).drop(*of_right.values())
    # Spark does not recognise a join of two single partitions, and would shuffle its rows.
    return joined.coalesce(1) if in_one_task(left.sparkSession) else joined


def arrival_of(plan: MergePlan) -> Column:
    """Return what orders the rows of a batch whose order of arrival is noted."""
    return sf.col(ARRIVAL) if plan.arrival is None else quoted(plan.arrival)
