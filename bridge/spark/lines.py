"""PySpark's lines: what each runs on, and what it lacks."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pyspark

from bridge.errors import EngineError


class Line(NamedTuple):
    """A line of PySpark.

    Attributes:
        name: the first numbers of its versions.
        java: the versions of Java that it runs on.
        newest_python: the newest Python whose functions it can send to workers; None: of those that have run, all.
        connect: whether its Spark Connect takes the code that workers need (`addArtifacts`).
        timestamp_ntz: whether its SQL has the type.
        nested_results: whether what a task returns as Arrow may have any nested type.
        gathers: whether versions of a key that were gathered can merge as expressions.
        row_encoder: whether its Java API gives an encoder of rows (`Encoders.row`).
    """

    name: str
    java: range
    newest_python: tuple[int, int] | None = None
    connect: bool = True
    timestamp_ntz: bool = True
    nested_results: bool = True
    gathers: bool = True
    row_encoder: bool = True


# Arrow in Spark 3.5 calls the constructor DirectByteBuffer(long, int), which Java has not had since 21; Hadoop's client
# in Spark 4.0 calls Subject.getSubject, which Java has refused since 23; Arrow in Spark 4.1 allocates through Netty's
# Unsafe, which Netty goes without on Java 25. What Spark's documentation names for 3.3 and 3.4 ends with 17. The
# cloudpickle of 3.3 and 3.4 reads the code objects of Python up to 3.10 and 3.11. Where a fold over gathered versions
# gives a row that may be null, the code that Spark 3.3 generates takes it for one (NullPointerException).
LINES = (
    Line(
        *("3.3", range(8, 18), (3, 10)),
        connect=False,
        timestamp_ntz=False,
        nested_results=False,
        gathers=False,
        row_encoder=False,
    ),
    Line("3.4", range(8, 18), (3, 11), connect=False, nested_results=False, row_encoder=False),
    Line("3.5", range(8, 21)),
    Line("4.0", range(17, 23)),
    Line("4.1", range(17, 25)),
    Line("4", range(17, sys.maxsize)),
)


def line_of(version: str = pyspark.__version__) -> Line:
    """Return the line of a version of PySpark, by default the one that is installed.

    Raises:
        EngineError: this project does not run on it.
    """
    found = next((line for line in LINES if f"{version}.".startswith(f"{line.name}.")), None)
    if found is None:
        msg = f"PySpark {version} is not supported; install one from 3.3 on, and before 5"
        raise EngineError(msg)
    return found


def check_python(version: str = pyspark.__version__) -> None:
    """Refuse a PySpark that can't send functions of this Python to its workers.

    Raises:
        EngineError: naming both.
    """
    newest = line_of(version).newest_python
    if newest is not None and sys.version_info[:2] > newest:
        own, last = (".".join(map(str, one)) for one in (sys.version_info[:2], newest))
        msg = (
            f"PySpark {version} runs Python up to {last}, and this is {own}; use Python {last}, or PySpark from 3.5 on"
        )
        raise EngineError(msg)
