"""A UCI client: starts an engine, sends searches and reads its analysis.

python-chess has a client, but it cannot be trusted with bad engines: it takes a second `bestmove`
to one `go` for the answer to the next position, that is, in the next game, and it gathers a line
without end in memory. Both would have to be caught in its event loop. A client that reads with
deadlines is smaller, and its processes end when it says so.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from time import monotonic

from selfmate.players.engine_process import EngineFaultError, EngineProcess
from selfmate.players.player import Analysis, Limits, UnsupportedVariantError
from selfmate.rules import Board
from selfmate.searches.teacher import MATE_CENTIPAWNS

STOP_CHECK_S = 0.01  # how often a running search looks at the stop signal
MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")
# Scores are clipped so that every mate is worth more than every score that is no mate.
MAX_CENTIPAWNS, MAX_MATE_PLIES = 9_000, 999


@dataclass(frozen=True, kw_only=True)
class Timeouts:
    """How long an engine may take beyond its limits, in seconds."""

    start_s: float = 10.0  # from its start to `readyok`
    answer_s: float = 1.0  # beyond the time limit of a search, and for any other answer
    search_s: float = 60.0  # for a search without a time limit
    quit_s: float = 0.5  # from `quit` to its end; then it is killed


CHESS960_OPTION = "UCI_Chess960"


def ignore_info(_: str) -> None:
    pass


class EngineClient:
    """Speaks UCI with one process. All methods block; faults are raised as EngineFaultError."""

    def __init__(self, process: EngineProcess, timeouts: Timeouts) -> None:
        self._process = process
        self._timeouts = timeouts
        self._last_game: tuple[str, list[str]] | None = None  # start position, moves
        self._offers_chess960 = False
        self._is_set_to_chess960 = False

    def start(self, options: Mapping[str, str]) -> None:
        deadline = monotonic() + self._timeouts.start_s
        self._process.send("uci", deadline)
        self._read_until("uciok", deadline, self._note_option)
        for name, value in options.items():
            self._process.send(f"setoption name {name} value {value}", deadline)
        self._synchronise(deadline)

    def _note_option(self, line: str) -> None:
        if line.split()[:3] == ["option", "name", CHESS960_OPTION]:
            self._offers_chess960 = True

    def search(
        self,
        board: Board,
        limits: Limits,
        stop: Event | None = None,
        on_info: Callable[[str], None] = ignore_info,
        root_moves: Sequence[str] = (),
    ) -> str:
        """The legal move that the engine chooses, one of `root_moves` if there are some; `stop`
        makes it answer early.

        UnsupportedVariantError if the board is one of Chess960 and the engine has no such option.
        """
        self._set_position(board)
        self._send(_go_command(limits, root_moves))
        move = _legal_move(board, self._read_bestmove(limits, stop, on_info))
        # A second `bestmove` is a fault of this game, not of the next, so it is read now.
        self._synchronise(monotonic() + self._timeouts.answer_s)
        return move

    def knows(self, board: Board) -> bool:
        """Whether the last search was of an earlier position of this game."""
        if self._last_game is None:
            return False
        start, moves = self._last_game
        return start == board.start_fen and moves == board.moves[: len(moves)]

    def forget_game(self) -> None:
        """Makes the next search that of a new game, whatever its board."""
        self._last_game = None

    def is_healthy(self) -> bool:
        """Whether the engine still runs and has sent no `bestmove` since its last answer."""
        try:
            return not any(line.startswith("bestmove") for line in self._process.receive_pending())
        except EngineFaultError:
            return False

    def quit(self) -> None:
        """Asks the engine to quit and waits `quit_s` for its end."""
        deadline = monotonic() + self._timeouts.quit_s
        try:
            self._process.send("quit", deadline)
            while self._process.receive(deadline) is not None:
                pass
        except EngineFaultError:
            pass  # the end of its output is what we wait for

    def _send(self, text: str) -> None:
        self._process.send(text, monotonic() + self._timeouts.answer_s)

    def _synchronise(self, deadline: float) -> None:
        """Waits until the engine has handled all commands."""
        self._process.send("isready", deadline)
        self._read_until("readyok", deadline)

    def _read_until(
        self, word: str, deadline: float, on_line: Callable[[str], None] = ignore_info
    ) -> None:
        while (line := self._process.receive(deadline)) != word:
            if line is None:
                raise EngineFaultError("time")
            if line.startswith("bestmove"):
                raise EngineFaultError("two_answers")
            on_line(line)

    def _set_position(self, board: Board) -> None:
        start, moves = board.start_fen, board.moves
        if not self.knows(board):
            self._set_chess960(board.chess960)
            self._send("ucinewgame")
            # The engine may have to clear a large hash table.
            self._synchronise(monotonic() + self._timeouts.start_s)
        self._last_game = (start, moves)
        self._send(f"position fen {start}" + (f" moves {' '.join(moves)}" if moves else ""))

    def _set_chess960(self, wanted: bool) -> None:
        if wanted == self._is_set_to_chess960:
            return
        if not self._offers_chess960:
            raise UnsupportedVariantError(
                f"the engine {self._process.path} has no option {CHESS960_OPTION}: "
                "it plays standard chess only"
            )
        self._send(f"setoption name {CHESS960_OPTION} value {str(wanted).lower()}")
        self._is_set_to_chess960 = wanted

    def _read_bestmove(
        self, limits: Limits, stop: Event | None, on_info: Callable[[str], None]
    ) -> str:
        deadline = monotonic() + self._max_search_s(limits, stop)
        while True:
            until = deadline if stop is None else min(deadline, monotonic() + STOP_CHECK_S)
            line = self._process.receive(until)
            if line is None and monotonic() > deadline:
                raise EngineFaultError("time")
            if line is not None and line.startswith("bestmove"):
                return line
            if line is not None and line.startswith("info "):
                on_info(line)
            if stop is not None and stop.is_set():
                self._send("stop")
                stop, deadline = None, min(deadline, monotonic() + self._timeouts.answer_s)

    def _max_search_s(self, limits: Limits, stop: Event | None) -> float:
        if limits.time_ms is not None and limits.time_ms < math.inf:
            return limits.time_ms / 1000 + self._timeouts.answer_s
        return self._timeouts.search_s if stop is None else math.inf


def _go_command(limits: Limits, root_moves: Sequence[str]) -> str:
    text = "go"
    if limits.depth is not None:
        text += f" depth {limits.depth}"
    if limits.nodes is not None:
        text += f" nodes {limits.nodes}"
    if limits.time_ms is not None and limits.time_ms < math.inf:
        text += f" movetime {max(1, round(limits.time_ms))}"
    if limits.mate is not None:
        text += f" mate {limits.mate}"
    if text == "go":
        text += " infinite"
    return f"{text} searchmoves {' '.join(root_moves)}" if root_moves else text


def _legal_move(board: Board, bestmove: str) -> str:
    words = bestmove.split()
    move = words[1].lower() if len(words) > 1 else ""
    if not MOVE.fullmatch(move):
        raise EngineFaultError("no_move")
    if move not in board.legal_moves():
        raise EngineFaultError(f"illegal_move: {move}")
    return move


class AnalysisReader:
    """Reads the `info` lines of one search into analyses.

    An engine of limited strength looks at several moves and may play one that is not the best, so
    the newest line of each first move is kept.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._newest: dict[str, Analysis] = {}  # by first move

    def read(self, text: str) -> Analysis | None:
        """The analysis in an `info` line; None if there is none of the best move."""
        info = _parse_info(text)
        line = _legal_part(self._board, info.line) if info else ()
        if info is None or not line or info.is_bound:
            return None
        analysis = Analysis(
            best=line[0],
            line=line,
            score_pawns=info.score_pawns,
            mate_in=info.mate_in,
            wdl=info.wdl,
            depth=info.depth,
            nodes=info.nodes,
        )
        self._newest[line[0]] = analysis
        return analysis if info.rank == 1 else None

    def final(self, best: str) -> Analysis:
        """The newest analysis of the move that the engine chose."""
        return self._newest.get(best) or Analysis(best=best, line=(best,))


