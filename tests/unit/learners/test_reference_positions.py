"""The held-out positions of a searchless training without master games."""

import numpy as np

from selfmate.arena.openings import shipped_openings
from selfmate.data.held_out import held_out
from selfmate.encodings.records import encode_records
from selfmate.learners.searchless.legality import reference_positions


def test_every_kind_is_frequent_and_no_start_position_of_training_is_among_them() -> None:
    positions = reference_positions()
    kinds = held_out(positions, None, max_positions=100_000).rows
    assert len(positions) > 5000
    assert min(len(kinds[kind]) for kind in ("opening", "middlegame", "endgame", "check")) > 200
    assert min(len(kinds[kind]) for kind in ("castling", "en_passant")) > 20
    starts = {row.tobytes() for row in encode_records([one.board() for one in shipped_openings()])}
    assert not starts & {row.tobytes() for row in positions}
    assert np.array_equal(positions, reference_positions())
