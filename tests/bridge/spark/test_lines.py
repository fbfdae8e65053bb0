"""What a line of PySpark lacks is refused by name; `python -m tests.lines` runs the lines themselves."""

from __future__ import annotations

import dataclasses
import sys

import pytest

from bridge import MergePlan, PlanError
from bridge.engines import Job, engine_of
from bridge.engines.native import lowering
from bridge.errors import EngineError, sentence_of
from bridge.programs import EngineName
from bridge.spark import schema, session, spark_schema
from bridge.spark.lines import LINES, check_python, line_of
from bridge.spark.session import SessionOptions, session_of
from payloads import SchemaError, parse_schema


@pytest.mark.parametrize(
    ("version", "line"),
    [("3.3.0", "3.3"), ("3.3.4", "3.3"), ("3.4.4", "3.4"), ("3.5.7", "3.5"), ("4.0.1", "4.0"), ("4.10.0", "4")],
)
def test_each_version_has_its_line(version, line):
    assert line_of(version).name == line


@pytest.mark.parametrize("version", ["3.2.4", "3.30.0", "5.0.0", "2.4.8"])
def test_other_lines_are_refused(version):
    with pytest.raises(EngineError, match=rf"PySpark {version} is not supported; install one from 3.3 on"):
        line_of(version)


@pytest.mark.parametrize(
    ("version", "python", "said"),
    [
        ("3.3.4", (3, 10), None),
        ("3.3.4", (3, 11), "PySpark 3.3.4 runs Python up to 3.10, and this is 3.11"),
        ("3.4.4", (3, 11), None),
        ("3.4.4", (3, 12), "PySpark 3.4.4 runs Python up to 3.11, and this is 3.12"),
        ("3.5.7", (3, 13), None),
    ],
)
def test_a_python_that_is_too_new_is_refused(monkeypatch, version, python, said):
    monkeypatch.setattr(sys, "version_info", (*python, 0, "final", 0))
    if said is None:
        check_python(version)
        return
    with pytest.raises(EngineError, match=said):
        check_python(version)


@pytest.mark.parametrize("line", [line for line in LINES if not line.connect], ids=lambda line: line.name)
def test_spark_connect_that_takes_no_code_is_refused(monkeypatch, line):
    monkeypatch.setattr(session, "line_of", lambda: line)
    monkeypatch.setattr(session.SparkSession, "getActiveSession", lambda: None)
    with pytest.raises(EngineError, match=r"Spark Connect can't send code to workers before 3.5"):
        session_of(SessionOptions(remote="sc://nowhere:15002"))


def test_a_local_timestamp_is_refused_where_spark_has_no_type_for_it(monkeypatch):
    kind = {"type": "long", "logicalType": "local-timestamp-micros"}
    found = parse_schema({"type": "record", "name": "Row", "fields": [{"name": "at", "type": kind}]})
    assert spark_schema(found).simpleString() == "struct<at:timestamp_ntz>"
    monkeypatch.setattr(schema, "line_of", lambda: line_of("3.3.4"))
    with pytest.raises(SchemaError, match=r"column 'at' is a local timestamp, which Spark has from 3.4 on"):
        spark_schema(found)


def test_a_merger_of_columns_is_refused_where_spark_fails_on_it(monkeypatch):
    fields = [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}, {"name": "v", "type": "long"}]
    found = parse_schema({"type": "record", "name": "Row", "fields": fields})
    plan = MergePlan(
        merger="tests.support.user_mergers:AddsUpColumns", release="1.2", key="id", ordering="ts", engine="native"
    )
    job = Job(plan, found, tuple(found.by_name), "upsert")
    assert engine_of(job)[0] is EngineName.NATIVE
    monkeypatch.setattr(lowering, "line_of", lambda: line_of("3.3.4"))
    advice = (
        r"add `merge` to tests\.support\.user_mergers:AddsUpColumns, which has only merge_columns, or use PySpark 3\.4"
    )
    for engine in ("native", "auto"):
        with pytest.raises(
            PlanError, match=rf"Spark 3\.3 fails where a merger of columns, or with a rule, .*; {advice}"
        ):
            engine_of(dataclasses.replace(job, plan=dataclasses.replace(plan, engine=engine)))
    rows = dataclasses.replace(plan, merger="tests.support.user_mergers:AddsUp", engine="auto")
    assert engine_of(dataclasses.replace(job, plan=rows)).engine is EngineName.PYTHON


@pytest.mark.parametrize(
    "text",
    [
        (
            "An error occurred while calling o37.collectToPython.\n: org.apache.spark.SparkException: Job aborted by "
            "a failure of its stage: Task 0 in stage 0.0 failed 1 times, most recent failure: Lost task 0.0: "
            "java.lang.RuntimeException: {}\n\tat org.apache.spark.sql.Generated.processNext(Unknown Source)\n"
            "Caused by: java.lang.RuntimeException: {}\n\tat org.apache.spark"
        ),
        "[USER_RAISED_EXCEPTION] {} SQLSTATE: P0001",
    ],
    ids=["3", "4"],
)
def test_an_error_that_an_expression_raises_is_told_alike_on_each_line(text):
    sentence = "Mine failed at upsert (key id='0'): a null ordering value"
    assert sentence_of(RuntimeError(text.format(sentence, sentence))) == sentence
