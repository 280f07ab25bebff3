"""External UCI engines as players: any program, or Stockfish of full or limited strength."""

import os
import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from selfmate.players import MAX_MOVETIME_MS, PlayerName, check_settings, integer_setting
from selfmate.players.engine_client import AnalysisReader, Timeouts
from selfmate.players.engine_pool import (
    EngineConfig,
    EnginePool,
    EngineScorer,
    EngineSlot,
    take_from,
)
from selfmate.players.engine_process import EngineFaultError
from selfmate.players.player import NO_LIMITS, Analysis, Choices, Limits, Scoring, SearchRequest
from selfmate.rules import Board, uci_code

# Debian installs chess engines here, and PATH does not always include it.
GAMES_FOLDER = Path("/usr/games")

DEFAULT_MOVETIME_MS = 100  # of engines that are given no other limit

# `uci:path=PROGRAM`: what one move may take.
MAX_DEPTH = 100
MAX_NODES = 10**9

# `stockfish:`: ratings of its skill levels from 0 up, as its authors fitted them to the CCRL Blitz
# list at 120 s + 1 s (Stockfish commit a08b8d4). Errors are about 30 Elo, the list's own about 100.
STOCKFISH_SKILL_ELOS = (1320, 1468, 1608, 1742, 1923, 2204, 2363, 2499, 2596, 2702, 2788)
# Setting -> allowed range.
STOCKFISH_STRENGTHS = {
    "elo": (STOCKFISH_SKILL_ELOS[0], STOCKFISH_SKILL_ELOS[-1]),
    "skill": (0, 20),
    "nodes": (1, 10_000_000),
}
STOCKFISH_MOVETIME_MS = (1, 60_000)
STOCKFISH_OPTIONS = {"Threads": "1", "Hash": "16"}
# Clearing 16 MB before every position would take as long as searching a thousand nodes, which fill
# a hundredth of one.
SMALL_HASH, MAX_SMALL_HASH_NODES = {"Hash": "1"}, 10_000


class EnginePlayer:
    """Plays with as many processes of an engine as there are cores, each started when needed.

    A fault of the engine forfeits the game in which it happens: `crashed`, `time`, `no_move`,
    `illegal_move: e2e5`, `two_answers`, `flood: ...`, `did_not_start: ...`. The process is then
    killed with its children, and the next game gets a new one.
    """

    def __init__(self, name: str, config: EngineConfig, timeouts: Timeouts | None = None) -> None:
        self._name = name
        self._config, self._timeouts = config, timeouts or Timeouts()
        self._pool = EnginePool(config, self._timeouts)

    @property
    def name(self) -> str:
        return self._name

    @property
    def parallel_games(self) -> int:
        return len(self._pool.slots)

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
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        moves = np.zeros(len(boards), np.uint16)
        forfeits: dict[int, str] = {}
        limits = limits.over(self._config.limits)

        def work(slot: EngineSlot, games: Iterator[int]) -> None:
            for game in games:
                try:
                    moves[game] = uci_code(slot.search(boards[game], limits))
                except EngineFaultError as fault:
                    forfeits[game] = str(fault)

        assigned = self._assign(boards)
        self._pool.run([partial(work, slot, games) for slot, games in assigned])
        return Choices(moves, forfeits)

    def _assign(self, boards: Sequence[Board]) -> list[tuple[EngineSlot, Iterator[int]]]:
        """Which slot searches which boards: first a game its process knows, then any.

        Engines remember a game from move to move, and some are much weaker without it.
        """
        waiting = deque(range(len(boards)))
        assigned: list[tuple[EngineSlot, Iterator[int]]] = []
        for slot in self._pool.slots:
            known = [game for game in waiting if slot.knows(boards[game])][:1]
            for game in known:
                waiting.remove(game)
            assigned.append((slot, chain(known, take_from(waiting))))
        return assigned

    def analyse(self, request: SearchRequest) -> Analysis:
        """As the protocol says; a fault of the engine is raised as EngineFaultError."""
        board, limits = request.board, request.limits.over(self._config.limits)
        reader = AnalysisReader(board)
        best: list[str] = []

        def on_info(line: str) -> None:
            if (analysis := reader.read(line)) is not None:
                request.report(analysis)

        def work() -> None:
            slot = self._pool.slots[0]
            if request.is_fresh:
                slot.forget_game()
            moves = request.root_moves or ()
            best.append(slot.search(board, limits, request.stop, on_info, moves))

        self._pool.run([work])
        return reader.final(best[0])

    def scoring(self, best: int) -> Scoring:
        """Scores from processes of their own, which search several moves (MultiPV)."""
        scorer = EngineScorer(self._config, self._timeouts, best)
        return Scoring(
            name=self.name,
            score=scorer.score,
            parallel_games=scorer.parallel_games,
            close=scorer.close,
        )

    def close(self) -> None:
        self._pool.close()


