"""Players that look ahead: by tree search with any net that has policy and value, or by the value
of AlphaZero's net one ply ahead."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Event

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import encode, legal_actions, moves_of_actions
from selfmate.nets.config import ResNetConfig, SparseNetConfig
from selfmate.nets.evaluator import (
    Evaluator,
    NetOf,
    SearchableNet,
    SearchEvaluator,
    SparseNetEvaluator,
    is_sparse,
    make_evaluator,
    make_search_evaluator,
)
from selfmate.nets.onnx_net import OnnxResNet
from selfmate.players.candidates import MATE_VALUE
from selfmate.players.game_tree import (
    GameTree,
    move_analysis,
    move_comment,
    outlook_analysis,
    policy_candidates,
    with_draws,
)
from selfmate.players.jobs import Job, run_jobs
from selfmate.players.player import (
    NO_LIMITS,
    Analysis,
    Choices,
    Limits,
    Scoring,
    SearchRequest,
    pawns_of,
)
from selfmate.rules import Board, Ragged, available_cores, push_moves, uci_code
from selfmate.searches.config import SearchConfig
from selfmate.searches.sampling import chosen_actions
from selfmate.searches.teacher import MATE_CENTIPAWNS, MoveScores
from selfmate.searches.tree import BatchedTreeSearch, MoveOutlooks, sample_moves

DEFAULT_SIMULATIONS = 100
# A tree of 2^19 nodes takes half a gigabyte.
DEFAULT_SEARCH = SearchConfig(max_nodes=1 << 19)
MAX_LEAVES_PER_GAME = 8
# Simulations of one batch do not know each other's results. With this many batches at least, that
# does little harm.
MIN_BATCHES = 50
# A cached evaluation takes about 250 bytes: 35 priors, the WDL, the key and the index.
CACHED_PER_MB = 4096
# Of each search that keeps a cache without being told how large. In a match a search of 32 games
# finds the evaluations of its last move again if it had up to 4,096 simulations.
OWN_CACHE_MB = 32
PARALLEL_GAMES = 64
REPORT_EVERY_S = 0.5

ACTION_ENCODING = "uci1968"  # has a number for every move, promotions too
EVALUATED_ROWS = 256  # positions of one batch

Floats = NDArray[np.float32]


class TreePlayer:
    """Searches with a net and plays the most visited move, or one drawn by visits.

    `choose` makes a new tree for each board: a move depends on the board and its seed alone.
    `analyse` keeps the tree of the last request if the board continues its line; the simulations in
    it count. Both keep a cache of evaluations. Its key covers all that the net sees, so that no
    result depends on what is cached; only a request that names its size shares evaluations between
    positions with different histories. A limit of depth is the length of the principal variation.
    """

    def __init__(  # noqa: PLR0913 - the settings of a player
        self,
        name: str,
        net: SearchableNet,
        *,
        simulations: int = DEFAULT_SIMULATIONS,
        temperature: float = 0.0,
        search: SearchConfig = DEFAULT_SEARCH,
        limits: Limits = NO_LIMITS,
        exact_endings: bool = True,
        pulse: Callable[[], None] = lambda: None,
    ) -> None:
        """With 0 simulations it plays by the policy alone. With `exact_endings` it then knows which
        moves mate and draw; a search always does.

        With a time limit it searches for that long, or `simulations` if that is less; each of its
        games then has a core of its own. `choose` calls `pulse` after every batch, on any thread;
        what that raises ends it.
        """
        self.name = name
        self._net = net
        self._simulations, self._temperature, self._search = simulations, temperature, search
        self._limits, self._exact_endings, self._pulse = limits, exact_endings, pulse
        self.parallel_games = PARALLEL_GAMES if limits.time_ms is None else available_cores()
        self._evaluators = {1: make_search_evaluator(net)}  # by threads
        self._kept: deque[GameTree] = deque(maxlen=1)
        self._kept_searches: deque[tuple[SearchConfig, list[BatchedTreeSearch]]] = deque(maxlen=1)

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        moves, comments = np.zeros(len(boards), np.uint16), dict[int, str]()
        limits = limits.over(self._limits)
        stop, is_late = Event(), _deadline(limits)
        simulations = self._simulations_within(limits)

        def play(tree_search: BatchedTreeSearch, rows: NDArray[np.int64]) -> None:
            moves[rows], texts = self._chosen(
                tree_search,
                [boards[i] for i in rows.tolist()],
                seeds[rows],
                simulations,
                lambda: stop.is_set() or is_late(),
            )
            comments.update(zip(rows.tolist(), texts, strict=True))

        self._on_all_cores(len(boards), simulations, play, stop)
        return Choices(moves, comments=comments)

    def analyse(self, request: SearchRequest) -> Analysis:
        request = replace(request, limits=request.limits.over(self._limits))
        tree = self._tree(request)
        temperature = request.temperature
        if temperature is None:
            temperature = self._temperature
        simulations = self._simulations_within(request.limits)
        kept, is_over = tree.visits, self._end_of(request, tree)
        exact_endings = request.has_exact_endings(self._exact_endings)

        def analysis() -> Analysis:
            if simulations:
                return tree.analysis(temperature, request.seed, kept)
            return tree.policy_analysis(temperature, request.seed, kept, exact_endings)

        reported, reported_at = 0, 0.0
        for _ in tree.deepen(simulations):
            if is_over():
                break
            now = time.monotonic()
            if tree.best != reported or now - reported_at >= REPORT_EVERY_S:
                reported, reported_at = tree.best, now
                request.report(analysis())
        found = analysis()
        self._kept.append(tree)
        return found

    @staticmethod
    def _end_of(request: SearchRequest, tree: GameTree) -> Callable[[], bool]:
        """A function that says whether the search has to end."""
        limits, is_enough, is_late = request.limits, request.is_enough, _deadline(request.limits)

        def is_over() -> bool:
            if request.stop.is_set() or tree.is_as_deep_as(limits.depth):
                return True
            return is_late() if is_enough is None else is_enough(tree.statistics())

        return is_over

    def scoring(self, best: int) -> Scoring:
        """Scores of the `best` most visited moves, the one it would play first; of fewer where the
        search visited fewer."""
        if self._limits.time_ms is not None:
            raise ValueError(f"{self.name} cannot teach by time: give it simulations with sims=N")
        return Scoring(
            name=self.name,
            score=partial(self._scores, best=best),
            parallel_games=PARALLEL_GAMES * available_cores(),
            close=self.close,
        )

    def refresh(self) -> None:
        """Copies the weights of the net, which has learned since. Not while it plays."""
        self.close()
        for evaluator in self._evaluators.values():
            evaluator.refresh()

    def close(self) -> None:
        self._kept.clear()
        self._kept_searches.clear()

    def _simulations_within(self, limits: Limits) -> int:
        """A player by policy alone does not search, whatever the limits."""
        if self._simulations == 0 or limits.nodes is None:
            return self._simulations
        return limits.nodes

    def _search_config(
        self,
        simulations: int,
        numbers: Mapping[str, float] | None = None,
        cache_mb: int | None = None,
    ) -> SearchConfig:
        leaves = min(MAX_LEAVES_PER_GAME, max(1, simulations // MIN_BATCHES))
        if is_sparse(self._net):
            leaves = 1  # it evaluates a leaf as fast as several
        size_mb = OWN_CACHE_MB if cache_mb is None else cache_mb
        changes = {
            "leaves_per_game": leaves,
            "cache_size": size_mb * CACHED_PER_MB,
            "exact_cache_key": cache_mb is None,
        }
        return self._search.model_copy(update=changes | dict(numbers or {}))

    def _searches(self, config: SearchConfig, count: int) -> list[BatchedTreeSearch]:
        """At least `count` searches, which no other thread has: those of the last call with their
        caches, and new ones. A batch has room for all leaves of all games, so that none waits for
        another."""
        searches = list[BatchedTreeSearch]()
        with suppress(IndexError):  # there is none, or another thread has it
            kept_config, kept = self._kept_searches.pop()
            searches = kept if kept_config == config else []
        batch = PARALLEL_GAMES * config.leaves_per_game
        missing = range(len(searches), count)
        return searches + [
            BatchedTreeSearch(self._evaluators[1], config, batch=batch) for _ in missing
        ]

    def _on_all_cores(
        self,
        boards: int,
        simulations: int,
        work: Callable[[BatchedTreeSearch, NDArray[np.int64]], None],
        stop: Event,
    ) -> None:
        """Calls `work` with a search of its own and the numbers of some boards, until all are
        done. A fault sets `stop`."""

        def work_in_parts(tree_search: BatchedTreeSearch, rows: NDArray[np.int64]) -> None:
            for part in np.split(rows, range(PARALLEL_GAMES, len(rows), PARALLEL_GAMES)):
                work(tree_search, part)

        shares = np.array_split(np.arange(boards), min(boards, available_cores()))
        config = self._search_config(simulations)
        searches = self._searches(config, len(shares))
        jobs = [Job(partial(work_in_parts, *job)) for job in zip(searches, shares, strict=False)]
        run_jobs(jobs, stop.set)
        self._kept_searches.append((config, searches))

    def _chosen(
        self,
        tree_search: BatchedTreeSearch,
        boards: Sequence[Board],
        seeds: NDArray[np.uint64],
        simulations: int,
        is_over: Callable[[], bool],
    ) -> tuple[NDArray[np.uint16], list[str]]:
        """Moves [B] and comments, by one batched search."""
        self._grow(tree_search, boards, simulations, is_over)
        slots = np.arange(len(boards))
        roots, found = tree_search.roots(slots), tree_search.moves(slots)
        outlooks = [tree_search.outlooks(slot) for slot in slots.tolist()]
        tree_search.clear(slots)
        if simulations:
            moves = sample_moves(roots, found, np.full(len(boards), self._temperature), seeds)
        else:
            candidates = policy_candidates(boards, roots, found, self._exact_endings)
            moves = candidates.chosen(self._temperature, seeds)
            endings = np.split(candidates.endings, found.offsets[1:-1])
            outlooks = list(map(with_draws, outlooks, endings))
        rows = Ragged(found.moves.astype(np.int32), found.offsets).find(moves) - found.offsets[:-1]
        analyses = map(
            outlook_analysis,
            outlooks,
            rows.tolist(),
            roots.visits.tolist(),
            roots.wdl_side_to_move,
        )
        return moves, list(map(move_comment, analyses))

    def _grow(
        self,
        tree_search: BatchedTreeSearch,
        boards: Sequence[Board],
        simulations: int,
        is_over: Callable[[], bool],
    ) -> None:
        """A tree of each board, in the first slots."""
        slots = np.arange(len(boards))
        tree_search.reset(slots, boards)
        for _ in tree_search.deepen(slots, simulations):
            self._pulse()
            if is_over():
                break

    def _scores(self, boards: Sequence[Board], best: int) -> MoveScores:
        found, stop = list[list[tuple[int, int]]]([[]] * len(boards)), Event()

        def score(tree_search: BatchedTreeSearch, rows: NDArray[np.int64]) -> None:
            asked = [boards[i] for i in rows.tolist()]
            self._grow(tree_search, asked, self._simulations, stop.is_set)
            for slot, row in enumerate(rows.tolist()):
                found[row] = _best_scores(tree_search, slot, best)
            tree_search.clear(np.arange(len(rows)))

        self._on_all_cores(len(boards), self._simulations, score, stop)
        return MoveScores(
            moves=np.array([move for scores in found for move, _ in scores], np.uint16),
            centipawns=np.array([cp for scores in found for _, cp in scores], np.int32),
            offsets=np.cumsum([0, *map(len, found)], dtype=np.int64),
        )

    def _tree(self, request: SearchRequest) -> GameTree:
        """The kept tree if the request continues it, else a new one. No other thread has it."""
        simulations = self._simulations_within(request.limits)
        config = self._search_config(simulations, request.search, request.cache_mb)
        evaluator = self._evaluator(request.threads)
        if request.is_fresh:
            self._kept.clear()
        while self._kept:
            with suppress(IndexError):  # another thread was faster
                kept = self._kept.pop()
                if kept.is_made_with(evaluator, config):
                    kept.set(request.board, request.root_moves)
                    return kept
        tree = GameTree(evaluator, config)
        tree.set(request.board, request.root_moves)
        return tree

    def _evaluator(self, threads: int) -> SearchEvaluator:
        if threads not in self._evaluators:
            self._evaluators[threads] = make_search_evaluator(self._net, threads=threads)
        return self._evaluators[threads]


def _best_scores(trees: BatchedTreeSearch, slot: int, best: int) -> list[tuple[int, int]]:
    """Moves and centipawns of one tree, the move it would play first. A score from few visits may
    be too high: none counts more than that of a move before it."""
    found, outlooks = trees.moves(np.array([slot])), trees.outlooks(slot)
    root_wdl = trees.roots(np.array([slot])).wdl_side_to_move[0]
    order = np.lexsort((-found.priors, -found.visits, -found.shares))[:best].tolist()
    scores, highest = list[tuple[int, int]](), MATE_CENTIPAWNS
    for row in order:
        if scores and not found.visits[row]:
            break
        highest = min(highest, _centipawns(outlooks, row, root_wdl))
        scores.append((int(found.moves[row]), highest))
    return scores


def _centipawns(outlooks: MoveOutlooks, row: int, root_wdl: Floats) -> int:
    """On the teacher's scale, where a mate on the n-th ply is 10000 - n."""
    plies = int(outlooks.plies_to_mate[row])
    if plies:
        return MATE_CENTIPAWNS - plies if plies > 0 else -MATE_CENTIPAWNS - plies
    wdl = outlooks.wdl_side_to_move[row]
    win, _, loss = wdl if wdl.any() else root_wdl
    return round(100 * float(pawns_of(np.array(win - loss, np.float32))))


