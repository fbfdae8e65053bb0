"""What executors need to run Python of ours: this code and the user's, which are sent, and packages, checked."""

from __future__ import annotations

import atexit
import functools
import hashlib
import importlib
import importlib.util
import io
import json
import re
import shutil
import sys
import sysconfig
import tempfile
import types
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyspark
from py4j.protocol import Py4JError
from pyspark.sql import functions as sf

from bridge.errors import EngineError, sentence_of
from bridge.spark.failures import PySparkException
from bridge.spark.session import is_connect, is_local

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

PACKAGES = ("pyarrow", "pandas", "numpy", "fastavro")
"""What Python workers need besides PySpark, which comes with Spark."""

_HAS_DISTUTILS = "distutils" in sys.stdlib_module_names or not pyspark.__version__.startswith("3.")
IMPORTS = PACKAGES if _HAS_DISTUTILS else (*PACKAGES, "distutils")
"""What they import: PySpark 3 wants distutils too, which left Python in 3.12, and which setuptools has."""

_SAID = {"distutils": "distutils of setuptools"}
_OWN = ("payloads", "mergers", "bridge")
_TASKS = 64
# PySpark 3.5 prints a tuple: (3, 9).
_MISMATCH = re.compile(r"worker has different version\D*(\d+)(?:\.|, )(\d+)\D+driver\D*([\d.]+\d)")
_NO_PYTHON = re.compile(r'Cannot run program "([^"]+)"')
_JAVA = "java_method('java.lang.System', 'getProperty', 'java.version')"  # evaluated where tasks run
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time of a zip file


class Worker(NamedTuple):
    """What an executor has.

    Attributes:
        host: its machine.
        python: the version of its Python.
        packages: those of its Python by name; a text after `!` says why one fails.
        java: the version of its Java; None if it was not asked.
        interpreter: the path of its Python, from its working folder where it is below that, as in an unpacked archive.
    """

    host: str
    python: str
    packages: dict[str, str]
    java: str | None = None
    interpreter: str = ""

    @property
    def missing(self) -> list[str]:
        """The packages that are not there, or can't be imported, with the reason."""
        why = {name: found[1:] for name, found in self.packages.items() if found.startswith("!")}
        return [f"{_SAID.get(name, name)} ({reason})" for name, reason in why.items()]


class _Prepared:
    """What a Spark application, or a session of Spark Connect, was already sent."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="payload-bridge-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.modules: set[str] = set()


_prepared: dict[str, _Prepared] = {}


def prepare(spark: SparkSession, *names: str) -> None:
    """Make this code, and the modules that payloads or mergers of these names live in, known to every executor.

    Where executors are threads of this process nothing is done. Elsewhere the code is sent once a session, and a first
    job checks what it needs beside.

    Raises:
        EngineError: executors lack a package, or have another Python.
    """
    if not has_executors(spark):
        return
    done = _prepared.setdefault(_application(spark), _Prepared())
    modules = {name.partition(":")[0] for name in names if ":" in name} - {"__main__"}  # which is sent by value
    if _OWN[0] in done.modules and modules <= done.modules:
        return
    wanted = sorted({*_OWN, *modules} - done.modules)
    for path in _archives(wanted, done.folder):
        _send(spark, path)
    found = workers(spark, (*IMPORTS, *_OWN, *sorted(modules)))
    check_workers(found)
    check_java(found, driver_java(spark))
    done.modules |= set(wanted)


def add_module(spark: SparkSession | None, name: str, text: str) -> str:
    """Write the source of a module, and make it known to workers on this machine; return the folder that has it.

    The file stays until this process ends: Spark looks into it again for tasks to come. Executors elsewhere get it by
    `prepare`, like other modules. A name stands for one text.
    """
    path = _sources() / f"{name}.py"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
    if spark is not None and not has_executors(spark):
        done = _prepared.setdefault(_application(spark), _Prepared())
        if name not in done.modules:
            _send(spark, path)
            done.modules.add(name)
    return str(path.parent)


@functools.cache
def _sources() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="payload-bridge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def has_executors(spark: SparkSession) -> bool:
    """Whether executors are processes of their own."""
    return is_connect(spark) or not is_local(str(spark.sparkContext.master))


def _application(spark: SparkSession) -> str:
    return str(spark.session_id) if is_connect(spark) else str(spark.sparkContext.applicationId)  # type: ignore[attr-defined]


def _send(spark: SparkSession, path: Path) -> None:
    if is_connect(spark):
        spark.addArtifacts(str(path), pyfile=True)
    else:
        spark.sparkContext.addPyFile(str(path))


# -- code


def _archives(modules: Iterable[str], folder: Path) -> Iterator[Path]:
    """Write one zip file of the top-level packages that executors can't have; none if there are none."""
    tops = {name.partition(".")[0] for name in modules}
    found = [place for top in sorted(tops) if (place := _place(top)) is not None]
    if not found:
        return
    files = [(file, file.relative_to(place.parent)) for place in found for file in _python_files(place)]
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, name in files:
            archive.writestr(zipfile.ZipInfo(name.as_posix(), _EPOCH), file.read_bytes())
    # Spark takes a file name once, so other modules, also of the same text, need another one.
    path = folder / f"payload-bridge-{hashlib.sha256(data.getvalue()).hexdigest()[:12]}.zip"
    path.write_bytes(data.getvalue())
    yield path


