from __future__ import annotations

import socket
import sys
import zipfile

import pyspark
import pytest

from bridge import EngineError
from bridge.spark import (
    IMPORTS,
    Worker,
    check_java,
    check_workers,
    driver_java,
    session,
    session_of,
    versions,
    workers,
)
from bridge.spark.cluster import _archives, _reason
from bridge.spark.session import SessionOptions, _cores, _heap_gib, is_local
from tests.support.spark_errors import SparkError


@pytest.fixture
def no_session(monkeypatch):
    """Let no session be active; say what would be started."""
    started = {}
    monkeypatch.setattr(session.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(session, "_started", lambda master, settings: started.update(settings, master=master))
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    return started


@pytest.fixture
def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.mark.parametrize("option", ["master", "remote"])
def test_what_does_not_answer_is_named_at_once_and_without_its_token(no_session, closed_port, option):
    url = {"master": f"spark://127.0.0.1:{closed_port}", "remote": f"sc://127.0.0.1:{closed_port}/;token=SECRET"}[
        option
    ]
    with pytest.raises(
        EngineError, match=rf"can't be reached \(127.0.0.1:{closed_port}: .*check its address"
    ) as caught:
        session_of(SessionOptions(**{option: url}))
    assert "SECRET" not in str(caught.value)


@pytest.mark.java
def test_settings_of_the_user_come_last_and_packages_are_added(no_session):
    conf = {"spark.sql.shuffle.partitions": "7", "spark.jars.packages": "a:b:1"}
    session_of(SessionOptions("local[3]", conf=conf, packages=("c:d:2",)))
    assert no_session["master"] == "local[3,2]"
    assert no_session["spark.sql.shuffle.partitions"] == "7"
    assert no_session["spark.jars.packages"] == "a:b:1,c:d:2"


@pytest.mark.java
def test_without_a_master_all_cores_of_this_machine_are_used(no_session):
    session_of()
    assert no_session["master"] == "local[*,2]"
    assert no_session["spark.sql.shuffle.partitions"] == str(32 * _cores(None))
    assert "spark.sql.adaptive.enabled" not in no_session


@pytest.mark.java
def test_a_cluster_gets_no_setting_of_this_machine(no_session):
    session_of(SessionOptions("yarn"))
    assert no_session["master"] == "yarn"
    assert not {"spark.driver.host", "spark.sql.shuffle.partitions", "spark.driver.memory"} & set(no_session)


def test_an_active_session_is_used_as_it_is(spark):
    before = spark.conf.get("spark.sql.shuffle.partitions")
    options = SessionOptions("spark://nowhere:1", conf={"spark.sql.shuffle.partitions": "99"})
    assert session_of(options) is spark
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


@pytest.mark.parametrize(
    ("master", "local", "cores"), [("local", True, 1), ("local[3]", True, 3), ("local-cluster[2,1,512]", False, None)]
)
def test_which_masters_are_this_process(master, local, cores):
    assert is_local(master) is local
    assert cores is None or _cores(master) == cores


def test_the_heap_leaves_memory_to_python_workers():
    assert [_heap_gib(size << 30) for size in (2, 12, 500)] == [None, 4, 30]


def test_executors_say_what_they_have(spark):
    (found,) = workers(spark)
    assert found == versions(IMPORTS)._replace(java=driver_java(spark))
    assert not found.missing
    check_workers([found])


def test_what_executors_lack_is_named_with_the_host(spark):
    (found,) = workers(spark, ["pyarrow", "no_such_package"])
    assert found.missing == ["no_such_package (not installed)"]
    with pytest.raises(
        EngineError, match=rf"on {found.host} lacks no_such_package \(not installed\); install it there"
    ):
        check_workers([Worker("h", "3.11.0", {"numpy": "2"}), found])


def test_what_left_python_is_named_with_what_has_it():
    without = Worker("h", "3.13.0", {"numpy": "2", "distutils": "!not installed"})
    with pytest.raises(EngineError, match=r"h lacks distutils of setuptools \(not installed\); install it there"):
        check_workers([without])


def test_workers_import_distutils_of_setuptools_where_python_and_pyspark_differ():
    has_none = sys.version_info >= (3, 12) and pyspark.__version__.startswith("3.")
    assert ("distutils" in IMPORTS) == has_none


def test_the_code_that_travels_is_our_packages_and_the_users_own_files(tmp_path, monkeypatch):
    user = tmp_path / "theirs"
    (user / "kinds").mkdir(parents=True)
    (user / "kinds" / "__init__.py").write_text("")
    (user / "kinds" / "newest.py").write_text("")
    (user / "one_file.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(user), *sys.path])
    (path,) = _archives(["payloads", "mergers", "bridge", "kinds.newest", "one_file", "click"], tmp_path)
    names = zipfile.ZipFile(path).namelist()
    assert {"kinds/newest.py", "one_file.py", "bridge/engines/python/worker.py", "payloads/__init__.py"} <= set(names)
    assert not any(name.startswith("click") or not name.endswith(".py") for name in names)
    assert [one.name for one in _archives(["payloads", "mergers", "bridge", "kinds.newest", "one_file"], tmp_path)] == [
        path.name
    ]


def test_modules_of_the_same_text_travel_one_by_one(tmp_path, monkeypatch):
    for name in ("one_of_two", "two_of_two"):
        (tmp_path / f"{name}.py").write_text("")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    one, two = (path for name in ("one_of_two", "two_of_two") for path in _archives([name], tmp_path))
    assert one.name != two.name


def test_another_java_is_named_with_both_versions(spark):
    found = Worker("h", "3.11.0", {}, "11.0.2")
    check_java([found, Worker("h", "3.11.0", {})], None)
    check_java([found], "11.0.9")
    check_java([found._replace(java="1.8.0_402")], "8")
    with pytest.raises(EngineError, match=r"executors on h run Java 11.0.2, and the driver 17.0.1; run one version"):
        check_java([found], "17.0.1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "Python in worker has different version (3, 9) than that in driver 3.11, PySpark cannot",
            "executors run Python 3.9, and the driver 3.11;",
        ),
        ('java.io.IOException: Cannot run program "python9": error=2', "executors have no python9; set PYSPARK_PYTHON"),
    ],
)
def test_a_python_that_does_not_fit_is_named(text, sentence):
    assert _reason(SparkError(text)).startswith(sentence)
