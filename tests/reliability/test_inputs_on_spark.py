"""Bad inputs that come as far as a merge: right rows, or one sentence."""

from __future__ import annotations

from tests.reliability.trial import Trial


def test_bad_inputs_end_in_right_rows_or_a_sentence(spark):
    with Trial(seed=41, spark=spark) as trial:
        found = [trial.run(number) for number in range(2 * len(trial.targets))]
    assert [one for one in found if not one.is_good] == []
