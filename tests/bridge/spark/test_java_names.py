"""Java's classes are looked up once by name, and what is no class each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from py4j.java_gateway import JavaClass, JavaPackage
from py4j.protocol import Py4JError
from pyspark.sql import functions as sf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def asked(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what will be asked of Java: a command of Py4J is its lines."""
    told: list[str] = []
    client = spark._jvm._gateway_client
    send = client.send_command

    def noted(command: str, *more: Any, **named: Any) -> Any:
        if not command.startswith("m\n"):  # which frees an object, whenever Python has collected it
            told.append(command)
        return send(command, *more, **named)

    monkeypatch.setattr(client, "send_command", noted)
    return told


def test_a_column_is_one_call_of_java(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    sf.col("a")
    told = asked(spark, monkeypatch)
    sf.col("a")
    assert [command[:2] for command in told] == ["c\n"], "calls, and no look-up"


def test_a_class_is_that_of_the_first_look_up_and_can_be_made(spark: SparkSession) -> None:
    view: Any = spark._jvm
    assert isinstance(view.functions, JavaClass)
    assert view.functions is view.functions
    assert view.functions.lit is view.functions.lit
    assert view.java.util.ArrayList([1, 2]).size() == 2
    assert view.StringBuilder("a").append("b").toString() == "ab"


def test_what_is_no_class_is_looked_up_again(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    view: Any = spark._jvm
    told = asked(spark, monkeypatch)
    assert isinstance(view.nowhere, JavaPackage)
    assert isinstance(view.nowhere, JavaPackage)
    assert len(told) == 2
    for _ in range(2):
        with pytest.raises(Py4JError, match="no_function does not exist in the JVM"):
            _ = view.functions.no_function
    assert len(told) == 4


def test_packages_of_a_class_that_was_found_are_looked_up_once(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    view: Any = spark._jvm
    found = view.java.util.concurrent.ConcurrentHashMap
    told = asked(spark, monkeypatch)
    assert view.java.util.concurrent.ConcurrentHashMap is found
    assert told == []
    for _ in range(2):
        assert isinstance(view.java.util.concurrent.nowhere, JavaPackage)
    assert len(told) == 2
