"""What files of a merger in Java have in common: its names, its imports, and templates."""

from __future__ import annotations

from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TEMPLATES: Final = Path(__file__).parent


class JavaNames(NamedTuple):
    """What a merger in Java is called.

    Attributes:
        package: its package, which may be empty.
        name: its class.
        payload: the class whose rule it has.
        release: the release in which that was asked.
        strategy: its strategy id.
    """

    package: str
    name: str
    payload: str
    release: str
    strategy: str

    @property
    def full(self) -> str:
        """The full name of the class."""
        return f"{self.package}.{self.name}" if self.package else self.name


def package_of(names: JavaNames) -> str:
    """Write the package of a merger."""
    return f"package {names.package};\n\n" if names.package else ""


def imports_of(names: Iterable[str]) -> str:
    """Write imports in groups: Java's own, others, Scala's."""
    groups: dict[str, list[str]] = {"java": [], "org": [], "scala": []}
    for name in sorted(names):
        groups[name.partition(".")[0]].append(f"import {name};")
    return "\n\n".join("\n".join(lines) for lines in groups.values() if lines) + "\n"


def filled(template: str, **names: str) -> str:
    """Return a template of this package with its names filled in."""
    values: Mapping[str, str] = names
    return Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(values)
