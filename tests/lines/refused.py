"""A plugin of pytest: where a line of PySpark lacks something, a test may end in the refusal that names it.

Such a test counts as one that is expected to fail (x), with the refusal as its reason (`-r x` shows them). So does
one that ends in an error that was raised from the refusal (`raise ... from`). Any other error stays a failure, though
it may be raised while the refusal is handled. On a line that lacks nothing, no refusal is expected.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pyspark
import pytest

from bridge.engines.native.lowering import REFUSALS
from bridge.errors import sentence_of
from bridge.spark import line_of
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

_LINE: Final = line_of()
_OF_NATIVE: Final = next(one.sentence for one in REFUSALS if one.name == "line")
_EXPECTED: Final = [
    re.compile(words)
    for words, lacks in (
        (re.escape(_OF_NATIVE), not _LINE.gathers),
        (rf"is a local timestamp, .* this is PySpark {re.escape(pyspark.__version__)}", not _LINE.timestamp_ntz),
        (rf"Spark Connect .* this is PySpark {re.escape(pyspark.__version__)}", not _LINE.connect),
        (rf"Hudi [\d.]+ has (?:no bundle for|not run on) Spark {re.escape(_LINE.name)}\b", _LINE.name != "3.5"),
    )
    if lacks
]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and call.excinfo is not None and (said := _refusal(call.excinfo.value)) is not None:
        report.outcome, report.wasxfail = "skipped", said
    return report


def _refusal(error: BaseException) -> str | None:
    """Return the sentence of a refusal that is expected on this line, the error's or of one that it was raised from."""
    for one in _chain(error):
        if isinstance(one, PayloadBridgeError) and any(words.search(str(one)) for words in _EXPECTED):
            return sentence_of(one)
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
