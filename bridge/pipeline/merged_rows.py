"""What the clauses of MERGE INTO statements make of the rows of their sources; Spark evaluates each expression."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import CLAUSE, COMMIT, ORDERING, SOURCE, TARGET, told_ordering
from bridge.errors import InputError
from bridge.pipeline.layout import data_fields, join_rows
from bridge.plan import TableType
from bridge.programs import ClauseAction
from bridge.spark import PySparkException, avro_schema, common_type, common_types, functions, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan
    from bridge.programs import MergeClause, MergeStatement, Operations


def source_rows(frame: DataFrame, number: int, statement: MergeStatement, whole: Sequence[DataFrame]) -> DataFrame:
    """Return the source of batch `number` in the columns of the table, and as a struct.

    The columns that ON compares have its values; others, those of the same name and type in the source.
    """
    own = {name.lower(): name for name in frame.columns if name != COMMIT}
    rows = frame.select(COMMIT, sf.struct(*map(quoted, own.values())).alias(SOURCE))
    columns = []
    for name, kind in common_types(whole).items():
        if name in statement.on:
            what = f"batch {number} (sql_merge): ON"
            value = _value(rows, statement.on[name], name, kind, what)
            if name.lower() in own:
                value = _own_key(frame.schema[own[name.lower()]], name, kind, what)
            columns.append(value)
        elif name.lower() in own and frame.schema[own[name.lower()]].dataType == kind:
            columns.append(sf.col(SOURCE)[own[name.lower()]].alias(name))
    return rows.select(COMMIT, *columns, sf.col(SOURCE).alias(_struct_of(number)))


def _own_key(field: spark_types.StructField, name: str, kind: spark_types.DataType, what: str) -> Column:
    """Return the key column of a source that has one of its name: Hudi takes its values, whatever ON casts them to.

    Source: MergeIntoHoodieTableCommand.getProcessedInputPlan.

    Raises:
        InputError: the text of its values, which is the key, may be another than the cast ones'.
    """
    keeps_text = isinstance(field.dataType, spark_types.IntegralType) and isinstance(
        kind, spark_types.IntegralType | spark_types.StringType
    )
    if field.dataType != kind and not keeps_text:
        msg = (
            f"{what} has {name} as {kind.simpleString()}, but Hudi takes the {field.dataType.simpleString()} of the "
            "source as the key; convert it in the source"
        )
        raise InputError(msg)
    return sf.col(SOURCE)[field.name].cast(kind).alias(name)


def _struct_of(number: int) -> str:
    return f"{SOURCE}_{number}"


def check_on(number: int, statement: MergeStatement, source: DataFrame, plan: MergePlan) -> None:
    """Refuse a statement whose rows can't be found by the key, or that gives a row another key.

    `source` is what `source_rows` returns.

    Raises:
        InputError: naming the columns.
    """
    what = f"batch {number} (sql_merge)"
    for name in plan.key:
        if name not in statement.on:
            msg = f"{what}: ON does not compare the key column {name}; compare it with a value of the source"
            raise InputError(msg)
    places = {**{name: _of_source(name) for name in plan.partition if name in source.columns}, **statement.on}
    for name in (*plan.key, *plan.partition):
        if name not in places:
            msg = f"{what}: neither ON nor a column of the source gives the partition column {name}; compare it in ON"
            raise InputError(msg)
    for name in statement.on:
        if name not in {*plan.key, *plan.partition}:
            msg = f"{what}: ON compares {name}, which is not of the key; put it into a condition of WHEN MATCHED"
            raise InputError(msg)
    for clause in statement.written:
        _check_assigned(clause, places, what)
    for name in plan.ordering:
        if name.partition(".")[0] not in source.columns and name not in statement.resolved:
            msg = (
                f"{what}: the source lacks {name}, the ordering field, and no UPDATE assigns a column of the source to "
                "it; add it to the source"
            )
            raise InputError(msg)


def _check_assigned(clause: MergeClause, places: Mapping[str, str], what: str) -> None:
    """Refuse a clause that gives a row another key or partition than `places` do."""
    for name, place in places.items():
        given = clause.values.get(name)
        if given is not None and given.lower() != place.lower():
            msg = f"{what}: a clause assigns another value to {name} than ON compares it with; assign that one"
            raise InputError(msg)
        if given is None and clause.action is ClauseAction.INSERT:
            msg = f"{what}: an INSERT leaves out {name}; give the row its key"
            raise InputError(msg)


def _of_source(name: str) -> str:
    return f"`{SOURCE}`.`{name}`"


def with_statements(
    versions: DataFrame, plan: MergePlan, operations: Operations, before: Callable[[DataFrame, int], DataFrame]
) -> DataFrame:
    """Return the versions with each row of a source twice: as a clause takes it that is for matched rows, and another.

    Until then nobody knows whether the table has the key.

    Args:
        versions: the rows of all batches.
        plan: what merges, and how.
        operations: of the commits.
        before: gives the snapshot after a number of commits, of their versions.

    Raises:
        InputError: an expression can't be evaluated, or has another type than the column that it is assigned to.
    """
    statements = sorted(operations.statements.items())
    if not statements:
        return versions
    fields = data_fields(versions)
    plain = [name for name in versions.columns if not name.startswith(f"{SOURCE}_")]
    none = sf.lit(None).cast("int").alias(CLAUSE)
    found = versions.where(~sf.col(COMMIT).isin(*operations.statements)).select(*map(quoted, plain), none)
    many = sum(any(clause.reads for clause in one.written) for _, one in statements) > 1
    for number, statement in statements:
        rows = versions.where(sf.col(COMMIT) == number)
        rows = rows.select(*map(quoted, plain), sf.col(_struct_of(number)).alias(SOURCE))
        kinds = {field.name: field.dataType for field in fields}
        for name in {*plan.ordering} & {*statement.resolved}:
            what = f"batch {number} (sql_merge): a clause"
            rows = rows.withColumn(name, _value(rows, statement.resolved[name], name, kinds[name], what))
        row = spark_types.StructType(fields)
        if plan.table_type is TableType.COPY_ON_WRITE and any(clause.reads for clause in statement.written):
            table = before(found.where(sf.col(COMMIT) < number), number - 1).where(sf.col(COMMIT) == number - 1)
            names = [quoted(field.name) for field in fields]
            keyed = table.select(*map(quoted, plan.identity), sf.struct(*names).cast(row).alias(TARGET))
            rows = join_rows(rows, keyed, plan.identity, "left", or_empty=plan.partition)
        else:  # the writer of a merge-on-read table has no row of the table: each column of it is null
            rows = rows.withColumn(TARGET, sf.lit(None).cast(row))
        taken = _taken(rows, number, statement, plan, plain)
        # Each snapshot before a statement is made of all those before it: kept, none of them is made again.
        taken = taken.localCheckpoint(eager=False) if many else taken
        found = found.unionByName(taken, allowMissingColumns=True)  # `_pb_ordering` of some statements alone
    return found


def _taken(rows: DataFrame, number: int, statement: MergeStatement, plan: MergePlan, plain: Sequence[str]) -> DataFrame:
    """Return the rows of a source, each as the first clause takes it whose condition holds; see `with_statements`."""
    kinds = {field.name: field.dataType for field in data_fields(rows)}
    reordered = [place for place, one in enumerate(statement.clauses) if _reorders(one, statement, plan)]
    own = _own_ordering(rows, plan, number) if reordered else None
    sides = []
    for matched in (True, False):
        numbered = [(place, one) for place, one in enumerate(statement.clauses) if one.matched is matched]
        last = numbered[-1][0]
        taken = functools.reduce(
            lambda rest, one: sf.when(_condition(rows, one[1], number), sf.lit(one[0])).otherwise(rest),
            reversed(numbered[:-1]),
            sf.lit(last),
        )
        chosen = rows.withColumn(CLAUSE, taken.cast("int"))
        columns = [
            quoted(name)
            if name not in kinds or name in {*plan.key, *plan.partition}
            else _column(chosen, name, kinds[name], numbered, number, plan)
            for name in plain
        ]
        if own is not None:
            columns.append(sf.when(sf.col(CLAUSE).isin(*reordered), own).alias(ORDERING))
        sides.append(chosen.select(*columns, CLAUSE))
    return sides[0].unionByName(sides[1])


def _reorders(clause: MergeClause, statement: MergeStatement, plan: MergePlan) -> bool:
    """Whether a clause assigns another value to an ordering field than the source has, by which rows are combined."""
    own = {name: statement.resolved.get(name, _of_source(name)) for name in plan.ordering}
    given = ((clause.values.get(name), value) for name, value in own.items())
    return any(assigned is not None and assigned.lower() != value.lower() for assigned, value in given)


def _own_ordering(rows: DataFrame, plan: MergePlan, number: int) -> Column:
    """Return `_pb_ordering` of the rows of a source.

    Raises:
        InputError: the field is nested, or of a type whose values have no exact text in SQL.
    """
    schema = avro_schema(spark_types.StructType(data_fields(rows)), plan.release)
    found = told_ordering(schema, {name: quoted(name) for name in plan.ordering})
    if found is None:
        msg = (
            f"batch {number} (sql_merge): a clause assigns another value to the ordering field "
            f"{', '.join(plan.ordering)} than the source has, which is supported for whole numbers, text, booleans, "
            "dates and timestamps; compute the value in the source"
        )
        raise InputError(msg)
    return found


def _condition(rows: DataFrame, clause: MergeClause, number: int) -> Column:
    if clause.condition is None:
        return sf.lit(True)
    return _value(rows, clause.condition, "", spark_types.BooleanType(), f"batch {number} (sql_merge): the condition")


def _column(  # noqa: PLR0913, PLR0917 (parts of one column)
    rows: DataFrame,
    name: str,
    kind: spark_types.DataType,
    clauses: Sequence[tuple[int, MergeClause]],
    number: int,
    plan: MergePlan,
) -> Column:
    """Return what the clauses assign to a column; without an assignment null, of ordering and arrival the source's."""
    value = quoted(name) if name in {*plan.ordering, plan.arrival} else sf.lit(None).cast(kind)
    what = f"batch {number} (sql_merge): a clause"
    for place, clause in clauses:
        if name in clause.values:
            assigned = _value(rows, clause.values[name], name, kind, what, is_stored=True)
            value = sf.when(sf.col(CLAUSE) == place, assigned).otherwise(value)
    return value.alias(name)


