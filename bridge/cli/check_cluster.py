"""`payload-bridge check-cluster`: what driver and executors have, before a long job finds out."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import click
import pyspark

from bridge.cli.quiet import quiet_session
from bridge.cli.session import session_options
from bridge.cli.verb import Verb
from bridge.errors import EngineError
from bridge.report import STRICT, Judged, Report, Severity, Table
from bridge.spark import IMPORTS, accesses, check_java, driver_java, has_executors, is_connect, versions, workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from bridge.spark import Access, Worker


@click.command("check-cluster", cls=Verb, short_help="Check what the driver and the executors have installed.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@session_options
def check_cluster(paths: tuple[str, ...]) -> Report:
    """Show what the driver and each executor have: Python, packages, Java, Spark, jars.

    Each PATH, a file or folder on any storage, is tried from the driver, by Spark's readers and from the Python of the
    executors. The exit code is 3 if something is missing that a merge needs, or a PATH can't be read.
    """
    return _checked(quiet_session(), paths).to_report()


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ClusterReport(Judged):
    """What `check-cluster` answers.

    Attributes:
        session: what the session says of itself.
        driver: what the driver has.
        executors: what each executor has; empty where executors are threads of the driver.
        is_cluster: whether they are processes of their own.
        fault: why executors can't be asked, or differ from the driver in Java; None for neither.
        accesses: the attempts to read each path.
    """

    fails = STRICT

    session: dict[str, str]
    driver: Worker
    executors: tuple[Worker, ...]
    is_cluster: bool
    fault: str | None = None
    accesses: tuple[Access, ...] = ()

    @property
    def lacking(self) -> tuple[str, ...]:
        """What is missing, and where."""
        workers = (self.driver, *self.executors)
        return tuple(f"{one.host} lacks {', '.join(one.missing)}" for one in workers if one.missing)

    @property
    def barred(self) -> tuple[str, ...]:
        """Which paths can't be read, and by whom."""
        return tuple(f"{one.path} can't be read by {one.by}: {one.found}" for one in self.accesses if one.failed)

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether something is missing or can't be read; empty where nothing is."""
        fails = self.fault or self.lacking or self.barred
        return frozenset({Severity.NOT_CHECKED} if fails else ())

    @property
    def verdict(self) -> str:
        """What is missing or can't be read, in a sentence or two."""
        if self.fault or self.barred:
            return self.fault or "; ".join(self.barred)
        untried = [
            f"{one.path} has no file to read, so {one.by} did not try to read it."
            for one in self.accesses
            if one.failed is None
        ]
        return " ".join([self._of_workers, *untried])

    @property
    def _of_workers(self) -> str:
        if self.lacking:
            return f"{'; '.join(self.lacking)}: install it there, or ship this Python: payload-bridge pack."
        if not self.is_cluster:
            return "Executors are threads of this process, which has everything that merges need."
        number = len(self.executors)
        return f"{number} executor hosts have everything that merges need; each job ships this package to them."

    def to_report(self) -> Report:
        """Return the report of the command line."""
        report = Report("check-cluster", self.verdict, self.severities, self.fails, plan=dict(self.session))
        executors = ({"where": "executor", **_row(one)} for one in self.executors)
        report.results = [{"where": "driver", **_row(self.driver)}, *executors]
        columns = ("where", "host", "python", "interpreter", "java", *IMPORTS)
        report.body.append(Table(("driver", "value"), list(self.session.items()), "Driver"))
        report.body.append(Table.of_rows(columns, report.results, "Python and its packages"))
        if self.accesses:
            rows = [{"path": one.path, "by": one.by, "found": one.found} for one in self.accesses]
            report.results += rows
            report.body.append(Table.of_rows(tuple(rows[0]), rows, "Storage"))
        return report


def _checked(spark: SparkSession, paths: Sequence[str]) -> ClusterReport:
    """Ask the driver and the executors; paths are tried only if nothing is missing."""
    driver = versions(IMPORTS)._replace(java=driver_java(spark))
    found: list[Worker] = []
    fault = None
    is_cluster = has_executors(spark)
    try:
        found = workers(spark) if is_cluster else []
        check_java(found, driver.java)
    except EngineError as error:
        fault = str(error)
    checked = ClusterReport(_driver(spark), driver, tuple(found), is_cluster, fault)
    if fault or checked.lacking:
        return checked
    return dataclasses.replace(checked, accesses=tuple(one for path in paths for one in accesses(spark, path)))


def _driver(spark: SparkSession) -> dict[str, str]:
    """Return what the session says of itself; settings that may hold secrets are left out."""
    shown = {"spark": spark.version, "pyspark": pyspark.__version__}
    if not is_connect(spark):
        context = spark.sparkContext
        shown |= {"master": str(context.master), "java": os.environ.get("JAVA_HOME", "")}
    names = ("spark.jars", "spark.jars.packages", "spark.submit.pyFiles", "spark.executor.memory")
    return shown | {name: value for name in names if (value := spark.conf.get(name, ""))}


def _row(one: Worker) -> dict[str, str]:
    packages = {
        name: f"missing: {found[1:]}" if found.startswith("!") else found for name, found in one.packages.items()
    }
    return {"host": one.host, "python": one.python, "interpreter": one.interpreter, "java": one.java or "", **packages}
