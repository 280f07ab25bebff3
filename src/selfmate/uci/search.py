"""One `go`: a player searches in a thread of its own, and `bestmove` is due at some time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

from selfmate.players import Analysis, Limits, Player, RootStatistics, SearchRequest
from selfmate.rules import Board
from selfmate.uci.commands import MAX_INTEGER, GoCommand
from selfmate.uci.time_management import FIRST_MOVE_MS, GRACE_MS, TimeBudget, TimeManager
from selfmate.weights.calibration import Strength

if TYPE_CHECKING:
    from selfmate.uci.tablebase import Tablebase


@dataclass(frozen=True)
class SearchEvent:
    """What a search sends to the engine's thread: interim analyses, and one last event."""

    search: "Search"
    analysis: Analysis | None = None
    error: Exception | None = None
    is_last: bool = False


class Search:
    """A search from `go` to `bestmove`. Only the player runs in another thread.

    While `infinite` or `ponder` holds, no answer is due. Otherwise the player is told to stop when
    the time manager says so, and at the budget's limit the engine answers without waiting for it,
    or somewhat later if it has no move yet.
    """

    def __init__(
        self,
        request: SearchRequest,
        allowed: list[str],
        manager: TimeManager | None,
        holds: Iterable[str],
        tables: "Tablebase | None" = None,
    ) -> None:
        """`allowed` are the moves to choose from, empty if the game is over; without a `manager`
        there is no limit of time; `holds` are flags of `go` that hold back the answer."""
        self.request = replace(request, is_enough=self._is_enough) if manager else request
        self.allowed, self._tables = allowed, tables
        self.best: Analysis | None = None  # the newest analysis whose move is allowed
        self.is_done = False  # the player has returned
        self.is_stopping = False
        self._manager, self._holds = manager, set(holds)
        self._started_at = monotonic()
        self._clock_started_at: float | None = None
        self._answer_by: float | None = None
        self._answer_at_last: float | None = None  # without a move of the player
        self._thread: Thread | None = None
        self._start_clock(self._started_at)

    def start(
        self, player: Player, previous: "Search | None", send: Callable[[SearchEvent], None]
    ) -> None:
        """Starts the player, once `previous`, which may have been answered for, is done with it."""
        self._thread = Thread(target=self._run, args=(player, previous, send), daemon=True)
        self._thread.start()

    def _run(
        self, player: Player, previous: "Search | None", send: Callable[[SearchEvent], None]
    ) -> None:
        analysis, error = None, None
        try:
            if previous is not None:
                previous.join()
            board = playable(self.request.board.copy())
            if board is not None:
                analysis = self._analyse(player, board, send)
        except Exception as caught:
            error = caught
        finally:
            send(SearchEvent(self, analysis, error, is_last=True))

    def _analyse(
        self, player: Player, board: Board, send: Callable[[SearchEvent], None]
    ) -> Analysis:
        """By tablebases, if they know the game's result; else by the player, which chooses among
        the moves that keep a draw, if they know that."""
        probe = self._tables.probe(board, self.allowed) if self._tables else None
        if probe is not None and not probe.is_drawn:
            return probe.analysis
        moves = tuple(self.allowed) if probe is None else probe.moves

        def told(found: Analysis) -> Analysis:
            return replace(allowed_part(found, moves), tbhits=probe.hits if probe else found.tbhits)

        request = replace(
            self.request,
            board=board,
            root_moves=None if len(moves) == len(board.legal_moves()) else moves,
            report=lambda found: send(SearchEvent(self, told(found))),
        )
        return told(player.analyse(request))

    def stop(self) -> None:
        """Makes the answer due now, with GRACE_MS for the player to return."""
        self.is_stopping = True
        self._holds.clear()
        self.request.stop.set()
        now = monotonic()
        latest, last = now + GRACE_MS / 1000, now + (GRACE_MS + FIRST_MOVE_MS) / 1000
        self._answer_by = min(self._answer_by or latest, latest)
        self._answer_at_last = min(self._answer_at_last or last, last)

    def ponderhit(self) -> None:
        """The opponent played the expected move: our clock runs from now."""
        if "ponder" in self._holds:
            self._holds.remove("ponder")
            self._start_clock(monotonic())

    def _start_clock(self, now: float) -> None:
        if self._manager is not None and not self._holds:
            budget = self._manager.budget
            self._clock_started_at = now
            self._answer_by = now + budget.limit_ms / 1000
            self._answer_at_last = now + budget.last_ms / 1000

    def _is_enough(self, root: RootStatistics) -> bool:
        """Asked in the player's thread."""
        if self._manager is not None:
            self._manager.observe(self.elapsed_ms, root)
        return self._stop_at is not None and monotonic() >= self._stop_at

    @property
    def _stop_at(self) -> float | None:
        if self._manager is None or self._clock_started_at is None:
            return None
        pondered_ms = 1000 * (self._clock_started_at - self._started_at)
        return self._clock_started_at + self._manager.end_ms(pondered_ms) / 1000

    def check_clock(self) -> bool:
        """Tells the player to stop when its time is up; whether the answer is due."""
        now, stop_at = monotonic(), self._stop_at
        if stop_at is not None and now >= stop_at:
            self.request.stop.set()
        is_late = self._latest is not None and now >= self._latest
        return not self._holds and (self.is_done or is_late)

    @property
    def _latest(self) -> float | None:
        return self._answer_at_last if self.best is None else self._answer_by

    @property
    def value(self) -> float | None:
        """What the best move promises, from -1 to 1."""
        wdl = self.best and self.best.wdl
        return wdl[0] - wdl[2] if wdl else None

    @property
    def seconds_to_deadline(self) -> float | None:
        """How long the clock needs no check; None: as long as no event comes."""
        deadline = self._latest if self.request.stop.is_set() else self._stop_at
        return None if deadline is None else max(0.0, deadline - monotonic())

    @property
    def elapsed_ms(self) -> float:
        return 1000 * (monotonic() - self._started_at)

    def join(self, timeout_s: float | None = None) -> bool:
        """Waits for the player to return; whether it has."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def remarks(self) -> Iterator[str]:
        """What people should know about the answer."""
        board, mate = self.request.board, self.request.limits.mate
        side = board.turn.capitalize()
        if not self.allowed:
            end = "checkmated" if board.is_check() else "stalemated"
            yield f"{side} is {end}: there is no move"
        elif playable(board) is None:
            yield "the game is drawn, nobody can mate any more: a random legal move is played"
        elif self.best is None:
            yield "the player gave no move: a random legal move is played"
        elif self.best.nodes and self.best.nodes == self.best.kept_nodes:
            yield f"all {self.best.nodes} nodes are of the tree that was kept from the last search"
        if self.best and mate and not 0 < (self.best.mate_in or 0) <= mate:
            yield f"no mate in {mate} was found"

    def bestmove(self) -> str:
        """The last line of the search; a random allowed move if the player has none yet."""
        if not self.allowed:
            return "bestmove (none)"  # as Stockfish says it
        if self.best is None:
            return f"bestmove {self.allowed[self.request.seed % len(self.allowed)]}"
        reply = _expected_reply(self.request.board, self.best)
        return f"bestmove {self.best.best}" + (f" ponder {reply}" if reply else "")


def _expected_reply(board: Board, analysis: Analysis) -> str | None:
    """The second move of the line, if it is legal."""
    if len(analysis.line) < 2:
        return None
    after = board.copy()
    after.push(analysis.best, past_draw=True)
    return analysis.line[1] if analysis.line[1] in after.legal_moves() else None


def search_limits(
    go: GoCommand, budget: TimeBudget | None, strength: Strength | None, *, uses_time: bool
) -> Limits:
    """The limits that the player gets.

    With `uses_time` it searches until another limit is reached, whatever number of nodes it has by
    default; `infinite` and `ponder` are time without end. A limited strength sets the nodes, unless
    `go` allows fewer.
    """
    numbers = go.numbers
    has_limit = budget is not None or bool(go.flags) or "depth" in numbers or "mate" in numbers
    nodes = numbers.get("nodes", MAX_INTEGER if uses_time and has_limit else None)
    if strength is not None and strength.simulations is not None:
        nodes = min(strength.simulations, numbers.get("nodes", MAX_INTEGER))
    return Limits(
        depth=numbers.get("depth"),
        nodes=nodes,
        time_ms=None if budget is None or go.flags else max(1.0, budget.target_ms),
        mate=numbers.get("mate"),
    )


def allowed_moves(board: Board, go: GoCommand) -> list[str]:
    """The legal moves, or those of them in `searchmoves`. Empty only if there is no legal move."""
    legal = board.legal_moves()
    wanted = [move for move in legal if move in go.searchmoves]
    illegal = [move for move in go.searchmoves if move not in legal]
    if illegal:
        go.warnings.append(f"go: illegal searchmoves ignored: {' '.join(illegal)}")
    return wanted or legal


def allowed_part(analysis: Analysis, moves: Sequence[str]) -> Analysis:
    """The first of the moves it scores that is allowed: not every player of another package knows
    `root_moves`. All of it if none is."""
    scored = (analysis, *analysis.others)
    return next((one for one in scored if one.best in moves), analysis)


def playable(board: Board) -> Board | None:
    """The board, or the same position without history if a draw could be claimed.

    Players are asked only about games that go on, but a GUI may want a move after a repetition or
    fifty moves that nobody claimed. None if the game is over anyhow: mate, stalemate, or too
    little material to mate.
    """
    if board.outcome() is None:
        return board
    fresh = Board(" ".join([*board.fen().split()[:4], "0", "1"]))
    return fresh if fresh.outcome() is None else None
