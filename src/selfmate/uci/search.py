"""One `go`: a player thinks in a thread of its own, and when the answer is due."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from threading import Event, Thread
from time import monotonic

from selfmate.players import Player, Thought
from selfmate.uci.among import think_among
from selfmate.uci.clock import GRACE_MS, Budget
from selfmate.uci.position import undecided
from selfmate.uci.task import Task


@dataclass(frozen=True)
class News:
    """What comes out of a search: thoughts, at the end `done`, with an error if there was one."""

    search: "Search"
    thought: Thought | None = None
    error: Exception | None = None
    done: bool = False


class Search:
    """From `go` to `bestmove`. Everything but the thinking happens in the engine's thread.

    While it waits for something (the end of `infinite` or `ponder`) nothing is due. Else the player
    is told to stop at the budget's target, and at its limit it is no longer waited for.
    """

    def __init__(self, task: Task, budget: Budget | None, waits_for: Iterable[str]) -> None:
        self.task = task
        self.is_done = False
        self.is_halting = False
        self.best: Thought | None = None
        self._started = monotonic()
        self._budget = budget
        self._waits_for = set(waits_for)
        self._stop = Event()
        self._stop_at: float | None = None
        self._answer_by: float | None = None
        self._thread: Thread | None = None
        self._start_clock()

    def start(
        self, player: Player, previous: "Search | None", tell: Callable[[News], None]
    ) -> None:
        """Begins to think, once a search that was no longer waited for has let go of the player."""
        self._thread = Thread(target=self._think, args=(player, previous, tell), daemon=True)
        self._thread.start()

    def halt(self) -> None:
        """The answer is due, now."""
        self.is_halting = True
        self._waits_for.clear()
        self._stop.set()
        latest = monotonic() + GRACE_MS / 1000
        self._answer_by = min(self._answer_by or latest, latest)

    def ponderhit(self) -> None:
        """The move pondered on was played: our clock runs."""
        if "ponder" in self._waits_for:
            self._waits_for.remove("ponder")
            self._start_clock()

    @property
    def elapsed_ms(self) -> float:
        return 1000 * (monotonic() - self._started)

    def keep_time(self) -> bool:
        """Tells the player when its time is up; whether the answer is due."""
        now = monotonic()
        if self._stop_at is not None and now >= self._stop_at:
            self._stop.set()
        is_late = self._answer_by is not None and now >= self._answer_by
        return not self._waits_for and (self.is_done or is_late)

    @property
    def seconds_to_next_moment(self) -> float | None:
        """How long nothing can become due unless there is news."""
        moment = self._answer_by if self._stop.is_set() else self._stop_at
        return None if moment is None else max(0.0, moment - monotonic())

    def join(self, timeout_s: float | None = None) -> bool:
        """Waits for the player to be done thinking; whether it is."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _start_clock(self) -> None:
        if self._budget is not None and not self._waits_for:
            now = monotonic()
            self._stop_at = now + self._budget.target_ms / 1000
            self._answer_by = now + self._budget.limit_ms / 1000

    def _think(
        self, player: Player, previous: "Search | None", tell: Callable[[News], None]
    ) -> None:
        thought, error = None, None
        try:
            if previous is not None:
                previous.join()
            thought = self._ask(player, lambda thought: tell(News(self, thought)))
        except Exception as caught:
            error = caught
        finally:
            tell(News(self, thought, error, done=True))

    def _ask(self, player: Player, report: Callable[[Thought], None]) -> Thought | None:
        board = undecided(self.task.board.copy())
        if board is None:
            return None
        task = replace(self.task, board=board)
        if task.is_restricted:
            return think_among(player, task, self._stop, report)
        return player.think(task.question(self._stop, report))
