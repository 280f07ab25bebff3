"""Games of a tree search with itself, many at once, on several threads.

A thread has games, trees and an evaluator of its own, so what it plays does not depend on the
others. When a game ends, the next one takes its place.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.outcomes import PLY_LIMIT, RESULTS
from selfmate.data.sampled_games import joined
from selfmate.data.tree_games import TreeGames
from selfmate.encodings.stored import is_white_to_move, store
from selfmate.rules import Board, push_moves
from selfmate.search.dice import roll
from selfmate.search.tree import Evaluate, Forest, TreeSettings, chosen_moves

RESIGN_TURNS = 2  # turns in a row that a side must find hopeless
NOISE, MOVE = 0, 1  # what dice are rolled for at a ply
Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Plan:
    boards: Sequence[Board]  # where the games start; they are played on
    settings: TreeSettings
    simulations: int  # a move
    at_once: int  # games of a thread
    max_plies: int  # after the start; longer games are cut, as draws
    temperature: float  # at first
    temperature_end: float  # from `temperature_plies` on
    temperature_plies: int
    resign: float  # who is worth less than -resign gives up; 1: nobody does
    resign_checked: float  # share of games that are played on, to see who was wrong
    seed: int


@dataclass(kw_only=True)
class Tally:
    """What is told of the games of a cycle."""

    games: int = 0
    plies: int = 0
    evaluations: int = 0  # of the net; other leaves were known
    ends: Counter[str] = field(default_factory=Counter)
    decided: int = 0
    distinct: int = 0
    checked: int = 0  # games played on after a side would have given up
    wrong: int = 0  # of them, not lost by that side
    white_points: float = 0.0

    def add(self, other: "Tally") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class _Seat:
    """A game under way."""

    number: int
    board: Board
    plies: int = 0
    hopeless: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})  # by White
    gave_up: int = 0  # 1 White would have, -1 Black, 0 nobody yet


def play_games(evaluators: Sequence[Evaluate], plan: Plan) -> tuple[TreeGames, Tally]:
    """All games of a plan, on as many threads as there are evaluators."""
    tables = [_Table(one, plan, at) for at, one in enumerate(evaluators)]
    shares = [range(at, len(plan.boards), len(tables)) for at in range(len(tables))]
    with ThreadPoolExecutor(len(tables)) as pool:
        for job in [pool.submit(t.play, share) for t, share in zip(tables, shares, strict=True)]:
            job.result()
    tally = Tally()
    for table in tables:
        tally.add(table.tally)
    tally.distinct = len({" ".join(board.moves) for board in plan.boards})
    return _games([table for table in tables if table.parts]), tally


class _Table:
    def __init__(self, evaluate: Evaluate, plan: Plan, at: int) -> None:
        self.plan = plan
        self.tally = Tally()
        self.parts: list[dict[str, NDArray[np.generic]]] = []  # a ply of all games
        self.results: dict[int, int] = {}  # of games by number, White's view
        self._forest = Forest(evaluate, plan.settings, batch=plan.at_once)
        self._seats: dict[int, _Seat] = {}  # by slot

    def play(self, numbers: range) -> None:
        waiting = list(reversed(numbers))
        while waiting or self._seats:
            for slot in range(self.plan.at_once):
                if waiting and slot not in self._seats:
                    number = waiting.pop()
                    self._seats[slot] = _Seat(number, self.plan.boards[number])
                    self._forest.plant(np.array([slot]), [self.plan.boards[number]])
            self._ply()

    def _ply(self) -> None:
        """A move in every game that goes on."""
        slots = np.array(list(self._seats), np.int64)
        seats = list(self._seats.values())
        boards = [seat.board for seat in seats]
        plies = np.array([seat.plies for seat in seats])
        numbers = np.array([seat.number for seat in seats])
        dice = roll(self.plan.seed, numbers, 2 * plies + np.array([[NOISE], [MOVE]]))
        self._forest.start(slots, self.plan.simulations, dice[NOISE])
        self.tally.evaluations += sum(self._forest.batches())
        roots, found = self._forest.roots(slots), self._forest.moves(slots)
        moves = chosen_moves(roots, found, self._temperatures(plies), dice[MOVE])
        stored = store(boards)
        self.parts.append(
            {
                "stored": stored,
                "legal_counts": np.diff(found.offsets).astype(np.uint8),
                "actions": found.actions.astype(np.uint16),
                "shares": found.shares.astype(np.float16),
                "wdl_side_to_move": roots.best_wdl_side_to_move.astype(np.float16),
                "games": numbers,
            }
        )
        values = roots.wdl_side_to_move[:, 0] - roots.wdl_side_to_move[:, 2]
        self._forest.advance(slots, moves)
        outcomes = push_moves(boards, moves)
        white = is_white_to_move(stored)
        for at, (slot, seat) in enumerate(list(self._seats.items())):
            seat.plies += 1
            outcome = outcomes[at]
            if outcome is not None:
                self._end(slot, RESULTS[outcome.winner], outcome.reason)
            elif self._resigns(seat, bool(white[at]), float(values[at])):
                self._end(slot, -1 if white[at] else 1, "resigned")
            elif seat.plies >= self.plan.max_plies:
                self._end(slot, 0, PLY_LIMIT)

    def _temperatures(self, plies: Numbers) -> NDArray[np.float64]:
        """With Gumbel the noise has explored already, and the winner is played."""
        plan = self.plan
        if plan.settings.gumbel_moves:
            return np.zeros(len(plies))
        return np.where(plies < plan.temperature_plies, plan.temperature, plan.temperature_end)

    def _resigns(self, seat: _Seat, white: bool, value: float) -> bool:
        seat.hopeless[white] = seat.hopeless[white] + 1 if value < -self.plan.resign else 0
        if seat.hopeless[white] < RESIGN_TURNS:
            return False
        share = roll(self.plan.seed, np.array([seat.number]), np.array([-1]))[0] / 2.0**64
        if share >= self.plan.resign_checked:
            return True
        seat.gave_up = seat.gave_up or (1 if white else -1)
        return False

    def _end(self, slot: int, result: int, reason: str) -> None:
        seat = self._seats.pop(slot)
        self._forest.fell(np.array([slot]))
        self.results[seat.number] = result
        tally = self.tally
        tally.games += 1
        tally.plies += seat.plies
        tally.ends[reason] += 1
        tally.decided += result != 0
        tally.white_points += (1 + result) / 2
        if seat.gave_up and reason != PLY_LIMIT:  # a game that was cut shows nothing
            tally.checked += 1
            tally.wrong += result != -seat.gave_up


def _games(tables: Sequence[_Table]) -> TreeGames:
    columns = joined([part for table in tables for part in table.parts])
    results = {number: of for table in tables for number, of in table.results.items()}
    ends = np.array([results[number] for number in range(len(results))], np.int8)
    white = is_white_to_move(columns["stored"])
    of_white = ends[columns.pop("games")]
    return TreeGames(results_side_to_move=np.where(white, of_white, -of_white), **columns)
