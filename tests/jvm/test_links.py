"""The link check says of each class what Java says once its code runs with the released bundle."""

from __future__ import annotations

import json
import re
import zipfile
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import bundles_of, jars_of
from bridge.linkage import links_to
from bridge.linkage.class_path import ClassPath, UserJars
from bridge.linkage.class_reader import read_class
from bridge.linkage.resolution import resolved
from payloads import HudiRelease, PayloadRef
from tests.jvm.java_compiler import RELEASES, SOURCES
from tests.support.hudi_members import GENERATED, plain_class

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.jvm.java_compiler import JavaCompiler

V0_15, V1_0, V1_1, V1_2 = RELEASES
OF_0_15 = (
    "com.acme.Linked$Base",
    "com.acme.Linked$Bytes",
    "com.acme.Linked$ToBytes",
    "com.acme.Linked$Caught",
    "com.acme.Linked$CaughtOther",
    "com.acme.Linked$Unused",
    "com.acme.Linked$InLambda",
    "com.acme.Linked$ByRule",
    "com.acme.Linked$InStatic",
    "com.acme.Linked$InConstructor",
    "com.acme.Linked$AsksParent",
    "com.acme.Linked$Hook",
    "com.acme.Linked$Sets",
    "com.acme.Linked$OfDms",
    "com.acme.Linked$OfFirst",
    "com.acme.Linked$NoBuild",
    "com.acme.Linked$Alone",
    "org.apache.hudi.common.model.LinkedNear",
)


@pytest.fixture(scope="module")
def jars(java_compiler: JavaCompiler) -> list[str]:
    """Return the jars of payloads of 0.15 and of 1.2, and of mergers of both generations."""
    old = {name: (SOURCES / name).read_text("utf-8") for name in ("Linked.java", "LinkedNear.java")}
    new = {"NewLinked.java": (SOURCES / "NewLinked.java").read_text("utf-8")}
    made: list[Path] = [java_compiler.compiled(old, V0_15), java_compiler.compiled(new, V1_2)]
    return [*map(str, made), str(java_compiler.jar_of(V1_0)), str(java_compiler.jar_of(V1_2))]


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_check_says_what_java_says(bundles: SparkSession, jars: list[str], release: HudiRelease) -> None:
    reference = PayloadRef("org.apache.hudi.common.model.DefaultHoodieRecordPayload", jar=jars)
    paths = jars_of(bundles, reference, release).paths
    driver = Driver(bundles)
    probe = driver.class_in(paths, "com.acme.Linked$Probe")
    names = (*OF_0_15, "com.acme.NewLinked", "com.acme.Mergers$Larger", "com.acme.NewMergers$Larger")
    real = {name: {*str(driver.call(probe, "errors", name)).split()} for name in names}
    told = {name: {fault.error for fault in links_to(name, jars)[release].breaking} for name in names}
    assert {name: bool(errors) for name, errors in told.items()} == {
        name: bool(errors) for name, errors in real.items()
    }
    # Java reports a class that is missing by the name of what looked for it.
    alike = {"ClassNotFoundException": "NoClassDefFoundError"}
    assert told == {name: {alike.get(error, error) for error in errors} for name, errors in real.items()}


def test_each_kind_of_fault_is_there(jars: list[str]) -> None:
    """Else the test above compares nothing with nothing."""
    found = {fault.error for name in OF_0_15 for fault in links_to(name, jars)[V1_2].breaking}
    assert found == {"IllegalAccessError", "NoSuchMethodError", "NoClassDefFoundError", "NoSuchMethodException"}


# -- what the verbs say

BYTES, HOOK = "com.acme.Linked$Bytes", "com.acme.Linked$Hook"
TOLD = (
    f"{BYTES} does not link to Hudi 1.2: the field BaseAvroPayload.recordBytes is private (IllegalAccessError in "
    "Linked.Bytes.combineAndGetUpdateValue(IndexedRecord, Schema), line "
)
INSTEAD = "write `getRecordBytes()` in place of `recordBytes`"


