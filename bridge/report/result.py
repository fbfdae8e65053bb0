"""How a report shows itself in a notebook: as HTML and as plain text, never with more than its report has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bridge.redaction import Redaction, current, without_credentials
from bridge.report.notebook import as_notebook
from bridge.report.preview import is_about_preview, with_note
from bridge.report.severity import FAILS, Severity
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from typing_extensions import Self

    from bridge.report.report import Report

_MOST_LETTERS: Final = 2_000


class Showable:
    """A result with a verdict and a report. As a dataclass it needs `repr=False`.

    A generated `__repr__` would have all fields, and notebooks save it beside the HTML: with values that a redaction
    hides, with secrets of settings, and without a bound. What was hidden where the result was made stays hidden where
    it is shown, as a notebook shows the last line of a cell after any `with` block.
    """

    _made_under = Redaction()

    if TYPE_CHECKING:

        @property
        def verdict(self) -> str:
            """The result in a sentence or two."""

        def to_report(self) -> Report:
            """Return the report of the command line."""

    def to_json(self) -> str:
        """Return what the verb prints with `--output json`, without the settings of the command line."""
        return self.to_report().as_json()

    def __post_init__(self) -> None:
        """Note what is hidden here."""
        object.__setattr__(self, "_made_under", current())

    def __repr__(self) -> str:
        about = f" under Hudi {HudiRelease.V1_3}, not compared with a release" * is_about_preview(self)
        return f"<{type(self).__name__}{about}>"  # the verdict may take Spark jobs, which no debugger should start

    def _repr_html_(self) -> str:
        with current().joined(self._made_under).applied():
            return as_notebook(self._short_report())

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 (IPython's signature)
        with current().joined(self._made_under).applied():
            told = self._plain_text()
            said = without_credentials(with_note(told) if is_about_preview(self) else told)
        printer.text(said if len(said) <= _MOST_LETTERS else f"{said[:_MOST_LETTERS]}\u2026")

    def _plain_text(self) -> str:
        """Return what stands for the result where HTML is not shown."""
        return self.verdict

    def _short_report(self) -> Report:
        """Return the report with as much as a person reads."""
        return self.to_report()


class Closeable:
    """A result whose rows Spark keeps until `close`, or the end of a `with` block."""

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Listing(Showable, Closeable):
    """A result with rows, of which its report lists some."""

    if TYPE_CHECKING:

        def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
            """Return the report of the command line; see `limit_of` for the number of rows that it lists."""

    def to_json(self, sample: int | None = None) -> str:
        """Return what the verb prints with `--output json`, with `sample` rows; None for all up to 100,000."""
        return self.to_report(sample).as_json()

    def _short_report(self) -> Report:
        return self.to_report(whole=False)


class Judged(Showable):
    """A result that says whether rows change.

    Attributes:
        fails: what its verb fails on.
    """

    fails: AbstractSet[Severity] = FAILS

    if TYPE_CHECKING:

        @property
        def severities(self) -> frozenset[Severity]:
            """All that was found; empty where nothing is judged."""

    @property
    def severity(self) -> Severity | None:
        """The most severe finding; None if nothing is judged."""
        return max(self.severities, default=None)

    @property
    def success(self) -> bool:
        """Whether no finding makes the verb fail."""
        return not self.severities & self.fails
