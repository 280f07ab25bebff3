"""What a notebook needs: load players and nets, search, play matches, train, rate.

`selfmate/__init__.py` lists these names; everything here is a thin layer over the packages below.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from selfmate.arena.ladder import Ladder
from selfmate.arena.match import MatchReport
from selfmate.arena.match import play_match as play_paired_match
from selfmate.arena.rating import Rating
from selfmate.learners.config import DEFAULT, read_config
from selfmate.learners.registry import LEARNERS
from selfmate.nets.config import NetConfig
from selfmate.nets.evaluator import CoreNet, make_search_evaluator
from selfmate.players import (
    Analysis,
    Limits,
    Player,
    analyse,
    check_name,
    choose,
)
from selfmate.players import load_player as load_named_player
from selfmate.players.evaluation import Evaluations, evaluate, ranked
from selfmate.players.trained import Weights, checked_net, find_net, make_module
from selfmate.rules import Board, uci_text
from selfmate.runs import Progress, RunDirectory, Session, free_name
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch

SEARCH_BATCH = 256  # leaves that the net evaluates together


class LoadedPlayer:
    """A player that is asked about boards. Close it, or use it in a `with` statement."""

    def __init__(self, player: Player) -> None:
        self.player = player

    @property
    def name(self) -> str:
        """The full name, with every setting it plays by."""
        return self.player.name

    def analyse(
        self,
        board: Board,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time_ms: float | None = None,
        seed: int = 0,
    ) -> Analysis:
        """The best move and what the player says about it. A limit overrides the player's own."""
        limits = Limits(depth=depth, nodes=nodes, time_ms=time_ms)
        return analyse(self.player, board, limits=limits, seed=seed)

    def choose(self, boards: Sequence[Board], *, seed: int = 0) -> list[str]:
        """A move for each board, as UCI text; many boards together are faster than one by one."""
        choices = choose(self.player, boards, seed=seed)
        for board, reason in choices.forfeits.items():
            raise ValueError(f"{self.name} has no move for board {board}: {reason}")
        return [uci_text(code) for code in choices.moves.tolist()]

    def close(self) -> None:
        self.player.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load_player(name: str) -> LoadedPlayer:
    """A player by name: `alphazero-tiny:sims=800`, `teacher:depth=2`, `runs/x:version=best`."""
    return LoadedPlayer(load_named_player(name))


class LoadedNet:
    """A trained net. `config` describes it, `core_net` has its weights; the core computes it."""

    def __init__(self, name: str, weights: Weights) -> None:
        self.name, self._weights = name, weights
        self.core_net: CoreNet[Any] = checked_net(weights)

    @property
    def config(self) -> NetConfig:
        config: NetConfig = self.core_net.config
        return config

    @cached_property
    def module(self) -> Any:
        """The net as a torch module; ValueError without torch (`pip install 'selfmate[train]'`)."""
        return make_module(self._weights)

    def evaluate(self, boards: Sequence[Board]) -> Evaluations:
        """Policy and, where the net has one, value of many boards. None may be over."""
        return evaluate(self.core_net, list(boards))


def load_net(name: str) -> LoadedNet:
    """The net of a shipped model or of a run: `alphazero-tiny`, `runs/x:version=best`."""
    return LoadedNet(name, find_net(check_name(name)))


@dataclass(frozen=True, kw_only=True)
class SearchResults:
    """What searches found, a row a board. All legal moves stand end to end: those of board i are
    `moves[offsets[i]:offsets[i + 1]]`, most visited first."""

    best: list[str]  # [B] UCI text
    wdl_side_to_move: NDArray[np.float32]  # [B, 3]
    values_side_to_move: NDArray[np.float32]  # [B] expected result, -1 to 1
    lines: list[list[str]]  # [B] what is expected to be played, as UCI texts
    moves: NDArray[np.uint16]  # [N]
    visits: NDArray[np.int32]  # [N]
    offsets: NDArray[np.int64]  # [B + 1]

    def visits_of(self, board: int) -> dict[str, int]:
        """Visits of one board's legal moves, most first."""
        return ranked(self.moves, self.visits, self.offsets, board)


