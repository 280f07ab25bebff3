"""Players that are programs of their own and speak UCI."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from selfmate.players.engine_client import Margins
from selfmate.players.engine_info import ThoughtReader
from selfmate.players.engine_pool import EnginePool, taken_from
from selfmate.players.engine_process import EngineFaultError
from selfmate.players.engine_scores import EngineScores
from selfmate.players.engine_seat import Engine, Seat
from selfmate.players.names import PlayerName, check_settings, whole_setting
from selfmate.players.player import NO_LIMITS, Choices, Limits, Question, Thought
from selfmate.players.scoring import Scoring
from selfmate.rules import Board, uci_code

DEFAULT_MOVETIME_MS = 100
# What may be asked of an engine for one move.
MAX_DEPTH = 100
MAX_NODES = 10**9
MAX_MOVETIME_MS = 3_600_000


class ExternalPlayer:
    """Plays with as many processes of an engine as there are cores, each started when needed.

    A fault of the engine forfeits the game in which it happens: `crashed`, `time`, `no_move`,
    `illegal_move: e2e5`, `two_answers`, `flood: ...`, `did_not_start: ...`. The process is then
    killed with its children, and the next game gets a fresh one.
    """

    def __init__(self, name: str, engine: Engine, margins: Margins | None = None) -> None:
        self._name = name
        self._engine, self._margins = engine, margins or Margins()
        self._pool = EnginePool(engine, self._margins)

    @property
    def name(self) -> str:
        return self._name

    @property
    def games_at_once(self) -> int:
        return len(self._pool.seats)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        moves = np.zeros(len(boards), np.uint16)
        forfeits: dict[int, str] = {}
        used = _merged(self._engine.limits, limits)

        def work(seat: Seat, games: Iterator[int]) -> None:
            for game in games:
                try:
                    moves[game] = uci_code(seat.search(boards[game], used))
                except EngineFaultError as fault:
                    forfeits[game] = str(fault)

        shares = self._share_out(boards)
        self._pool.run([partial(work, seat, games) for seat, games in shares])
        return Choices(moves, forfeits)

    def _share_out(self, boards: Sequence[Board]) -> list[tuple[Seat, Iterator[int]]]:
        """Who searches which boards: first those whose games a process knows, then any.

        Engines remember a game from move to move, and some are much weaker without it.
        """
        waiting = deque(range(len(boards)))
        shares: list[tuple[Seat, Iterator[int]]] = []
        for seat in self._pool.seats:
            known = [game for game in waiting if seat.knows(boards[game])][:1]
            for game in known:
                waiting.remove(game)
            shares.append((seat, chain(known, taken_from(waiting))))
        return shares

    def think(self, question: Question) -> Thought:
        """As the protocol says; a fault of the engine is raised as EngineFaultError."""
        board, limits = question.board, _merged(self._engine.limits, question.limits)
        reader = ThoughtReader(board)
        best: list[str] = []

        def tell(info: str) -> None:
            if (thought := reader.read(info)) is not None:
                question.report(thought)

        def work() -> None:
            best.append(self._pool.seats[0].search(board, limits, question.stop, tell))

        self._pool.run([work])
        return reader.final(best[0])

    def scoring(self, best: int) -> Scoring:
        """By processes of their own, which look at several moves alike."""
        scores = EngineScores(self._engine, self._margins, best)
        return Scoring(
            name=self.name,
            score=scores.score,
            games_at_once=scores.games_at_once,
            close=scores.close,
        )

    def close(self) -> None:
        self._pool.close()


def _merged(own: Limits, asked: Limits) -> Limits:
    given = {f.name: value for f in fields(asked) if (value := getattr(asked, f.name)) is not None}
    return replace(own, **given)


def make_external(name: PlayerName, margins: Margins | None = None) -> ExternalPlayer:
    """A player like `uci:path=/path/to/engine,movetime=100`."""
    check_settings(name, ("path", "nodes", "depth", "movetime"))
    path = _program(name)
    found = {
        "nodes": whole_setting(name, "nodes", 1, MAX_NODES),
        "depth": whole_setting(name, "depth", 1, MAX_DEPTH),
        "movetime": whole_setting(name, "movetime", 1, MAX_MOVETIME_MS),
    }
    given = {key: value for key, value in found.items() if value is not None}
    if len(given) > 1:
        raise ValueError(
            f"player {str(name)!r} has several limits; give one of nodes, depth, movetime"
        )
    given = given or {"movetime": DEFAULT_MOVETIME_MS}
    limits = Limits(
        depth=given.get("depth"), nodes=given.get("nodes"), time_ms=given.get("movetime")
    )
    settings = {"path": path} | {key: str(value) for key, value in given.items()}
    return ExternalPlayer(
        str(PlayerName(name.kind, settings)), Engine(path=path, limits=limits), margins
    )


def _program(name: PlayerName) -> str:
    """The engine's path, whole, so that the name means the same in every folder."""
    text = name.settings.get("path")
    if text is None:
        raise ValueError(f"player {str(name)!r} needs a program: uci:path=/path/to/engine")
    path = Path(text).expanduser().absolute()
    if not path.is_file():
        raise ValueError(f"path={text} of player {str(name)!r} is not a file")
    if not os.access(path, os.X_OK):
        raise ValueError(f"path={text} of player {str(name)!r} is not executable")
    return str(path)