def _deadline(limits: Limits) -> Callable[[], bool]:
    """A function that says whether the time is up."""
    if limits.time_ms is None:
        return lambda: False
    end = time.monotonic() + limits.time_ms / 1000
    return lambda: time.monotonic() >= end


@dataclass(frozen=True)
class Prospects:
    """All legal moves of some games, and the WDL after each of them."""

    moves: Ragged
    wdl: Floats  # [N, 3] for the side that moves
    is_mate: NDArray[np.bool_]  # [N]

    def restricted_to(self, root_moves: Sequence[str] | None) -> "Prospects":
        """Of one game: only these of its moves; None: all."""
        if root_moves is None:
            return self
        (rows,) = np.nonzero(np.isin(self.moves.values, [uci_code(move) for move in root_moves]))
        moves = Ragged(self.moves.values[rows], np.array([0, len(rows)], np.int64))
        return Prospects(moves, self.wdl[rows], self.is_mate[rows])

    @property
    def values(self) -> Floats:
        """[N] Win minus loss for the side that moves, from -1 to 1; MATE_VALUE for a mate."""
        return np.where(self.is_mate, np.float32(MATE_VALUE), self.wdl[:, 0] - self.wdl[:, 2])


class ValuePlayer:
    """Plays the move after which the net's value is best for its side, or one drawn by value."""

    parallel_games = PARALLEL_GAMES

    def __init__(
        self,
        name: str,
        net: NetOf[ResNetConfig] | NetOf[SparseNetConfig] | OnnxResNet,
        temperature: float = 0.0,
    ) -> None:
        self.name = name
        self._evaluate: Evaluator | SparseNetEvaluator = (
            SparseNetEvaluator(net) if is_sparse(net) else make_evaluator(net)
        )
        self._temperature = temperature

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        found = self._prospects(boards)
        chosen = chosen_actions(found.values, found.moves, self._temperature, seeds)
        return Choices(chosen.astype(np.uint16))

    def analyse(self, request: SearchRequest) -> Analysis:
        temperature = request.temperature
        if temperature is None:
            temperature = self._temperature
        found, seeds = self._prospects([request.board]), np.array([request.seed], np.uint64)
        found = found.restricted_to(request.root_moves)
        moves, values = found.moves.values, found.values
        chosen = chosen_actions(values, found.moves, temperature, seeds)
        ranks = np.lexsort((-values, moves != chosen)).tolist()
        first, *others = (
            move_analysis([int(moves[i])], found.wdl[i], int(found.is_mate[i]), len(moves))
            for i in ranks
        )
        return replace(first, others=tuple(others))

    def refresh(self) -> None:
        """Copies the weights of the net, which has learned since. Not while it plays."""
        self._evaluate.refresh()

    def close(self) -> None:
        pass

    def _wdl(self, boards: Sequence[Board]) -> Floats:
        """[B, 3] For the side to move."""
        if isinstance(self._evaluate, SparseNetEvaluator):
            return self._evaluate.evaluate(boards)[0]
        return self._evaluate(encode("planes96", boards))[0]

    def _prospects(self, boards: Sequence[Board]) -> Prospects:
        """Where a move ends the game its WDL is known; elsewhere the net predicts it."""
        legal = Ragged(*legal_actions(ACTION_ENCODING, boards))
        before = [boards[row] for row in legal.rows.tolist()]
        moves = moves_of_actions(ACTION_ENCODING, before, legal.values)
        after = [board.copy() for board in before]
        outcomes = push_moves(after, moves)
        is_over = np.array([outcome is not None for outcome in outcomes])
        is_mate = np.array([bool(outcome and outcome.winner) for outcome in outcomes])
        wdl = np.stack([is_mate, is_over & ~is_mate, np.zeros_like(is_mate)], axis=1)
        wdl = wdl.astype(np.float32)
        (unknown,) = np.nonzero(~is_over)
        for rows in np.split(unknown, range(EVALUATED_ROWS, len(unknown), EVALUATED_ROWS)):
            if len(rows):
                opponents = self._wdl([after[row] for row in rows.tolist()])
                wdl[rows] = opponents[:, ::-1]
        return Prospects(Ragged(moves.astype(np.int32), legal.offsets), wdl, is_mate)
