"""The moves a net chooses among: its scores, and what the rules say a move ends.

No net need guess whether a move mates or draws. A move that mates is played, whatever its score; a
draw is worth 0, which a net with values compares with them. N is the number of moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.players.player import Analysis, SearchRequest
from selfmate.rules import Ragged, uci_code, uci_text
from selfmate.searches.endings import DRAW, MATE, Endings, MoveEndings
from selfmate.searches.sampling import chosen_actions

MATE_VALUE = 2.0  # more than any value of a net
UNKNOWN_VALUE = 0.5  # of a game that goes on, from a net without values: better than a draw

Floats = NDArray[np.float32]


def known_values(endings: Endings, values: Floats | float) -> Floats:
    """[N] The given values, except where a move ends the game."""
    found = np.where(endings == MATE, MATE_VALUE, np.where(endings == DRAW, 0, values))
    return found.astype(np.float32)


@dataclass(frozen=True)
class Candidates:
    """Moves of some boards. Of each board only those of the highest tier are played: they are
    chosen among by score."""

    moves: Ragged  # move codes
    scores: Floats  # [N]
    endings: Endings  # [N]
    tiers: Floats  # [N]

    @classmethod
    def by_score(cls, moves: Ragged, scores: Floats) -> "Candidates":
        """Whatever they end."""
        count = len(scores)
        return cls(moves, scores, np.zeros(count, np.uint8), np.zeros(count, np.float32))

    @classmethod
    def mates_first(cls, known: MoveEndings, scores: Floats) -> "Candidates":
        """Of a net whose scores [N] can be compared with those of draws."""
        tiers = (known.endings == MATE).astype(np.float32)
        return cls(known.moves, scores, known.endings, tiers)

    @classmethod
    def by_policy(
        cls, known: MoveEndings, logits: Floats, position_values: Floats | None = None
    ) -> "Candidates":
        """Of a net with logits [N]. Draws are compared with its value of the position [B]; without
        one they come last."""
        tiers = known_values(known.endings, UNKNOWN_VALUE)
        if position_values is not None:
            values = np.repeat(position_values, known.moves.counts)
            tiers = known_values(known.endings, values)
        return cls(known.moves, logits, known.endings, tiers)

    def chosen(self, temperature: float, seeds: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """[B] Move codes, by softmax(score / temperature); at temperature 0 the best."""
        rows = np.flatnonzero(self._is_playable())
        offsets = np.searchsorted(rows, self.moves.offsets)
        playable = Ragged(self.moves.values[rows], offsets)
        return chosen_actions(self.scores[rows], playable, temperature, seeds).astype(np.uint16)

    def ranked(self, request: SearchRequest, temperature: float) -> "Candidates":
        """Those of one board that the request allows: the chosen one first, then by tier and score.

        `temperature` applies unless the request has one.
        """
        if request.temperature is not None:
            temperature = request.temperature
        allowed = self._only(_allowed_rows(self.moves.values, request.root_moves))
        (chosen,) = allowed.chosen(temperature, np.array([request.seed], np.uint64))
        is_other = allowed.moves.values != chosen
        return allowed._only(np.lexsort((-allowed.scores, ~allowed._is_playable(), is_other)))

    def analyses(self, scores_pawns: Sequence[float | None] | None = None) -> list[Analysis]:
        """One for each move of a single board, in this order. A draw scores 0."""
        pawns = scores_pawns or [None] * len(self.scores)
        return list(map(_analysis, self.moves.values.tolist(), self.endings.tolist(), pawns))

    def _is_playable(self) -> NDArray[np.bool_]:
        """[N]"""
        highest = np.maximum.reduceat(self.tiers, self.moves.offsets[:-1])
        playable: NDArray[np.bool_] = self.tiers == np.repeat(highest, self.moves.counts)
        return playable

    def _only(self, rows: NDArray[np.int64]) -> "Candidates":
        """Moves of a single board, in this order."""
        moves = Ragged(self.moves.values[rows], np.array([0, len(rows)], np.int64))
        return Candidates(moves, self.scores[rows], self.endings[rows], self.tiers[rows])


def _allowed_rows(moves: NDArray[np.int32], root_moves: Sequence[str] | None) -> NDArray[np.int64]:
    if root_moves is None:
        return np.arange(len(moves))
    rows = np.flatnonzero(np.isin(moves, [uci_code(move) for move in root_moves]))
    if not len(rows):
        raise ValueError(f"this net has no score for {' '.join(root_moves)}")
    return rows


def _analysis(move: int, ending: int, score_pawns: float | None) -> Analysis:
    text = uci_text(move)
    return Analysis(
        best=text,
        line=(text,),
        score_pawns=0.0 if ending == DRAW else score_pawns,
        mate_in=1 if ending == MATE else None,
    )
