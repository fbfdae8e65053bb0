"""Every JSON object that a test makes is valid: what programs read is what the schema says."""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema
import pytest

from bridge.report import envelope_schema, report


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """Return the validator of the schema."""
    jsonschema.Draft202012Validator.check_schema(envelope_schema())
    return jsonschema.Draft202012Validator(envelope_schema())


@pytest.fixture(autouse=True)
def valid_envelopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Validate each JSON object where it is made."""
    make = report._json

    def checked(*content: Any, **more: Any) -> str:
        text = make(*content, **more)
        validator().validate(json.loads(text))
        return text

    monkeypatch.setattr(report, "_json", checked)
