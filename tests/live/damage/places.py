"""Mutations of whole files and folders, whatever is in them, and of single bytes."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tests.live.damage.tables import Subject

    Mutate = Callable[[random.Random, Path, Subject], str]
    """Changes a copy of a table; returns what was done, nothing where the table has no such file."""

_TIMELINE = re.compile(r"\d{8,}[\w.]*")
_NO_TEXT = b"\xff\xfe"
_FOLDERS = {
    "metadata table": [".hoodie/metadata"],
    "archive": [".hoodie/archived", ".hoodie/timeline/history"],
    "schema history": [".hoodie/.schema"],
}
SORTS = ("log", "base", "instant", "properties", "partition metadata", *_FOLDERS)


def files_of(table: Path, subject: Subject, sort: str) -> list[Path]:
    """Return the files of a sort, by path; of logs and base files those that a snapshot reads."""
    if sort in {"log", "base"}:
        names = [
            one.path_of(name)
            for one in subject.slices()
            for name in (one.data_logs if sort == "log" else filter(None, [one.base_file]))
        ]
        return sorted(table / name for name in names)
    if sort == "properties":
        return [table / ".hoodie/hoodie.properties"]
    if sort in _FOLDERS:
        below = (one for folder in _FOLDERS[sort] for one in (table / folder).rglob("*"))
        return sorted(one for one in below if one.is_file())
    if sort == "instant":
        folders = [table / ".hoodie", table / ".hoodie/timeline"]
        found = (one for folder in folders if folder.is_dir() for one in folder.iterdir())
        return sorted(one for one in found if one.is_file() and _TIMELINE.fullmatch(one.name))
    return sorted(table.rglob(".hoodie_partition_metadata*"))


def _any_file(chance: random.Random, table: Path, subject: Subject) -> Path | None:
    found = files_of(table, subject, chance.choice(SORTS))
    return chance.choice(found) if found else None


def _of_file(change: Callable[[random.Random, Path], str]) -> Mutate:
    """Make a mutation of a change to any file."""

    def mutate(chance: random.Random, table: Path, subject: Subject) -> str:
        path = _any_file(chance, table, subject)
        if path is None or not path.stat().st_size:
            return ""
        return f"{path.relative_to(table)}: {change(chance, path)}"

    return mutate


def _flip(chance: random.Random, path: Path) -> str:
    data = bytearray(path.read_bytes())
    place, mask = chance.randrange(len(data)), chance.choice([1 << chance.randrange(8), 0xFF])
    data[place] ^= mask
    path.write_bytes(data)
    return f"byte {place} of {len(data)} ^ {mask:#04x}"


def _cut(chance: random.Random, path: Path) -> str:
    data = path.read_bytes()
    place = chance.randrange(len(data))
    path.write_bytes(data[:place])
    return f"cut at byte {place} of {len(data)}"


def _empty(_: random.Random, path: Path) -> str:
    path.write_bytes(b"")
    return "emptied"


def _remove(_: random.Random, path: Path) -> str:
    path.unlink()
    return "removed"


def _rename(chance: random.Random, path: Path) -> str:
    """Change a digit of the name, or its suffix."""
    digits = [match.start() for match in re.finditer(r"\d", path.name)]
    if digits and chance.random() < 0.7:
        place = chance.choice(digits)
        name = f"{path.name[:place]}{(int(path.name[place]) + 1) % 10}{path.name[place + 1 :]}"
    else:
        name = chance.choice([f"{path.name}.bak", f"copy of {path.name}", path.name.upper()])
    if path.with_name(name) == path:
        name = f"{name}.bak"
    path.rename(path.with_name(name))
    return f"renamed to {name}"


def _swap(chance: random.Random, table: Path, subject: Subject) -> str:
    sort = chance.choice(SORTS)
    found = files_of(table, subject, sort)
    if len(found) < 2:
        return ""
    one, other = chance.sample(found, 2)
    first, second = one.read_bytes(), other.read_bytes()
    if first == second:
        return ""
    one.write_bytes(second)
    other.write_bytes(first)
    return f"{one.relative_to(table)} and {other.relative_to(table)} swapped"


def _state_missing(chance: random.Random, table: Path, subject: Subject) -> str:
    suffix = chance.choice([".requested", ".inflight", ""])
    found = [
        one
        for one in files_of(table, subject, "instant")
        if (one.name.endswith(suffix) if suffix else not one.name.endswith((".requested", ".inflight")))
    ]
    if not found:
        return ""
    path = chance.choice(found)
    path.unlink()
    return f"{path.relative_to(table)}: its state removed"


def _timeline_moved(chance: random.Random, table: Path, _: Subject) -> str:
    folder = table / ".hoodie/timeline"
    if folder.is_dir():
        name = chance.choice(["timeline-old", "Timeline", "archived/timeline"])
        (table / ".hoodie" / name).parent.mkdir(parents=True, exist_ok=True)
        folder.rename(table / ".hoodie" / name)
        return f".hoodie/timeline moved to .hoodie/{name}"
    folder.mkdir()
    for one in sorted((table / ".hoodie").iterdir()):
        if _TIMELINE.fullmatch(one.name) and one.is_file():
            one.rename(folder / one.name)
    return "the instants moved to .hoodie/timeline"


def _no_text(chance: random.Random, table: Path, subject: Subject) -> str:
    """Give a file or a partition a name that is not UTF-8, or put a file of such a name beside it."""
    path = _any_file(chance, table, subject)
    if path is None:
        return ""
    what = chance.choice(["file", "folder", "copy"])
    if what == "folder" and path.parent not in {table, table / ".hoodie"}:
        path = path.parent
    old = os.fsencode(path)
    new = os.path.join(os.path.dirname(old), _NO_TEXT + os.path.basename(old))  # noqa: PTH118, PTH119, PTH120 (bytes)
    if what == "copy":
        shutil.copyfile(old, new)
        return f"{path.relative_to(table)}: copied beside it under a name that is not UTF-8"
    os.rename(old, new)  # noqa: PTH104 (bytes)
    return f"{path.relative_to(table)}: its name begins with bytes that are not UTF-8"


PLACES: dict[str, Mutate] = {
    "byte changed": _of_file(_flip),
    "cut": _of_file(_cut),
    "emptied": _of_file(_empty),
    "removed": _of_file(_remove),
    "renamed": _of_file(_rename),
    "swapped": _swap,
    "state missing": _state_missing,
    "timeline moved": _timeline_moved,
    "name not UTF-8": _no_text,
}
