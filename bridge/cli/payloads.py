"""`payload-bridge payloads`: the available payload classes, the rules of one, and the releases that a jar links to."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.completion import payloads_from
from bridge.cli.java_options import jar_option
from bridge.cli.linked_class import report_links
from bridge.cli.options import refuse, release_option
from bridge.cli.verb import Verb
from bridge.report import Report, Table
from payloads import HudiRelease, resolve_payload
from payloads.builtin import BuiltinPayload
from payloads.errors import PayloadBridgeError
from payloads.registry import builtin_payloads
from payloads.release import ByRelease

if TYPE_CHECKING:
    from payloads import HoodieRecordPayload

_PREFIX = "org.apache.hudi."
_VERSION = re.compile(r"\n\nAdded in [\d.]+\.\Z")


@click.command(cls=Verb, short_help="List Hudi's payload classes, or check yours against releases.")
@click.argument("name", required=False, shell_complete=payloads_from)
@release_option()
@jar_option(
    "A jar with the compiled class NAME, a payload or a merger, or with classes that it needs; may be repeated."
)
def payloads(name: str | None, release: HudiRelease | None, jars: tuple[str, ...]) -> Report:
    """List the payload classes that Hudi ships, show what one class does, or to which releases yours links.

    NAME is a class of Hudi by its full or short Java name, or a class of your own as package.module:Class. It shows
    what the class does, where its source is, and which of its rules differ between releases.

    With --jar NAME is a compiled payload or merger by its full Java name. Its class file is held against the classes of
    each release, without Spark: the members that it uses and overrides, and its constructors. The answers are: links;
    does not link, with member, method, line and what to write instead; links, but Hudi never calls some overrides. The
    exit code is 1 if it does not link to --release. Reflection is not seen.
    """
    if jars:
        if name is None:
            msg = "--jar is about one class: name it by its full Java name"
            raise click.UsageError(msg, click.get_current_context())
        try:
            return report_links(name, jars, release)
        except PayloadBridgeError as error:
            refuse(error)
    return _list(release) if name is None else _details(name, release)


# -- the list


def _list(release: HudiRelease | None) -> Report:
    classes = builtin_payloads(release)
    results = [_entry(found) for found in classes]
    rows = []
    for entry in results:
        rows.append((entry["java_name"].removeprefix(_PREFIX), _span(entry["releases"])))
        rows += [(f"  also {alias.removeprefix(_PREFIX)}", _span(lines)) for alias, lines in entry["aliases"].items()]
    where = f"Hudi {min(HudiRelease)} to {max(HudiRelease)}" if release is None else f"Hudi {release}"
    body: list[str | Table] = [
        f"Name a class by its full Java name ({_PREFIX}...) or by the part after the last dot.",
        Table((f"Java name after {_PREFIX}", "releases"), rows),
    ]
    verdict = f"{len(classes)} payload classes of {where}."
    return Report("payloads", verdict, statistics={"classes": len(classes)}, results=results, body=body)


def _span(releases: list[str]) -> str:
    return "all" if len(releases) == len(HudiRelease) else ", ".join(releases)


def _entry(found: type[BuiltinPayload]) -> dict[str, Any]:
    return {
        "name": found.java_name.rpartition(".")[2],
        "java_name": found.java_name,
        "releases": [str(shipped) for shipped in found.shipped],
        "aliases": {
            alias: [str(line) for line in found.shipped if alias in found.for_release(line).aliases]
            for alias in sorted({alias for line in found.shipped for alias in found.for_release(line).aliases})
        },
    }


# -- one class


def rule_text(found: type) -> str:
    """Return the docstring of a class without its last paragraph, the version that added it."""
    return _VERSION.sub("", inspect.cleandoc(found.__doc__ or "It has no docstring."))


def _details(name: str, release: HudiRelease | None) -> Report:
    bound = _resolve(name, release)
    found = bound.unbound or bound
    source = _source(found)
    doc = rule_text(found)
    result: dict[str, Any] = {"name": found.__name__, "doc": doc, "source": source}
    if issubclass(found, BuiltinPayload):
        result |= _entry(found) | {"rules": _rules(found)}
    report = Report("payloads", f"{result['name']} can be named with --payload.", results=[result])
    report.body += map(_reflowed, doc.split("\n\n"))
    if "java_name" in result:
        report.body.append(f"{result['java_name']}, shipped by Hudi {', '.join(result['releases'])}.")
        aliases = result["aliases"].items()
        report.body += [f"Also called {alias} (Hudi {', '.join(lines)})." for alias, lines in aliases]
        report.body.append(_rules_table(result["rules"]))
    report.body.append(f"Source: {source}")
    return report


def _resolve(name: str, release: HudiRelease | None) -> type[HoodieRecordPayload]:
    """Find a class in `release`, or in the newest that has it."""
    failures = []
    for line in [release] if release is not None else reversed(HudiRelease):
        try:
            return resolve_payload(name, line)
        except PayloadBridgeError as error:
            failures.append(error)
    return refuse(failures[0])


def _source(found: type) -> str:
    try:
        return f"{inspect.getsourcefile(found)}:{inspect.getsourcelines(found)[1]}"
    except (OSError, TypeError):
        return f"unknown (module {found.__module__})"


def _rules(found: type[BuiltinPayload]) -> dict[str, dict[str, str]]:
    """Return the rules that depend on the release: for each, its value in every release that ships the class."""
    rules = {}
    for name in sorted(dir(found)):
        rule = inspect.getattr_static(found, name)
        if isinstance(rule, ByRelease) and name != "aliases":
            values = {str(line): _shown(rule.at(line)) for line in found.shipped}
            if len(set(values.values())) > 1:
                rules[name] = values
    return rules


def _shown(value: Any) -> str:
    """Return a rule as text: what a function's docstring or name says, or the value."""
    if callable(value):
        return str(getattr(value, "__name__", value)).lstrip("_")
    if isinstance(value, tuple | list | frozenset):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _rules_table(rules: dict[str, dict[str, str]]) -> str | Table:
    if not rules:
        return "Its own rules are the same in all of these releases."
    rows = []
    for name, values in rules.items():
        previous = None
        for line, value in values.items():
            if value != previous:
                rows.append((name if previous is None else "", f"from {line}", value))
            previous = value
    return Table(("rule", "release", "is"), rows, "Rules that differ by release (attributes of the class)")


def _reflowed(paragraph: str) -> str:
    """Join the lines of plain text; lists and code keep theirs."""
    lines = paragraph.splitlines()
    is_plain = not any(line.startswith((" ", "-", "*", ">>>", "|")) for line in lines)
    return " ".join(lines) if is_plain else paragraph
