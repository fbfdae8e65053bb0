"""The driver's JVM as the jvm engine uses it: class loaders, compiling, sending files. It wraps py4j."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import DataFrame

from bridge.errors import EngineError
from bridge.spark import line_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from py4j.java_gateway import JavaClass, JavaGateway, JavaObject, JVMView
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DataType, StructType

    JavaValue: TypeAlias = JavaObject | str | float | bool | None


class Driver:
    """The JVM of a session.

    Attributes:
        jvm: its packages and classes.
    """

    def __init__(self, spark: SparkSession) -> None:
        """Connect to the JVM.

        Raises:
            EngineError: the session is one of Spark Connect, whose driver is remote.
        """
        if not hasattr(spark, "_jsparkSession"):
            msg = (
                "the jvm engine needs the driver's JVM, which a Spark Connect session has no access to; "
                "run it in a classic session, or give a Python payload and the python engine"
            )
            raise EngineError(msg)
        self._spark = spark
        gateway: JavaGateway = spark.sparkContext._gateway  # noqa: SLF001 (PySpark's only way to the JVM)
        self._gateway = gateway
        self._session: JavaObject = spark._jsparkSession  # noqa: SLF001 (as above)
        self.jvm: JVMView = gateway.jvm

    # -- sending

    def add_jar(self, path: Path) -> None:
        """Make a jar's classes known to the session and every task, as `ADD JAR` does."""
        self._session.sessionState().resourceLoader().addJar(str(path))

    def send(self, path: Path) -> None:
        """Send a file to every executor, where `SparkFiles` finds it by its name."""
        # PySpark's own addFile also takes it for Python code.
        self._spark.sparkContext._jsc.sc().addFile(str(path))  # noqa: SLF001 (as above)

    def resolve(self, coordinate: str) -> list[str]:
        """Fetch a Maven package as `ADD JAR ivy://` does, without its dependencies; return the paths.

        Raises:
            Py4JError: it can't be resolved.
        """
        uri = self.jvm.java.net.URI.create(f"ivy://{coordinate}?transitive=false")
        # Ivy logs a page for each package; failures raise anyway.
        name = "SparkSubmitUtils$" if line_of().name.startswith("3.") else "SparkSubmit$"
        printer = getattr(getattr(self.jvm.org.apache.spark.deploy, name), "MODULE$")
        ivy = self.jvm.org.apache.ivy.util
        logger = ivy.Message.getDefaultLogger()
        ivy.Message.setDefaultLogger(ivy.DefaultMessageLogger(ivy.Message.MSG_ERR))  # a line of it is no failure
        before = printer.printStream()
        set_stream = getattr(printer, "printStream_$eq")
        set_stream(self.jvm.java.io.PrintStream(self.jvm.java.io.ByteArrayOutputStream()))
        try:
            found = self.jvm.org.apache.spark.util.DependencyUtils.resolveMavenDependencies(uri)
            return [str(found.apply(index)) for index in range(found.size())]
        finally:
            set_stream(before)
            ivy.Message.setDefaultLogger(logger)

    def java_options(self) -> list[str]:
        """Return the options with which the JVM was started."""
        beans = self.jvm.java.lang.management
        # By the interface: the py4j of Spark 3.3 may not call methods of a JDK-internal class.
        kind = self.jvm.java.lang.Class.forName("java.lang.management.RuntimeMXBean")
        method = kind.getMethod("getInputArguments", self._array(self.jvm.java.lang.Class, []))
        return list(map(str, method.invoke(beans.ManagementFactory.getRuntimeMXBean(), self._objects([]))))

    # -- classes

    def session_class(self, name: str) -> JavaObject:
        """Load a class that the session knows: Spark's own, or one of an added jar."""
        return self._session.sharedState().jarClassLoader().loadClass(name)

    def class_in(self, jars: Iterable[str], name: str) -> JavaObject:
        """Load a class in the loader of a list of jars."""
        paths = self._array(self.jvm.java.lang.String, list(jars))
        return self.call(self.session_class("bridge.jvm.JarLoader"), "of", paths).loadClass(name)

    def resource(self, loader: JavaObject, path: str) -> bytes | None:
        """Read a file of a class loader; None if it is missing."""
        stream, streams = loader.getResourceAsStream(path), self.jvm.org.apache.commons.io.IOUtils
        if stream is None:
            return None
        try:
            return bytes(streams.toByteArray(stream))
        finally:
            streams.closeQuietly(stream)  # the py4j of Spark 3.3 may not call methods of a JDK-internal class

    def new(self, java_class: JavaObject, *arguments: JavaValue) -> JavaObject:
        """Build an object by the only public constructor of its class."""
        return java_class.getConstructors()[0].newInstance(self._objects(arguments))

    def call(self, java_class: JavaObject, name: str, *arguments: JavaValue) -> JavaObject:
        """Call the one public static method of this name."""
        method = next(method for method in java_class.getMethods() if method.getName() == name)
        return method.invoke(None, self._objects(arguments))

    def compile(self, sources: dict[str, str], class_path: Iterable[Path]) -> dict[str, bytes]:
        """Compile Java texts, by file name, with the Janino that Spark carries; return class files by their path.

        By way of files: the Janino of Spark 3.3, 3.0.16, takes and gives nothing else.
        """
        java, tools = self.jvm.java, self.jvm.org.codehaus
        urls = self._array(java.net.URL, [java.io.File(str(path)).toURI().toURL() for path in class_path])
        loader = java.net.URLClassLoader(urls, self._session.sharedState().jarClassLoader())
        resources = tools.commons.compiler.util.resource
        with tempfile.TemporaryDirectory() as folder:
            texts, made = Path(folder, "sources"), Path(folder, "classes")
            texts.mkdir()
            made.mkdir()
            for name, text in sources.items():
                (texts / name).write_text(text, encoding="utf-8")
            compiler = tools.janino.Compiler()
            compiler.setIClassLoader(tools.janino.ClassLoaderIClassLoader(loader))
            compiler.setClassFileCreator(resources.DirectoryResourceCreator(java.io.File(str(made))))
            compiler.setDebugLines(True)
            units = [resources.FileResource(java.io.File(str(texts / name))) for name in sources]
            compiler.compile(self._array(resources.Resource, units))
            return {path.relative_to(made).as_posix(): path.read_bytes() for path in sorted(made.rglob("*.class"))}

    def _objects(self, values: Sequence[JavaValue]) -> JavaObject:
        return self._array(self.jvm.java.lang.Object, values)

    def _array(self, kind: JavaClass, values: Sequence[JavaValue]) -> JavaObject:
        array = self._gateway.new_array(kind, len(values))
        for index, value in enumerate(values):
            array[index] = value
        return array

    # -- frames

    def map_partitions(self, frame: DataFrame, function: JavaObject, schema: StructType) -> DataFrame:
        """Apply a MapPartitionsFunction over rows; the rows that it gives are of `schema`."""
        kind = self._session.parseDataType(schema.json())
        if line_of().row_encoder:
            encoder = self.jvm.org.apache.spark.sql.Encoders.row(kind)
        else:
            encoder = self.jvm.org.apache.spark.sql.catalyst.encoders.RowEncoder.apply(kind)
        return DataFrame(frame._jdf.mapPartitions(function, encoder), self._spark)  # noqa: SLF001 (as above)

    def register(self, name: str, function: JavaObject, result: DataType) -> None:
        """Register an object of one of Spark's UDF interfaces under a name of the session."""
        self._session.udf().register(name, function, self._session.parseDataType(result.json()))
