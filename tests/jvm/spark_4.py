"""Compiled classes on Spark 4.0: python -m tests.jvm.spark_4, in an environment with PySpark 4.0 and a JDK.

The twins of the tests, in both engines, under the releases that have a bundle for it. Needs network or a filled Ivy
cache.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridge import MergePlan, local_session
from bridge.config import capabilities
from bridge.engines.jvm.merger import with_strategy_id
from bridge.programs import PROGRAMS
from mergers import MergerRef
from payloads import HudiRelease, PayloadRef
from tests.jvm.both_engines import BothEngines
from tests.jvm.java_compiler import SOURCES, JavaCompiler
from tests.jvm.versions import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCES = ("EachKey.java", "NewMergers.java", "Twins.java")
_PROGRAMS = {name for name in PROGRAMS if not name.endswith("_upgrade")}
"""An upgrade needs the bundles of two releases."""


def plans(jar: Path, release: HudiRelease) -> Iterator[tuple[MergePlan, MergePlan]]:
    """Yield plans of a class in Java and in Python."""
    for table_type in ("cow", "mor"):
        plan = MergePlan(payload="-", release=release, key="id", ordering="ts", table_type=table_type)
        for name in ("Latest", "Sum", "Tags", "Rewrites", "Fails"):
            java = dataclasses.replace(plan, payload=PayloadRef(f"com.acme.Twins${name}", jar=str(jar)))
            yield java, dataclasses.replace(plan, payload=PayloadRef(f"tests.jvm.twins:{name}"))
        for name in ("Larger", "Joined"):
            merger = MergerRef(f"com.acme.NewMergers${name}", jar=str(jar))
            java = dataclasses.replace(plan, payload=None, merger=merger)
            yield java, dataclasses.replace(java, merger=MergerRef(f"tests.jvm.twin_mergers:New{name}"))


@click.command
def main() -> None:
    """Compare both engines; exit with 1 if they differ."""
    spark = local_session(cores=2)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        compiler, versions = JavaCompiler(spark, Path(folder)), tables(spark, 20)
        for release in (one for one in HudiRelease if capabilities(one).on_spark_4 is not None):
            jar = compiler.compiled({name: (SOURCES / name).read_text("utf-8") for name in _SOURCES}, release)
            both = BothEngines(spark, jar)
            for java, python in plans(jar, release):
                known = with_strategy_id(spark, java)
                # An SQL statement is written without the merger, which a table with a strategy of its own needs.
                programs = {name for name in _PROGRAMS if java.merger is None or "operations" not in name}
                compared = both.compared(known, python, versions, programs)
                passed, failed = passed + (not compared.differences), failed + bool(compared.differences)
                for one in compared.differences[:3]:
                    click.echo(f"{java.payload_name} {release} {one.program}, key {one.key}: {one.java} {one.python}")
    spark.stop()
    click.echo(f"{passed} passed, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
