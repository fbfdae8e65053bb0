"""Errors of Spark that no Spark has raised."""

from __future__ import annotations

from bridge.spark import PySparkException


class SparkError(PySparkException):
    """An error with a text; PySpark 3.3 would ask a JVM for the text of its own."""

    def __init__(self, text: str) -> None:
        Exception.__init__(self, text)
        self.message = text

    def __str__(self) -> str:
        return self.message
