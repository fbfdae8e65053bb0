"""Java's classes by the names that PySpark asks for, each looked up once.

PySpark asks for `functions`, `PythonUtils` and `org.apache.spark.sql.types.StructType` anew with each column or frame.
Java then tries every package that PySpark imports, and searches all jars of Spark for it and for each package above: a
fifth of the time that Java spends on a merge of few rows.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JavaPackage, JVMView


def remembering(view: JVMView) -> JVMView:
    """Return a view of the same JVM that remembers each class, and each static method of a class that it has found.

    What is no class (yet) is looked up again, unless it is a package of a class that was found.
    """
    return _View(view._gateway_client, view._jvm_name, view._id)  # noqa: SLF001 (Py4J has no other way to copy one)


class _View(JVMView):  # type: ignore[misc]  # Py4J has no types
    def __getattr__(self, name: str) -> Any:
        return _remembered(self, name, super().__getattr__(name))


class _Package(JavaPackage):  # type: ignore[misc]  # as above
    _above: tuple[_View | _Package, str]

    def __getattr__(self, name: str) -> Any:
        return _remembered(self, name, super().__getattr__(name))


class _Class(JavaClass):  # type: ignore[misc]  # as above
    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaMember):  # a field may change
            self.__dict__[name] = found
        return found


def _remembered(within: _View | _Package, name: str, found: Any) -> Any:
    """Return what a view or a package has by a name; it remembers a class, and so does what is above it."""
    if isinstance(found, JavaPackage):
        package = _Package(found._fqn, found._gateway_client, found._jvm_id)  # noqa: SLF001 (as above)
        package._above = within, name  # noqa: SLF001 (as above)
        return package
    if isinstance(found, JavaClass):
        found = within.__dict__[name] = _Class(found._fqn, found._gateway_client)  # noqa: SLF001 (as above)
        while isinstance(within, _Package):
            package = within
            within, name = package._above  # noqa: SLF001 (as above)
            within.__dict__[name] = package
    return found
