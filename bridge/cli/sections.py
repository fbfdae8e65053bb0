"""The sections of a verb's `--help`: what it needs and an example first, then other options by what they are for."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final

import click

from bridge.cli.examples import EXAMPLES, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Record = tuple[str, str]

_ROWS, _RULE, _UPGRADE, _WRITES, _PART, _LAWS, _OUT, _SPARK, _OUTPUT = (
    "What is read",
    "How rows merge",
    "Upgrades",
    "How batches are written",
    "A part of the input",
    "Laws",
    "Rows that are written",
    "Spark and compiled classes",
    "Reports",
)
SECTIONS: Final = {
    _ROWS: (
        *("table", "root", "database", "batches", "batch-column", "history", "incoming", "stored", "log", "against"),
        *("as-of", "against-as-of", "read-optimized", "row", "columns", "where", "reader", "real", "schema"),
        *("rows", "slices", "bootstrap", "strict", "issue"),
    ),
    _RULE: (
        *("payload", "mode", "merger", "java-class", "release", "from", "to", "key", "partition", "ordering"),
        *("arrival", "prop", "config", "fidelity", "accept-differences"),
    ),
    _UPGRADE: (
        *("upgrade-after", "via", "keep-table-version", "plain", "plain-after", "copy", "downgrade", "file-groups"),
    ),
    _WRITES: ("table-type", "operation", "compact-after", "compact-every", "all-paths", "on-error"),
    _PART: ("partitions", "since", "keys-sample"),
    _LAWS: ("laws", "domains", "examples", "exhaustive", "seed", "allow", "emit-test", "emit-spark"),
    _OUT: (
        *("out", "out-format", "partition-by", "out-table", "out-table-format", "table-version", "meta-columns"),
        *("write-option", "batch-id", "bundle", "script", "apply-to-copy", "sql", "with"),
    ),
    _SPARK: (
        *("engine", "trust-rule", "trust-sample", "implementation", "jar", "package", "built-for", "call-timeout"),
        *("master", "remote", "conf"),
    ),
    _OUTPUT: (*("sample", "output", "report", "fail-on", "redact", "overwrite", "quiet", "dry-run", "help"),),
}
"""The options by section, in the order of the help."""

JOBS: Final = {
    "Look": ("demo", "payloads", "inspect", "snapshot", "history", "diff", "compare-readers"),
    "Decide": ("replay", "explain", "plan", "migrate", "rehearse"),
    "Run": ("simulate", "merge", "merge-into", "pack"),
    "Check": ("verify", "check-cluster"),
}
"""The verbs by job."""

_RULES: Final = ("payload", "merger")
NEEDED: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "diff": (("against", "as-of"),),
    "explain": (("row",), ("batches", "table"), _RULES, ("key",)),
    "merge": (("stored",), ("log",), ("incoming",), _RULES, ("key",)),
    "merge-into": (("incoming",), _RULES),
    "migrate": (("payload", "table"), ("key",)),
    "pack": (("out",),),
    "plan": (("to",),),
    "rehearse": (("to",), ("copy",)),
    "replay": (("batches", "table"), _RULES, ("from",), ("to",), ("key",)),
    "simulate": (("batches", "table"), _RULES, ("key",)),
}
"""The options that a verb needs; of several together one."""


def write_help(verb: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the whole help of a verb."""
    verb.format_usage(context, formatter)
    first, _, rest = inspect.cleandoc(verb.help or "").partition("\f")[0].partition("\n\n")
    needed = NEEDED.get(verb.name or "", ())
    options = [one for one in verb.get_params(context) if isinstance(one, click.Option)]
    records = {_name(one): one.get_help_record(context) for one in options}
    one, *more = EXAMPLES.get(verb.name or "", ("",))
    if rest.startswith("\b"):  # what each POINT takes
        table, _, rest = rest.partition("\n\n")
        first = f"{first}\n\n{table}"
    _paragraphs(formatter, first)
    known = [name for names in needed for name in names]
    _options(formatter, "Required", known, records, _either(needed))
    _examples(formatter, "Example", [one] if one else [])
    _paragraphs(formatter, rest)
    for title, names in SECTIONS.items():
        _options(formatter, title, (name for name in names if name not in known), records)
    verb.format_epilog(context, formatter)
    _examples(formatter, "More examples", more)


def _name(option: click.Option) -> str:
    return next(name.removeprefix("--") for name in option.opts if name.startswith("--"))


def _either(needed: Sequence[Sequence[str]]) -> str:
    """Say what is an alternative to what."""
    groups = [[f"--{name}" for name in names] for names in needed if len(names) > 1]
    either = "; ".join(f"one of {', '.join(names)}" for names in groups)
    has_table = any("table" in names for names in needed)
    return f"{either}. The table supplies what you leave out of the others" if has_table else either


def _paragraphs(formatter: click.HelpFormatter, text: str) -> None:
    if text:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)


def _options(
    formatter: click.HelpFormatter, title: str, names: Iterable[str], records: dict[str, Record | None], note: str = ""
) -> None:
    if found := [record for name in names if (record := records.get(name)) is not None]:
        with formatter.section(title):
            if note:
                formatter.write_text(f"{note[0].upper()}{note[1:]}.")
            formatter.write_dl(found)


def _examples(formatter: click.HelpFormatter, title: str, commands: Sequence[str]) -> None:
    if commands:
        with formatter.section(title):
            for line in commands:
                formatter.write(f"{wrapped(line, formatter.width, ' ' * formatter.current_indent)}\n")
