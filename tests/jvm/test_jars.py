"""Jars as users have them: several, with what a class needs in another, with resources, logging, Scala, printing."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, upsert
from bridge.engines.jvm.jars import any_bundle
from bridge.errors import ClassLinkError
from payloads import HudiRelease, PayloadNotFoundError, PayloadRef
from tests.jvm.frames import frame_of, rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.jvm.java_compiler import JavaCompiler

COLUMNS = "id string, ts bigint, v string"
BASE = """package own;
import java.io.*;
import java.util.*;
import org.apache.avro.Schema;
import org.apache.avro.generic.*;
import org.apache.hudi.common.model.*;
import org.apache.hudi.common.util.Option;
public class NAME extends OverwriteWithLatestAvroPayload {
  HEAD
  public NAME(GenericRecord record, Comparable orderingVal) { super(record, orderingVal); }
  @Override public Option<IndexedRecord> combineAndGetUpdateValue(IndexedRecord current, Schema schema)
      throws IOException {
    GenericRecord record = (GenericRecord) getInsertValue(schema).get();
    String v = String.valueOf(record.get("v"));
    BODY
    record.put("v", v);
    return Option.of(record);
  }
}
"""
DEP = {
    "Rules.java": 'package dep; public class Rules { public static String apply(String v) { return v + "!"; } }',
    "Tag.java": "package dep; public interface Tag { String tag(); }",
    "MyTag.java": 'package dep; public class MyTag implements Tag { public String tag() { return "tagged"; } }',
}
CASES: dict[str, tuple[str, str, str]] = {
    "OtherJar": ("", "v = dep.Rules.apply(v);", "new!"),
    "Resources": (
        """static final Properties RULES = new Properties();
        static String context;
        static {
          try (InputStream in = Resources.class.getResourceAsStream("/own/rules.properties")) { RULES.load(in); }
          catch (IOException e) { throw new ExceptionInInitializerError(e); }
          context = String.valueOf(Thread.currentThread().getContextClassLoader()
              .getResource("own/rules.properties") != null);
        }""",
        """boolean again = Thread.currentThread().getContextClassLoader().getResource("own/rules.properties") != null;
        v = RULES.getProperty("prefix") + v + context + again
            + Resources.class.getPackage().getName() + Resources.class.getPackage().getImplementationTitle()
            + (Resources.class.getProtectionDomain().getCodeSource() != null);""",
        "P-newtruetrueownRulestrue",
    ),
    "Services": (
        "",
        "for (dep.Tag tag : ServiceLoader.load(dep.Tag.class)) { v = tag.tag() + v; }",
        "taggednew",
    ),
    "Logs": (
        """static final org.slf4j.Logger LOG = org.slf4j.LoggerFactory.getLogger(Logs.class);
        static final org.apache.log4j.Logger OLD = org.apache.log4j.LogManager.getLogger("own.old");
        static final org.apache.logging.log4j.Logger NEW = org.apache.logging.log4j.LogManager.getLogger();""",
        'LOG.warn("merging {}", v); OLD.info(v); NEW.info(v); v = v + LOG.isErrorEnabled();',
        "newtrue",
    ),
    "Scala": (
        "",
        """scala.Option<String> option = scala.Option.apply(v);
        scala.collection.mutable.ArrayBuffer<String> all = new scala.collection.mutable.ArrayBuffer<String>();
        v = all.$plus$eq(option.get()).mkString("<", ",", ">");""",
        "<new>",
    ),
    "OwnAvro": (
        "",
        'v = v + new Schema.Parser().parse("\\"string\\"").getType() + (current instanceof GenericRecord);',
        "newSTRINGtrue",
    ),
    "FailsStatically": (
        'static final int N = Integer.parseInt("no number");',
        "v = v + N;",
        "own.FailsStatically can't be loaded: the static initialiser of own.FailsStatically",
    ),
    "Prints": (
        'static { System.out.println("printed by a static initialiser"); }',
        """System.out.println("printed by a call");
        Thread thread = new Thread(() -> System.out.println("printed by a thread"));
        thread.start();
        try { thread.join(); } catch (InterruptedException e) { throw new IOException(e); }""",
        "new",
    ),
}
"""Members, what the merge does to the text `v`, and what comes of "new"."""


@pytest.fixture(scope="module")
def jars(java_compiler: JavaCompiler, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the jars `own`, `dep`, and `fat`, which has both and an Avro of its own."""
    folder = tmp_path_factory.mktemp("own")
    sources = {
        f"{name}.java": BASE.replace("NAME", name).replace("HEAD", head).replace("BODY", body)
        for name, (head, body, _) in CASES.items()
    }
    made = java_compiler.compiled({**sources, **DEP}, HudiRelease.V0_15)
    parts: dict[str, Any] = {name: zipfile.ZipFile(folder / f"{name}.jar", "w") for name in ("own", "dep", "fat")}
    manifest = "Manifest-Version: 1.0\nImplementation-Title: Rules\n\n"
    for name in ("own", "fat"):
        parts[name].writestr("META-INF/MANIFEST.MF", manifest)
        parts[name].writestr("own/rules.properties", "prefix=P-")
        parts[name].writestr("META-INF/services/dep.Tag", "dep.MyTag")
    parts["fat"].writestr("org/apache/avro/Schema.class", b"not the Avro of Spark")
    with zipfile.ZipFile(made) as classes:
        for name in classes.namelist():
            for part in ("fat", name.split("/")[0]):
                if name.endswith(".class"):
                    parts[part].writestr(name, classes.read(name))
    for part in parts.values():
        part.close()
    return {name: folder / f"{name}.jar" for name in parts}


