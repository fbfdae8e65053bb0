"""A secret in any option of any verb, in a URL or a setting, reaches neither output nor report."""

from __future__ import annotations

import random
import unittest.mock

import click
import pytest
from click.testing import CliRunner

from bridge.cli import main, quiet
from tests.reliability.calls import no_session
from tests.reliability.commands import BASES, Place

SECRET = "hunter2"  # noqa: S105 (not one)
URL = f"none://me:{SECRET}@bucket/days"
SETTINGS = {"--conf": f"spark.hadoop.fs.s3a.secret.key={SECRET}", "--remote": f"sc://host/;token={SECRET}"}
SETTINGS |= {"--prop": f"hoodie.password={SECRET}", "--write-option": f"hoodie.x.password={SECRET}"}
LOADS = {"--package", "--bundle", "--with"}
"""Options that would look for what they name in the network."""


@pytest.mark.parametrize("verb", BASES)
def test_a_secret_of_an_option_is_not_repeated(tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    place = Place(tmp_path, random.Random(0))  # noqa: S311 (no secret)
    told = []
    for option in main.commands[verb].params:
        if getattr(option, "is_flag", False) or LOADS.intersection(option.opts):
            continue
        name = option.opts[0]
        words = place.words(verb)
        for value in (URL, SETTINGS.get(name)):
            if isinstance(option, click.Argument):
                words[1] = URL
            elif value is not None:
                words += [name, value]
        with unittest.mock.patch.object(quiet, "session_of", no_session):
            plain = CliRunner().invoke(main, [*words, "--quiet"])
            more = [] if name == "--report" else ["--report", "told.html", "--overwrite"]
            as_json = CliRunner().invoke(
                main, [*words, "--quiet", *more, *([] if name == "--output" else ["--output", "json"])]
            )
        told += [(words, found.output) for found in (plain, as_json) if SECRET in found.output]
        told += [(words, str(path)) for path in tmp_path.glob("told.*") if SECRET in path.read_text("utf-8")]
    assert told == []
