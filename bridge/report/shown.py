"""How a report shows itself in a notebook: as HTML and as plain text, never with more than its report has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bridge.redaction import Redaction, current, without_credentials
from bridge.report.notebook import as_notebook

if TYPE_CHECKING:
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

    def __post_init__(self) -> None:
        """Note what is hidden here."""
        object.__setattr__(self, "_made_under", current())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"  # the verdict may take Spark jobs, which no debugger should start

    def _repr_html_(self) -> str:
        with current().joined(self._made_under).applied():
            return as_notebook(self._readable())

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:  # noqa: FBT001 (IPython's signature)
        with current().joined(self._made_under).applied():
            said = without_credentials(self._said())
        printer.text(said if len(said) <= _MOST_LETTERS else f"{said[:_MOST_LETTERS]}\u2026")

    def _said(self) -> str:
        """Return what stands for the result where HTML is not shown."""
        return self.verdict

    def _readable(self) -> Report:
        """Return the report with as much as a person reads."""
        return self.to_report()
