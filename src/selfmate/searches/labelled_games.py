"""Games in which the teacher scores every move of every position, played by the teacher, a net or
at random: what nets imitate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate._core import PositionEvaluator
from selfmate.encodings import Games
from selfmate.encodings.features import Packed

__all__ = ["NET", "RANDOM", "TEACHER", "LabelledGames", "PositionEvaluator", "play_labelled_games"]

TEACHER, NET, RANDOM = range(3)  # movers, as the core numbers them
TOP_K, TAU = 5, 1.0  # the teacher draws one of its best moves by softmax(score in pawns / TAU)
NET_TAU = 1.0  # a net draws by its policy


@dataclass(frozen=True)
class LabelledGames:
    """Positions in the view of the side to move: position i owns the actions offsets[i] to
    offsets[i + 1]."""

    packed: Packed  # [N, 107]
    games: NDArray[np.int32]  # [N]
    actions: NDArray[np.int16]  # [L] legal ones of from_to4096
    centipawns: NDArray[np.int16]  # [L] the teacher's scores
    offsets: NDArray[np.int64]  # [N + 1]
    results: NDArray[np.int8]  # [G] of the games played, for White


def play_labelled_games(  # noqa: PLR0913 - what determines the games
    starts: Games,
    seeds: NDArray[np.uint64],
    movers: NDArray[np.uint8],
    net: PositionEvaluator | None,
    *,
    depth: int,
    max_plies: int,
    max_positions: int,
) -> LabelledGames:
    """Plays one game after the other until there are so many positions. Movers [G, 2] are those of
    White and Black; `depth` is that of the teacher, in plies. Releases the GIL."""
    return LabelledGames(
        *core.play_labelled_games(
            starts,
            seeds,
            movers,
            net,
            depth=depth,
            top_k=TOP_K,
            tau=TAU,
            net_tau=NET_TAU,
            max_plies=max_plies,
            max_positions=max_positions,
        )
    )
