"""What a notebook needs: load players and nets, search, play matches, train, rate.

`selfmate/__init__.py` lists these names; everything here is a thin layer over the packages below.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from signal import Signals
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
        """Ends processes and threads of the player; may be called more than once."""
        self.player.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load_player(name: str) -> LoadedPlayer:
    """A player by name: `alphazero-tiny:sims=800`, `teacher:depth=2`, `runs/x:version=best`.

    Scores, values and probabilities are in the view of the side to move.

    Examples:
        >>> import selfmate
        >>> board = selfmate.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
        >>> with selfmate.load_player("teacher:depth=2") as player:
        ...     analysis = player.analyse(board)
        ...     moves = player.choose([board, board], seed=1)
        >>> analysis.best, analysis.mate_in, moves
        ('a1a8', 1, ['a1a8', 'a1a8'])
    """
    return LoadedPlayer(load_named_player(name))


class LoadedNet:
    """A trained net. `config` describes it, `core_net` has its weights; the core computes it."""

    def __init__(self, name: str, weights: Weights) -> None:
        self.name, self._weights = name, weights
        self.core_net: CoreNet[Any] = checked_net(weights)

    @property
    def config(self) -> NetConfig:
        """Kind and shape of the net."""
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
    """The net of a shipped model or of a run: `alphazero-tiny`, `runs/x:version=best`.

    `evaluate` takes B boards. Win, draw and loss [B, 3] and values [B] are in the view of the side
    to move; probabilities [N] are those of all legal moves end to end.

    Examples:
        >>> import selfmate
        >>> net = selfmate.load_net("alphazero-tiny")
        >>> found = net.evaluate([selfmate.Board(), selfmate.Board()])
        >>> found.wdl_side_to_move.shape, found.values_side_to_move.shape, found.moves.shape
        ((2, 3), (2,), (40,))
        >>> round(sum(found.policy_of(0).values()), 3)
        1.0
    """
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
    """Tree searches from B boards at once, without noise. The net needs a policy and a value.

    Win, draw and loss [B, 3] and values [B] are in the view of the side to move; visits [N] are
    those of all legal moves end to end.

    Examples:
        >>> import selfmate
        >>> net = selfmate.load_net("alphazero-tiny")
        >>> boards = [selfmate.Board(), selfmate.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")]
        >>> found = selfmate.search(net, boards, simulations=50)
        >>> found.best[1], found.lines[1], found.wdl_side_to_move.shape
        ('a1a8', ['a1a8'], (2, 3))
        >>> sum(found.visits_of(0).values()) <= 50
        True
    """
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
    """Pairs of games on the shipped openings, colours swapped; the report is from a's side.

    Examples:
        >>> import selfmate
        >>> report = selfmate.play_match("greedy", "random", games=20, seed=1)
        >>> report.games, report.score > 0.5, report.elo_low < report.elo < report.elo_high
        (20, True, True)
    """
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

    `run.columns()` has every metric as an array [steps], `run.checkpoint()` the weights, and the
    run's path is the name of a player. Without `run` it is kept in `runs/LEARNER-PRESET-N`. The run
    is the same as that of `selfmate train`, bit for bit.

    Ctrl-C, or the interrupt of a notebook, stops it after the current batch, saves it and raises
    KeyboardInterrupt with the arguments that continue it. The rest of such a run is the same, bit
    for bit, as if it had never stopped.

    Examples:
        >>> import selfmate
        >>> run = selfmate.train("ddqn", preset="try", seed=1, run="runs/first")
        >>> run.columns()["mate_percent"].shape, run.status().state
        ((20,), 'finished')
        >>> selfmate.train("ddqn", preset="try", seed=1, run="runs/first", resume=True).path
        PosixPath('runs/first')
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
    if opened.stopped_by is not None:
        raise _stopped(opened.stopped_by, run)
    return RunDirectory(Path(run))


def _stopped(signal: Signals, run: str | Path) -> BaseException:
    """What the signal would have raised, now that everything is saved."""
    if signal != Signals.SIGINT:
        return SystemExit(128 + signal)
    return KeyboardInterrupt(f"{run} is saved; run={str(run)!r}, resume=True continues it")


def rate(
    player: str, *, games: int = 200, seed: int = 1, pool: str | Path = "runs/pool.jsonl"
) -> Rating:
    """The player's rating on the scale of Stockfish's skill levels, with its 95 % interval.

    Plays the games that the pool does not have yet, which takes minutes for a player that searches.

    Examples:
        >>> import selfmate
        >>> rating = selfmate.rate("greedy", games=20, pool="pool.jsonl")
        >>> rating.games >= 20, rating.low < rating.elo < rating.high
        (True, True)
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
