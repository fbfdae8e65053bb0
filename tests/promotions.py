"""Asks real Hudi what a column becomes whose type two batches disagree about: python -m tests.promotions [--release R].

For every pair of types a table of each kind gets a batch of the older type and one of the newer, and is read. The
answers are tests/data/promotions.json, which a test holds our rules against. About 15 minutes a release on two cores;
needs network or a filled Ivy cache.
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from pyspark.sql import types as spark_types

from bridge.spark import common_type
from tests.conformance.record_table import session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


RECORDED: Final = Path(__file__).parent / "data" / "promotions.json"
BUNDLES: Final = {"0.15": "0.15.0", "1.0": "1.0.2", "1.1": "1.1.1", "1.2": "1.2.0"}
"""The bundle that is asked for each release."""

_QUICK: Final = {
    "spark.driver.memory": "1g",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Settings for hundreds of queries of a few rows, each with types of its own."""

_VALUES: Final = {
    "boolean": ("true", "false"),
    "int": ("18000", "7"),
    "bigint": ("18001L", "8L"),
    "float": ("CAST(1.1 AS FLOAT)", "CAST(20.5 AS FLOAT)"),
    "double": ("CAST(1.1 AS DOUBLE)", "CAST(20.25 AS DOUBLE)"),
    "decimal(10,2)": ("CAST(1.25 AS DECIMAL(10,2))", "CAST(30.5 AS DECIMAL(10,2))"),
    "string": ("'x'", "'y'"),
    "binary": ("X'41'", "X'42FF'"),
    "date": ("DATE'2024-01-02'", "DATE'1969-12-31'"),
    "timestamp": ("TIMESTAMP'2021-03-04 05:06:07.123456'", "TIMESTAMP'1969-12-31 23:59:59'"),
}
_FITTING: Final = {
    "boolean": ("'true'", "'false'"),
    "int": ("'18000'", "'7'"),
    "bigint": ("'18001'", "'8'"),
    "float": ("'1.5'", "'20.5'"),
    "double": ("'1.5'", "'20.25'"),
    "decimal(10,2)": ("'1.25'", "'30.5'"),
    "date": ("'2024-01-02'", "'1969-12-31'"),
    "timestamp": ("'2021-03-04 05:06:07.123456'", "'1969-12-31 23:59:59'"),
}
"""Texts that are values of another type."""
_ODD: Final = (
    ("decimal(10,2)", "double", "CAST(1.125 AS DOUBLE)"),
    ("decimal(10,2)", "double", "CAST(-1.125 AS DOUBLE)"),
    ("decimal(10,2)", "double", "CAST(1.115 AS DOUBLE)"),
    ("decimal(10,2)", "float", "CAST(16777216 AS FLOAT)"),
    ("decimal(10,2)", "bigint", "123456789012L"),
    ("decimal(10,2)", "string", "'1.125'"),
    ("decimal(10,2)", "string", "'1e2'"),
    ("decimal(10,2)", "string", "' 2.5 '"),
    ("decimal(10,2)", "string", "'123456789012'"),
    ("date", "string", "'2024-1-2'"),
    ("date", "string", "'2024-02-30'"),
    ("date", "string", "'2024-01-02 03:04:05'"),
)
"""Values that a type of the table holds in part, or not at all."""
_OTHERS: Final = (
    *itertools.permutations(("decimal(10,2)", "decimal(8,2)", "decimal(12,4)", "decimal(8,4)", "decimal(12,1)"), 2),
    ("struct<a:int,b:string>", "struct<b:string,a:int>"),
    ("struct<a:int>", "struct<a:int,b:string>"),
    ("struct<a:int,b:string>", "struct<a:int>"),
    ("struct<a:int,c:int>", "struct<c:int,b:string,a:int>"),
    ("struct<a:date>", "struct<a:string>"),
    ("struct<a:decimal(10,2)>", "struct<a:string>"),
    ("struct<s:struct<a:int,b:string>>", "struct<s:struct<b:string,a:int>>"),
    ("struct<s:struct<a:int>>", "struct<s:struct<a:int,b:string>>"),
    ("array<struct<a:int,b:string>>", "array<struct<b:string,a:int>>"),
    ("array<struct<a:int>>", "array<struct<a:int,b:string>>"),
    ("array<date>", "array<string>"),
    ("array<decimal(10,2)>", "array<string>"),
    ("map<string,struct<a:int,b:string>>", "map<string,struct<b:string,a:int>>"),
    ("map<string,date>", "map<string,string>"),
)


class Case(dict[str, Any]):
    """Two types of a column, and the values of the rows 1 and 2 of the older batch, 2 and 3 of the newer."""


def cases() -> Iterator[Case]:
    """Give every pair; texts as values of the other type, and as none."""
    for older, newer in itertools.permutations(_VALUES, 2):
        if "string" in {older, newer}:
            other = newer if older == "string" else older
            if other in _FITTING:
                texts = _VALUES | {"string": _FITTING[other]}
                yield Case(older=older, newer=newer, old=texts[older], new=texts[newer])
        yield Case(older=older, newer=newer, old=_VALUES[older], new=_VALUES[newer])
    for older, newer, value in _ODD:
        yield Case(older=older, newer=newer, old=_VALUES[older], new=(value, value))
    for older, newer in _OTHERS:
        yield Case(older=older, newer=newer, old=_made(older), new=_made(newer))


