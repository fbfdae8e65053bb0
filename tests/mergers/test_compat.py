from __future__ import annotations

import pickle

import pytest

from mergers import HoodieRecordMerger, HoodieRecordType, MergerConfigError, adapt_merger
from mergers.compat import pre_combining

UUID = "5a3bb2d1-0000-4c1c-9d4f-2d3b9c1f0a11"


class JavaNames:
    def getMergingStrategy(self):  # noqa: N802 (Java's name)
        return UUID

    def getRecordType(self):  # noqa: N802
        return "avro"

    def merge(self, older, older_schema, newer, newer_schema, props):
        return (newer, newer_schema) if older_schema is newer_schema and props == {"k": "v"} else None


class TwoArguments(JavaNames):
    def merge(self, older, newer):
        return older, newer


class ThreeArguments(JavaNames):
    def merge(self, older, newer, props):
        return newer if props == {"k": "v"} else None


class FourArguments(JavaNames):
    def merge(self, older, newer, schema, props=None):
        return newer if (schema, props) == ("schema", {"k": "v"}) else None


class AnyArguments(JavaNames):
    def merge(self, *arguments):
        return arguments[1] if len(arguments) == 4 else None


class Ours:
    record_type = HoodieRecordType.SPARK
    merging_strategy = UUID

    def merge(self, older, newer, schema, props):
        return None


class BothSpellings(Ours):
    def getMergingStrategy(self):  # noqa: N802
        return "another"


class NeedsArguments(Ours):
    def __init__(self, payload):
        self.payload = payload


class NoStrategy:
    record_type = HoodieRecordType.AVRO

    def merge(self, older, newer, schema, props):
        return newer


class NoMerge:
    record_type = HoodieRecordType.AVRO
    merging_strategy = UUID


class StrategyIsNoText(Ours):
    merging_strategy = 7


class UnknownRecordType(Ours):
    record_type = "HIVE"


class OneArgument(Ours):
    def merge(self, pair):
        return pair


class NeedsAKeyword(Ours):
    def merge(self, older, newer, *, schema):
        return newer


@pytest.mark.parametrize("user_class", [JavaNames, ThreeArguments, FourArguments, AnyArguments])
def test_java_names_and_any_argument_list(user_class):
    merger = adapt_merger(user_class)
    assert isinstance(merger, HoodieRecordMerger)
    assert (merger.record_type, merger.merging_strategy) == (HoodieRecordType.AVRO, UUID)
    assert merger.merge("older", "newer", "schema", {"k": "v"}) == "newer"


def test_two_arguments_are_the_two_versions():
    assert adapt_merger(TwoArguments()).merge("older", "newer", "schema", {}) == "older"  # of a pair, the record


def test_an_absent_result_stays_absent():
    assert adapt_merger(JavaNames()).merge("older", "newer", "schema", {}) is None


@pytest.mark.parametrize("name", ["as_pre_combining_mode", "asPreCombiningMode"])
@pytest.mark.parametrize("user_class", [Ours, JavaNames])
def test_a_merger_may_offer_another_for_a_batch(user_class, name):
    aware = type("Aware", (user_class,), {name: lambda _: TwoArguments()})
    of_batch = pre_combining(adapt_merger(aware))
    assert of_batch.merge("older", "newer", "schema", {}) == "older"
    assert pre_combining(of_batch) is of_batch


def test_what_needs_no_adapting_stays():
    merger = Ours()
    assert adapt_merger(merger) is merger
    assert type(adapt_merger(Ours)) is Ours


def test_snake_case_wins_with_a_warning():
    with pytest.warns(UserWarning, match="merging_strategy and getMergingStrategy; merging_strategy is used"):
        assert adapt_merger(BothSpellings).merging_strategy == UUID


def test_it_travels():
    again = pickle.loads(pickle.dumps(adapt_merger(ThreeArguments)))  # noqa: S301 (its own bytes)
    assert again.merge("older", "newer", "schema", {"k": "v"}) == "newer"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (NeedsArguments, "can't be instantiated without arguments"),
        (NoStrategy, "lacks merging_strategy"),
        (NoMerge, "merge is missing"),
        (StrategyIsNoText, "give the UUID as text"),
        (UnknownRecordType, "use one of AVRO, SPARK, FLINK"),
        (OneArgument, "change it to"),
        (NeedsAKeyword, "change it to"),
        (object(), "lacks record_type"),
    ],
)
def test_what_is_not_a_merger(wrong, message):
    with pytest.raises(MergerConfigError, match=message):
        adapt_merger(wrong)
