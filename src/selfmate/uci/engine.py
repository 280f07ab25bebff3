"""The engine: handles each command of the GUI, and sends exactly one `bestmove` for each `go`.

One thread owns the state and all output. Lines from the GUI and events from searches reach it
through one queue, so nothing can overtake or interleave. The player is loaded in a thread as soon
as `uciok` is sent; `isready` and `go` wait for it. `search` is imported at the first `go`.
"""

from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from selfmate.uci.commands import GoCommand, info_lines, move_stats, parse_go, parse_position
from selfmate.uci.options import Capabilities, Options

if TYPE_CHECKING:
    from selfmate.players import Player
    from selfmate.rules import Board
    from selfmate.uci.search import Search, SearchEvent
    from selfmate.uci.time_management import TimeBudget

MAX_MESSAGE_LENGTH = 400  # characters; messages quote text from outside
NEED_PLAYER = ("isready", "go")  # commands that wait until it is loaded


class NoPlayerError(Exception):
    """The player could not be loaded, so there is no engine."""


class Notice(Enum):
    """What else may happen while the engine waits for lines."""

    LOADED = auto()  # the player, or why it cannot be
    INPUT_ENDED = auto()
    INTERRUPTED = auto()


class Line(NamedTuple):
    """A line of the GUI."""

    words: list[str]
    received_at: float

    @property
    def command(self) -> str:
        return self.words[0] if self.words else ""