def run(*words: str) -> tuple[int, str]:
    """Return exit code and output, both streams in one."""
    result = CliRunner().invoke(main, [*words], env={"COLUMNS": "400"})
    return result.exit_code, result.output


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Return the properties of a table of 0.15 that stores the class."""
    path = tmp_path / "hoodie.properties"
    lines = ("name=t", "type=MERGE_ON_READ", "version=6", "precombine.field=ts", "recordkey.fields=id")
    text = "".join(f"hoodie.table.{line}\n" for line in lines)
    path.write_text(f"{text}hoodie.compaction.payload.class={BYTES}\n", "utf-8")
    return str(path)


@pytest.fixture
def batches(tmp_path: Path) -> list[str]:
    """Return the options of two batches, the second of which updates the row of the first."""
    for number, note in enumerate(("first", "second")):
        line = json.dumps({"id": "a", "ts": number, "note": note})
        (tmp_path / "days").mkdir(exist_ok=True)
        (tmp_path / "days" / f"{number}.jsonl").write_text(f"{line}\n", "utf-8")
    (tmp_path / "rows.ddl").write_text("id string, ts bigint, note string", "utf-8")
    files = ["--batches", str(tmp_path / "days"), "--schema", str(tmp_path / "rows.ddl")]
    return [*files, "--key", "id", "--ordering", "ts", "--quiet"]


def test_payloads_says_to_which_releases_a_class_links(jars: list[str]) -> None:
    given = ["payloads", BYTES, *(word for jar in jars for word in ("--jar", jar)), "--output", "json"]
    code, text = run(*given)
    found = json.loads(text)
    assert code == 0
    assert found["verdict"] == f"{BYTES} links to Hudi 0.14, 0.15 and 1.0; it does not link to 1.1 and 1.2."
    assert [one["links"] for one in found["results"]] == [True, True, True, False, False]
    (fault,) = found["results"][-1]["faults"]
    assert (fault["error"], fault["instead"], fault["breaks"]) == ("IllegalAccessError", INSTEAD, True)
    source = (SOURCES / "Linked.java").read_text("utf-8").splitlines()
    assert ["recordBytes.length == 0 ? Option.empty()" in source[line - 1] for line in fault["lines"]] == [True]
    assert run(*given, "--release", "0.15")[0] == 0
    code, text = run(*given, "--release", "1.2")
    assert code == 1
    assert json.loads(text)["verdict"].startswith(TOLD)


def test_a_dead_override_is_told_with_what_runs_instead(jars: list[str]) -> None:
    code, text = run("payloads", HOOK, "--jar", jars[0], "--release", "1.2")
    assert code == 0
    dead = "needUpdatingPersistedRecord(IndexedRecord, {}, Properties)"
    assert f"Linked.Hook.{dead.format('IndexedRecord')} overrides nothing, so Hudi never calls it: " in text
    assert f"{dead.format('Option')} runs instead" in text


def test_a_class_that_no_jar_has_is_named(jars: list[str], tmp_path: Path) -> None:
    code, text = run("payloads", "com.acme.Nope", "--jar", jars[0])
    assert (code, "there is no class com.acme.Nope in" in text) == (2, True)
    no_jar = tmp_path / "x.jar"
    no_jar.write_text("no jar", "utf-8")
    assert run("payloads", "com.acme.Nope", "--jar", str(no_jar))[0] == 2
    assert run("payloads", "--jar", jars[0])[0] == 2


@pytest.mark.parametrize(
    ("verb", "code"), [("plan {table} --to 1.2", 0), ("inspect {table}", 0), ("migrate --table {table} --from 0.15", 1)]
)
def test_a_plan_without_data_says_it(jars: list[str], table: str, verb: str, code: int) -> None:
    found, text = run(*verb.format(table=table).split(), "--jar", jars[0], "--output", "json")
    assert found == code
    verdict = json.loads(text)["verdict"]
    assert TOLD in verdict
    assert INSTEAD in verdict
    assert "CUSTOM with" not in verdict


def test_a_plan_is_silent_where_the_class_links(jars: list[str], table: str) -> None:
    _, text = run("plan", table, "--to", "1.0", "--jar", jars[0])
    assert "does not link" not in text


def test_replay_is_refused_before_a_row_is_merged(bundles: SparkSession, jars: list[str], batches: list[str]) -> None:
    given = ["--payload", BYTES, "--jar", jars[0], *batches, "--from", "0.15", "--table-type", "both"]
    code, text = run("replay", *given, "--to", "1.2", "--output", "json")
    found = json.loads(text)
    assert code == 1
    assert found["verdict"].startswith(f"REFUSED: {TOLD}")
    assert INSTEAD in found["verdict"]
    assert found["statistics"]["books"] == {"cow": {}, "mor": {}}


def test_an_old_side_that_does_not_link_is_an_error(bundles: SparkSession, jars: list[str], batches: list[str]) -> None:
    given = ["--payload", BYTES, "--jar", jars[0], *batches]
    code, text = run("replay", *given, "--from", "1.2", "--to", "0.15")
    assert (code, TOLD in text) == (3, True)
    code, text = run("simulate", *given, "--release", "1.2")
    assert (code, TOLD in text) == (3, True)


def test_migrate_tries_what_links(bundles: SparkSession, jars: list[str], batches: list[str]) -> None:
    given = ["--payload", BYTES, "--jar", jars[0], *batches, "--from", "0.15", "--output", "json"]
    found = json.loads(run("migrate", *given)[1])
    tried = {one["name"]: one["refused"] for one in found["statistics"]["candidates"]}
    assert all(reason is None for name, reason in tried.items() if not name.startswith("CUSTOM"))
    assert found["statistics"]["recommended"] in {name for name, reason in tried.items() if reason is None}


def test_a_dead_override_is_a_warning_of_a_replay(bundles: SparkSession, jars: list[str], batches: list[str]) -> None:
    given = ["--payload", HOOK, "--jar", jars[0], *batches, "--from", "0.15", "--to", "1.2", "--output", "json"]
    warnings = json.loads(run("replay", *given)[1])["warnings"]
    assert any(one.startswith("under Hudi 1.2 Linked.Hook.needUpdatingPersistedRecord(") for one in warnings)


# -- the table


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_the_table_is_that_of_the_bundle(bundles: SparkSession, release: HudiRelease) -> None:
    """And the bundle's own classes, which link, are not found fault with."""
    bundle, *_ = bundles_of(bundles, PayloadRef("-"), release)
    path = ClassPath(release, UserJars([]))
    faults = set()
    with zipfile.ZipFile(bundle) as archive:
        for name in archive.namelist():
            if not re.match(r"org/apache/hudi/(common/model|payload|avro)/\w+(\$\w+)?\.class$", name):
                continue
            data = archive.read(name)
            one, plain = read_class(data), plain_class(name.removesuffix(".class"), data)
            table = path.get(one.name)
            assert table is not None
            assert table[:4] == plain[:4]
            assert ({*table.fields}, {*table.methods}) == ({*plain.fields}, {*plain.methods})
            uses = ((own.name, use) for own in one.methods for use in own.uses if not GENERATED.match(use.name))
            faults |= {(one.name, own, use.name) for own, use in uses if resolved(use, one, path).problem is not None}
    assert faults == set()