def printed(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a simulation of two rows of a key in a process of its own."""
    for number, v in enumerate(("old", "prints"), 1):
        (tmp_path / f"{number}.jsonl").write_text(json.dumps({"id": "a", "ts": number, "v": v}) + "\n")
    verb = ("simulate", "--batches", str(tmp_path), "--key", "id", "--ordering", "ts", "--release", "0.15")
    main = [sys.executable, "-c", "from bridge.cli import main; main()"]
    return subprocess.run(
        [*main, *verb, *words, "--output", "json", "--quiet"], capture_output=True, text=True, check=False
    )


def test_what_a_compiled_class_prints_is_not_in_the_result(jars: dict[str, Path], tmp_path: Path) -> None:
    package = any_bundle(HudiRelease.V0_15)  # that process resolves it itself
    ran = printed(tmp_path, "--payload", "own.Prints", "--jar", str(jars["fat"]), "--package", package)
    assert json.loads(ran.stdout)["success"]
    for text in ("printed by a static initialiser", "printed by a call", "printed by a thread"):
        assert text in ran.stderr


def test_what_a_class_in_python_prints_is_not_in_the_result(tmp_path: Path) -> None:
    ran = printed(tmp_path, "--payload", "tests.jvm.misbehaving:Payload")
    assert json.loads(ran.stdout)["success"]
    for text in ("printed by Python", "written by Python"):
        assert text in ran.stderr


def merged(spark: SparkSession, name: str, *jars: Path) -> list[Any]:
    payload = PayloadRef(f"own.{name}", jar=[str(jar) for jar in jars])
    plan = MergePlan(payload=payload, release="0.15", key="id", ordering="ts")
    return rows(upsert(frame_of(COLUMNS, spark, ("a", 1, "old")), frame_of(COLUMNS, spark, ("a", 2, "new")), plan))


@pytest.mark.parametrize("name", [name for name in CASES if name != "FailsStatically"])
@pytest.mark.parametrize("of", [("own", "dep"), ("fat",)], ids="-".join)
def test_a_class_finds_what_its_jars_have(
    spark: SparkSession, jars: dict[str, Path], name: str, of: tuple[str, ...]
) -> None:
    assert merged(spark, name, *(jars[one] for one in of)) == [("a", 2, CASES[name][2])]


def test_a_class_that_is_in_no_jar_is_named_with_the_one_that_needs_it(
    spark: SparkSession, jars: dict[str, Path]
) -> None:
    told = "dep.Rules, which own.OtherJar needs, is in none of the jars; add another --jar"
    with pytest.raises(ClassLinkError) as failure:
        merged(spark, "OtherJar", jars["own"])
    assert str(failure.value) == told


def test_a_static_initialiser_that_fails_is_named_before_the_first_row(
    spark: SparkSession, jars: dict[str, Path]
) -> None:
    with pytest.raises(PayloadNotFoundError, match=r"own\.FailsStatically fails; .*NumberFormatException.*no number"):
        merged(spark, "FailsStatically", jars["own"], jars["dep"])
    with pytest.raises(PayloadNotFoundError, match=r"own\.FailsStatically has failed before"):
        merged(spark, "FailsStatically", jars["own"], jars["dep"])
