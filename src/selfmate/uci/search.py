"""One `go`: a player searches in a thread of its own, and `bestmove` is due at some time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from threading import Thread
from time import monotonic

from selfmate.players import Analysis, Limits, Player, SearchRequest, ignore_analysis
from selfmate.rules import Board
from selfmate.uci.commands import MAX_INTEGER, GoCommand
from selfmate.uci.time_management import GRACE_MS, TimeBudget

MATE_PAWNS = 1e6  # more than any score in pawns


@dataclass(frozen=True)
class SearchEvent:
    """What a search sends to the engine's thread: interim analyses, and one last event."""

    search: "Search"
    analysis: Analysis | None = None
    error: Exception | None = None
    is_last: bool = False


class Search:
    """A search from `go` to `bestmove`. Only the player runs in another thread.

    While `infinite` or `ponder` holds, no answer is due. Otherwise the player is told to stop at
    the budget's target, and at its limit the engine answers without waiting for it.
    """

    def __init__(
        self,
        request: SearchRequest,
        allowed: list[str],
        budget: TimeBudget | None,
        holds: Iterable[str],
    ) -> None:
        """`allowed` are the moves to choose from, empty if the game is over; `holds` are flags of
        `go` that hold back the answer."""
        self.request, self.allowed = request, allowed
        self.best: Analysis | None = None  # the newest analysis whose move is allowed
        self.is_done = False  # the player has returned
        self.is_stopping = False
        self._budget, self._holds = budget, set(holds)
        self._started_at = monotonic()
        self._stop_at: float | None = None
        self._answer_by: float | None = None
        self._thread: Thread | None = None
        self._start_clock()

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
                request = replace(
                    self.request, board=board, report=lambda found: send(SearchEvent(self, found))
                )
                if len(self.allowed) < len(board.legal_moves()):
                    analysis = analyse_searchmoves(player, request, self.allowed)
                else:
                    analysis = player.analyse(request)
        except Exception as caught:
            error = caught
        finally:
            send(SearchEvent(self, analysis, error, is_last=True))

    def stop(self) -> None:
        """Makes the answer due now, with GRACE_MS for the player to return."""
        self.is_stopping = True
        self._holds.clear()
        self.request.stop.set()
        latest = monotonic() + GRACE_MS / 1000
        self._answer_by = min(self._answer_by or latest, latest)

    def ponderhit(self) -> None:
        """The opponent played the expected move: our clock runs from now."""
        if "ponder" in self._holds:
            self._holds.remove("ponder")
            self._start_clock()

    def _start_clock(self) -> None:
        if self._budget is not None and not self._holds:
            now = monotonic()
            self._stop_at = now + self._budget.target_ms / 1000
            self._answer_by = now + self._budget.limit_ms / 1000

    def check_clock(self) -> bool:
        """Tells the player to stop when its time is up; whether the answer is due."""
        now = monotonic()
        if self._stop_at is not None and now >= self._stop_at:
            self.request.stop.set()
        is_late = self._answer_by is not None and now >= self._answer_by
        return not self._holds and (self.is_done or is_late)

    @property
    def seconds_to_deadline(self) -> float | None:
        """How long the clock needs no check; None: as long as no event comes."""
        deadline = self._answer_by if self.request.stop.is_set() else self._stop_at
        return None if deadline is None else max(0.0, deadline - monotonic())

    @property
    def elapsed_ms(self) -> float:
        return 1000 * (monotonic() - self._started_at)

    def join(self, timeout_s: float | None = None) -> bool:
        """Waits for the player to return; whether it has."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

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


def search_limits(go: GoCommand, budget: TimeBudget | None, *, uses_time: bool) -> Limits:
    """The limits that the player gets.

    With `uses_time` it searches until its time is up, whatever number of nodes it has by default;
    `infinite` and `ponder` are time without end.
    """
    has_time = budget is not None or bool(go.flags)
    nodes = go.numbers.get("nodes", MAX_INTEGER if uses_time and has_time else None)
    # A mate in n moves is found in 2n - 1 plies.
    plies = min(go.numbers.get("depth", MAX_INTEGER), 2 * go.numbers.get("mate", MAX_INTEGER) - 1)
    return Limits(
        depth=None if plies == MAX_INTEGER else plies,
        nodes=nodes,
        time_ms=None if budget is None or go.flags else max(1.0, budget.target_ms),
    )


def allowed_moves(board: Board, go: GoCommand) -> list[str]:
    """The legal moves, or those of them in `searchmoves`. Empty only if there is no legal move."""
    legal = board.legal_moves()
    wanted = [move for move in legal if move in go.searchmoves]
    illegal = [move for move in go.searchmoves if move not in legal]
    if illegal:
        go.warnings.append(f"go: illegal searchmoves ignored: {' '.join(illegal)}")
    return wanted or legal


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


# `searchmoves`: players do not know it, so it is done around them.


def analyse_searchmoves(player: Player, request: SearchRequest, allowed: list[str]) -> Analysis:
    """The player's choice if it is allowed, otherwise its best allowed move.

    That is the first allowed one of its other scored moves, or the most probable one of its
    policy, or the one that leaves the opponent the worst position. A player that gives no scores,
    or has no time left, gets a random move.
    """

    def report_allowed(analysis: Analysis) -> None:
        if analysis.best in allowed:
            request.report(analysis)

    limits = request.limits
    half_time = replace(limits, time_ms=limits.time_ms and limits.time_ms / 2)
    analysis = player.analyse(replace(request, limits=half_time, report=report_allowed))
    for scored in (analysis, *analysis.others):
        if scored.best in allowed:
            return scored
    if policy := analysis.policy:
        return Analysis(best=max(allowed, key=lambda move: policy.get(move, 0.0)))
    found = _best_by_replies(player, replace(request, limits=half_time), allowed)
    return found or Analysis(best=allowed[request.seed % len(allowed)])


def _best_by_replies(player: Player, request: SearchRequest, allowed: list[str]) -> Analysis | None:
    """Searches the position after each allowed move; None if the player scores none of them."""
    limits = _divided(request.limits, len(allowed))
    best: tuple[float, Analysis] | None = None
    for move in allowed:
        if request.stop.is_set():
            break
        child = request.board.copy()
        child.push(move)
        value, reply = _evaluate(
            player, replace(request, board=child, limits=limits, report=ignore_analysis)
        )
        if value is not None and (best is None or -value > best[0]):
            best = -value, _before_reply(move, reply)
    return best[1] if best else None


def _divided(limits: Limits, moves: int) -> Limits:
    """The limits of one search out of `moves`, one ply further on."""
    return Limits(
        depth=limits.depth and max(1, limits.depth - 1),
        nodes=limits.nodes and max(1, limits.nodes // moves),
        time_ms=limits.time_ms and limits.time_ms / moves,
    )


def _evaluate(player: Player, request: SearchRequest) -> tuple[float | None, Analysis | None]:
    """The score in pawns for the side to move (None if the player has none), and its analysis."""
    outcome = request.board.outcome()
    if outcome is not None:
        return (-MATE_PAWNS if outcome.winner else 0.0), None
    analysis = player.analyse(request)
    if analysis.mate_in is not None:
        size = MATE_PAWNS - abs(analysis.mate_in)
        return (size if analysis.mate_in > 0 else -size), analysis
    if analysis.score_pawns is None and analysis.wdl is not None:
        return analysis.wdl[0] - analysis.wdl[2], analysis
    return analysis.score_pawns, analysis


def _before_reply(move: str, reply: Analysis | None) -> Analysis:
    """The analysis after a move as one of the position before it, in the other side's view."""
    if reply is None:
        return Analysis(best=move)
    return Analysis(
        best=move,
        line=(move, *(reply.line or (reply.best,))),
        score_pawns=None if reply.score_pawns is None else -reply.score_pawns,
        mate_in=None if reply.mate_in is None else _mate_before_reply(reply.mate_in),
        wdl=reply.wdl and (reply.wdl[2], reply.wdl[1], reply.wdl[0]),
        depth=reply.depth and reply.depth + 1,
    )


def _mate_before_reply(mate_in: int) -> int:
    """Moves to mate one ply earlier: our own move counts if we mate, not if we are mated."""
    return 1 - mate_in if mate_in <= 0 else -mate_in
