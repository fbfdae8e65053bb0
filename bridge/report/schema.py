"""The JSON Schema of the envelope: what programs may rely on in `--output json`."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any


def envelope_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what every verb prints with `--output json`."""
    file = importlib.resources.files("bridge.report") / "envelope.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
