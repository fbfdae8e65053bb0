"""Classes of our own beside those of a library that finds them by name in its own class loader."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError

from bridge.engines.jvm.gateway import Driver
from bridge.errors import EngineError

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject
    from pyspark.sql import SparkSession


def call_beside(spark: SparkSession, neighbour: str, source: Path, name: str, *call: str) -> None:
    """Compile a Java text where a class of the session's class path finds it by name, and call a static method of it.

    Args:
        spark: the session.
        neighbour: the full name of the class whose loader gets it.
        source: the file.
        name: the full name of the class in it.
        call: the method, and its arguments.

    Raises:
        EngineError: the session is one of Spark Connect, or its loader takes no more classes: the library came with
            Spark itself, and not by `spark.jars.packages`, `spark.jars` or `--jars`.
    """
    driver = Driver(spark)
    loader = driver.session_class(neighbour).getClassLoader()
    try:
        found = loader.loadClass(name)
    except Py4JError:
        found = _added(driver, loader, neighbour, source, name)
    driver.call(found, *call)


def _added(driver: Driver, loader: JavaObject, neighbour: str, source: Path, name: str) -> JavaObject:
    classes = driver.compile({source.name: source.read_text("utf-8")}, ())
    folder = Path(tempfile.mkdtemp(prefix="payload-bridge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"{source.stem}.jar"
    with zipfile.ZipFile(path, "w") as archive:
        for file, data in classes.items():
            archive.writestr(file, data)
    try:
        loader.addURL(driver.jvm.java.io.File(str(path)).toURI().toURL())
        return loader.loadClass(name)
    except Py4JError as error:
        msg = (
            f"{neighbour} is on the class path of Java itself, where no class can be added; give its jar to the "
            "session with spark.jars.packages or spark.jars"
        )
        raise EngineError(msg) from error
