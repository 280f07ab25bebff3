"""Legal mass, legality of the first choice, and ranks, by hand."""

import numpy as np
import pytest

from selfmate.learners.searchless.legality import is_top_legal, masked_ranks
from selfmate.nets.softmax import mass_of
from selfmate.rules import Ragged

# Two positions of four actions; in the first 1 and 3 are legal, in the second 0 alone.
LOGITS = np.log(np.array([[0.4, 0.3, 0.2, 0.1], [0.7, 0.1, 0.1, 0.1]], np.float32))
LEGAL = Ragged(np.array([1, 3, 0], np.int32), np.array([0, 2, 3]))


def test_legal_mass_is_the_probability_of_all_legal_moves() -> None:
    assert mass_of(LOGITS, LEGAL) == pytest.approx([0.4, 0.7])
    assert mass_of(LOGITS + np.float32(1000), LEGAL) == pytest.approx([0.4, 0.7], rel=1e-3)


def test_the_first_choice_is_legal_only_without_a_tie() -> None:
    assert is_top_legal(LOGITS, LEGAL).tolist() == [False, True]
    assert not is_top_legal(np.zeros((2, 4), np.float32), LEGAL).any()


def test_ranks_ignore_illegal_moves() -> None:
    assert masked_ranks(LOGITS, LEGAL, np.array([1, 0])).tolist() == [1, 1]
    assert masked_ranks(LOGITS, LEGAL, np.array([3, 0])).tolist() == [2, 1]
    assert masked_ranks(np.zeros((2, 4), np.float32), LEGAL, np.array([1, 0])).tolist() == [2, 1]
