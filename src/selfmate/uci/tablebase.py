"""Syzygy tablebases, probed at the root with python-chess. Imported when SyzygyPath is set."""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.syzygy

from selfmate.players import Analysis
from selfmate.rules import Board

# Winning, winning too late for the fifty-move rule, drawn, losing too late for it, losing.
WIN, CURSED_WIN, DRAW, BLESSED_LOSS, LOSS = 2, 1, 0, -1, -2
FIFTY_MOVES = 100  # plies
WIN_PAWNS = 200.0  # the score of a won position, above that of any material


@dataclass(frozen=True)
class RootProbe:
    """What the tables say about the moves of a position."""

    outcome: int  # of the best moves, from WIN to LOSS
    moves: tuple[str, ...]  # UCI; those that keep the draw, else the best by distance to zeroing
    hits: int

    @property
    def is_drawn(self) -> bool:
        return self.outcome == DRAW

    @property
    def analysis(self) -> Analysis:
        """Of a position that is not drawn; how to draw is for the player to choose."""
        sign = {WIN: 1, LOSS: -1}.get(self.outcome, 0)
        return Analysis(
            best=self.moves[0],
            line=self.moves[:1],
            score_pawns=sign * WIN_PAWNS,
            wdl=(float(sign > 0), float(sign == 0), float(sign < 0)),
            tbhits=self.hits,
        )


class Tablebase:
    """The tables of some folders. One thread at a time probes them."""

    def __init__(self, path: str) -> None:
        """`path` is a folder, or several, separated as in PATH; ValueError if there is no table."""
        self._tables = chess.syzygy.Tablebase()
        for folder in path.split(os.pathsep):
            if not Path(folder).is_dir():
                raise ValueError(f"SyzygyPath: there is no folder {folder!r}")
            self._tables.add_directory(folder)
        self.count = len(self._tables.wdl)
        if not self.count:
            raise ValueError(f"SyzygyPath: there is no table (*.rtbw) in {path!r}")

    def probe(self, board: Board, moves: Sequence[str]) -> RootProbe | None:
        """Ranks these legal moves; None if the position after one of them is in no table."""
        position = chess.Board(board.fen())
        if position.castling_rights or chess.popcount(position.occupied) > chess.syzygy.TBPIECES:
            return None
        with suppress(chess.syzygy.MissingTableError):
            ranks = {move: self._rank(position, move) for move in moves}
            best = max(ranks.values())
            equal = tuple(move for move in moves if ranks[move] == best)
            return RootProbe(best[0], equal, len(moves))
        return None

    def _rank(self, position: chess.Board, uci: str) -> tuple[int, int]:
        """The outcome of a move, and how soon the next capture or pawn move comes after it: soon is
        good for a side that wins, late for one that loses."""
        clock, move = position.halfmove_clock, position.parse_uci(uci)
        is_zeroing = position.is_zeroing(move)
        position.push(move)
        try:
            if position.is_checkmate():
                return WIN, 0
            outcome = -self._tables.probe_wdl(position)
            plies = 0 if is_zeroing else clock + 1 + abs(self._tables.probe_dtz(position))
        finally:
            position.pop()
        if plies > FIFTY_MOVES and abs(outcome) == WIN:
            outcome //= 2
        return outcome, -plies if outcome > DRAW else plies if outcome < DRAW else 0