def search(
    net: LoadedNet,
    boards: Sequence[Board],
    simulations: int = 800,
    config: SearchConfig | None = None,
) -> SearchResults:
    """Tree searches from many boards at once, without noise. The net needs a policy and a value."""
    if net.config.kind == "transformer":
        raise ValueError(f"{net.name} is a {net.config.kind}, which has no value to search with")
    tree = BatchedTreeSearch(make_search_evaluator(net.core_net), config, batch=SEARCH_BATCH)
    slots = np.arange(len(boards))
    tree.reset(slots, list(boards))
    tree.run(slots, simulations)
    roots, found = tree.roots(slots), tree.moves(slots)
    return SearchResults(
        best=[uci_text(code) for code in roots.best.tolist()],
        wdl_side_to_move=roots.wdl_side_to_move,
        values_side_to_move=roots.wdl_side_to_move[:, 0] - roots.wdl_side_to_move[:, 2],
        lines=[_best_line(tree, slot, int(roots.best[slot])) for slot in slots.tolist()],
        moves=found.moves,
        visits=found.visits,
        offsets=found.offsets,
    )


def _best_line(tree: BatchedTreeSearch, slot: int, best: int) -> list[str]:
    lines = tree.outlooks(slot).lines
    return next([uci_text(code) for code in line] for line in lines if line and line[0] == best)


def play_match(
    a: str | LoadedPlayer, b: str | LoadedPlayer, games: int = 100, *, seed: int = 1
) -> MatchReport:
    """Pairs of games on the shipped openings, colours swapped; the report is from a's side."""
    players = [one if isinstance(one, LoadedPlayer) else load_player(one) for one in (a, b)]
    try:
        return play_paired_match(players[0].player, players[1].player, games=games, seed=seed)
    finally:
        for given, player in zip((a, b), players, strict=True):
            if isinstance(given, str):
                player.close()


def train(  # noqa: PLR0913 - the options of `selfmate train`
    learner: str,
    *,
    preset: str | None = None,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
    run: str | Path | None = None,
    minutes: float = math.inf,
    resume: bool = False,
    load: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> RunDirectory:
    """Trains a learner (`dqn`, `pretrain-dqn`, ...) and returns its run.

    `run.columns()` has every metric as an array, `run.checkpoint()` the weights, and the run's path
    is the name of a player. Without `run` it is kept in `runs/LEARNER-PRESET-N`.
    """
    if learner not in LEARNERS:
        raise ValueError(f"no learner {learner!r}; there are: {', '.join(LEARNERS)}")
    chosen = LEARNERS[learner]
    given = {**(settings or {}), **({} if load is None else {"load": load})}
    sets = [f"{key}={json.dumps(value)}" for key, value in given.items()]
    config = read_config(chosen, preset=preset, sets=sets, seed=seed)
    if run is None:
        run = Path("runs") / free_name(Path("runs"), f"{learner}-{preset or DEFAULT}-")
    session = Session(resume=resume, minutes=minutes, say=lambda _: None, watch=on_progress)
    with chosen.open_run(config, Path(run), session) as opened:
        if not opened.finished:
            chosen.train(config, opened)
    return RunDirectory(Path(run))


def rate(
    player: str, *, games: int = 200, seed: int = 1, pool: str | Path = "runs/pool.jsonl"
) -> Rating:
    """The player's rating on the scale of Stockfish's skill levels, with its 95 % interval.

    Plays the games that the pool does not have yet, which takes minutes for a player that searches.
    """
    with load_player(player) as loaded:
        name = loaded.name
    ladder = Ladder(Path(pool), seed)
    with ladder.pool.hold():
        while (plan := ladder.next_plan(name, games)) is not None:
            ladder.play(plan, on_game=lambda: None)
    rating = ladder.rating(name)
    assert rating is not None  # it has played
    return rating
