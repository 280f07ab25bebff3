"""Games to learn from: a player with itself and with others, many at once, kept as experience."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.experience import NO_ACTION, Episodes, qualities
from selfmate.encodings import actions_of_moves
from selfmate.encodings.packed import CODING, encode_packed, legal_turned, turned_actions
from selfmate.players.player import Player
from selfmate.rules import Board, Outcome, push_moves
from selfmate.rules.cores import available_cores
from selfmate.rules.ragged import Ragged
from selfmate.search.choices import random_choices
from selfmate.search.dice import roll
from selfmate.search.teacher import best_moves, score_moves, values_side_to_move

EXPLORING, ADVICE = 1 << 32, 1 << 33  # added to a ply: other dice than those of the moves
Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`seats` names the players of each game by number, White and Black; player 0 explores."""

    boards: Sequence[Board]  # where the games start; they are played on
    seats: Numbers  # [G, 2]
    epsilon: float  # share of player 0's moves that are any
    max_plies: int
    seed: int
    gamma: float  # for qualities
    advice_depth: int  # of the teacher, who is asked about every position; 0: nobody is


@dataclass
class Tally:
    """How the games went."""

    games: int = 0
    plies: int = 0
    distinct: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    points: float = 0.0  # of player 0 in games with others
    contests: int = 0  # such games


def play_games(players: Sequence[Player], plan: Plan) -> tuple[Episodes, Tally]:
    """All games of a plan, to their end or to the ply limit."""
    table = _Table(players, plan)
    while table.running:
        table.ply()
    return table.episodes(), table.tally


class _Table:
    def __init__(self, players: Sequence[Player], plan: Plan) -> None:
        self.players, self.plan = players, plan
        self.tally = Tally(games=len(plan.boards))
        self.running = list(range(len(plan.boards)))
        self.lengths = np.zeros(len(plan.boards), np.int64)
        self.telling = np.zeros(len(plan.boards), np.bool_)
        self._black = np.array([board.turn == "black" for board in plan.boards], np.bool_)
        self._columns: dict[str, list[NDArray[Any]]] = {}
        self._legal: list[Ragged] = []
        self._plies = 0

    def ply(self) -> None:
        """A move in every game that goes on."""
        games = np.array(self.running)
        boards = [self.plan.boards[i] for i in self.running]
        black = self._black[games]
        moves = self._choose(games, boards, black)
        actions = actions_of_moves(CODING, boards, moves).astype(np.int16)
        self._note(games, boards, black, actions=turned_actions(actions, black))
        outcomes = push_moves(boards, moves)
        self._plies += 1
        self._black[games] = ~black
        self._end(games, black, outcomes)
        if self._plies == self.plan.max_plies:
            self._cut()

    def _choose(
        self, games: Numbers, boards: Sequence[Board], black: NDArray[np.bool_]
    ) -> NDArray[np.uint16]:
        movers = self.plan.seats[games, black.astype(np.int64)]
        dice, exploring = self._dice(games, 0, EXPLORING)
        chances = (exploring >> np.uint64(11)) * 2.0**-53
        movers = np.where((movers == 0) & (chances < self.plan.epsilon), -1, movers)
        moves = np.zeros(len(boards), np.uint16)
        for mover in sorted(set(movers.tolist())):
            rows = np.flatnonzero(movers == mover)
            asked = [boards[i] for i in rows.tolist()]
            if mover < 0:
                moves[rows] = random_choices(asked, dice[rows])
            else:
                moves[rows] = self.players[mover].choose(asked, dice[rows]).moves
        return moves

    def _note(
        self,
        games: Numbers,
        boards: Sequence[Board],
        black: NDArray[np.bool_],
        actions: NDArray[np.int16],
    ) -> None:
        """A row for every position."""
        self._legal.append(legal_turned(boards, black))
        advice, potentials = self._ask_teacher(games, boards, black)
        self._add(
            games=games,
            packed=encode_packed(boards),
            actions=actions,
            ends=np.zeros(len(games), np.bool_),
            rewards=np.zeros(len(games), np.float32),
            potentials=potentials,
            advice=advice,
        )
        self.lengths[games] += 1

    def _ask_teacher(
        self, games: Numbers, boards: Sequence[Board], black: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        if not self.plan.advice_depth:
            return np.full(len(boards), NO_ACTION, np.int16), np.zeros(len(boards), np.float32)
        scores = score_moves(boards, depth=self.plan.advice_depth, threads=available_cores())
        best = best_moves(scores, self._dice(games, ADVICE)[0])
        actions = actions_of_moves(CODING, boards, best).astype(np.int16)
        return turned_actions(actions, black), values_side_to_move(scores)

    def _end(
        self, games: Numbers, black: NDArray[np.bool_], outcomes: Sequence[Outcome | None]
    ) -> None:
        ended = [outcome for outcome in outcomes if outcome is not None]
        if not ended:
            return
        over = np.array([outcome is not None for outcome in outcomes])
        won = np.array([outcome.winner is not None for outcome in ended])
        self._columns["ends"][-1][over] = True
        self._columns["rewards"][-1][over] = won
        # Stalemates tell much as well: they are thrown-away wins.
        self.telling[games[over]] = won | [outcome.reason == "stalemate" for outcome in ended]
        self.tally.ends.update(outcome.reason for outcome in ended)
        self._score(games[over], np.where(won, np.where(black[over], 0.0, 1.0), 0.5))
        self.running = games[~over].tolist()

    def _cut(self) -> None:
        """Games at the ply limit: their last position is only looked at."""
        games = np.array(self.running, np.int64)
        boards = [self.plan.boards[i] for i in self.running]
        if boards:
            self._note(games, boards, self._black[games], np.full(len(games), NO_ACTION, np.int16))
            self.tally.ends["ply_limit"] += len(games)
            self._score(games, np.full(len(games), 0.5))
        self.running = []

    def _score(self, games: Numbers, of_white: NDArray[np.float64]) -> None:
        seats = self.plan.seats[games]
        contests = seats[:, 0] != seats[:, 1]
        points = np.where(seats[:, 0] == 0, of_white, 1 - of_white)
        self.tally.points += float(points[contests].sum())
        self.tally.contests += int(contests.sum())

    def episodes(self) -> Episodes:
        """The rows of each game together."""
        columns = {name: np.concatenate(parts) for name, parts in self._columns.items()}
        order = np.argsort(columns.pop("games"), kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
        legal = _joined(self._legal).take(order)
        worth = qualities(self.lengths, self.telling, self.plan.gamma)
        self._count(columns["actions"])
        return Episodes(
            **columns,
            qualities=worth,
            legal=legal.values.astype(np.int16),
            legal_offsets=legal.offsets,
        )

    def _count(self, actions: NDArray[np.int16]) -> None:
        ends = np.cumsum(self.lengths)[:-1]
        self.tally.plies = int((actions != NO_ACTION).sum())
        self.tally.distinct = len({game.tobytes() for game in np.split(actions, ends)})

    def _add(self, **columns: NDArray[Any]) -> None:
        for name, column in columns.items():
            self._columns.setdefault(name, []).append(column)

    def _dice(self, games: Numbers, *kinds: int) -> NDArray[np.uint64]:
        """[K, G]"""
        return roll(self.plan.seed, games, self._plies + np.array(kinds)[:, None])


def _joined(parts: Sequence[Ragged]) -> Ragged:
    counts = np.concatenate([part.counts for part in parts])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Ragged(np.concatenate([part.values for part in parts]), offsets)
