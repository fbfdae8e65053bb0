"""What `payload-bridge pack` refuses; `python -m tests.cluster` unpacks an archive on executors with another Python."""

from __future__ import annotations

import sysconfig
import tarfile

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.errors import EngineError, InputError
from bridge.spark import pack, packed
from bridge.spark.cluster import IMPORTS, PACKAGES


def test_a_package_that_is_not_there_is_named_and_nothing_written(tmp_path):
    with pytest.raises(InputError, match="the distribution no-such-package is not installed here"):
        pack(tmp_path / "out.tar.gz", ["no-such-package"])
    assert not [*tmp_path.iterdir()]


def test_a_python_that_cannot_move_is_refused_and_what_was_there_stays(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    (tmp_path / "out.tar.gz").write_text("before")
    monkeypatch.setattr(packed, "_copy_distribution", lambda *_: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "empty"))
    with pytest.raises(EngineError, match="does not run from another folder"):
        pack(tmp_path / "out.tar.gz")
    assert (tmp_path / "out.tar.gz").read_text() == "before"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["empty", "out.tar.gz"]


def test_a_python_whose_library_is_not_installed_is_tried_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    found = {"Py_ENABLE_SHARED": 1, "LIBDIR": str(tmp_path), "INSTSONAME": "libpython3.so"}
    monkeypatch.setattr(packed, "_copy_distribution", lambda *_: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "empty"))
    monkeypatch.setattr(sysconfig, "get_config_var", found.get)
    with pytest.raises(EngineError, match="does not run from another folder"):
        pack(tmp_path / "out.tar.gz")


def test_a_python_that_names_no_folder_of_its_modules_takes_none_of_the_users_files(tmp_path, monkeypatch):
    for name in ("here", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "here" / "secret.txt").write_text("theirs")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(packed, "_copy_distribution", lambda *_: None)
    monkeypatch.setattr(packed, "_check", lambda _: None)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "empty"))
    monkeypatch.setattr(sysconfig, "get_config_var", {}.get)
    pack(tmp_path / "out.tar.gz")
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        assert not [name for name in archive.getnames() if name.endswith("secret.txt")]


def test_packages_come_with_what_they_require_and_without_spark():
    found = {one.name.lower() for one in packed._required([*PACKAGES, "pyspark"])}
    assert {*PACKAGES, "six"} <= found
    assert not found & {"pyspark", "py4j", "pytest"}


def test_what_workers_import_and_python_has_no_more_comes_too(tmp_path, monkeypatch):
    """On Python 3.12 and later: distutils, of setuptools."""
    wanted = [name for name in IMPORTS if name not in PACKAGES]
    monkeypatch.setattr(packed, "PACKAGES", ())
    monkeypatch.setattr(packed, "IMPORTS", wanted)
    pack(tmp_path / "out.tar.gz")
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        found = {name for name in archive.getnames() if name.endswith("/distutils/version.py")}
    assert len(found) == 1


def test_a_package_whose_files_are_elsewhere_is_refused(tmp_path, monkeypatch):
    """The list of such an installation has a file of paths, and none of its code."""
    info = tmp_path / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "RECORD").write_text("__editable__.acme_rules-1.0.pth,,\nacme_rules-1.0.dist-info/METADATA,,\n")
    (info / "direct_url.json").write_text('{"dir_info": {"editable": true}, "url": "file:///acme"}')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(packed, "_copy_interpreter", lambda _: None)
    monkeypatch.setattr(packed, "PACKAGES", ())
    with pytest.raises(InputError, match="acme-rules is installed editable"):
        pack(tmp_path / "out.tar.gz", ["acme-rules"])
    assert not (tmp_path / "out.tar.gz").exists()


def test_a_dry_run_writes_nothing(tmp_path):
    result = CliRunner().invoke(main, ["pack", "--out", str(tmp_path / "out.tar.gz"), "--dry-run"])
    assert (result.exit_code, result.stdout.split(";")[0]) == (0, "The options are valid")
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_is_not_there_is_named_before_anything_is_packed(tmp_path):
    result = CliRunner().invoke(main, ["pack", "--out", str(tmp_path / "none" / "out.tar.gz")])
    assert (result.exit_code, "in a folder that does not exist" in result.stderr) == (2, True)
