"""The engine: what each command does, and exactly one `bestmove` for each `go`.

One thread owns the state and all output. Lines from the GUI and news from searches reach it through
one queue, so nothing can overtake or interleave. What a search takes is imported at the first `go`.
"""

from collections import deque
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from selfmate.uci.options import Options
from selfmate.uci.position import parse_position
from selfmate.uci.traits import Traits

if TYPE_CHECKING:
    from selfmate.players import Player, Thought
    from selfmate.rules import Board
    from selfmate.uci.search import News, Search

LONGEST_SENTENCE = 400  # characters; what is quoted in it came from outside


class NoPlayerError(Exception):
    """The player could not be loaded, so there is no engine."""


class Engine:
    def __init__(
        self,
        name: str,
        load: "Callable[[], Player]",
        write: Callable[[str], None],
        dice: Callable[[], int],
        traits: Traits | None = None,
    ) -> None:
        """`load` is called when the player is first needed; `write` takes one line."""
        self._name, self._load, self._write, self._dice = name, load, write, dice
        self._traits = traits or Traits()
        self._options = Options(self._traits)
        self._player: Player | None = None
        self._board: Board | None = None  # None: the start position, while the rules are not loaded
        self._search: Search | None = None
        self._last_search: Search | None = None
        self._is_debugging = False
        self._has_quit = False
        self._news: SimpleQueue[str | News] = SimpleQueue()
        self._lines: deque[str] = deque()
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._introduce,
            "debug": self._set_debug,
            "isready": self._get_ready,
            "setoption": self._options.set,
            "register": lambda words: None,
            "ucinewgame": lambda words: None,  # players hold no state of a game
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "quit": self._quit,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Obeys until `quit` or the end of the lines; NoPlayerError when there is no player."""
        Thread(target=_read, args=(lines, self._news), daemon=True).start()
        while not self._has_quit:
            line = self._next_line()
            try:
                self._obey(line.split())
            except ValueError as error:
                self._explain(str(error))

    def quit(self) -> None:
        """As if the GUI had sent `quit`; may be called by signal handlers."""
        self._news.put("quit")

    def close(self, patience_s: float) -> bool:
        """Ends the player and lets go of everything; whether the player stopped thinking."""
        if self._player is not None:
            self._player.close()
        is_still = self._last_search is None or self._last_search.join(patience_s)
        self._player = self._board = self._search = self._last_search = None
        while not self._news.empty():
            self._news.get()
        return is_still

    # What comes in.

    def _next_line(self) -> str:
        """The next line to obey. A search that was told to stop is answered first."""
        while True:
            if self._search is not None and self._search.keep_time():
                self._take_all_news()
                self._answer(self._search)
            is_free = self._search is None or not self._search.is_halting
            if self._lines and is_free:
                return self._lines.popleft()
            self._take_news(self._search.seconds_to_next_moment if self._search else None)

    def _take_all_news(self) -> None:
        """What was thought in time must count, even if this thread comes late to hear it."""
        for _ in range(self._news.qsize()):
            self._take_news(0)

    def _take_news(self, timeout: float | None) -> None:
        try:
            news = self._news.get(timeout=timeout)
        except Empty:
            return
        if isinstance(news, str):
            self._lines.append(news)
        elif news.search is self._search:  # not one that was answered for
            self._hear(news)

    def _hear(self, news: "News") -> None:
        """Keeps what a search has found, if it can be played."""
        from selfmate.uci.info import info_lines

        search, thought = news.search, news.thought
        search.is_done = news.done
        if news.error is not None:
            self._explain(f"the player failed: {type(news.error).__name__}: {news.error}")
        elif thought is not None and thought.best not in search.task.allowed:
            self._explain(f"the player wants {thought.best!r}, which is not a move here")
        elif thought is not None and thought != search.best:
            search.best = thought
            options = self._options
            wanted = options.show_wdl.value, options.multi_pv.value
            for line in info_lines(thought, search.elapsed_ms, *wanted):
                self._say(line)

    # What goes out.

    def _say(self, line: str) -> None:
        """One line of protocol, whatever is in the text."""
        self._write(" ".join(line.split()))

    def _explain(self, text: str) -> None:
        """A sentence for people."""
        self._say(f"info string {text[:LONGEST_SENTENCE]}")

    def _answer(self, search: "Search") -> None:
        from selfmate.uci.task import bestmove

        self._search = None
        if not search.task.allowed:
            self._say(f"info depth 0 score {'mate' if search.task.board.is_check() else 'cp'} 0")
        elif search.best is None:
            self._explain("no thought of the player to go by: a move by chance")
        elif self._options.move_stats.value:
            self._tell_move_stats(search.best)
        self._say(bestmove(search.task, search.best))

    def _tell_move_stats(self, thought: "Thought") -> None:
        from selfmate.uci.info import move_stats

        for line in move_stats(thought):
            self._explain(line)

    # The commands.

    def _obey(self, words: list[str]) -> None:
        if not words:
            return
        if words[0] not in self._commands:
            raise ValueError(f"no command {words[0]!r}; there are: {', '.join(self._commands)}")
        self._commands[words[0]](words[1:])

    def _introduce(self, words: list[str]) -> None:
        self._say(f"id name Selfmate {self._name}")
        self._say("id author the Selfmate developers")
        for line in self._options.lines():
            self._say(line)
        self._say("uciok")

    def _set_debug(self, words: list[str]) -> None:
        if words not in (["on"], ["off"]):
            raise ValueError("debug must be: debug on | off")
        self._is_debugging = words == ["on"]

    def _get_ready(self, words: list[str]) -> None:
        self._load_player()
        self._say("readyok")

    def _set_position(self, words: list[str]) -> None:
        self._board = parse_position(words)

    def _go(self, words: list[str]) -> None:
        if self._search is not None:
            self._finish_search_before(["go", *words])
            return
        search = self._make_search(words)
        search.start(self._load_player(), self._last_search, self._news.put)
        self._search = self._last_search = search

    def _make_search(self, words: list[str]) -> "Search":
        from selfmate.uci.clock import plan
        from selfmate.uci.go import parse_go
        from selfmate.uci.search import Search
        from selfmate.uci.task import Task, allowed_moves

        go = parse_go(words)
        board = self._board or parse_position(["startpos"])
        allowed = allowed_moves(board, go)
        for complaint in go.complaints:
            self._explain(complaint)
        budget = plan(go, board.turn, self._options.overhead_ms.value)
        limits = go.limits(
            None if budget is None or go.flags else max(1.0, budget.target_ms),
            uses_time=self._traits.uses_time and (budget is not None or bool(go.flags)),
        )
        if self._is_debugging:
            self._explain(f"{len(allowed)} moves, {limits}, {budget}")
        options = self._options
        task = Task(
            board,
            allowed,
            limits,
            self._dice(),
            options.temperature,
            options.c_puct,
            options.threads.value,
        )
        return Search(task, budget, go.flags)

    def _stop(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.halt()

    def _ponderhit(self, words: list[str]) -> None:
        if self._search is not None:
            self._search.ponderhit()

    def _quit(self, words: list[str]) -> None:
        if self._search is not None:
            self._finish_search_before(["quit"])
        else:
            self._has_quit = True

    def _finish_search_before(self, words: list[str]) -> None:
        """Every `go` gets its `bestmove`: the search under way is stopped, then the line obeyed."""
        self._stop([])
        self._lines.appendleft(" ".join(words))

    def _load_player(self) -> "Player":
        if self._player is None:
            try:
                self._player = self._load()
            except Exception as error:
                self._explain(f"the player {self._name} cannot be had: {error}")
                raise NoPlayerError(f"the player {self._name!r} cannot be had: {error}") from error
        return self._player


def _read(lines: Iterable[str], news: "SimpleQueue[str | News]") -> None:
    """Runs until the input ends, maybe longer than the engine, and so knows only the queue."""
    for line in lines:
        news.put(line)
    news.put("quit")