def _place(top: str) -> Path | None:
    """Return the folder or file of a top-level module to ship; None if executors have it, or Spark ships it already.

    Our own packages always travel: another version may be installed there. A user's module travels unless it belongs to
    an installed distribution, which executors need completely.
    """
    found = importlib.util.find_spec(top)
    if found is None or found.origin is None:
        return None
    file = Path(found.origin)
    place = file.parent if found.submodule_search_locations else file
    if not place.exists():  # in a zip file of --py-files
        return None
    installed = (sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib"))
    if top not in _OWN and any(place.is_relative_to(folder) for folder in installed):
        return None
    return place


def _python_files(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


# -- packages


def workers(spark: SparkSession, names: Iterable[str] = IMPORTS) -> list[Worker]:
    """Return what executors have, one a host; one job of small tasks, so an executor that is busy may not be seen.

    Raises:
        EngineError: no Python runs there, or one that is not the driver's.
    """
    tasks = probes(spark)
    # A plain function of `__main__` travels as its code: executors have nothing of ours to import yet.
    probe = types.FunctionType(_probe.__code__, {}, "probe")
    probe.__module__ = "__main__"
    asked = sf.udf(probe)(sf.lit(json.dumps(list(names))), sf.col("id").cast("string")).alias("found")
    try:
        rows = spark.range(0, tasks, 1, tasks).select(asked, sf.expr(_JAVA)).distinct().collect()
    except (PySparkException, Py4JError) as error:
        raise EngineError(_reason(error)) from error
    found = [Worker(*json.loads(row[0]))._replace(java=row[1]) for row in rows]
    by_host = {(*one[:2], tuple(one.packages.items()), str(one.java), one.interpreter): one for one in found}
    return [by_host[key] for key in sorted(by_host)]


def probes(spark: SparkSession) -> int:
    """Return how many small tasks ask the executors something; an executor that is busy may get none."""
    return 8 if is_connect(spark) else min(max(2 * spark.sparkContext.defaultParallelism, 2), _TASKS)


def check_workers(found: Iterable[Worker]) -> None:
    """Refuse executors that lack something.

    Raises:
        EngineError: naming what is missing, and where.
    """
    for one in found:
        if one.missing:
            msg = (
                f"Python {one.python} of the executors on {one.host} lacks {', '.join(one.missing)}; install it there, "
                "or ship this one: payload-bridge pack"
            )
            raise EngineError(msg)


def driver_java(spark: SparkSession) -> str | None:
    """Return the version of the driver's Java; None where it can't be asked, as with Spark Connect."""
    gateway = None if is_connect(spark) else spark._jvm  # noqa: SLF001 (PySpark's only way)
    return None if gateway is None else str(gateway.java.lang.System.getProperty("java.version"))


def check_java(found: Iterable[Worker], driver: str | None) -> None:
    """Refuse executors whose Java is another one than the driver's.

    Raises:
        EngineError: naming both, and where.
    """
    for one in found:
        if driver is not None and one.java is not None and _major(one.java) != _major(driver):
            msg = (
                f"the executors on {one.host} run Java {one.java}, and the driver {driver}; run one version on both: "
                "JAVA_HOME, and --conf spark.executorEnv.JAVA_HOME=FOLDER"
            )
            raise EngineError(msg)


def versions(names: Iterable[str]) -> Worker:
    """Return what this process has."""
    return Worker(*json.loads(_probe(json.dumps(list(names)), "")))


def _probe(names: str, _row: str) -> str:
    """Return the parts of a Worker as JSON; it runs where only Python is certain."""
    import importlib  # noqa: PLC0415 (it travels without its module)
    import json  # noqa: PLC0415
    import os  # noqa: PLC0415
    import platform  # noqa: PLC0415
    import sys  # noqa: PLC0415

    found = {}
    for name in json.loads(names):
        try:
            module = importlib.import_module(name)
        except Exception as error:  # noqa: BLE001 (a package may fail in any way)
            missing = isinstance(error, ModuleNotFoundError) and error.name == name
            found[name] = "!not installed" if missing else f"!{type(error).__name__}: {error}"
        else:
            found[name] = str(getattr(module, "__version__", ""))
    below = os.getcwd() + os.sep  # noqa: PTH109 (as above)
    interpreter = sys.executable.removeprefix(below)
    return json.dumps([platform.node(), platform.python_version(), found, None, interpreter])


def _major(java: str) -> str:
    return java.removeprefix("1.").split(".")[0]


def _reason(error: Any) -> str:
    text = str(error)
    if other := _MISMATCH.search(text.replace("\n", " ")):
        return (
            f"executors run Python {other[1]}.{other[2]}, and the driver {other[3]}; set PYSPARK_PYTHON to a Python "
            f"{sys.version_info.major}.{sys.version_info.minor} of theirs, start the driver with theirs, or ship this "
            "one: payload-bridge pack"
        )
    if other := _NO_PYTHON.search(text):
        return f"executors have no {other[1]}; set PYSPARK_PYTHON (or --conf spark.pyspark.python) to their Python"
    return f"the executors don't run Python ({sentence_of(error)}); try payload-bridge check-cluster"
