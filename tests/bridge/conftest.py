"""Every envelope that a test of this folder makes is valid: what programs read is what the schema says."""

from __future__ import annotations

import functools
import json
from typing import Any

import jsonschema
import pytest

from bridge.report import envelope_schema, report


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(envelope_schema())
    return jsonschema.Draft202012Validator(envelope_schema())


@pytest.fixture(autouse=True)
def _valid_envelopes(monkeypatch: pytest.MonkeyPatch) -> None:
    make = report._json

    def checked(*content: Any, **more: Any) -> str:
        text = make(*content, **more)
        validator().validate(json.loads(text))
        return text

    monkeypatch.setattr(report, "_json", checked)
