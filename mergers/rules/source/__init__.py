"""Merge rules as source code: mergers in Python and Java that a reviewer reads, with tests of their branches."""

from __future__ import annotations

from mergers.rules.source.examples import Example, examples_of
from mergers.rules.source.java_files import java_merger
from mergers.rules.source.java_names import JavaNames
from mergers.rules.source.java_tests import java_test, pom
from mergers.rules.source.merger import MergerRules, NotStatedError, PointRule, alone, forms_of, marker_of
from mergers.rules.source.python import python_merger, python_test
from mergers.rules.source.sql import Merging, merge_statement

__all__ = [
    "Example",
    "JavaNames",
    "MergerRules",
    "Merging",
    "NotStatedError",
    "PointRule",
    "alone",
    "examples_of",
    "forms_of",
    "java_merger",
    "java_test",
    "marker_of",
    "merge_statement",
    "pom",
    "python_merger",
    "python_test",
]
