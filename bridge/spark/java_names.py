"""Java's classes by the names that PySpark asks for, each looked up once.

PySpark asks for `functions` and `PythonUtils` anew with each column. Java then tries every package that PySpark
imports, and searches all jars of Spark for it: a fifth of the time that Java spends on a merge of few rows.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JVMView


def remembering(view: JVMView) -> JVMView:
    """Return a view of the same JVM that remembers each class, and each static method of a class that it has found.

    What is no class (yet) is looked up again: a package may get one.
    """
    return _View(view._gateway_client, view._jvm_name, view._id)  # noqa: SLF001 (Py4J has no other way to copy one)


class _View(JVMView):  # type: ignore[misc]  # Py4J has no types
    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaClass):
            found = self.__dict__[name] = _Class(found._fqn, found._gateway_client)  # noqa: SLF001 (as above)
        return found


class _Class(JavaClass):  # type: ignore[misc]  # as above
    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if isinstance(found, JavaMember):  # a field may change
            self.__dict__[name] = found
        return found
