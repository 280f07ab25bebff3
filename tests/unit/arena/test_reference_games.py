"""Positions to ask about that nobody learns from."""

import numpy as np

from selfmate.arena.openings import shipped_openings
from selfmate.arena.reference_games import reference_positions
from selfmate.data.held_out import held_out
from selfmate.encodings.stored import store


def test_they_are_many_of_every_kind_and_no_openings_that_others_begin_with() -> None:
    positions = reference_positions()
    kinds = held_out(positions, None, most=100_000).rows
    assert len(positions) > 5000
    assert min(len(kinds[kind]) for kind in ("opening", "middlegame", "endgame", "check")) > 200
    assert min(len(kinds[kind]) for kind in ("castling", "en_passant")) > 20
    begun = {row.tobytes() for row in store([one.board() for one in shipped_openings()])}
    assert not begun & {row.tobytes() for row in positions}
    assert np.array_equal(positions, reference_positions())