def _made(kind: str) -> tuple[str, str]:
    if kind.startswith("decimal"):
        return f"CAST(1.25 AS {kind.upper()})", f"CAST(30.5 AS {kind.upper()})"
    one, two = (_json(kind, number) for number in (1, 2))
    return f"from_json('{{\"v\":{one}}}', 'v {kind}').v", f"from_json('{{\"v\":{two}}}', 'v {kind}').v"


def _json(kind: str, number: int) -> str:
    """Return a value of a type as JSON."""
    name, _, inner = kind.partition("<")
    inner = inner[:-1]
    if name == "struct":
        pairs = (field.partition(":") for field in _fields(inner))
        return "{" + ",".join(f'"{field}":{_json(of, number)}' for field, _, of in pairs) + "}"
    if name == "array":
        return f"[{_json(inner, number)}]"
    if name == "map":
        return '{"k":' + _json(inner.partition(",")[2], number) + "}"
    plain = {"int": str(number), "string": f'"t{number}"', "date": f'"2024-01-0{number}"'}
    return plain.get(kind, f"{number}.25")


def _fields(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and not depth:
            yield text[start:at]
            start = at + 1
    yield text[start:]


@click.command()
@click.option("--release", "wanted", multiple=True, type=click.Choice(list(BUNDLES)), help="Only this; repeatable.")
@click.option("--only", multiple=True, metavar="OLDER:NEWER", help="Only this pair; repeatable.")
@click.option("--short", is_flag=True, help="Only nested types and pairs that our own rule refuses.")
@click.option("--in-session", hidden=True, help="The release that this process has.")
def main(wanted: tuple[str, ...], only: tuple[str, ...], in_session: str | None, *, short: bool) -> None:
    """Print a line an answer, and record it in place of the one that there was."""
    if in_session is not None:
        _ask(in_session, only, short=short)
        return
    for release in wanted or BUNDLES:
        command = [sys.executable, "-m", "tests.promotions", "--in-session", release, *(["--short"] if short else [])]
        command += [word for pair in only for word in ("--only", pair)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as asked:
            answers = []
            for line in asked.stdout or ():
                if line.startswith("{"):
                    answers.append(json.loads(line))
                    click.echo(f"{release} {line}", nl=False)
        if asked.returncode:
            sys.exit(f"{release}: the session ended")
        _record(release, answers)


def _record(release: str, answers: list[dict[str, Any]]) -> None:
    known = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    by_case = {_name(answer): answer for answer in (*known.get(release, ()), *answers)}
    in_order = [by_case[name] for name in map(_name, cases()) if name in by_case]
    known = {one: (known | {release: in_order}).get(one, []) for one in BUNDLES}
    lines = (f'"{name}": [\n' + ",\n".join(map(json.dumps, found)) + "\n]" for name, found in known.items())
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


def _name(case: Mapping[str, Any]) -> tuple[str, ...]:
    return case["older"], case["newer"], *case["old"], *case["new"]


# -- a process with a bundle


def _ask(release: str, only: tuple[str, ...], *, short: bool) -> None:
    spark = session(BUNDLES[release], _QUICK)
    with tempfile.TemporaryDirectory() as folder:
        for case in sorted(cases(), key=_is_taken):
            if only and f"{case['older']}:{case['newer']}" not in only:
                continue
            if short and _is_taken(case) and "<" not in case["older"]:
                continue
            answer: dict[str, Any] = dict(case)
            for table_type in ("COPY_ON_WRITE", "MERGE_ON_READ"):
                answer[table_type.lower()] = found = _shown(spark, f"{folder}/t", case, table_type)
                shutil.rmtree(f"{folder}/t", ignore_errors=True)
                if "error" in found:
                    break
            print(json.dumps(answer), flush=True)  # noqa: T201 (its answer)
    spark.stop()


def _is_taken(case: Case) -> bool:
    """Whether our own rule has a type for both; pairs that it refuses are asked first."""
    older, newer = (spark_types._parse_datatype_string(case[name]) for name in ("older", "newer"))
    return common_type(older, newer) is not None


def _shown(spark: Any, path: str, case: Case, table_type: str) -> dict[str, Any]:
    """Return the type and the rows that Hudi shows after both batches, or why it does not."""
    options = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.datasource.write.table.type": table_type,
        "hoodie.metadata.enable": "false",
        "hoodie.embed.timeline.server": "false",
        "hoodie.upsert.shuffle.parallelism": "1",
        "hoodie.insert.shuffle.parallelism": "1",
        "hoodie.compact.inline": "false",
        "hoodie.parquet.small.file.limit": "0",
    }
    where = "the first write"
    try:
        for ts, (kind, ids, values) in enumerate(
            ((case["older"], (1, 2), case["old"]), (case["newer"], (2, 3), case["new"])), start=1
        ):
            rows = " UNION ALL ".join(
                f"SELECT {number} id, {ts}L ts, CAST({value} AS {kind}) v"
                for number, value in zip(ids, values, strict=True)
            )
            spark.sql(rows).coalesce(1).write.format("hudi").options(**options).mode("append").save(path)
            where = "the second write"
        where = "the query"
        found = spark.read.format("hudi").load(path)
        kind = found.schema["v"].dataType.simpleString()
        rows = found.orderBy("id").selectExpr("id", "to_json(struct(v)) v").collect()
    except Exception as error:  # noqa: BLE001 (whatever Hudi refuses with is the answer)
        return {"error": f"{where}: {_cause(str(error))}"}
    return {"type": kind, "rows": [[row.id, row.v] for row in rows]}


def _cause(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    raised = [line.removeprefix(": ") for line in lines if line.startswith(": ")]  # after py4j's own line
    return (causes[-1:] or raised or lines)[0][:160]


if __name__ == "__main__":
    main()
