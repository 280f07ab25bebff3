"""Games of a net with itself in which it may try any move; the rules answer. Many at once, on
several threads, each with games of its own."""

import math
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.outcomes import PLY_LIMIT, RESULTS
from selfmate.data.attempted_games import AttemptedGames
from selfmate.data.endgames import favourite
from selfmate.encodings.sentences import sentences_of
from selfmate.encodings.stored import store
from selfmate.nets.transformer import BLOCK_ROWS, Transformer
from selfmate.rules import Board, Outcome, push_moves
from selfmate.rules.ragged import Ragged
from selfmate.search.attempts import attempt_actions
from selfmate.search.dice import roll

Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Plan:
    boards: Sequence[Board]  # where the games start; they are played on
    at_once: int  # games of a thread
    temperature: float  # 0: always the likeliest
    attempts: int  # illegal ones in a position, at most
    max_plies: int  # after the start; longer games are cut, as draws
    seed: int
    must_win: bool = False  # a draw counts as lost by who began against a bare king


@dataclass
class _Game:
    board: Board
    number: int
    plies: int = 0
    result: int = 0  # White's view
    taught_result: int = 0  # the same, or that of a draw which should have been a win
    reason: str = PLY_LIMIT


@dataclass
class _Ply:
    """A move of every game of a thread."""

    games: Numbers
    black: NDArray[np.bool_]
    stored: NDArray[np.uint8]
    played: NDArray[np.int32]
    tried: Ragged


@dataclass(frozen=True, kw_only=True)
class Ends:
    """How the games went."""

    reasons: Counter[str] = field(default_factory=Counter)
    plies_of_wins: tuple[int, ...] = ()
    distinct: int = 0
    white_points: float = 0.0


def play_games(net: Transformer, plan: Plan, threads: int) -> tuple[AttemptedGames, Ends]:
    """All games of a plan, to their end or to the ply limit."""
    games = [_Game(board, number) for number, board in enumerate(plan.boards)]
    waiting = deque(games)
    room = min(plan.at_once, math.ceil(len(games) / threads))  # so that no thread stays idle
    tables = [_Table(net, plan, waiting, room) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        for job in [pool.submit(table.play) for table in tables]:
            job.result()
    return _rows([ply for table in tables for ply in table.plies], games), _ends(games)


class _Table:
    """The games of a thread. Which thread a game comes to changes nothing: its dice are its own,
    and what the net says of a position does not depend on the others."""

    def __init__(self, net: Transformer, plan: Plan, waiting: deque[_Game], room: int) -> None:
        self.net, self.plan, self.room = net, plan, room
        self.plies: list[_Ply] = []
        self._waiting = waiting
        self._running: list[_Game] = []

    def play(self) -> None:
        self._fill()
        while self._running:
            self._ply()
            self._fill()

    def _fill(self) -> None:
        """When a game ends, the next one that nobody plays yet takes its place."""
        with suppress(IndexError):
            while len(self._running) < self.room:
                self._running.append(self._waiting.popleft())

    def _ply(self) -> None:
        """A move in as many games as fill the net's blocks; the others wait for the next time."""
        blocks = len(self._running) // BLOCK_ROWS
        movers = self._running[: blocks * BLOCK_ROWS or None]
        self._running = self._running[len(movers) :]
        boards = [game.board for game in movers]
        numbers = np.array([game.number for game in movers])
        dice = roll(self.plan.seed, numbers, np.array([game.plies for game in movers]))
        sentences = sentences_of(boards)
        chosen, tried = attempt_actions(
            self.net.logits(sentences.tokens),
            sentences.legal,
            dice,
            temperature=self.plan.temperature,
            most=self.plan.attempts,
        )
        self.plies.append(_Ply(numbers, sentences.black, store(boards), chosen, tried))
        self._end(movers, push_moves(boards, sentences.moves(chosen)))

    def _end(self, movers: Sequence[_Game], outcomes: Sequence[Outcome | None]) -> None:
        """Who is not done goes on, behind those that wait."""
        for game, outcome in zip(movers, outcomes, strict=True):
            game.plies += 1
            if outcome is not None:
                game.result, game.reason = RESULTS[outcome.winner], outcome.reason
                game.taught_result = game.result or -self._favourite(game)
        self._running += [
            game
            for game, outcome in zip(movers, outcomes, strict=True)
            if outcome is None and game.plies < self.plan.max_plies
        ]

    def _favourite(self, game: _Game) -> int:
        return favourite(Board(game.board.start_fen)) if self.plan.must_win else 0


def _rows(plies: Sequence[_Ply], games: Sequence[_Game]) -> AttemptedGames:
    """Game by game, in the order of play."""
    numbers = np.concatenate([ply.games for ply in plies])
    order = np.argsort(numbers, kind="stable")
    lengths = np.array([game.plies for game in games])
    plies_left = np.concatenate([np.arange(length, 0, -1) for length in lengths])
    results = np.repeat([game.taught_result for game in games], lengths)
    black = np.concatenate([ply.black for ply in plies])[order]
    counts = np.concatenate([ply.tried.counts for ply in plies])
    values = np.concatenate([ply.tried.values for ply in plies])
    tried = Ragged(values, np.concatenate([[0], np.cumsum(counts)]))
    return AttemptedGames(
        stored=np.concatenate([ply.stored for ply in plies])[order],
        played=np.concatenate([ply.played for ply in plies])[order],
        tried=tried.take(order),
        results_side_to_move=np.where(black, -results, results).astype(np.int8),
        moves_left=((plies_left + 1) // 2).astype(np.int32),
    )


def _ends(games: Sequence[_Game]) -> Ends:
    return Ends(
        reasons=Counter(game.reason for game in games),
        plies_of_wins=tuple(game.plies for game in games if game.result),
        distinct=len({(game.board.start_fen, *game.board.moves) for game in games}),
        white_points=sum((game.result + 1) / 2 for game in games),
    )
