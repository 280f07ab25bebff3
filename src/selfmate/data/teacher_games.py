"""Games of the teacher with itself, or with a random mover, many at once.

A game depends on the plan and its number alone, so it does not matter which are played together.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from selfmate.data.endgames import won_endgame
from selfmate.data.labels import label
from selfmate.data.ndjson import line_texts
from selfmate.rules import Board, Outcome, push_moves
from selfmate.search.choices import random_choices
from selfmate.search.dice import roll
from selfmate.search.teacher import MoveScores

Kind = Literal["teacher", "random", "endgame"]
Score = Callable[[Sequence[Board]], MoveScores]
GOLDEN = (5**0.5 - 1) / 2
# A game goes nowhere when so many plies brought no capture and no pawn move, and neither side is
# so far ahead that it may be about to mate.
NOWHERE_PLIES, NOWHERE_CENTIPAWNS = 40, 400


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What decides the games."""

    games: int
    top_k: int = 5
    tau: float = 1.0  # pawns
    tau_end: float | None = None  # of the last game; None: all have the same
    max_plies: int = 160
    seed: int = 1
    starts: tuple[str, ...] = (Board().fen(),)  # FENs, taken in turn
    random_share: float = 0.0  # of games against a random mover
    endgame_share: float = 0.0  # of games from won endgames

    def kind(self, number: int) -> Kind:
        """The shares hold for every stretch of games, for multiples of the golden ratio spread
        evenly."""
        place = (number * GOLDEN) % 1
        if place < self.random_share:
            return "random"
        return "endgame" if place < self.random_share + self.endgame_share else "teacher"

    def start(self, number: int) -> str:
        if self.kind(number) == "endgame":
            return won_endgame(self.seed, number)
        return self.starts[number % len(self.starts)]

    def taus(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        end = self.tau if self.tau_end is None else self.tau_end
        return self.tau + (end - self.tau) * numbers / max(1, self.games - 1)


@dataclass
class TaughtGame:
    """A game and what the teacher said on its way."""

    number: int
    board: Board
    teacher_is_white: bool | None  # None: the teacher plays both sides
    plies: int = 0
    result: int = 0  # 1 White won, 0 nobody did, -1 Black won
    reason: str | None = None  # None while it goes on
    positions: list[tuple[str, str]] = field(default_factory=list)  # FEN and line of each

    def teacher_to_move(self) -> bool:
        return self.teacher_is_white in (None, self.board.turn == "white")

    def end(self, outcome: Outcome) -> None:
        self.result = {"white": 1, "black": -1, None: 0}[outcome.winner]
        self.reason = outcome.reason


class TeacherGames:
    """Plays the games of a plan, `at_once` of them side by side."""

    def __init__(self, plan: Plan, score: Score, at_once: int) -> None:
        self.plan, self.score, self.at_once = plan, score, at_once

    def play(self, first: int = 0) -> Iterator[tuple[int, list[TaughtGame]]]:
        """After every ply of all games that go on: how many positions the teacher has judged in
        it, and the games that ended."""
        running = list[TaughtGame]()
        waiting = iter(range(first, self.plan.games))
        while True:
            running += map(self._begin, islice(waiting, self.at_once - len(running)))
            if not running:
                return
            judged = self._step(running)
            yield judged, [game for game in running if game.reason is not None]
            running = [game for game in running if game.reason is None]

    def _begin(self, number: int) -> TaughtGame:
        against_random = self.plan.kind(number) == "random"
        board = Board(self.plan.start(number))
        return TaughtGame(number, board, number % 2 == 0 if against_random else None)

    def _step(self, running: list[TaughtGame]) -> int:
        """One move in every game; returns how many of them were the teacher's."""
        taught = [game for game in running if game.teacher_to_move()]
        others = [game for game in running if not game.teacher_to_move()]
        if taught:
            self._push(taught, self._teach(taught))
        if others:
            boards = [game.board for game in others]
            self._push(others, random_choices(boards, self._dice(others)))
        return len(taught)

    def _teach(self, games: list[TaughtGame]) -> NDArray[np.uint16]:
        """The teacher's moves; what it says is noted."""
        boards = [game.board for game in games]
        scores = self.score(boards)
        numbers = np.array([game.number for game in games])
        labels = label(scores, self.plan.top_k, self.plan.taus(numbers))
        moves = labels.sample(self._dice(games))
        fens = [board.fen() for board in boards]
        places = [(game.number, game.plies) for game in games]
        lines = line_texts(boards, fens, places, labels, moves)
        for game, fen, line in zip(games, fens, lines, strict=True):
            game.positions.append((fen, line))
        for row in np.flatnonzero(np.abs(labels.centipawns) < NOWHERE_CENTIPAWNS):
            if int(fens[row].split(" ")[4]) >= NOWHERE_PLIES:
                games[row].reason = "going_nowhere"
        return moves

    def _push(self, games: list[TaughtGame], moves: NDArray[np.uint16]) -> None:
        for game, outcome in zip(
            games, push_moves([game.board for game in games], moves), strict=True
        ):
            game.plies += 1
            if outcome is not None:
                game.end(outcome)
            elif game.plies >= self.plan.max_plies:
                game.reason = "ply_limit"

    def _dice(self, games: list[TaughtGame]) -> NDArray[np.uint64]:
        numbers = np.array([game.number for game in games])
        return roll(self.plan.seed, numbers, np.array([game.plies for game in games]))
