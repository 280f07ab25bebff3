"""Games of the teacher against itself or a random mover, many in parallel.

A game depends on the plan and its number alone, not on the games played beside it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from selfmate.data.endgames import few_pieces, won_endgame
from selfmate.data.ndjson import label, line_texts
from selfmate.rules import Board, Outcome, derive_seeds, push_moves, sans_of, uci_text
from selfmate.rules.pgn import RESULT_TEXTS, ROSTER, movetext, setup_tags, tag_text
from selfmate.searches.sampling import random_choices
from selfmate.searches.teacher import MATE_CENTIPAWNS, MoveScores

Kind = Literal["teacher", "random", "endgame", "few_pieces"]
Score = Callable[[Sequence[Board]], MoveScores]
GOLDEN_RATIO = (5**0.5 - 1) / 2
# A game ends without progress after this many plies without a capture or pawn move, unless a side
# is so far ahead that it may be about to mate.
NO_PROGRESS_PLIES, NO_PROGRESS_CENTIPAWNS = 40, 400


MAX_MATE_PLIES = 999  # lower scores are no mates


def comment_of(centipawns: int, best: str, *, is_white: bool) -> str:
    """For a score in the view of the side to move, where a mate on the n-th ply is 10000 - n."""
    view = 1 if is_white else -1
    plies = MATE_CENTIPAWNS - abs(centipawns)
    if plies <= MAX_MATE_PLIES:
        moves = (plies + 1) // 2 * (1 if centipawns > 0 else -1)
        return f"[%eval #{view * moves}] [%best {best}]"
    return f"[%eval {view * centipawns / 100 + 0:.2f}] [%best {best}]"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that determines the games."""

    games: int
    top_k: int = 5
    tau: float = 1.0  # pawns
    tau_end: float | None = None  # tau of the last game, reached linearly; None: constant
    max_plies: int = 160
    seed: int = 1
    starts: tuple[str, ...] = (Board().fen(),)  # FENs, used in turn
    random_share: float = 0.0  # fraction of games against a random mover
    endgame_share: float = 0.0  # fraction of games from won endgames
    few_pieces_share: float = 0.0  # from random positions with few pieces on both sides

    def kind(self, number: int) -> Kind:
        """The kind of a game.

        Multiples of the golden ratio spread evenly over [0, 1), so that the fractions hold for any
        range of games.
        """
        place = (number * GOLDEN_RATIO) % 1
        shares: tuple[tuple[Kind, float], ...] = (
            ("random", self.random_share),
            ("endgame", self.endgame_share),
            ("few_pieces", self.few_pieces_share),
        )
        for kind, share in shares:
            if place < share:
                return kind
            place -= share
        return "teacher"

    def start(self, number: int) -> str:
        match self.kind(number):
            case "endgame":
                return won_endgame(self.seed, number)
            case "few_pieces":
                return few_pieces(self.seed, number)
        return self.starts[number % len(self.starts)]

    def taus(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        end = self.tau if self.tau_end is None else self.tau_end
        return self.tau + (end - self.tau) * numbers / max(1, self.games - 1)


@dataclass
class TeacherGame:
    """A game with the teacher's labels."""

    number: int
    board: Board
    teacher_is_white: bool | None  # None: the teacher plays both sides
    plies: int = 0
    result: int = 0  # White's view: 1, 0, -1
    reason: str | None = None  # why it ended; None while it is running
    positions: list[tuple[str, str]] = field(default_factory=list)  # FEN and NDJSON line
    # After so many plies: the score of the best move in centipawns, and its code.
    best: dict[int, tuple[int, int]] = field(default_factory=dict)

    def teacher_to_move(self) -> bool:
        return self.teacher_is_white in (None, self.board.turn == "white")

    def pgn(self, teacher: str) -> str:
        """The game with the teacher's evaluations and best moves as comments; its round is its
        number, counted from 1. A truncated game is a draw by adjudication."""
        moves, start = self.board.moves, self.board.start_fen
        is_teacher = [self.teacher_is_white in (None, is_white) for is_white in (True, False)]
        sides = [teacher if taught else "random" for taught in is_teacher]
        result, is_over = RESULT_TEXTS[self.result], self.board.outcome() is not None
        names = {"Round": str(self.number + 1), "White": sides[0], "Black": sides[1]}
        ending = {} if is_over else {"Termination": "adjudication"}
        tags = ROSTER | names | {"Result": result} | ending | setup_tags(start)
        comments = [self._comment(ply) for ply in range(len(moves) + 1)]
        sans = sans_of(Board(start), moves)
        text = movetext(sans, result, start, comments[1:], start_comment=comments[0])
        return f"{tag_text(tags)}\n{text}\n"

    def _comment(self, ply: int) -> str:
        if ply not in self.best:
            return ""
        centipawns, move = self.best[ply]
        is_white = (Board(self.board.start_fen).turn == "white") == (ply % 2 == 0)
        return comment_of(centipawns, uci_text(move), is_white=is_white)

    def end(self, outcome: Outcome) -> None:
        self.result = {"white": 1, "black": -1, None: 0}[outcome.winner]
        self.reason = outcome.reason


class TeacherGames:
    """Plays the games of a plan, `parallel_games` at a time."""

    def __init__(self, plan: Plan, score: Score, parallel_games: int) -> None:
        self.plan, self.score, self.parallel_games = plan, score, parallel_games

    def play(
        self, first: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, list[TeacherGame]]]:
        """Plays the games `first` to `stop`, or to the last; one ply in all running games per step.

        Yields the number of positions the teacher scored and the games that ended.
        """
        running = list[TeacherGame]()
        waiting = iter(range(first, self.plan.games if stop is None else stop))
        while True:
            running += map(self._begin, islice(waiting, self.parallel_games - len(running)))
            if not running:
                return
            scored = self._step(running)
            yield scored, [game for game in running if game.reason is not None]
            running = [game for game in running if game.reason is None]

    def _begin(self, number: int) -> TeacherGame:
        against_random = self.plan.kind(number) == "random"
        board = Board(self.plan.start(number))
        return TeacherGame(number, board, number % 2 == 0 if against_random else None)

    def _step(self, running: list[TeacherGame]) -> int:
        """One move in every game; returns the number of the teacher's moves."""
        teachers = [game for game in running if game.teacher_to_move()]
        others = [game for game in running if not game.teacher_to_move()]
        if teachers:
            self._push(teachers, self._teach(teachers))
        if others:
            boards = [game.board for game in others]
            self._push(others, random_choices(boards, self._seeds(others)))
        return len(teachers)

    def _teach(self, games: list[TeacherGame]) -> NDArray[np.uint16]:
        """The teacher's moves [B]; adds its labels to the games."""
        boards = [game.board for game in games]
        scores = self.score(boards)
        numbers = np.array([game.number for game in games])
        labels = label(scores, self.plan.top_k, self.plan.taus(numbers))
        moves = labels.sample(self._seeds(games))
        fens = [board.fen() for board in boards]
        places = [(game.number, game.plies) for game in games]
        lines = line_texts(boards, fens, places, labels, moves)
        for game, fen, line in zip(games, fens, lines, strict=True):
            game.positions.append((fen, line))
        found = zip(labels.centipawns.tolist(), labels.moves[:, 0].tolist(), strict=True)
        for game, best in zip(games, found, strict=True):
            game.best[game.plies] = best
        for row in np.flatnonzero(np.abs(labels.centipawns) < NO_PROGRESS_CENTIPAWNS):
            if int(fens[row].split(" ")[4]) >= NO_PROGRESS_PLIES:
                games[row].reason = "going_nowhere"
        return moves

    def _push(self, games: list[TeacherGame], moves: NDArray[np.uint16]) -> None:
        for game, outcome in zip(
            games, push_moves([game.board for game in games], moves), strict=True
        ):
            game.plies += 1
            if outcome is not None:
                game.end(outcome)
            elif game.plies >= self.plan.max_plies:
                game.reason = "ply_limit"

    def _seeds(self, games: list[TeacherGame]) -> NDArray[np.uint64]:
        numbers = np.array([game.number for game in games])
        return derive_seeds(self.plan.seed, numbers, np.array([game.plies for game in games]))
