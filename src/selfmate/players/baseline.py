"""Baseline players that need no net: random, greedy and the teacher, also with blunders."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Event, Thread

import numpy as np
from numpy.typing import NDArray

from selfmate.players import PlayerName, check_settings, integer_setting
from selfmate.players.player import (
    NO_LIMITS,
    Analysis,
    Choices,
    Limits,
    Player,
    Scoring,
    SearchRequest,
)
from selfmate.rules import Board, available_cores, uci_text
from selfmate.searches.sampling import greedy_choices, random_choices
from selfmate.searches.teacher import (
    MAX_DEPTH,
    MoveScores,
    TeacherSearch,
    best_moves,
    mate_in,
    score_moves,
)

DEFAULT_DEPTH = 2
PARALLEL_GAMES = 256
PARALLEL_GAMES_DEEP = 32  # deeper searches take long: a call with fewer boards loses less
STOP_CHECK_S = 0.005  # how often a running search looks at the clock and the stop signal

ChooseMoves = Callable[[Sequence[Board], NDArray[np.uint64]], NDArray[np.uint16]]  # [B] -> [B]
RootMove = tuple[int, int, tuple[str, ...]]  # move code, centipawns, line


def make_random(name: PlayerName) -> Player:
    """`random`: any legal move, all with the same probability."""
    check_settings(name, ())
    return OnePlyPlayer("random", random_choices)


def make_greedy(name: PlayerName) -> Player:
    """`greedy`: a move that wins the most material at once."""
    check_settings(name, ())
    return OnePlyPlayer("greedy", greedy_choices)


def make_teacher(name: PlayerName) -> Player:
    """`teacher:depth=2,random=20`: alpha-beta over `depth` plies, `random` per cent blunders."""
    check_settings(name, ("depth", "random"))
    depth = integer_setting(name, "depth", 1, MAX_DEPTH)
    percent = integer_setting(name, "random", 1, 99)
    teacher = TeacherPlayer(DEFAULT_DEPTH if depth is None else depth)
    if percent is None:
        return teacher
    return BlunderingPlayer(f"{teacher.name},random={percent}", teacher, percent)


class OnePlyPlayer:
    """Chooses by looking at the legal moves alone, whatever the limits."""

    parallel_games = PARALLEL_GAMES

    def __init__(self, name: str, choose: ChooseMoves) -> None:
        self.name = name
        self._choose = choose

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        return Choices(self._choose(boards, seeds))

    def analyse(self, request: SearchRequest) -> Analysis:
        return _chosen_analysis(self._choose, request)

    def close(self) -> None:
        pass


class BlunderingPlayer:
    """Another player that plays a random legal move in `percent` of its moves.

    The ladder uses it for rungs between the depths of the teacher.
    """

    def __init__(self, name: str, player: Player, percent: int) -> None:
        self.name = name
        self.parallel_games = player.parallel_games
        self._player = player
        self._percent = percent

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        moves = random_choices(boards, seeds)
        sound = np.flatnonzero(~self._blunders(seeds))
        if not len(sound):
            return Choices(moves)
        chosen = self._player.choose([boards[int(i)] for i in sound], seeds[sound], limits)
        moves[sound] = chosen.moves
        return Choices(moves, _by_board(sound, chosen.forfeits), _by_board(sound, chosen.comments))

    def analyse(self, request: SearchRequest) -> Analysis:
        seeds = _seeds(request.seed)
        if not self._blunders(seeds)[0]:
            return self._player.analyse(request)
        return _chosen_analysis(random_choices, request)

    def close(self) -> None:
        self._player.close()

    def _blunders(self, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """[B] Whether each move is random.

        This uses the remainder of the seed; random moves use its high bits, which do not depend
        on it.
        """
        blunders: NDArray[np.bool_] = seeds % np.uint64(100) < np.uint64(self._percent)
        return blunders


def _by_board(rows: NDArray[np.int64], texts: Mapping[int, str]) -> dict[int, str]:
    """Texts by index into `rows` as texts by board."""
    return {int(rows[i]): text for i, text in texts.items()}


class TeacherPlayer:
    """Plays the best move of a search of fixed depth; the seed decides between equal moves.

    With a time or node limit it deepens iteratively, up to its depth.
    """

    parallel_games = PARALLEL_GAMES

    def __init__(self, depth: int) -> None:
        self.name = f"teacher:depth={depth}"
        self._depth = depth

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        if limits.time_ms is None and limits.nodes is None:
            depth, threads = self._depth_within(limits), available_cores()
            return Choices(best_moves(score_moves(boards, depth=depth, threads=threads), seeds))
        moves = [
            self._deepen(SearchRequest(board=board, seed=int(seed), limits=limits))[0]
            for board, seed in zip(boards, seeds, strict=True)
        ]
        return Choices(np.array(moves, np.uint16))

    def analyse(self, request: SearchRequest) -> Analysis:
        return self._deepen(request)[1]

    def scoring(self, best: int) -> Scoring:
        """Exact scores of all legal moves, whatever `best` is."""
        return Scoring(
            name=self.name,
            score=partial(score_moves, depth=self._depth, threads=available_cores()),
            parallel_games=PARALLEL_GAMES if self._depth <= DEFAULT_DEPTH else PARALLEL_GAMES_DEEP,
            close=self.close,
        )

    def close(self) -> None:
        pass

    def _depth_within(self, limits: Limits) -> int:
        depth = self._depth if limits.depth is None else limits.depth
        if limits.mate is not None:  # a mate in n moves is found in 2n - 1 plies
            depth = min(2 * limits.mate - 1, MAX_DEPTH if limits.depth is None else depth)
        return max(1, min(depth, MAX_DEPTH))

    def _deepen(self, request: SearchRequest) -> tuple[int, Analysis]:
        """The move code and analysis of the deepest search that was completed."""
        board, limits, search = request.board, request.limits, TeacherSearch()
        # The first ply takes microseconds and ignores all limits: there is always a move.
        found = _best_of(search, search.scores(board, 1) or [], request, 1)
        request.report(found[1])
        with _stopped_in_time(search, limits, request.stop):
            for depth in range(2, self._depth_within(limits) + 1):
                nodes_left = 0 if limits.nodes is None else limits.nodes - search.nodes
                if limits.nodes is not None and nodes_left <= 0:
                    break
                moves = search.scores(board, depth, nodes_left)  # 0 nodes: no limit
                if moves is None:  # it was stopped
                    break
                found = _best_of(search, moves, request, depth)
                request.report(found[1])
        return found


@contextmanager
def _stopped_in_time(search: TeacherSearch, limits: Limits, stop: Event) -> Iterator[None]:
    """Stops the search from a thread when its time is up or `stop` is set."""
    seconds = float("inf") if limits.time_ms is None else limits.time_ms / 1000
    deadline = time.monotonic() + seconds
    done = Event()

    def watch() -> None:
        pause = 0.0
        while not done.wait(pause):
            left = deadline - time.monotonic()
            if stop.is_set() or left <= 0:
                search.stop()
                return
            pause = min(STOP_CHECK_S, left)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _best_of(
    search: TeacherSearch, moves: list[RootMove], request: SearchRequest, depth: int
) -> tuple[int, Analysis]:
    """The best move's code, and its analysis with all other moves ranked behind it.

    Each move has an exact score, so those that the request leaves out can be dropped.
    """
    if request.root_moves is not None:
        moves = [move for move in moves if move[2][0] in request.root_moves]
    codes = np.array([code for code, _, _ in moves], np.uint16)
    centipawns = np.array([score for _, score, _ in moves], np.int32)
    scores = MoveScores(codes, centipawns, np.array([0, len(moves)], np.int64))
    best = int(best_moves(scores, _seeds(request.seed))[0])
    ranked = sorted(moves, key=lambda move: (move[0] != best, -move[1]))
    first, *others = (_analysis(move, depth, search.nodes) for move in ranked)
    return best, replace(first, others=tuple(others))


def _analysis(move: RootMove, depth: int, nodes: int) -> Analysis:
    _, centipawns, line = move
    return Analysis(
        best=line[0],
        line=line,
        score_pawns=centipawns / 100,
        mate_in=mate_in(centipawns),
        depth=depth,
        nodes=nodes,
    )


def _chosen_analysis(choose: ChooseMoves, request: SearchRequest) -> Analysis:
    """The choice for one board, or a random one of its root moves if it is none of them."""
    best = uci_text(int(choose([request.board], _seeds(request.seed))[0]))
    allowed = request.root_moves
    if allowed is not None and best not in allowed:
        best = allowed[request.seed % len(allowed)]
    return Analysis(best=best, line=(best,))


def _seeds(seed: int) -> NDArray[np.uint64]:
    """[1]"""
    return np.array([seed], np.uint64)
