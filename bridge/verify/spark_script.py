"""The PySpark script that shows a counterexample on real Hudi, without this project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities, keys
from bridge.errors import InputError
from bridge.spark import quoted_name, spark_schema
from bridge.verify.pytest_file import python_source, violations_of
from mergers.laws import Act, Expr, Incoming, Merge, Operands, Row, value_at
from payloads import resolve_payload
from payloads.avro import to_logical
from payloads.builtin import BuiltinPayload
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from bridge.report import JsonObject
    from bridge.verify.report import Verification
    from mergers.laws import LawResult

_OTHER_KEY = 7
_ORDER = ("action", "schedule-independence", "associativity", "commutativity", "tombstone", "idempotence")

_SCRIPT = '''"""{title}

{story}

Each side is a table: one list of rows is one commit, and the rows of a commit are deduplicated by Hudi before they are
written. Run it with Java 11 or 17 and PySpark {spark}:

    spark-submit --packages {packages}{jars_option} {{this file}}
"""

from __future__ import annotations

import datetime  # noqa: F401 (rows may need it)
import decimal  # noqa: F401
import tempfile

from pyspark.sql import SparkSession

PACKAGES = {packages!r}
JARS = {jars!r}
COLUMNS = {ddl!r}
NAMES = {names!r}
OPTIONS = {options}
# What each commit writes.
BYSTANDER = {other_key}  # another key, so that the table has a row and a schema from the first commit on
LEFT = [
{left}]  # {left_text}
RIGHT = [
{right}]  # {right_text}


def main():
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars.packages", PACKAGES)
        .config("spark.jars", JARS)
        .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
        .config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    ends = {{}}
    for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        for side, commits in (("left", LEFT), ("right", RIGHT)):
            path = tempfile.mkdtemp(prefix="counterexample-") + "/table"
            for number, rows in enumerate([[BYSTANDER], *commits]):
                frame = spark.createDataFrame(rows, COLUMNS).coalesce(1)
                options = {{**OPTIONS, "hoodie.datasource.write.table.type": table_type}}
                frame.write.format("hudi").options(**options).mode("append" if number else "overwrite").save(path)
            found = spark.read.format("hudi").load(path).select(*NAMES).collect()
            ends[table_type, side] = sorted(repr(row) for row in found if tuple(row) != BYSTANDER)
            print(table_type, side, ends[table_type, side] or "no row")
    differ = len(set(map(tuple, ends.values()))) > 1
    print("The answers differ." if differ else "The answers agree.")
    spark.stop()


if __name__ == "__main__":
    main()
'''


def spark_text(verification: Verification) -> str:
    """Return the script for the violation that a table shows best.

    Raises:
        InputError: no violation shows in a table: none of its laws does, or a delete carries no record, or the subject
            is not a class that Hudi can load, or one that its writers can't build.
    """
    name = _java_name(verification)
    result = _shown(verification)
    found = result.counterexample
    if found is None or not verification.key:
        msg = "a table needs a key; give --key"
        raise InputError(msg)
    schema = verification.report.schema
    struct = spark_schema(schema)
    left, right = (_commits(side, found.operands) for side in found.equation)
    other_key = _other_key(verification, found.operands)
    ordering = verification.ordering or (() if verification.has_schema else (schema.fields[1].name,))
    options = {
        keys.TABLE_NAME: "counterexample",
        keys.WRITE_RECORD_KEY: ",".join(verification.key),
        keys.WRITE_KEYGEN_CLASS: "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
        keys.WRITE_OPERATION: "upsert",
        keys.SMALL_FILE_LIMIT: "0",
        keys.METADATA_TABLE: "false",
        **name,
        **_table_version(verification, name),
        **({keys.WRITE_PRECOMBINE.key: ",".join(ordering)} if ordering else {}),
        **verification.props,
    }

    jars = "" if verification.compiled is None else verification.compiled.reference.jar or ""

    def as_row(record: JsonObject) -> tuple[object, ...]:
        return tuple(to_logical(record, schema).values())

    def commits_source(commits: list[list[JsonObject]]) -> str:
        rows = [list(map(as_row, commit)) for commit in commits]
        return "".join(f"    {python_source(commit)},\n" for commit in rows)

    story = "\n".join([*found.lines(), "", f"For a table: {result.law.meaning}."])
    return _SCRIPT.format(
        title=f"{verification.report.subject}, {result.law.id}: {result.law.statement}.",
        story=story.replace("\\", "\\\\").replace('"""', "'''"),
        packages=",".join(_packages(verification)),
        spark=capabilities(verification.release).newest_spark,
        jars=jars,
        jars_option=f" --jars {jars}" if jars else "",
        ddl=", ".join(f"{quoted_name(field.name)} {field.dataType.simpleString()}" for field in struct.fields),
        names=list(struct.names),
        options="{\n" + "".join(f"    {key!r}: {value!r},\n" for key, value in options.items()) + "}",
        other_key=python_source(as_row(other_key)),
        left=commits_source(left),
        right=commits_source(right),
        left_text=found.left[-1].text,
        right_text=found.right[-1].text,
    )