def make_external(name: PlayerName, timeouts: Timeouts | None = None) -> EnginePlayer:
    """A player like `uci:path=/path/to/engine,movetime=100`."""
    check_settings(name, ("path", "nodes", "depth", "movetime"))
    path = _program_setting(name)
    found = {
        "nodes": integer_setting(name, "nodes", 1, MAX_NODES),
        "depth": integer_setting(name, "depth", 1, MAX_DEPTH),
        "movetime": integer_setting(name, "movetime", 1, MAX_MOVETIME_MS),
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
    config = EngineConfig(path=path, limits=limits)
    return EnginePlayer(str(PlayerName(name.kind, settings)), config, timeouts)


def _program_setting(name: PlayerName) -> str:
    """The absolute path of the engine, so that the full name works in every folder."""
    text = name.settings.get("path")
    if text is None:
        raise ValueError(f"player {str(name)!r} needs a program: uci:path=/path/to/engine")
    path = Path(text).expanduser().absolute()
    if not path.is_file():
        raise ValueError(f"path={text} of player {str(name)!r} is not a file")
    if not os.access(path, os.X_OK):
        raise ValueError(f"path={text} of player {str(name)!r} is not executable")
    return str(path)


def make_stockfish(name: PlayerName, timeouts: Timeouts | None = None) -> EnginePlayer:
    """A player like `stockfish:skill=3`, `stockfish:elo=1500`, `stockfish:nodes=1000`.

    `elo=` is the skill level nearest to it: Stockfish's own UCI_Elo means other strengths in
    versions up to 15.
    """
    check_settings(name, (*STOCKFISH_STRENGTHS, "movetime"))
    given = [key for key in STOCKFISH_STRENGTHS if key in name.settings]
    if len(given) != 1:
        raise ValueError(f"player {str(name)!r} needs exactly one of elo=, skill=, nodes=")
    if given == ["nodes"] and "movetime" in name.settings:
        raise ValueError(f"player {str(name)!r} has two limits; give nodes or movetime")
    value = integer_setting(name, given[0], *STOCKFISH_STRENGTHS[given[0]])
    movetime = integer_setting(name, "movetime", *STOCKFISH_MOVETIME_MS)
    assert value is not None
    key, value = ("skill", skill_of_elo(value)) if given == ["elo"] else (given[0], value)
    if key == "nodes":
        limits, options = Limits(nodes=value), SMALL_HASH if value <= MAX_SMALL_HASH_NODES else {}
    else:
        limits = Limits(time_ms=movetime or DEFAULT_MOVETIME_MS)
        options = {"Skill Level": str(value)}
    config = EngineConfig(
        path=_stockfish_program(name), limits=limits, options=STOCKFISH_OPTIONS | options
    )
    is_default = movetime in (None, DEFAULT_MOVETIME_MS)
    full_name = f"stockfish:{key}={value}" + ("" if is_default else f",movetime={movetime}")
    return EnginePlayer(full_name, config, timeouts)


def skill_of_elo(elo: int) -> int:
    """The skill level whose rating is nearest."""
    distances = [abs(elo - of_level) for of_level in STOCKFISH_SKILL_ELOS]
    return distances.index(min(distances))


def _stockfish_program(name: PlayerName) -> str:
    path = find_program("stockfish")
    if path is None:
        raise ValueError(
            f"player {str(name)!r} needs Stockfish, which is not on PATH; "
            "Debian: apt install stockfish, others: https://stockfishchess.org/download"
        )
    return path


def find_program(name: str) -> str | None:
    """The path of an installed program; None if there is none."""
    found = shutil.which(name)
    if found is None and (GAMES_FOLDER / name).is_file():
        found = str(GAMES_FOLDER / name)
    return found
