"""`payload-bridge check-cluster`: what driver and executors have, before a long job finds out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
import pyspark

from bridge.cli.quiet import quiet_session
from bridge.cli.session import session_options
from bridge.cli.verb import FAILED, Verb
from bridge.errors import EngineError
from bridge.report import Report, Table
from bridge.spark import PACKAGES, accesses, check_java, driver_java, has_executors, is_connect, versions, workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.spark import Worker


class _Check(Verb):
    failed_code = FAILED


@click.command("check-cluster", cls=_Check, short_help="Show what driver and executors have.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@session_options
def check_cluster(paths: tuple[str, ...]) -> Report:
    """Show what the driver and each executor have: Python, packages, Java, Spark, jars.

    Each PATH, a file or folder on any storage, is tried from the driver, by Spark's readers and from the Python of the
    executors. The exit code is 3 if something is missing that a merge needs, or a PATH can't be read.
    """
    spark = quiet_session()
    driver = versions(PACKAGES)._replace(java=driver_java(spark))
    found: list[Worker] = []
    fault = None
    try:
        found = workers(spark) if has_executors(spark) else []
        check_java(found, driver.java)
    except EngineError as error:
        fault = str(error)
    report = Report("check-cluster", "", plan=_driver(spark))
    report.results = [{"where": "driver", **_row(driver)}, *({"where": "executor", **_row(one)} for one in found)]
    columns = ("where", "host", "python", "java", *PACKAGES)
    report.body.append(Table(("driver", "value"), list(report.plan.items()), "Driver"))
    report.body.append(Table.of_rows(columns, report.results, "Python and its packages"))
    lacking = [f"{one.host} lacks {', '.join(one.missing)}" for one in (driver, *found) if one.missing]
    tried = [] if fault or lacking else [one for path in paths for one in accesses(spark, path)]
    if tried:
        rows = [{"path": one.path, "by": one.by, "found": one.found} for one in tried]
        report.results += rows
        report.body.append(Table.of_rows(tuple(rows[0]), rows, "Storage"))
    barred = [f"{one.path} can't be read by {one.by}: {one.found}" for one in tried if one.failed]
    untried = [f"{one.path} has no file to read, so {one.by} did not try." for one in tried if one.failed is None]
    report.success = fault is None and not lacking and not barred
    said = _verdict(found, lacking, is_cluster=has_executors(spark))
    report.verdict = fault or "; ".join(barred) or " ".join([said, *untried])
    return report


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
    return {"host": one.host, "python": one.python, "java": one.java or "", **packages}


def _verdict(found: list[Worker], lacking: list[str], *, is_cluster: bool) -> str:
    if lacking:
        return f"{'; '.join(lacking)}: install it there, or ship an environment with --conf spark.archives."
    if not is_cluster:
        return "Executors are threads of this process; it has what merges need."
    return f"{len(found)} executor hosts have what merges need; this package is sent to them by each job."
