"""Self-play of AlphaZero: every move by a tree search, with the policy and the value it found.

With playout cap randomisation (Wu 2019) only a fraction of moves is searched in full. The others
have a fast search without noise: they bring games to their results, and are not recorded, since
their policies would be poor targets.

A side resigns after two turns in a row without hope. Some games are played through all the same, to
see how often a resignation would have been wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from selfmate.arena.match import PLY_LIMIT
from selfmate.data.examples import TreeGames
from selfmate.encodings.records import encode_records
from selfmate.nets.evaluator import SearchEvaluator, make_search_evaluator
from selfmate.nets.precision import Precision
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse_net import SparseNet
from selfmate.rules import Ragged, derive_seeds
from selfmate.runs import Json
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch, Evaluate, sample_moves
from selfmate.selfplay.games import RESIGNED, Decision, Flags, GamePlan, Numbers, Trajectories, Turn
from selfmate.selfplay.workers import NetSnapshot

MAX_WRONG_FRACTION = 0.05  # of the games played through, as in Silver et al. (2017)
MIN_CHECKED_GAMES = 20
_PAIRS = TypeAdapter(list[tuple[int, int]])
RESIGN_TURNS = 2  # a side's own turns in a row without hope
NOISE, MOVE = 0, 1  # the two random numbers of a ply
FULL = -2  # counters from here down decide which plies are searched in full; -1 is taken


@dataclass(frozen=True, kw_only=True)
class SearchPlay:
    """How moves are chosen by a search."""

    search: SearchConfig
    simulations: int  # per move that is searched in full
    full_search_fraction: float = 1.0  # of moves
    fast_simulations: int = 1  # per other move
    temperature: float  # in the opening
    temperature_end: float  # from ply `temperature_plies` on
    temperature_plies: int
    resign_threshold: float  # a value below minus this is hopeless; 1: nobody resigns
    resign_playthrough: float  # fraction of games that are played through


class SearchActor:
    """Searches the games of one thread; each slot keeps its tree from move to move."""

    def __init__(self, evaluate: Evaluate, play: SearchPlay, plan: GamePlan) -> None:
        self.play = play
        numbers = [game.number for game in plan.games()]
        batch = min(len(numbers), plan.parallel_games or len(numbers))
        self._search = BatchedTreeSearch(evaluate, play.search, batch=batch)
        self._slots = np.zeros(0, np.int64)  # of the games that ran in the last turn
        # By game: turns in a row, of White and Black
        self._hopeless = np.zeros((max(numbers, default=0) + 1, 2), np.int64)

    def decide(self, turn: Turn) -> Decision:
        # The tree of a game that has ended would still evaluate its root.
        self._search.clear(np.setdiff1d(self._slots, turn.slots))
        self._slots = turn.slots
        new = np.flatnonzero(turn.plies == 0)
        self._search.reset(turn.slots[new], [turn.boards[i] for i in new.tolist()])
        seeds = turn.seeds(2 * turn.plies + np.array([[NOISE], [MOVE]]))
        full = self._is_full(turn)
        rows, fast = np.flatnonzero(full), turn.slots[~full]
        self._search.start(turn.slots[rows], self.play.simulations, seeds[NOISE][rows])
        self._search.start(fast, self.play.fast_simulations)
        known = self._search.leaf_count
        for evaluated in self._search.batches():
            turn.tick(evaluated)
        roots, found = self._search.roots(turn.slots), self._search.moves(turn.slots)
        moves = sample_moves(roots, found, self._temperatures(turn.plies), seeds[MOVE])
        values = roots.wdl_side_to_move[:, 0] - roots.wdl_side_to_move[:, 2]
        hopeless = self._is_hopeless(turn, values)
        columns = self._columns(turn, rows) | {"hopeless": hopeless[rows]}
        self._search.advance(turn.slots, moves)
        resigns = hopeless & ~self._plays_through(turn)
        leaves = self._search.leaf_count - known
        return Decision(moves=moves, columns=columns, rows=rows, resigns=resigns, leaves=leaves)

    def _columns(self, turn: Turn, rows: Numbers) -> dict[str, Any]:
        """What the searches of some rows found."""
        roots, found = self._search.roots(turn.slots[rows]), self._search.moves(turn.slots[rows])
        return {
            "stored": encode_records([turn.boards[row] for row in rows.tolist()]),
            "actions": Ragged(found.actions, found.offsets),
            "shares": Ragged(found.shares.astype(np.float16), found.offsets),
            "wdl_side_to_move": roots.best_wdl_side_to_move.astype(np.float16),
        }

    def _is_full(self, turn: Turn) -> Flags:
        """[B] The first moves of games are always searched in full, so that every game is
        recorded."""
        uniforms = turn.seeds(FULL - turn.plies) / 2.0**64
        full: Flags = (turn.plies == 0) | (uniforms < self.play.full_search_fraction)
        return full

    def _temperatures(self, plies: Numbers) -> NDArray[np.float64]:
        """With Gumbel noise the search has explored already, and its best move is played."""
        play = self.play
        if play.search.num_considered_actions:
            return np.zeros(len(plies))
        return np.where(plies < play.temperature_plies, play.temperature, play.temperature_end)

    def _is_hopeless(self, turn: Turn, values: NDArray[np.float32]) -> Flags:
        """[B] For long enough that the side to move may resign."""
        own = (turn.games, np.where(turn.is_white, 0, 1))
        is_bad = values.astype(np.float64) < -self.play.resign_threshold
        self._hopeless[own] = np.where(is_bad, self._hopeless[own] + 1, 0)
        hopeless: Flags = self._hopeless[own] >= RESIGN_TURNS
        return hopeless

    def _plays_through(self, turn: Turn) -> Flags:
        """[B] Whether nobody may resign in a game."""
        uniforms = derive_seeds(turn.seed, turn.games, np.array([-1])) / 2.0**64
        through: Flags = uniforms < self.play.resign_playthrough
        return through


@dataclass(frozen=True, kw_only=True)
class SearchActors:
    """Makes the actors of a net."""

    net: NetSnapshot
    play: SearchPlay
    device: str = "cpu"
    precision: Precision = "auto"

    @property
    def nets(self) -> tuple[NetSnapshot]:
        return (self.net,)

    def prepare(self, net: SeResNet | SparseNet) -> SearchEvaluator:
        if isinstance(net, SeResNet):
            net.precision = self.precision
            net.to(self.device)
        return make_search_evaluator(net)

    def make(self, nets: Sequence[Any], plan: GamePlan, threads: int) -> SearchActor:
        return SearchActor(nets[0], self.play, plan)


def tree_games(games: Trajectories) -> TreeGames:
    columns = games.columns
    return TreeGames(
        stored=columns["stored"],
        results_side_to_move=games.results_side_to_move,
        wdl_side_to_move=columns["wdl_side_to_move"],
        legal_counts=columns["actions"].counts.astype(np.uint8),
        actions=columns["actions"].values.astype(np.uint16),
        shares=columns["shares"].values,
    )


class ResignationCheck(NamedTuple):
    """Games that were played through although a side would have resigned."""

    games: int
    wrong: int  # that side did not lose


def check_resignations(games: Trajectories) -> ResignationCheck:
    """Only games that ended by the rules count: a truncated game shows nothing."""
    rows = np.flatnonzero(games.columns["hopeless"])
    # The move that ends a game is no occasion to resign any more.
    rows = rows[games.plies[rows] < games.lengths[games.games[rows]] - 1]
    by_rules = np.array([ending not in (PLY_LIMIT, RESIGNED) for ending in games.endings])
    rows = rows[by_rules[games.games[rows]]]
    _, first = np.unique(games.games[rows], return_index=True)
    results = games.results_side_to_move[rows[first]]
    return ResignationCheck(games=len(first), wrong=int((results != -1).sum()))


class Resignation:
    """Resigning lost games saves time, as long as they are lost.

    In a fraction of games nobody may resign. They show how often a resignation would have been
    wrong. If that is too often, no game may be resigned until it is not.
    """

    def __init__(self, playthrough: float) -> None:
        self._playthrough = playthrough
        # Of the last cycles: games in which a side would have resigned, and of these the games that
        # this side did not lose.
        self._cycles: list[tuple[int, int]] = []
        self._was_allowed = True

    @property
    def playthrough(self) -> float:
        """The fraction of games in which nobody may resign."""
        return self._playthrough if self._is_allowed() else 1.0

    def observe(self, checked: int, wrong: int) -> None:
        """Adds a cycle, and drops those that are too old to be needed."""
        self._was_allowed = self._is_allowed()
        self._cycles.append((checked, wrong))
        while sum(games for games, _ in self._cycles[1:]) >= MIN_CHECKED_GAMES:
            self._cycles.pop(0)

    def alarms(self) -> Iterator[str]:
        """One if resigning was allowed until the last cycle and is no longer."""
        if self._was_allowed and not self._is_allowed():
            games, wrong = self._counts()
            yield (
                f"{wrong} of {games} games were not lost by the side that would have resigned: "
                "no game is resigned until that is rare; if this happens again, raise "
                "resign_threshold."
            )

    def facts(self) -> Json:
        """The state, as a checkpoint stores it."""
        return [list(counts) for counts in self._cycles]

    def load(self, facts: Json) -> None:
        """Restores a state that `facts` returned; ValueError when it is something else."""
        try:
            self._cycles = _PAIRS.validate_python(facts)
        except ValidationError:
            raise ValueError("these are not the facts of resignations") from None
        self._was_allowed = self._is_allowed()

    def _counts(self) -> tuple[int, int]:
        return sum(games for games, _ in self._cycles), sum(wrong for _, wrong in self._cycles)

    def _is_allowed(self) -> bool:
        games, wrong = self._counts()
        return games < MIN_CHECKED_GAMES or wrong <= MAX_WRONG_FRACTION * games
