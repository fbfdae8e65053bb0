"""A law report in a notebook, without Spark and the command line; `bridge.verify` shows both bracketings as well."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jinja2

_MOST: Final = 6
_OPEN: Final = ("not-checked", "not-tried")
_MOST_LETTERS: Final = 300

_TEMPLATE: Final = """\
<div class="payload-bridge-laws">
<p><b>{{ headline }}</b></p>
<table>
<thead><tr><th>law</th>{% for domain in domains %}<th>{{ domain }}</th>{% endfor %}</tr></thead>
<tbody>
{% for law, verdicts in lines %}
<tr><th style="text-align: left">{{ law.id }} <code>{{ law.equation }}</code></th>
{% for verdict in verdicts %}<td style="text-align: left">{{ verdict }}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table>
{% for title, lines in violations %}
<details><summary>{{ title }}</summary><pre>{{ lines | join("\n") }}</pre></details>
{% endfor %}
{% for line in unchecked %}<p>Not checked: {{ line }}</p>{% endfor %}
{% if more %}<p>{{ more }} more violations; print the report to read them.</p>{% endif %}
</div>
"""


def law_html(subject: str, seed: int, results: Sequence[Any]) -> str:
    """Return verdicts as a matrix, and the smallest counterexamples, folded up; every value is escaped.

    Args:
        subject: what was checked.
        seed: reproduces the check.
        results: what `LawReport` has.
    """
    domains = list(dict.fromkeys(one.domain for one in results))
    verdict = {
        (one.law.id, one.domain): one.verdict.value.replace("-", " ") + " for all rows" * one.for_all_rows
        for one in results
    }
    laws = {one.law.id: one.law for one in results}
    broken = [one for one in results if one.counterexample is not None]
    unchecked = [one for one in results if one.verdict.value in _OPEN]
    return _template().render(
        headline=law_headline(subject, seed, results),
        domains=[domain.value for domain in domains],
        lines=[(law, [verdict.get((name, domain), "") for domain in domains]) for name, law in laws.items()],
        violations=[_violation(one) for one in broken[:_MOST]],
        more=max(0, len(broken) - _MOST),
        unchecked=[f"{one.law.id} on {one.domain.value}: {one.detail}"[:_MOST_LETTERS] for one in unchecked],
    )


def law_headline(subject: str, seed: int, results: Sequence[Any]) -> str:
    """Say which laws are violated, and which were not checked, in a sentence."""
    broken = dict.fromkeys(one.law.id for one in results if one.counterexample is not None)
    unchecked = dict.fromkeys(one.law.id for one in results if one.verdict.value in _OPEN)
    summary = f"violates {', '.join(broken)}" if broken else "violates no law"
    summary += f"; not checked: {', '.join(unchecked)}" if unchecked else ""
    return f"{subject} {summary} (seed {seed})"


def _violation(result: Any) -> tuple[str, list[str]]:
    found = result.counterexample
    lines = [line[:_MOST_LETTERS] for line in found.lines()]
    return f"{result.law.id} on {result.domain.value}: {result.law.statement}", [*lines, result.law.meaning]


@functools.cache
def _template() -> jinja2.Template:
    import jinja2  # noqa: PLC0415 (the laws do without, until a notebook shows them)

    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(_TEMPLATE)