class Loading:
    """A player that is loaded in a thread."""

    def __init__(self, load: "Callable[[], Player]", notify: Callable[[Notice], None]) -> None:
        self.player: Player | None = None
        self.error: Exception | None = None
        self.ended_at = 0.0
        self._load, self._notify = load, notify
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.player = self._load()
        except Exception as error:
            self.error = error
        finally:
            self.ended_at = monotonic()
            self._notify(Notice.LOADED)

    @property
    def is_done(self) -> bool:
        return self.ended_at > 0

    def join(self, timeout_s: float) -> bool:
        """Waits for its end; whether it came."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()


class Engine:
    def __init__(
        self,
        name: str,
        load: "Callable[[], Player]",
        write: Callable[[str], None],
        next_seed: Callable[[], int],
        capabilities: Capabilities | None = None,
    ) -> None:
        """`load` is called in a thread after `uci`, or when the player is first needed; `write`
        gets one line at a time; `next_seed` gives a random 64-bit number for each search."""
        self._name, self._load, self._write, self._next_seed = name, load, write, next_seed
        self._capabilities = capabilities or Capabilities()
        self._options = Options(self._capabilities)
        self._loading: Loading | None = None
        self._board: Board | None = None  # None: the start position; the rules are not loaded yet
        self._search: Search | None = None  # the one that is not answered yet
        self._last_search: Search | None = None  # its player may still run
        self._is_debugging = False
        self._must_forget = False  # what the player kept of the last game
        self._has_input_ended = False
        self._has_quit = False
        self._queue: SimpleQueue[str | SearchEvent | Notice] = SimpleQueue()
        self._lines: deque[Line] = deque()  # received, not yet handled
        self._line = Line([], 0.0)  # being handled
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._introduce,
            "debug": self._set_debug,
            "isready": self._get_ready,
            "setoption": self._set_option,
            "register": lambda words: None,
            "ucinewgame": self._start_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "quit": self._quit,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Handles lines until `quit` or their end; NoPlayerError if the player does not load."""
        Thread(target=_read, args=(lines, self._queue), daemon=True).start()
        while not self._has_quit:
            self._line = self._next_line()
            command = self._line.command
            try:
                if command in self._commands:
                    self._commands[command](self._line.words[1:])
                elif command:
                    known = ", ".join(self._commands)
                    raise ValueError(f"unknown command {command!r}; there are: {known}")
            except ValueError as error:
                self._explain(str(error))

    def quit(self) -> None:
        """Ends the engine after the answer of a search under way; may be called by signal
        handlers."""
        self._queue.put(Notice.INTERRUPTED)

    def close(self, timeout_s: float) -> bool:
        """Closes the player and drops all state; whether all threads have stopped in time."""
        loading, search = self._loading, self._last_search
        # Also when it is done: a thread that holds the net at the end is reported as a leak.
        has_loaded = loading is None or loading.join(timeout_s)
        if loading is not None and loading.player is not None:
            loading.player.close()
        has_stopped = search is None or search.join(timeout_s)
        self._loading = self._board = self._search = self._last_search = None
        while not self._queue.empty():
            self._queue.get()
        return has_loaded and has_stopped

    # Input: lines, events and notices.

    def _next_line(self) -> Line:
        """The next line to handle. A search that is stopping is answered first."""
        while True:
            if self._search is not None and self._search.check_clock():
                self._receive_all()
                self._answer(self._search)
            is_free = self._search is None or not self._search.is_stopping
            if is_free and self._lines and not self._awaits_player():
                return self._lines.popleft()
            if is_free and not self._lines and self._has_input_ended:
                return Line(["quit"], monotonic())
            self._receive(self._search.seconds_to_deadline if self._search else None)

    def _awaits_player(self) -> bool:
        """Whether the first line has to wait for the player. A `quit` after it does not, unless a
        `go` is to be answered."""
        if self._lines[0].command not in NEED_PLAYER or self._start_loading().is_done:
            return False
        commands = [line.command for line in self._lines]
        if "quit" in commands and "go" not in commands[: commands.index("quit")]:
            self._lines = deque([Line(["quit"], monotonic())])
            return False
        return True

    def _receive_all(self) -> None:
        """What the player found in time must count, even if this thread was late to read it."""
        for _ in range(self._queue.qsize()):
            self._receive(0)

    def _receive(self, timeout_s: float | None) -> None:
        try:
            received = self._queue.get(timeout=timeout_s)
        except Empty:
            return
        if isinstance(received, str):
            self._lines.append(Line(received.split(), monotonic()))
        elif isinstance(received, Notice):
            self._heed(received)
        elif received.search is self._search:  # events of searches that were answered are dropped
            self._handle_event(received)

    def _heed(self, notice: Notice) -> None:
        if notice is Notice.INPUT_ENDED:
            self._has_input_ended = True
        elif notice is Notice.INTERRUPTED:
            self._lines = deque([Line(["quit"], monotonic())])

    def _handle_event(self, event: "SearchEvent") -> None:
        """Keeps and reports an analysis if its move is allowed."""
        search, analysis, options = event.search, event.analysis, self._options
        search.is_done = event.is_last
        if event.error is not None:
            self._explain(f"the player failed: {type(event.error).__name__}: {event.error}")
        elif analysis is not None and analysis.best not in search.allowed:
            self._explain(f"the player chose {analysis.best!r}, which is not allowed here")
        elif analysis is not None and analysis != search.best:
            search.best = analysis
            wdl, multi_pv = options.show_wdl.value, options.multi_pv.value
            for line in info_lines(analysis, search.elapsed_ms, wdl, multi_pv):
                self._send(line)

    # Output.

    def _send(self, line: str) -> None:
        """Sends one line, whatever line breaks are in the text."""
        self._write(" ".join(line.split()))

    def _explain(self, message: str) -> None:
        """Sends a message for people."""
        self._send(f"info string {message[:MAX_MESSAGE_LENGTH]}")

    def _answer(self, search: "Search") -> None:
        self._search = None
        for text in search.remarks():
            self._explain(text)
        if not search.allowed:
            kind = "mate" if search.request.board.is_check() else "cp"
            self._send(f"info depth 0 score {kind} 0")
        elif search.best is not None and self._options.move_stats.value:
            for text in move_stats(search.best):
                self._explain(text)
        self._send(search.bestmove())

    # Commands.

    def _introduce(self, words: list[str]) -> None:
        self._send(f"id name Selfmate {self._name}")
        self._send("id author the Selfmate developers")
        for line in self._options.lines():
            self._send(line)
        self._send("uciok")
        self._start_loading()

    def _set_debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise ValueError("debug must be: debug on | off")
        self._is_debugging = words == ["on"]

    def _get_ready(self, words: list[str]) -> None:
        self._player()
        self._send("readyok")

    def _set_option(self, words: list[str]) -> None:
        if (text := self._options.set(words)) is not None:
            self._explain(text)

    def _start_game(self, words: list[str]) -> None:
        self._must_forget = True
        self._start_loading()

    def _set_position(self, words: list[str]) -> None:
        self._board = parse_position(words, chess960=self._options.chess960.value)

    def _go(self, words: list[str]) -> None:
        if self._search is not None:
            self._finish_search_first()
            return
        player, search = self._player(), self._make_search(words)
        search.start(player, self._last_search, self._queue.put)
        self._search = self._last_search = search

    def _make_search(self, words: list[str]) -> "Search":
        from selfmate.players import SearchRequest
        from selfmate.uci.search import Search, allowed_moves, search_limits
        from selfmate.uci.time_management import TimeManager

        go, options = parse_go(words), self._options
        board = self._board or parse_position(["startpos"], chess960=options.chess960.value)
        allowed = allowed_moves(board, go)
        for warning in go.warnings:
            self._explain(warning)
        budget = self._time_budget(go, board.turn, is_forced=len(allowed) == 1)
        limits = search_limits(go, budget, options.strength, uses_time=self._capabilities.uses_time)
        if self._is_debugging:
            self._explain(f"{len(allowed)} moves, {limits}, {budget}")
        request = SearchRequest(
            board=board,
            seed=self._next_seed(),
            limits=limits,
            temperature=options.temperature,
            search=options.search,
            exact_endings=options.exact_endings,
            threads=options.threads.value,
            cache_mb=options.cache_mb,
            is_fresh=self._is_fresh(),
        )
        manager = None if budget is None else TimeManager(budget, self._last_value(board))
        return Search(request, allowed, manager, go.flags, options.syzygy_path.tables)

    def _time_budget(self, go: GoCommand, turn: str, *, is_forced: bool) -> "TimeBudget | None":
        from selfmate.uci.time_management import time_budget

        waited_ms = 1000 * max(0.0, self._start_loading().ended_at - self._line.received_at)
        overhead_ms = self._options.overhead_ms.value
        budget = time_budget(go, turn, overhead_ms, waited_ms, is_forced=is_forced)
        depends_on_time = self._capabilities.uses_time and self._options.strength is None
        return budget if budget is None or depends_on_time else budget.fixed()

    def _last_value(self, board: "Board") -> float | None:
        """What our last move promised, if this board is the next one of the same game."""
        last = self._last_search
        if last is None or last.request.board.start_fen != board.start_fen:
            return None
        return last.value if last.request.board.moves == board.moves[:-2] else None

    def _is_fresh(self) -> bool:
        """Whether the player must forget earlier searches: those of another game, those that Clear
        Hash is about, and those that would make a player of limited strength stronger."""
        must_forget, self._must_forget = self._must_forget, False
        is_cleared = self._options.clear_hash.take()
        return must_forget or is_cleared or self._options.strength is not None

    def _stop(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponderhit(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.ponderhit()

    def _quit(self, words: list[str]) -> None:
        if self._search is not None:
            self._finish_search_first()
        else:
            self._has_quit = True

    def _finish_search_first(self) -> None:
        """Stops the search and handles this line again after its `bestmove`."""
        self._stop([])
        self._lines.appendleft(self._line)

    # The player.

    def _start_loading(self) -> Loading:
        if self._loading is None:
            self._loading = Loading(self._load, self._queue.put)
        return self._loading

    def _player(self) -> "Player":
        """The player, which was loaded before a command that needs it is handled."""
        loading = self._start_loading()
        if loading.player is None:
            reason = f"cannot be loaded: {loading.error}"
            self._explain(f"the player {self._name} {reason}")
            raise NoPlayerError(f"the player {self._name!r} {reason}") from loading.error
        return loading.player


def _read(lines: Iterable[str], queue: "SimpleQueue[str | SearchEvent | Notice]") -> None:
    """Queues lines until the input ends. It may outlive the engine, so it knows only the queue."""
    for line in lines:
        queue.put(line)
    queue.put(Notice.INPUT_ENDED)
