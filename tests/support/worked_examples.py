"""Worked examples of the contributor page: the files that its lists name, and additions applied to a copy of the tree.

An example is a folder: `new/` has the files that it adds, at their paths; `edits.toml` says what it inserts into files
that exist, each place by a text that occurs there once; `check.py` is run on the copy and shows that it works.
"""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

from tests.support.folders import GUIDE, ROOT
from tests.support.toml import tomllib

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = ROOT / "tests" / "data" / "contributing"
PAGE = GUIDE / "contributing.md"
_COPIED = ("payloads", "mergers", "bridge", "migration_guide", "tests/conformance", "tests/support")
_COPIED_FILES = (
    "pyproject.toml",
    "tests/__init__.py",
    "tests/public_names.txt",
    "tests/test_architecture.py",
    "tests/test_public_api.py",
)


class ExampleError(Exception):
    """An example no longer fits the code that it extends."""


def named_files(heading: str) -> tuple[str, ...]:
    """Return the paths that the list under a heading of the contributor page names; a folder ends in `/`."""
    found = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    if found is None:
        msg = f"{PAGE.name} has no section {heading!r}"
        raise ExampleError(msg)
    steps = "".join(re.findall(r"^\d+\. .*\n(?:   .*\n?)*", found[1], re.MULTILINE))
    code = re.findall(r"`((?:payloads|mergers|bridge|tests)/[\w./]*)`", steps)
    pages = [f"{GUIDE.name}/{name}" for name in re.findall(r"\]\((\w+\.md)\)", steps)]
    return (*code, *pages)


def unnamed(files: list[str], named: tuple[str, ...]) -> list[str]:
    """Return the files that a list does not name, themselves or by their folder."""
    folders = tuple(name for name in named if name.endswith("/"))
    return [file for file in files if file not in named and not file.startswith(folders)]


def copy_tree(target: Path) -> None:
    """Copy the packages, the guide, and what the checks read of the tests."""
    skipped = shutil.ignore_patterns("__pycache__")
    for name in _COPIED:
        shutil.copytree(ROOT / name, target / name, ignore=skipped)
    for name in _COPIED_FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)


def apply(name: str, target: Path) -> list[str]:
    """Apply the example `name` to a copy of the tree; return the files that it adds or changes.

    Raises:
        ExampleError: naming the example, the file, and the text that is not there once.
    """
    folder = EXAMPLES / name
    touched = set()
    for source in sorted(path for path in (folder / "new").rglob("*") if path.is_file()):
        path = source.relative_to(folder / "new")
        if (target / path).exists():
            msg = f"the example {name} adds {path}, which exists; rename it in {folder}"
            raise ExampleError(msg)
        shutil.copy(source, target / path)
        touched.add(str(path))
    for edit in tomllib.loads((folder / "edits.toml").read_text("utf-8"))["edit"]:
        path = target / edit["file"]
        if not path.exists():
            msg = f"the example {name} changes {edit['file']}, which does not exist; correct its edits.toml"
            raise ExampleError(msg)
        text = path.read_text("utf-8")
        path.write_text(_with_names(text, edit) if "section" in edit else _edited(text, edit, name), "utf-8")
        touched.add(edit["file"])
    return sorted(touched)


def _edited(text: str, edit: dict[str, Any], example: str) -> str:
    """Insert where the edit says: before or after an anchor, or at the end."""
    if "append" in edit:
        return f"{text.rstrip()}\n{edit['append']}"
    anchor = edit["before"] if "before" in edit else edit["after"]
    if text.count(anchor) != 1:
        found = f"{edit['file']} contains {anchor!r} {text.count(anchor)} times, not once"
        msg = f"the example {example}: {found}; correct its edits.toml, and {PAGE.name} if the step has changed"
        raise ExampleError(msg)
    return text.replace(anchor, edit["insert"] + anchor if "before" in edit else anchor + edit["insert"])


def _with_names(text: str, edit: dict[str, Any]) -> str:
    """Add names to a section of `public_names.txt`, in order."""
    head, heading, rest = text.partition(f"[{edit['section']}]\n")
    names, blank, tail = rest.partition("\n\n")
    lines = sorted({*names.rstrip("\n").split("\n"), *edit["names"]})
    return head + heading + "\n".join(lines) + (blank or "\n") + tail
