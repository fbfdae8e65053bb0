from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from bridge.spark import class_archive
from bridge.spark.java import find_java


@pytest.fixture
def cache(monkeypatch, tmp_path):
    folder = tmp_path / "cache"
    monkeypatch.setenv(class_archive.FOLDER, str(folder))
    return folder


@pytest.fixture
def home(tmp_path):
    """Make the home of a Java that ships an archive of its own classes."""
    shipped = tmp_path / "java" / "lib" / "server" / "classes.jsa"
    shipped.parent.mkdir(parents=True)
    shipped.touch()
    return tmp_path / "java"


@pytest.fixture
def jars(tmp_path):
    folder = tmp_path / "jars"
    folder.mkdir()
    (folder / "spark.jar").write_bytes(b"1")
    return folder


def written(options):
    return next(option for option in options.split() if "ArchiveClassesAtExit" in option).partition("=")[2]


@pytest.mark.java
def test_a_java_writes_its_archive_and_starts_from_it_the_next_time(cache, jars):
    java_home = find_java()
    loaded = []
    for run in ("first", "second"):
        log = jars.with_name(f"{run}.log")
        options = class_archive.java_options(java_home, jars).split()
        command = [java_home / "bin" / "java", *options, f"-Xlog:class+load:file={log}", "--list-modules"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        loaded.append(log.read_text().count("shared objects file (top)"))
    assert loaded[0] == 0 < loaded[1]


def test_an_archive_is_used_only_by_the_same_java_and_jars(cache, home, jars):
    first = class_archive.java_options(home, jars)
    (cache / written(first)).write_bytes(b"\xf0\x0b\xa2\xde")
    assert "ArchiveClassesAtExit" not in class_archive.java_options(home, jars)
    (jars / "spark.jar").write_bytes(b"22")
    assert "ArchiveClassesAtExit" in class_archive.java_options(home, jars)


def test_an_incomplete_archive_is_not_taken_and_goes_when_it_is_old(cache, home, jars):
    (part := cache / written(class_archive.java_options(home, jars))).write_bytes(bytes(8))
    assert "ArchiveClassesAtExit" in class_archive.java_options(home, jars)
    assert part.exists()
    os.utime(part, (time.time() - 3600,) * 2)
    class_archive.java_options(home, jars)
    assert not part.exists()


@pytest.mark.parametrize("folder", ["", "a folder", "file/below"])
def test_without_a_folder_that_java_can_use_there_is_no_archive(monkeypatch, tmp_path, home, jars, folder):
    (tmp_path / "file").touch()
    monkeypatch.setenv(class_archive.FOLDER, folder and str(tmp_path / folder))
    assert class_archive.java_options(home, jars) == ""


def test_a_java_that_cannot_write_an_archive_runs_without_one(cache, tmp_path, jars):
    program = tmp_path / "bare" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    assert class_archive.java_options(tmp_path / "bare", jars) == ""


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777], ids=oct)
def test_a_folder_that_others_may_write_to_is_not_used(cache, home, jars, mode):
    cache.mkdir()
    cache.chmod(mode)
    assert class_archive.java_options(home, jars) == ""
    cache.chmod(0o755)
    assert class_archive.java_options(home, jars) != ""


def archived(cache, home, jars):
    """Return the archive that a Java has written."""
    options = class_archive.java_options(home, jars)
    if "ArchiveClassesAtExit" in options:
        (cache / written(options)).write_bytes(b"\xf0\x0b\xa2\xde")
    options = class_archive.java_options(home, jars)
    return Path(options.rpartition(os.pathsep)[2])


def test_an_archive_that_others_may_write_to_is_not_used(cache, home, jars):
    archive = archived(cache, home, jars)
    assert archive.stat().st_mode & 0o777 == 0o600
    archive.chmod(0o620)
    assert class_archive.java_options(home, jars) == ""


@pytest.mark.parametrize("what", ["folder", "archive"])
def test_what_someone_else_owns_is_not_used(cache, home, jars, monkeypatch, what):
    archive = archived(cache, home, jars)
    foreign = cache if what == "folder" else archive
    own = Path.stat

    def stat(path, **options):
        found = own(path, **options)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:])) if path == foreign else found

    monkeypatch.setattr(Path, "stat", stat)
    assert class_archive.java_options(home, jars) == ""


def test_archives_of_few_other_versions_are_kept(cache, home, jars):
    made = []
    for version in range(1, 8):
        (jars / "spark.jar").write_bytes(b"1" * version)
        made.append(archived(cache, home, jars))
        os.utime(made[-1], (version, version))
    assert sorted(cache.glob("*.jsa")) == sorted(made[-4:])
