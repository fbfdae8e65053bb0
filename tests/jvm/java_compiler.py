"""Compiles Java sources of the tests, inside the session's JVM, with Eclipse's compiler: a jar that needs no JDK.

A jar is kept under the hash of what it was made of, from one run to the next where pytest has its cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyspark

from bridge.engines.jvm.gateway import Driver
from bridge.engines.jvm.jars import any_bundle, resolve
from payloads import HudiRelease
from payloads.release import releases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

_COMPILER: Final = "org.eclipse.jdt:ecj:3.36.0"
_BATCH: Final = "org.eclipse.jdt.core.compiler.batch.BatchCompiler"
_OPTIONS: Final = ("-8", "-proc:none", "-nowarn", "-g")
_SPARK_JARS: Final = Path(pyspark.__file__).parent / "jars"
RELEASES: Final = releases(since="0.15")
"""The releases that have a bundle for Spark 3.5."""
SOURCES: Final = Path(__file__).parent / "java"
_OF_EVERY_RELEASE: Final = ("Judge.java",)
_OF_RELEASE: Final = {
    HudiRelease.V0_15: (
        *("EachKey.java", "Examples.java", "Indexed.java", "InPlace.java", "Inserts.java", "Misbehaving.java"),
        *("Own.java", "Planted.java", "Twins.java"),
        "Undetermined.java",
    ),
    HudiRelease.V1_0: ("Mergers.java",),
    HudiRelease.V1_2: ("NewMergers.java",),
}
"""What is compiled against the bundle of a release; the payloads of 0.15 run in the later ones, too."""


class JavaCompiler:
    """Compiles against the bundle of a release."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        """Keep jars in `folder`."""
        self._spark = spark
        self._folder = folder
        self._batch: Any = None

    def jar_of(self, release: HudiRelease) -> Path:
        """Return the jar of everything in tests/jvm/java that belongs to a release."""
        names = (*_OF_EVERY_RELEASE, *_OF_RELEASE.get(release, ()))
        return self.compiled({name: (SOURCES / name).read_text("utf-8") for name in names}, release)

    def compiled(self, sources: Mapping[str, str], release: HudiRelease, needed: Sequence[Path] = ()) -> Path:
        """Return the jar of sources, by file name; `needed` are jars of libraries that they use."""
        bundle = any_bundle(release)
        names = [jar.name for jar in needed]
        made_of = json.dumps([_COMPILER, _OPTIONS, pyspark.__version__, bundle, names, sorted(sources.items())])
        jar = self._folder / f"{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.jar"
        if not jar.exists():
            with tempfile.TemporaryDirectory(dir=self._folder) as work:
                self._compile(sources, [*resolve(self._spark, bundle), *needed, *_SPARK_JARS.glob("*.jar")], Path(work))
                Path(work, "classes.jar").replace(jar)
        return jar

    def _compile(self, sources: Mapping[str, str], class_path: list[Path], work: Path) -> None:
        classes = work / "classes"
        for name, text in sources.items():
            (work / name).write_text(text, encoding="utf-8")
        named = ["-cp", os.pathsep.join(map(str, class_path)), "-d", str(classes)]
        said = self._run([*_OPTIONS, *named, *(str(work / name) for name in sources)])
        assert not said, said
        with zipfile.ZipFile(work / "classes.jar", "w") as archive:
            for path in sorted(classes.rglob("*.class")):
                archive.write(path, path.relative_to(classes))

    def _run(self, words: list[str]) -> str:
        """Return what the compiler writes about errors."""
        driver = Driver(self._spark)
        java = driver.jvm.java
        if self._batch is None:
            (path,) = resolve(self._spark, _COMPILER)
            urls = driver._array(java.net.URL, [java.io.File(str(path)).toURI().toURL()])
            methods = java.net.URLClassLoader(urls).loadClass(_BATCH).getMethods()
            self._batch = next(
                one for one in methods if one.getName() == "compile" and one.getParameterTypes()[0].isArray()
            )
        told, errors = java.io.StringWriter(), java.io.StringWriter()
        given = [driver._array(java.lang.String, words), java.io.PrintWriter(told), java.io.PrintWriter(errors), None]
        is_compiled = self._batch.invoke(None, driver._objects(given))
        return "" if is_compiled else str(errors.toString())
