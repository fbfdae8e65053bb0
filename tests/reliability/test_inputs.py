"""Bad inputs to every verb and public function that need no session: one sentence each, and nothing left."""

from __future__ import annotations

from tests.reliability.trial import Trial

EACH = 40


def test_bad_inputs_end_in_a_sentence():
    with Trial(seed=41) as trial:
        found = [trial.run(number) for number in range(EACH * len(trial.targets))]
    assert [one for one in found if not one.is_good] == []
