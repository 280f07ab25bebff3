"""Teacher games that are played by workers of a cluster."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from selfmate.cluster.pool import RayPool
from selfmate.cluster.shelf import Shelf
from selfmate.data.teacher_games import Plan, Score, TeacherGame, TeacherGames
from selfmate.rules import Board
from selfmate.rules.compression import zstd

GAMES_PER_TASK = 32  # at most
TASKS_PER_WORKER = 4  # that the games left are divided into


@dataclass(frozen=True, kw_only=True)
class TeacherTask:
    """Some games of a plan. Returns the positions that the teacher scored, and the games, packed.

    `load` loads the teacher by name; it is a function of a module above this one, which travels by
    reference."""

    plan: Plan
    teacher: str
    load: Callable[[], tuple[Score, int]]  # the teacher, and how many games it plays in parallel
    first: int
    stop: int

    @property
    def units(self) -> int:
        """Games."""
        return self.stop - self.first

    def run(self, shelf: Shelf) -> bytes:
        score, parallel_games = shelf.kept(self.teacher, self.load)
        scored, games = 0, list[dict[str, Any]]()
        for count, ended in TeacherGames(self.plan, score, parallel_games).play(
            self.first, self.stop
        ):
            scored += count
            games += map(_plain, ended)
        return zstd.compress(pickle.dumps((scored, games)))


def _plain(game: TeacherGame) -> dict[str, Any]:
    """A game without its board, which does not travel."""
    start = (game.board.start_fen, game.board.moves)
    return {name: value for name, value in vars(game).items() if name != "board"} | {"start": start}


def _with_board(plain: dict[str, Any]) -> TeacherGame:
    fen, moves = plain.pop("start")
    board = Board(fen)
    for move in moves:
        board.push(move)
    return TeacherGame(board=board, **plain)


class TeacherTasks:
    """Divides the games into tasks, in the order of their numbers."""

    def __init__(self, task: TeacherTask) -> None:
        """`task` has all games."""
        self._left = task

    def take(self, workers: int) -> TeacherTask | None:
        left = self._left
        if not left.units:
            return None
        count = -(-left.units // (TASKS_PER_WORKER * max(1, workers)))
        stop = left.first + min(GAMES_PER_TASK, count)
        self._left = replace(left, first=stop)
        return replace(left, stop=stop)


class ClusterTeacherGames(TeacherGames):
    """The games of a plan, by the workers of a pool."""

    def __init__(
        self,
        plan: Plan,
        teacher: str,
        load: Callable[[], tuple[Score, int]],
        pool: RayPool,
    ) -> None:
        self.plan, self._teacher, self._load, self._pool = plan, teacher, load, pool

    def play(
        self, first: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, list[TeacherGame]]]:
        last = self.plan.games if stop is None else stop
        task = TeacherTask(
            plan=self.plan, teacher=self._teacher, load=self._load, first=first, stop=last
        )
        for data in self._pool.run(TeacherTasks(task), {}):
            if data is None:
                yield 0, []
                continue
            scored, games = pickle.loads(zstd.decompress(data))
            yield scored, [_with_board(plain) for plain in games]
