"""The engine's side of UCI as we need it: start, a search, a clean state between searches.

python-chess has a client, but it cannot be trusted with bad engines: a second `bestmove` to one
`go` is taken as the answer to the next position, that is, in the next game, and a line without end
is gathered in memory. Both would have to be caught in front of it, in its event loop; a client that
reads with a deadline is smaller, and its processes end when it says so.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event
from time import monotonic

from selfmate.players.engine_process import EngineFaultError, EngineProcess
from selfmate.players.player import Limits
from selfmate.rules import Board

STOP_CHECK_S = 0.01
MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


@dataclass(frozen=True, kw_only=True)
class Margins:
    """What an engine is allowed on top of its limits, in seconds."""

    start_s: float = 10.0  # from its start to `readyok`
    answer_s: float = 1.0  # beyond its time limit, and for any other answer
    search_s: float = 60.0  # for a search without a time limit
    quit_s: float = 0.5  # from `quit` to its end; then it is killed


def hear_nothing(_: str) -> None:
    pass


class EngineClient:
    """Speaks UCI with one process. All verbs block and raise EngineFaultError."""

    def __init__(self, process: EngineProcess, margins: Margins) -> None:
        self._process = process
        self._margins = margins
        self._last_game: tuple[str, list[str]] | None = None

    def start(self, options: Mapping[str, str]) -> None:
        deadline = monotonic() + self._margins.start_s
        self._process.say("uci", deadline)
        self._hear_until("uciok", deadline)
        for name, value in options.items():
            self._process.say(f"setoption name {name} value {value}", deadline)
        self._settle(deadline)

    def is_fit(self) -> bool:
        """Whether it is still there and did not speak out of turn since its last answer."""
        try:
            return not any(line.startswith("bestmove") for line in self._process.unheard())
        except EngineFaultError:
            return False

    def forget(self) -> None:
        """The next search is of a new game, whatever it is of."""
        self._last_game = None

    def search(
        self,
        board: Board,
        limits: Limits,
        stop: Event | None = None,
        on_info: Callable[[str], None] = hear_nothing,
    ) -> str:
        """The legal move that the engine chooses; on `stop` it is told to make up its mind."""
        self._set_up(board)
        self._say(_go(limits))
        move = _legal(board, self._hear_answer(limits, stop, on_info))
        self._settle(monotonic() + self._margins.answer_s)  # a second answer is heard here
        return move

    def quit(self) -> None:
        """Asks it to end and waits a little for it."""
        deadline = monotonic() + self._margins.quit_s
        try:
            self._process.say("quit", deadline)
            while self._process.hear(deadline) is not None:
                pass
        except EngineFaultError:
            pass  # the end of its output is what we wait for

    def _say(self, text: str) -> None:
        self._process.say(text, monotonic() + self._margins.answer_s)

    def _hear_until(self, word: str, deadline: float) -> None:
        while (line := self._process.hear(deadline)) != word:
            if line is None:
                raise EngineFaultError("time")
            if line.startswith("bestmove"):
                raise EngineFaultError("two_answers")

    def _settle(self, deadline: float) -> None:
        self._process.say("isready", deadline)
        self._hear_until("readyok", deadline)

    def knows(self, board: Board) -> bool:
        """Whether the last search was of an earlier position of this game."""
        if self._last_game is None:
            return False
        start, moves = self._last_game
        return start == board.start_fen and moves == board.moves[: len(moves)]

    def _set_up(self, board: Board) -> None:
        start, moves = board.start_fen, board.moves
        if not self.knows(board):
            self._say("ucinewgame")
            self._settle(monotonic() + self._margins.start_s)  # it may clear a large hash
        self._last_game = (start, moves)
        self._say(f"position fen {start}" + (f" moves {' '.join(moves)}" if moves else ""))

    def _hear_answer(
        self, limits: Limits, stop: Event | None, on_info: Callable[[str], None]
    ) -> str:
        deadline = monotonic() + self._longest_s(limits, stop)
        while True:
            until = deadline if stop is None else min(deadline, monotonic() + STOP_CHECK_S)
            line = self._process.hear(until)
            if line is None and monotonic() > deadline:
                raise EngineFaultError("time")
            if line is not None and line.startswith("bestmove"):
                return line
            if line is not None and line.startswith("info "):
                on_info(line)
            if stop is not None and stop.is_set():
                self._say("stop")
                stop, deadline = None, min(deadline, monotonic() + self._margins.answer_s)

    def _longest_s(self, limits: Limits, stop: Event | None) -> float:
        if limits.time_ms is not None and limits.time_ms < math.inf:
            return limits.time_ms / 1000 + self._margins.answer_s
        return self._margins.search_s if stop is None else math.inf


def _go(limits: Limits) -> str:
    text = "go"
    if limits.depth is not None:
        text += f" depth {limits.depth}"
    if limits.nodes is not None:
        text += f" nodes {limits.nodes}"
    if limits.time_ms is not None and limits.time_ms < math.inf:
        text += f" movetime {max(1, round(limits.time_ms))}"
    return text if text != "go" else "go infinite"


def _legal(board: Board, answer: str) -> str:
    words = answer.split()
    move = words[1].lower() if len(words) > 1 else ""
    if not MOVE.fullmatch(move):
        raise EngineFaultError("no_move")
    if move not in board.legal_moves():
        raise EngineFaultError(f"illegal_move: {move}")
    return move