class MultiPvReader:
    """Reads the scores of several moves from one search with MultiPV.

    It keeps which move has each rank, and the newest score of each move that is not a bound.
    """

    def __init__(self, board: Board) -> None:
        self._legal = frozenset(board.legal_moves())
        self._move_of_rank: dict[int, str] = {}
        self._centipawns: dict[str, int] = {}
        self._last_scored = ""

    def read(self, text: str) -> None:
        info = _parse_info(text)
        if info is None:
            return
        score, move = _centipawns(info), info.line[0] if info.line else ""
        if score is None or move not in self._legal or not 1 <= info.rank <= len(self._legal):
            return
        self._move_of_rank[info.rank] = move
        if not info.is_bound:
            self._centipawns[move] = score
            self._last_scored = move

    def scores(self) -> dict[str, int]:
        """Moves and centipawns in the view of the side to move, best first.

        A search that ends within an iteration leaves the lower ranks as the iteration before had
        them. So a move may have two ranks, and the score of a lower rank is clipped to the one
        above it. If all that have a rank have bounds only, the last move with a score counts: a
        single best move that was replaced just before the search ended.
        """
        scores: dict[str, int] = {}
        lowest = MATE_CENTIPAWNS
        for _, move in sorted(self._move_of_rank.items()):
            if move in self._centipawns and move not in scores:
                scores[move] = lowest = min(lowest, self._centipawns[move])
        if not scores and self._last_scored:
            return {self._last_scored: self._centipawns[self._last_scored]}
        return scores


