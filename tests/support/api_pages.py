"""API pages of the guide, written from docstrings: `python -m tests.support.api_pages` brings them up to date."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import inspect
import re
from typing import TYPE_CHECKING, Any, Final, Protocol

import griffe

from bridge.report import Showable
from tests.support.folders import GUIDE, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

PACKAGES: Final = ("bridge", "mergers", "payloads")
_WIDTH = 100
_KINDS: Final = {"functions": "Functions", "classes": "Classes", "errors": "Errors", "values": "Types and constants"}


def page_of(package: str) -> Path:
    """Return the file of a package."""
    return GUIDE / "api" / f"{package}.md"


def text_of(package: str) -> str:
    """Return the page of a package."""
    module = importlib.import_module(package)
    names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for name in sorted(module.__all__, key=str.lower):
        names[_kind(getattr(module, name))].append(name)
    lines = [f"# `{package}`", "", *_paragraphs(module.__doc__ or ""), ""]
    for kind, title in _KINDS.items():
        if names[kind]:
            lines += [f"## {title}", ""]
            for name in names[kind]:
                lines += [*_entry(module, name), ""]
    return "\n".join(lines).rstrip() + "\n"


def docstring_of(module: ModuleType, name: str) -> str:
    """Return the docstring of a public name; that of a constant stands below it in its module."""
    found = getattr(module, name)
    if _is_class(found) or inspect.isroutine(found):
        return inspect.cleandoc(vars(found).get("__doc__") or "" if _is_class(found) else found.__doc__ or "")
    member: Any = _loaded(module.__name__)[name]
    docstring = member.final_target.docstring
    return "" if docstring is None else str(docstring.value)


@functools.cache
def _loaded(package: str) -> Any:
    for one in PACKAGES:
        griffe_loader().load(one)
    return griffe_loader().modules_collection[package]


@functools.cache
def griffe_loader() -> griffe.GriffeLoader:
    """Return the loader, which reads the sources without importing them."""
    return griffe.GriffeLoader(search_paths=[str(ROOT)], docstring_parser=griffe.Parser.google)


def _kind(found: Any) -> str:
    if _is_class(found):
        return "errors" if issubclass(found, Exception) else "classes"
    return "functions" if inspect.isroutine(found) else "values"


def _is_class(found: Any) -> bool:
    return issubclass(type(found), type)  # to Python 3.10 `dict[str, Any]` is an instance of it, too


def _is_made(found: type) -> bool:
    """Whether users make objects of a class by calling it; of a protocol's constructor Python 3.10 keeps nothing."""
    return not issubclass(found, Exception | enum.Enum) and Protocol not in found.__bases__


def _entry(module: ModuleType, name: str) -> Iterator[str]:
    found = getattr(module, name)
    yield f"### `{name}`"
    yield ""
    if inspect.isroutine(found) or (_is_class(found) and _is_made(found)):
        yield from ("```python", *_signature(name, found), "```", "")
    elif isinstance(found, str):
        yield from (f"`{found!r}`", "")
    yield from _paragraphs(docstring_of(module, name))
    if _is_class(found):
        yield from _members(found)


def _signature(name: str, found: Any) -> list[str]:
    signature = inspect.signature(found)
    if _is_class(found):
        signature = signature.replace(return_annotation=signature.empty)
    whole = f"{name}{_plain(str(signature))}"
    if len(whole) <= _WIDTH:
        return [whole]
    returns = "" if signature.return_annotation is signature.empty else f" -> {signature.return_annotation}"
    return [f"{name}(", *(f"    {one}," for one in _parameters(signature)), f"){_plain(returns)}"]


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    only_by_name = False
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and not only_by_name:
            only_by_name = True
            yield "*"
        yield _plain(str(one))


def _plain(text: str) -> str:
    """Return a signature without quotes around annotations, values of enum members and addresses of functions."""
    text = re.sub(r"<(?:built-in )?function ([\w.]+)[^>]*>", r"\1", text)
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)
    text = re.sub(r"ForwardRef\('([^']*)'\)", r"\1", text)
    text = re.sub(r"\"(Literal\[[^\"]*)\"", r"\1", text)
    return re.sub(r"(: |-> |(?<!Literal)\[)'([^']*)'(?=[,)\s=\]]|$)", r"\1\2", text).replace("<factory>", "...")


def _paragraphs(text: str) -> Iterator[str]:
    """Give a docstring in Markdown: sections become lists."""
    blocks: list[list[str]] = []
    for section in griffe.Docstring(text).parse("google", warnings=False):
        match section.kind:
            case griffe.DocstringSectionKind.text:
                outside_code = re.split(r"(`[^`]*`)", str(section.value))
                blocks.append(["".join(one if one[:1] == "`" else one.replace("<", "&lt;") for one in outside_code)])
            case griffe.DocstringSectionKind.raises:
                blocks.append([*_list("Raises", ((str(one.annotation), one.description) for one in section.value))])
            case griffe.DocstringSectionKind.parameters | griffe.DocstringSectionKind.attributes:
                title = "Attributes" if section.kind is griffe.DocstringSectionKind.attributes else "Parameters"
                blocks.append([*_list(title, ((one.name, one.description) for one in section.value))])
            case _:
                msg = f"a section {section.kind.value} has no form in the pages yet; give it one"
                raise ValueError(msg)
    for at, block in enumerate(blocks):
        if at:
            yield ""
        yield from block


def _list(title: str, items: Iterator[tuple[str, str]]) -> Iterator[str]:
    yield f"{title}:"
    yield ""
    for name, text in items:
        yield f"- `{name}`: {' '.join(text.split())}"


def _members(found: type) -> Iterator[str]:
    """List the members of an enum, or the methods and properties of a class with those of its bases."""
    if issubclass(found, enum.Enum):
        yield from ("", *(f"- `{one.name}`: `{one.value!r}`" for one in found))
        return
    bases = [
        base
        for base in reversed(found.__mro__)
        if base is found or dataclasses.is_dataclass(base) or base.__module__ == Showable.__module__
    ]
    lines: dict[str, str] = {}
    for name, member in (item for base in bases for item in vars(base).items()):
        inner = getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(inner) or not inner.__doc__:
            continue
        first = inspect.cleandoc(inner.__doc__).partition("\n\n")[0]
        shown = name if inner is not member and not isinstance(member, classmethod | staticmethod) else f"{name}()"
        lines[name] = f"- `{shown}`: {' '.join(first.split())}"
    own = [line for name, line in lines.items() if name.islower() or _snake(name) not in lines]  # Hudi's spelling
    if own:
        yield from ("", *own)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def main() -> None:
    """Write all pages."""
    for package in PACKAGES:
        page_of(package).parent.mkdir(exist_ok=True)
        page_of(package).write_text(text_of(package), encoding="utf-8")


if __name__ == "__main__":
    main()
