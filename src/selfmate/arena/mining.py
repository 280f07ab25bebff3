"""Puzzles mined from games: positions in which one move alone wins or saves the game.

A strong engine scores the best two moves of every position that a game went through. Where only one
of them is good, the solution is followed until that no longer holds or the game is over. Scores are
compared as winning chances, because the step from 5 to 9 pawns decides nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.puzzles import Puzzle, solve
from selfmate.players import Player
from selfmate.players.player import Scoring
from selfmate.rules import Board, uci_text
from selfmate.searches.teacher import MATE_CENTIPAWNS, MoveScores

MIN_GAP = 0.5  # of winning chances between the only good move and the next
MIN_CHANCE = 0.0  # of the only good move: it must not lose
MAX_SOLUTION_MOVES = 6  # of the solver
CHANCE_PER_CENTIPAWN = 0.0037  # a pawn ahead wins 59 % of the points among masters
MATE_BOUND = MATE_CENTIPAWNS - 1000  # scores beyond it mean a mate
HARDER_BY = 200  # the rating of puzzles that no rater solves, above the strongest rater
ENDGAME_PIECES = 12  # a position with at most so many pieces, kings included, is an endgame


@dataclass(frozen=True)
class GamePosition:
    """A position of a game before a move, the move, and the position that the solver sees."""

    before: Board
    move: str  # UCI
    after: Board


@dataclass(frozen=True)
class OnlyMove:
    move: str  # UCI
    chance: float  # of the side to move, -1 to 1
    centipawns: int


def winning_chances(centipawns: NDArray[np.int32]) -> NDArray[np.float64]:
    """Scores of any shape as expected results from -1 to 1, by a logistic curve."""
    return np.tanh(0.5 * CHANCE_PER_CENTIPAWN * centipawns.astype(np.float64))


def positions_of(start: Board, moves: Iterable[str]) -> Iterator[GamePosition]:
    """The positions of a game in which the solver has a choice, from the first move on."""
    before = start.copy()
    for move in moves:
        after = before.copy()
        after.push(move, past_draw=True)
        if after.outcome() is None and len(after.legal_moves()) > 1:
            yield GamePosition(before, move, after)
        before = after


def only_moves(scores: MoveScores) -> list[OnlyMove | None]:
    """For each board its only good move, if it has one. Boards with one legal move have none."""
    found = list[OnlyMove | None]()
    for begin, end in zip(scores.offsets[:-1], scores.offsets[1:], strict=True):
        order = begin + np.argsort(-scores.centipawns[begin:end], kind="stable")
        found.append(_only_move(scores, order[:2]))
    return found


def _only_move(scores: MoveScores, best_two: NDArray[np.int64]) -> OnlyMove | None:
    if len(best_two) < 2:
        return None
    chances = winning_chances(scores.centipawns[best_two])
    if chances[0] - chances[1] < MIN_GAP or chances[0] < MIN_CHANCE:
        return None
    best = int(best_two[0])
    return OnlyMove(
        uci_text(int(scores.moves[best])), float(chances[0]), int(scores.centipawns[best])
    )


class Miner:
    """Finds puzzles with an engine that scans positions, and one that checks what it found."""

    def __init__(
        self, scan: Scoring, check: Scoring, beginner: Player, raters: Mapping[int, Player]
    ) -> None:
        """Both must score the best two moves. What the beginner solves is no puzzle. `raters` are
        players by their rating, from weak to strong: the first one that solves a puzzle gives it
        its rating."""
        self._scan, self._check = scan, check
        self._beginner, self._raters = beginner, raters
        self._seen: set[str] = set()  # positions of puzzles, without their clocks

    def puzzles(self, positions: Sequence[GamePosition], seed: int) -> list[Puzzle]:
        """Those of some positions, in their order."""
        scanned = only_moves(self._scan.score([each.after for each in positions]))
        likely = [position for position, only in zip(positions, scanned, strict=True) if only]
        fresh = [position for position in likely if self._is_new(position.after)]
        proposed = [each for position in fresh if (each := self._proposed(position))]
        found = [self._checked(each) for each in proposed if self._is_hard(each, seed)]
        return [self._rated(each, seed) for each in found if each and self._is_hard(each, seed)]

    def _proposed(self, position: GamePosition) -> Puzzle | None:
        """Follows the scanning engine's only good moves; the opponent answers with its best."""
        board, line = position.after.copy(), [position.move]
        while board.outcome() is None and len(line) <= 2 * MAX_SOLUTION_MOVES:
            scores = self._scan.score([board])
            is_solver = len(line) % 2 == 1
            if is_solver and only_moves(scores) == [None]:
                break
            line.append(best_move(scores))
            board.push(line[-1], past_draw=True)
        solution = line[: len(line) // 2 * 2]
        return Puzzle(position.before.fen(), tuple(solution), 0, ()) if solution else None

    def _checked(self, proposed: Puzzle) -> Puzzle | None:
        """As much of it as the checking engine agrees with, and its themes."""
        seen = Board(proposed.fen)
        seen.push(proposed.moves[0], past_draw=True)
        board, length, score = seen.copy(), 0, 0
        for ply, move in enumerate(proposed.moves[1:]):
            if ply % 2 == 0:
                (only,) = only_moves(self._check.score([board]))
                if only is None or only.move != move:
                    break
                score = score if length else only.centipawns
                length += 1
            board.push(move, past_draw=True)
        if not length:
            return None
        themes = (*_themes(score, length, board), _phase(seen))
        return replace(proposed, moves=proposed.moves[: 2 * length], themes=themes)

    def _is_hard(self, puzzle: Puzzle, seed: int) -> bool:
        return not is_solved(self._beginner, puzzle, seed)

    def _is_new(self, board: Board) -> bool:
        key = " ".join(board.fen().split()[:4])
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def _rated(self, puzzle: Puzzle, seed: int) -> Puzzle:
        solvers = (elo for elo, rater in self._raters.items() if is_solved(rater, puzzle, seed))
        return replace(puzzle, rating=next(solvers, HARDER_BY + max(self._raters)))


def is_solved(player: Player, puzzle: Puzzle, seed: int) -> bool:
    ((_, found),) = solve(player, [puzzle], seed)
    return found


def best_move(scores: MoveScores) -> str:
    """Of one board."""
    return uci_text(int(scores.moves[np.argmax(scores.centipawns)]))


def _themes(centipawns: int, moves: int, end: Board) -> Iterator[str]:
    """In the words of Lichess."""
    outcome = end.outcome()
    if outcome is not None and outcome.reason == "checkmate":
        yield "mate"
        yield f"mateIn{moves}"
    elif centipawns > MATE_BOUND or winning_chances(np.array(centipawns, np.int32)) > 0.8:
        yield "crushing"
    elif centipawns > 100:
        yield "advantage"
    else:
        yield "equality"
    yield "oneMove" if moves == 1 else "short" if moves == 2 else "long"


def _phase(board: Board) -> str:
    pieces = sum(letter.isalpha() for letter in board.fen().split()[0])
    return "endgame" if pieces <= ENDGAME_PIECES else "middlegame"
