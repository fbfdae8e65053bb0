"""Compiles the Java sources of the tests with Eclipse's compiler, which comes as a jar and needs no JDK."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from bridge.engines.jvm.jars import bundle_for, resolve
from bridge.spark.session import find_java

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from payloads import HudiRelease

_COMPILER = "org.eclipse.jdt:ecj:3.36.0"
EXAMPLES = Path(__file__).parent / "java" / "Examples.java"
"""Payloads as users write them."""
_SPARK_JARS = Path(pyspark.__file__).parent / "jars"


def compiled(spark: SparkSession, sources: Mapping[str, str], release: HudiRelease, folder: Path) -> Path:
    """Compile sources, by file name, against the bundle of a release; return the jar."""
    texts, classes = folder / "sources", folder / "classes"
    texts.mkdir(parents=True)
    for name, text in sources.items():
        (texts / name).write_text(text, encoding="utf-8")
    (compiler,) = resolve(spark, _COMPILER)
    class_path = [*resolve(spark, bundle_for(spark, release)), *_SPARK_JARS.glob("*.jar")]
    command = [find_java() / "bin" / "java", "-jar", compiler, "-8", "-proc:none", "-nowarn"]
    options = ["-cp", ":".join(map(str, class_path)), "-d", classes]
    subprocess.run([*command, *options, *sorted(texts.iterdir())], check=True)
    jar = folder / "classes.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
    return jar
