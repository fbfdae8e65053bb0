"""Which lines of PySpark run real Hudi: tests whose answer comes from its bundle are skipped on the others."""

from __future__ import annotations

from typing import Final

import pytest

from bridge.spark import line_of

_LINE: Final = line_of().name
ON_3 = pytest.mark.skipif(not _LINE.startswith("3."), reason="no bundle of Hudi 1.2 has run on Spark 4")
ON_3_5 = pytest.mark.skipif(_LINE != "3.5", reason="this class of the bundle for Spark 3.5 does not run on other lines")
