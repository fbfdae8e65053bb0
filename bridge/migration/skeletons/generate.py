"""Generating mergers that delegate to a payload class: Python, and Java for either generation of Hudi's interface."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.errors import PlanError

if TYPE_CHECKING:
    from payloads import HudiRelease

_TEMPLATES: Final = Path(__file__).parent
_JAVA_NAME = re.compile(r"([A-Za-z_]\w*\.)*[A-Za-z_]\w*(\$[A-Za-z_]\w*)*")
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Skeleton(NamedTuple):
    """A generated merger.

    Attributes:
        path: where to write it, relative to a folder of generated files.
        text: the source.
        merger: the name by which it is configured: `module:Class`, or the full Java name.
        strategy: its strategy id.
        releases: the releases that it fits, in words.
        by: what it merges by: the class, which it calls, or a rule.
    """

    path: str
    text: str
    merger: str
    strategy: str
    releases: str
    by: str = "the class"


def strategy_id(payload: str) -> str:
    """Return the strategy id of the merger for a payload class; it is deterministic."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"hudi-payload-bridge:{payload}"))


def merger_names(payload: str) -> tuple[str, str]:
    """Return what the merger for a payload class is called in Python: its module and its class."""
    merger = f"{_class_name(payload)}Merger"
    return _WORDS.sub("_", merger).lower(), merger


def python_skeleton(payload: str, release: HudiRelease, strategy: str) -> Skeleton:
    """Return a merger in Python for the payload class `payload`."""
    module, merger = merger_names(payload)
    text = _filled("merger.py.txt", payload=payload, release=release, strategy=strategy, merger=merger, module=module)
    return Skeleton(f"{module}.py", text, f"{module}:{merger}", strategy, str(release))


def java_skeletons(java_class: str, strategy: str) -> tuple[Skeleton, Skeleton]:
    """Return mergers in Java for a compiled payload class, in the class's own package: for 1.0, and for 1.1 and later.

    Raises:
        PlanError: it is not the name of a Java class.
    """
    if not _JAVA_NAME.fullmatch(java_class):
        msg = f"{java_class!r} is not the name of a Java class; write com.acme.Payload, or com.acme.Outer$Inner"
        raise PlanError(msg)
    package, _, _ = java_class.rpartition(".")
    merger = f"{_class_name(java_class)}Merger"
    full = f"{package}.{merger}" if package else merger
    names = {
        "package": f"package {package};\n" if package else "",
        "payload": java_class,
        "type": java_class.replace("$", "."),
        "merger": merger,
        "class": full,
        "strategy": strategy,
    }
    path = "/".join((*package.split("."), f"{merger}.java")) if package else f"{merger}.java"
    old, new = (_filled(f"merger_{line}.java.txt", **names).lstrip("\n") for line in ("1_0", "1_1"))
    return (
        Skeleton(f"java-1.0/{path}", old, full, strategy, "1.0"),
        Skeleton(f"java-1.1/{path}", new, full, strategy, "1.1 and 1.2"),
    )


def _class_name(payload: str) -> str:
    return re.split(r"[.:$]", payload)[-1]


def _filled(template: str, **names: object) -> str:
    return Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(names)