def _value(  # noqa: PLR0913 (the parts of one value)
    rows: DataFrame, sql: str, name: str, kind: spark_types.DataType, what: str, *, is_stored: bool = False
) -> Column:
    """Return an expression in the type of its column; what is stored may be a whole number of a wider type.

    Raises:
        InputError: Spark can't evaluate it, or it has a type that may not fit.
    """
    told = sql.replace(f"`{SOURCE}`.", "source.").replace(f"`{TARGET}`.", "table.")
    try:
        own = rows.select(sf.expr(sql).alias("value")).schema["value"].dataType
    except PySparkException as error:
        reason = str(error).partition("\n")[0]
        msg = f"{what} has {told}, which Spark can't evaluate: {reason}; correct the statement"
        raise InputError(msg) from error
    if is_stored and isinstance(kind, spark_types.IntegralType) and isinstance(own, spark_types.IntegralType):
        value = sf.expr(sql)
        why = sf.concat(
            sf.lit(f"{what} has {told}, which is "),
            value.cast("string"),
            sf.lit(f", no {kind.simpleString()}; cast it"),
        )
        return functions.narrowed(value, kind, why).alias(name)
    if not isinstance(own, spark_types.NullType) and common_type(kind, own) != kind:
        msg = f"{what} has {told}, {own.simpleString()}, for {name or 'a test'}, {kind.simpleString()}; cast it"
        raise InputError(msg)
    return sf.expr(sql).cast(kind).alias(name or "value")
