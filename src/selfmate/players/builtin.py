"""The players of the core: random, greedy and the teacher."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import Event, Thread

import numpy as np
from numpy.typing import NDArray

from selfmate.players.distracted import DistractedPlayer
from selfmate.players.names import PlayerName, check_settings, whole_setting
from selfmate.players.player import NO_LIMITS, Choices, Limits, Player, Question, Thought
from selfmate.players.scoring import Scoring
from selfmate.rules import Board, uci_text
from selfmate.rules.cores import available_cores
from selfmate.search.choices import greedy_choices, random_choices
from selfmate.search.teacher import (
    MOST_DEPTH,
    MoveScores,
    TeacherSearch,
    best_moves,
    mate_in,
    score_moves,
)

DEFAULT_DEPTH = 2
GAMES_AT_ONCE = 256
GAMES_AT_ONCE_DEEP = 32  # where a move of each takes long, and little is to be lost with them
LOOK_EVERY_S = 0.005  # how often a search under way is looked after
Choose = Callable[[Sequence[Board], NDArray[np.uint64]], NDArray[np.uint16]]
Root = tuple[int, int, tuple[str, ...]]  # move, centipawns, line


class OnePlyPlayer:
    """A player that chooses at once, whatever the limits."""

    games_at_once = GAMES_AT_ONCE

    def __init__(self, name: str, choose: Choose) -> None:
        self.name = name
        self._choose = choose

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        return Choices(self._choose(boards, dice))

    def think(self, question: Question) -> Thought:
        best = uci_text(int(self._choose([question.board], _one(question.dice))[0]))
        return Thought(best=best, line=(best,))

    def close(self) -> None:
        pass


class TeacherPlayer:
    """The best move at a fixed depth; among equals the dice decide."""

    games_at_once = GAMES_AT_ONCE

    def __init__(self, depth: int) -> None:
        self.name = f"teacher:depth={depth}"
        self._depth = depth

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        if limits.time_ms is None and limits.nodes is None:
            depth, threads = self._depth_within(limits), available_cores()
            return Choices(best_moves(score_moves(boards, depth=depth, threads=threads), dice))
        moves = [
            self._deepen(Question(board=board, dice=int(number), limits=limits))[0]
            for board, number in zip(boards, dice, strict=True)
        ]
        return Choices(np.array(moves, np.uint16))

    def think(self, question: Question) -> Thought:
        return self._deepen(question)[1]

    def scoring(self, best: int) -> Scoring:
        """Every move's exact score at the depth."""
        return Scoring(
            name=self.name,
            score=partial(score_moves, depth=self._depth, threads=available_cores()),
            games_at_once=GAMES_AT_ONCE if self._depth <= DEFAULT_DEPTH else GAMES_AT_ONCE_DEEP,
            close=self.close,
        )

    def close(self) -> None:
        pass

    def _depth_within(self, limits: Limits) -> int:
        asked = self._depth if limits.depth is None else limits.depth
        return max(1, min(asked, MOST_DEPTH))

    def _deepen(self, question: Question) -> tuple[int, Thought]:
        """The best move and thought of the deepest search that was completed."""
        board, dice, limits = question.board, question.dice, question.limits
        search = TeacherSearch()
        # The first ply takes microseconds and is not watched: there is always a move.
        answer = _answer(search, search.scores(board, 1) or [], dice, 1)
        question.report(answer[1])
        with _watched(search, limits, question.stop):
            for depth in range(2, self._depth_within(limits) + 1):
                left = 0 if limits.nodes is None else limits.nodes - search.nodes
                if (limits.nodes is not None and left <= 0) or (
                    rows := search.scores(board, depth, left)
                ) is None:
                    break
                answer = _answer(search, rows, dice, depth)
                question.report(answer[1])
        return answer


def make_random(name: PlayerName) -> Player:
    """Any legal move, all alike."""
    check_settings(name, ())
    return OnePlyPlayer("random", random_choices)


def make_greedy(name: PlayerName) -> Player:
    """A move that wins the most material at once."""
    check_settings(name, ())
    return OnePlyPlayer("greedy", greedy_choices)


def make_teacher(name: PlayerName) -> Player:
    """Alpha-beta over `depth` plies; with `random`, that many per cent of its moves are any."""
    check_settings(name, ("depth", "random"))
    depth = whole_setting(name, "depth", 1, MOST_DEPTH)
    percent = whole_setting(name, "random", 1, 99)
    teacher = TeacherPlayer(DEFAULT_DEPTH if depth is None else depth)
    if percent is None:
        return teacher
    return DistractedPlayer(f"{teacher.name},random={percent}", teacher, percent)


@contextmanager
def _watched(search: TeacherSearch, limits: Limits, stop: Event) -> Iterator[None]:
    """Stops the search when it is told to or its time is up."""
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
            pause = min(LOOK_EVERY_S, left)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _answer(search: TeacherSearch, rows: list[Root], dice: int, depth: int) -> tuple[int, Thought]:
    moves = np.array([move for move, _, _ in rows], np.uint16)
    centipawns = np.array([score for _, score, _ in rows], np.int32)
    scores = MoveScores(moves, centipawns, np.array([0, len(rows)], np.int64))
    best = int(best_moves(scores, _one(dice))[0])
    ranked = sorted(rows, key=lambda row: (row[0] != best, -row[1]))
    first, *others = (_thought(row, depth, search.nodes) for row in ranked)
    return best, replace(first, others=tuple(others))


def _thought(row: Root, depth: int, nodes: int) -> Thought:
    _, score, line = row
    return Thought(
        best=line[0],
        line=line,
        score_pawns=score / 100,
        mate_in=mate_in(score),
        depth=depth,
        nodes=nodes,
    )


def _one(dice: int) -> NDArray[np.uint64]:
    return np.array([dice], np.uint64)
