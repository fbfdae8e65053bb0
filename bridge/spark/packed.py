"""This Python as an archive that executors unpack (`spark.archives`): for a cluster that has another one, or none."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bridge.errors import EngineError, InputError
from bridge.spark.cluster import IMPORTS, PACKAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LEFT_OUT: Final = ("__pycache__", "site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo")
_LEFT_OUT_TOO: Final = ("ensurepip", "lib2to3", "config-*", "*.a", "*.pyc")
# PYTHONHOME and LD_LIBRARY_PATH say where the interpreter and its library are now. PySpark comes with Spark, so what it
# puts on the path stays in front.
_START: Final = """\
#!/bin/sh
root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
export PYTHONHOME="$root" PYTHONNOUSERSITE=1
export LD_LIBRARY_PATH="$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}$root/packages"
exec "$root/bin/@NAME@" "$@"
"""
_TRY: Final = "import importlib, sys\nfor one in sys.argv[1:]: print(importlib.import_module(one).__file__)"
_OWN_PATHS: Final = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH")


def pack(out: Path, names: Iterable[str] = ()) -> list[str]:
    """Write a `.tar.gz` of the interpreter that runs this, its library, and what workers need; return the packages.

    It runs on machines of this operating system and processor, from any folder, by `bin/python`. PySpark is left out,
    as Spark brings it, and so is this project, which every session sends. The archive is tried before it is written.

    Args:
        out: the archive.
        names: other packages for it, with what they require: those that your class needs.

    Raises:
        InputError: a distribution is not installed.
        EngineError: this Python does not run from another folder.
    """
    packed = _required([*PACKAGES, *names])
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "environment")
        _copy_interpreter(root)
        for one in packed:
            _copy_distribution(one, root / "packages")
        _check(root)
        unfinished = out.with_name(f".{out.name}.part")
        try:
            with tarfile.open(unfinished, "w:gz", compresslevel=1) as archive:
                archive.add(root, arcname=".")
            unfinished.replace(out)
        finally:
            unfinished.unlink(missing_ok=True)
    return [f"{one.name} {one.version}" for one in packed]


def _required(names: Iterable[str]) -> list[importlib.metadata.Distribution]:
    """Return distributions with all that they require here, by name; extras, and what is not installed, are none."""
    found: dict[str, importlib.metadata.Distribution] = {}
    asked = dict.fromkeys(names, True)
    while asked:
        name, is_named = asked.popitem()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found or key in {"pyspark", "py4j"}:
            continue
        try:
            found[key] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError as error:
            if is_named:
                msg = f"the distribution {name} is not installed here; install it, and pack again"
                raise InputError(msg) from error
            continue
        for requirement in found[key].requires or ():
            required, _, condition = requirement.partition(";")
            if "extra" not in condition:
                asked.setdefault(re.split(r"[^\w.-]", required.strip(), maxsplit=1)[0], False)
    return [found[key] for key in sorted(found)]


def _copy_interpreter(root: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    own = Path(os.path.realpath(sys._base_executable))  # type: ignore[attr-defined]  # noqa: SLF001 (in a venv `sys.executable` is a link's)
    (root / "bin").mkdir(parents=True)
    shutil.copy2(own, root / "bin" / version)
    start = root / "bin" / "python"
    start.write_text(_START.replace("@NAME@", version), encoding="utf-8")
    start.chmod(0o755)
    library = root / "lib" / version
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=shutil.ignore_patterns(*_LEFT_OUT, *_LEFT_OUT_TOO))
    if "distutils" in IMPORTS:  # setuptools gives it in `site-packages` alone
        (setuptools,) = _required(["setuptools"])
        source = str(setuptools.locate_file("setuptools/_distutils"))
        shutil.copytree(source, library / "distutils", ignore=shutil.ignore_patterns("tests", *_LEFT_OUT))
    dynamic = sysconfig.get_config_var("DESTSHARED")
    if dynamic and Path(dynamic).is_dir() and not (library / "lib-dynload").exists():
        shutil.copytree(dynamic, library / "lib-dynload")
    shared = Path(str(sysconfig.get_config_var("LIBDIR")), str(sysconfig.get_config_var("INSTSONAME")))
    # That of Debian does without, and its library is a package of its own.
    if sysconfig.get_config_var("Py_ENABLE_SHARED") and shared.is_file():
        shutil.copy2(shared, root / "lib" / shared.name)


def _copy_distribution(one: importlib.metadata.Distribution, folder: Path) -> None:
    for relative, source in _files(one):
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _files(one: importlib.metadata.Distribution) -> Iterator[tuple[str, Path]]:
    """Give the files of a distribution below `site-packages`; scripts, which lie elsewhere, are left out.

    Raises:
        InputError: the distribution does not say which files it has, or they lie where its source is.
    """
    if one.files is None:
        msg = f"the distribution {one.name} has no list of its files; install it with pip, and pack again"
        raise InputError(msg)
    origin = json.loads(one.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        msg = f"the distribution {one.name} is installed editable, without its files; install it whole, and pack again"
        raise InputError(msg)
    for file in one.files:
        source = Path(str(file.locate()))
        if not {"..", "__pycache__"} & set(file.parts) and source.is_file():
            yield file.as_posix(), source


def _check(root: Path) -> None:
    """Run the copy as an executor does, and see that it imports its own packages.

    Raises:
        EngineError: it does not.
    """
    surroundings = {name: value for name, value in os.environ.items() if name not in _OWN_PATHS}
    command = [str(root / "bin" / "python"), "-c", _TRY, "os", *IMPORTS]
    done = subprocess.run(command, cwd=root, env=surroundings, capture_output=True, text=True, check=False)  # noqa: S603 (its own copy)
    foreign = [line for line in done.stdout.splitlines() if not line.startswith(str(root.resolve()))]
    if done.returncode or foreign:
        why = (done.stderr.strip().splitlines() or [f"it imports {', '.join(foreign)}"])[-1]
        own = f"Python {sys.version.split()[0]} of {sys.base_prefix}"
        msg = f"{own} does not run from another folder ({why}); pack one of conda with conda-pack"
        raise EngineError(msg)
