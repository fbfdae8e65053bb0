from __future__ import annotations

import math
import operator

import pytest

from mergers.laws import bracketing_text, bracketings, every_bracketing, fold, fold_left, fold_right


def leaves(bracketing):
    if isinstance(bracketing, int):
        return [bracketing]
    older, newer = bracketing
    return leaves(older) + leaves(newer)


def paired(older, newer):
    return f"({older}·{newer})"


@pytest.mark.parametrize("n", range(1, 9))
def test_there_are_catalan_many_bracketings_and_no_two_are_equal(n):
    found = list(bracketings(n))
    assert len(found) == len(set(found)) == math.comb(2 * (n - 1), n - 1) // n
    assert all(leaves(bracketing) == list(range(n)) for bracketing in found)


def test_bracketings_are_lazy():
    assert leaves(next(bracketings(200))) == list(range(200))


@pytest.mark.parametrize("n", range(1, 7))
def test_the_text_of_a_bracketing_is_its_fold_over_the_letters(n):
    letters = "abcdef"[:n]
    for bracketing, text in every_bracketing(paired, letters):
        assert bracketing_text(bracketing) == text


def test_the_left_fold_is_the_last_bracketing_and_the_right_fold_the_first():
    results = [text for _, text in every_bracketing(paired, "abcd")]
    assert (results[0], results[-1]) == (fold_right(paired, "abcd"), fold_left(paired, "abcd"))
    assert (results[0], results[-1]) == ("(a·(b·(c·d)))", "(((a·b)·c)·d)")


def test_a_fold_never_reorders():
    assert {result for _, result in every_bracketing(operator.add, list("hoodie"))} == {"hoodie"}


def test_subtraction_shows_its_bracketing():
    assert fold(operator.sub, [8, 4, 2], ((0, 1), 2)) == fold_left(operator.sub, [8, 4, 2]) == 2
    assert fold(operator.sub, [8, 4, 2], (0, (1, 2))) == fold_right(operator.sub, [8, 4, 2]) == 6


def test_one_version_is_its_own_fold():
    assert fold_left(paired, "a") == fold_right(paired, "a") == fold(paired, "a", 0) == "a"


@pytest.mark.parametrize("call", [fold_left, fold_right])
def test_an_empty_sequence_cannot_be_folded(call):
    with pytest.raises(ValueError, match="at least one"):
        call(paired, [])


def test_nothing_has_no_bracketing():
    with pytest.raises(ValueError, match="at least one"):
        bracketings(0)


def test_names_and_many_letters():
    assert bracketing_text(((0, 1), 2), ["stored", "log 1", "log 2"]) == "((stored·log 1)·log 2)"
    assert bracketing_text((25, (26, 53))) == "(z·(a1·b2))"
