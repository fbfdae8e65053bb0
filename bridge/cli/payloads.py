"""`payload-bridge payloads`: the payload classes, the rules of one or of a merge mode, the releases a jar links to."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.class_rules import NO_RULE, as_json, becomes_words, span_words, tables
from bridge.cli.completion import payloads_from
from bridge.cli.found_rules import found_rules
from bridge.cli.inputs import batches_option_of
from bridge.cli.linked_class import report_links
from bridge.cli.needs import refuse_foreign
from bridge.cli.options import RELEASES
from bridge.cli.parameters import derived_option, refuse, refused
from bridge.cli.table_input import table_option
from bridge.cli.verb import Verb
from bridge.config import SUCCESSORS
from bridge.demo import rule_text
from bridge.report import Report, Table
from bridge.verify import verify
from mergers import MergerConfigError
from mergers.rules.words import rules_of_class, rules_of_mode
from payloads import HudiRelease, PayloadRef, resolve_payload
from payloads.builtin import BuiltinPayload
from payloads.errors import PayloadBridgeError
from payloads.registry import builtin_payloads
from payloads.user import PayloadAdapter

if TYPE_CHECKING:
    from bridge.report import JsonObject
    from mergers.rules.words import PointRules
    from payloads import HoodieRecordPayload

_PREFIX = "org.apache.hudi."


@click.command(cls=Verb, short_help="List Hudi's payload classes, or check yours against releases.")
@click.argument("name", required=False, shell_complete=payloads_from)
@derived_option(verify, "release", default=None, show_default=False, note=RELEASES)
@derived_option(
    PayloadRef.__init__,
    "jar",
    help="Jars with the compiled class NAME, a payload or a merger, or with classes that it needs. May be repeated.",
)
@derived_option(
    verify,
    "schema",
    help="Infer the rules of your class by calling it on rows of this schema. Default: that of --batches or --table.",
)
@derived_option(verify, "key", help="With --schema: the record key columns.")
@derived_option(verify, "ordering", help="With --schema: the ordering columns.")
@derived_option(verify, "props", "--prop", help="With --schema: a property as Hudi names it.")
@batches_option_of(required=False)
@table_option
@derived_option(verify, "call_timeout", type=click.FloatRange(min=0), metavar="SECONDS")
def payloads(name: str | None, release: HudiRelease | None, jar: tuple[str, ...], **asked: Any) -> Report:
    """List the payload classes that Hudi ships, show what one class does, or check which releases yours links to.

    NAME is a Hudi class by its full or short Java name, your own class as package.module:Class, or a merge
    mode such as EVENT_TIME_ORDERING or EVENT_TIME_ORDERING/IGNORE_DEFAULTS. It shows the rule by which two versions of
    a key merge, in --release or the newest release, and what differs in other releases and with other settings.

    With --jar, NAME is a compiled payload or merger by its full Java name. Its class file is compared with the classes
    of each release, without Spark: the members that it uses and overrides, and its constructors. The answers are:
    links; does not link, with member, method, line and what to write instead; links, but Hudi never calls some
    overrides. The exit code is 1 if it does not link to --release. Reflection is not detected.

    With --schema, --batches or --table, the class itself, in Python or compiled, is called with pairs of versions
    in --release. The smallest rules that give its results are shown, with the columns that no rule covers.
    """
    if asked["schema"] or asked["batches"] or asked["table"]:
        if name is None:
            msg = "--schema, --batches and --table are for a single class: name it"
            raise click.UsageError(msg, click.get_current_context())
        return found_rules(name, release, jar, **asked)
    refuse_foreign("is for calls of a class; add --schema, --batches or --table", report_links)
    if jar:
        if name is None:
            msg = "--jar is for a single class: name it by its full Java name"
            raise click.UsageError(msg, click.get_current_context())
        with refused():
            return report_links(name, jar, release)
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
    known = {"classes": len(classes)}
    releases = [one for entry in results for one in entry["releases"]]
    return Report("payloads", verdict, releases=releases, statistics=known, results=results, body=body)


def _span(releases: list[str]) -> str:
    return "all" if len(releases) == len(HudiRelease) else ", ".join(releases)


def _entry(found: type[BuiltinPayload]) -> JsonObject:
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


def _details(name: str, release: HudiRelease | None) -> Report:
    of_mode = rules_of_mode(name)
    if of_mode:
        return _of_mode(name, of_mode, release)
    bound = _resolve(name, release)
    found = bound.unbound or bound
    source, doc, rules = _source(found), rule_text(found), rules_of_class(found)
    result: JsonObject = {"name": found.__name__, "doc": doc, "source": source}
    first, *notes = map(_reflowed, doc.split("\n\n"))
    report = Report("payloads", f"{result['name']}: {first}" if first else f"{result['name']}.")
    if issubclass(found, BuiltinPayload) and found.is_shipped():
        result |= _entry(found)
        report.releases = result["releases"]
        report.body.append(f"{result['java_name']}, shipped by Hudi {', '.join(result['releases'])}.")
        aliases = result["aliases"].items()
        report.body += [f"Also called {alias} (Hudi {', '.join(lines)})." for alias, lines in aliases]
        report.body += [becomes_words(one) for name, one in SUCCESSORS.items() if name == found.java_name]
    report.body += tables(rules, release) if rules else [NO_RULE]
    report.body += [*notes, f"Source: {source}"]
    report.results = [result | as_json(rules)]
    return report


def _of_mode(name: str, rules: list[PointRules], release: HudiRelease | None) -> Report:
    known = [one for told in rules[0].told for one in told.releases]
    if release is not None and release not in known:
        refuse(MergerConfigError(f"Hudi {release} has no merge mode {name}; use {span_words(known)}"))
    verdict = f"{name} is a merge mode of Hudi {span_words(known)}."
    result = {"name": name, "releases": list(map(str, known)), **as_json(rules, of_mode=True)}
    return Report("payloads", verdict, releases=known, results=[result], body=[*tables(rules, release, of_mode=True)])


def _resolve(name: str, release: HudiRelease | None) -> type[HoodieRecordPayload]:
    """Find a class in `release`, or in the newest that has it."""
    failures = []
    for line in [release] if release is not None else (*reversed(HudiRelease), HudiRelease.V1_3):
        try:
            return resolve_payload(name, line)
        except PayloadBridgeError as error:
            failures.append(error)
    return refuse(failures[0])


def _source(found: type[HoodieRecordPayload]) -> str:
    # A class that is made of it for a release has no lines of its own.
    written: type = found.user_class if issubclass(found, PayloadAdapter) else found.unbound or found
    try:
        return f"{inspect.getsourcefile(written)}:{inspect.getsourcelines(written)[1]}"
    except (OSError, TypeError):
        return f"unknown (module {written.__module__})"


def _reflowed(paragraph: str) -> str:
    """Join the lines of plain text; lists and code keep theirs."""
    lines = paragraph.splitlines()
    is_plain = not any(line.startswith((" ", "-", "*", ">>>", "|")) for line in lines)
    return " ".join(lines) if is_plain else paragraph