@dataclass
class _Info:
    """One `info` line, in the view of the side to move."""

    rank: int = 1  # multipv
    depth: int | None = None
    nodes: int | None = None
    score_pawns: float | None = None
    mate_in: int | None = None
    wdl: tuple[float, float, float] | None = None
    is_bound: bool = False
    line: Sequence[str] = ()


def _parse_info(text: str) -> _Info | None:
    """None for a line that makes no sense: bad info is no fault of an engine that moves."""
    try:
        return _parse_words(iter(text.split()[1:]))
    except (ValueError, StopIteration):
        return None


def _parse_words(words: Iterator[str]) -> _Info:
    info = _Info()
    for word in words:
        match word:
            case "string":
                break
            case "multipv":
                info.rank = int(next(words))
            case "depth":
                info.depth = int(next(words))
            case "nodes":
                info.nodes = int(next(words))
            case "score":
                _parse_score(info, next(words), int(next(words)))
            case "lowerbound" | "upperbound":
                info.is_bound = True
            case "wdl":
                win, draw, loss = [int(next(words)) / 1000 for _ in range(3)]
                info.wdl = (win, draw, loss)
            case "pv":
                info.line = tuple(words)
    return info


def _parse_score(info: _Info, kind: str, value: int) -> None:
    if kind == "cp":
        info.score_pawns = value / 100
    elif kind == "mate":
        info.mate_in = value


def _centipawns(info: _Info) -> int | None:
    """The score on the teacher's scale, where a mate on the n-th ply is 10000 - n."""
    if info.mate_in is not None:
        plies = 2 * info.mate_in - 1 if info.mate_in > 0 else -2 * info.mate_in
        size = MATE_CENTIPAWNS - min(plies, MAX_MATE_PLIES)
        return size if info.mate_in > 0 else -size
    if info.score_pawns is None:
        return None
    return max(-MAX_CENTIPAWNS, min(round(100 * info.score_pawns), MAX_CENTIPAWNS))


def _legal_part(board: Board, moves: Sequence[str]) -> tuple[str, ...]:
    """The line up to its first illegal move."""
    after = board.copy()
    played: list[str] = []
    for move in moves:
        try:
            after.push(move, past_draw=True)
        except ValueError:
            break
        played.append(move)
    return tuple(played)
