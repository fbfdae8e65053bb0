"""The merger in Java that `migrate` writes for a class of the corpus, and the tables that it merges."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from bridge.migration.class_rules import ClassRules, class_rules
from bridge.migration.generated import delete_properties
from bridge.migration.skeletons import merger_names, strategy_id
from bridge.plan import MergePlan
from bridge.spark import avro_schema
from mergers.rules.source import JavaNames, java_merger, java_test
from payloads import HudiRelease, PayloadRef
from tests.corpus.jars import jars_for
from tests.corpus.shapes import SHAPES, build_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.corpus.shapes import Shape
    from tests.jvm.java_compiler import JavaCompiler

CLASSES = (
    "ComparesLetters",
    "FillsStored",
    "KeepsFirstSeen",
    "KeepsMarked",
    "MergesJson",
    "NeverReopens",
    "StrictlyNewer",
)
"""Classes of the corpus whose rule is found; of one the class decides a column."""
EDITS_ITS_OWN = frozenset({"ComparesLetters"})
"""Those that write into their own row, which queries from 1.1 on lose, as what a class writes into the stored one."""


class Merger(NamedTuple):
    """A generated merger.

    Attributes:
        shape: its tables.
        source: its source.
        test: that of its test.
        rules: what asking the class found.
    """

    shape: Shape
    source: str
    test: str
    rules: ClassRules

    @property
    def calls(self) -> bool:
        """Whether it calls the class for a column."""
        return self.rules.rules is not None and any(one.left for one in self.rules.rules.points)


@functools.cache
def _rules(spark: SparkSession, name: str, asked_in: HudiRelease, jar: str) -> ClassRules:
    shape = SHAPES[name]
    schema = avro_schema(spark.createDataFrame([], shape.schema_ddl).schema, asked_in)
    left = MergePlan(
        payload=PayloadRef(shape.class_name, jar=jar),
        release=asked_in,
        key="id",
        ordering=shape.ordering,
        props=dict(shape.options),
        schema=schema,
    )
    found = class_rules(left, None, spark)
    assert found is not None
    return found


def merger_for(compiler: JavaCompiler, spark: SparkSession, name: str, release: HudiRelease) -> Merger:
    """Ask a class of the corpus, and write the merger that has its rule for a release.

    Raises:
        NotStatedError: no merger in Java has it.
    """
    shape = SHAPES[name]
    jars = jars_for(compiler, build_of(release))
    rules = _rules(spark, name, release, ",".join(map(str, jars)))
    assert rules.rules is not None, rules.refused
    strategy = strategy_id(shape.class_name)
    merger = merger_names(shape.class_name)[1]
    names = JavaNames("com.acme", merger, shape.class_name, str(release), strategy)
    line = "1.0" if release is HudiRelease.V1_0 else "1.1"
    options = dict(shape.options) | {
        prefix + key: text
        for prefix in ("", "hoodie.record.merge.property.")
        for key, text in delete_properties(rules.rules.marker).items()
    }
    own = dataclasses.replace(shape, package="com.acme", java=merger, strategy=strategy, options=options)
    return Merger(
        own,
        java_merger(names, line, rules.rules, rules.schema),
        java_test(names, rules.rules, rules.examples, rules.schema, (shape.ordering,)),
        rules,
    )


def jar_of(compiler: JavaCompiler, merger: Merger, release: HudiRelease) -> Path:
    """Compile a merger against the bundle of a release."""
    return compiler.compiled({f"{merger.shape.java}.java": merger.source}, release)
