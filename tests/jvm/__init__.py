"""Tests that run real Java classes: Hudi's own, one class loader a release, and users' that are compiled here.

`test_differential.py` compares every port with its class, by 100 Hypothesis examples for each release (as many as the
profile has; `python -m tests.deep` runs it on more). An example is a schema, properties, two versions and two
rows; with it every method is called in short sequences (`call_sequences.py`), and value, type, winner and kind of error
must agree. `python -m tests.jvm.fuzz --examples 100000` does the same for very many cases: schemas come from
Hypothesis, records by the hundred from a generator (`case_pools.py`), a difference is shown in its smallest form
(`shrink.py`). The cases are fresh; the seed that it prints repeats them.

A call of Java costs more than what is asked by it, so questions go there by the hundred: `both_engines.py` runs all
programs on all keys of a plan with three calls, and the answers are compared case by case. Java sources are compiled
once, in the session's JVM (`java_compiler.py`).

Left out of the drawn cases, as accidents of Java that no table can rely on: a map as ordering value, whose comparison
follows the order of its hashes; and a record, list or map as event time, whose text Avro's `toString` writes.
"""