def _packages(verification: Verification) -> list[str]:
    own = () if verification.compiled is None else verification.compiled.reference.package
    has_bundle = any(coordinate.startswith("org.apache.hudi:hudi-spark") for coordinate in own)
    can = capabilities(verification.release)
    bundle = f"org.apache.hudi:hudi-spark{can.newest_spark}-bundle_2.12:{can.bundle}"
    return [*own] if has_bundle else [bundle, *own]


def _table_version(verification: Verification, name: dict[str, str]) -> dict[str, str]:
    """Keep the table at a version in which its payload class still runs: from 9 on a merge mode takes its place."""
    if not capabilities(verification.release).payload_successors or keys.WRITE_PAYLOAD_CLASS.key not in name:
        return {}
    return {keys.WRITE_TABLE_VERSION.key: "8", keys.AUTO_UPGRADE.key: "false"}


def _other_key(verification: Verification, operands: Operands) -> dict[str, object]:
    """Return a row of another key, which the counterexample does not touch."""
    rows = [operands.row, *(version.record for version in operands.versions if not version.is_delete)]
    like = next((row for row in rows if row is not None), None)
    if like is None:
        msg = "the counterexample has only deletes, which leave no row in any table; verify other laws or domains"
        raise InputError(msg)
    schema = verification.report.schema
    others = {name: value_at(schema.by_name[name].schema, _OTHER_KEY) for name in verification.key}
    return like | others


def _java_name(verification: Verification) -> dict[str, str]:
    """Return the options that say how to merge."""
    if verification.compiled is not None:
        return {keys.WRITE_PAYLOAD_CLASS.key: verification.compiled.java_name}
    mode, _, partial = verification.name.upper().partition("/")
    if mode in {"COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"}:
        if partial:
            msg = "a writer cannot set a partial update mode; use a payload class that is upgraded to it (see plan)"
            raise InputError(msg)
        return {keys.WRITE_MERGE_MODE.key: mode}
    try:
        found = resolve_payload(verification.name, verification.release)
    except PayloadBridgeError:
        found = None
    if found is None or not issubclass(found, BuiltinPayload):
        if ":" in verification.name or "." not in verification.name:
            msg = f"{verification.name} is not a class that real Hudi can load, so a script would show nothing"
            raise InputError(msg)
        return {keys.WRITE_PAYLOAD_CLASS.key: verification.name}
    if not found.takes_ordering:
        msg = (
            f"{found.__name__} has no constructor (GenericRecord, Comparable), by which Hudi's writers build payloads, "
            "so Hudi fails at the first row, and no table shows what the class violates; use --emit-test"
        )
        raise InputError(msg)
    return {keys.WRITE_PAYLOAD_CLASS.key: found.java_name}


def _shown(verification: Verification) -> LawResult:
    violated = violations_of(verification)
    for law in _ORDER:
        for result in violated:
            found = result.counterexample
            if (
                result.law.id == law
                and found is not None
                and all(v.record is not None for v in found.operands.versions)
            ):
                return result
    names = ", ".join(_ORDER)
    msg = f"no violation that was found shows in a table: it takes one of {names}, by versions that carry records"
    raise InputError(msg)


def _commits(expr: Expr, operands: Operands) -> list[list[JsonObject]]:
    """Return the rows of each commit: what a version is merged into comes earlier, what is combined first is one."""
    match expr:
        case Row():
            return [] if operands.row is None else [[operands.row]]
        case Act(row, newer):
            return [*_commits(row, operands), _leaves(newer, operands)]
        case Merge(Merge() as older, newer):
            return [*_commits(older, operands), _leaves(newer, operands)]
        case _:
            return [_leaves(expr, operands)]


def _leaves(expr: Expr, operands: Operands) -> list[dict[str, object]]:
    match expr:
        case Incoming(position):
            return [operands.versions[position].record or {}]
        case Merge(older, newer):
            return [*_leaves(older, operands), *_leaves(newer, operands)]
        case _:
            msg = f"{expr!r} is not written by a commit"
            raise InputError(msg)
