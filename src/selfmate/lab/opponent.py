"""A player in a game of the lab: it is asked for moves and hints, and its analysis is described."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import isfinite, tanh
from secrets import randbits
from threading import Event, Lock, Timer

from typing_extensions import TypedDict

from selfmate.players import Analysis, Player, SearchRequest, load_player
from selfmate.rules import Board, sans_of
from selfmate.searches.teacher import VALUE_SCALE_PAWNS

MAX_LINE = 8  # plies
MAX_CONSIDERED = 5
EVEN_PAWNS = 0.3
EVEN_VALUE = 0.05  # a player that thinks it stands better than this declines a draw
MINUS = "\N{MINUS SIGN}"
TEACHER = "teacher:depth=3"
MAX_HINT_SECONDS = 3.0

Wdl = tuple[float, float, float]  # probabilities of win, draw and loss


class ConsideredMove(TypedDict):
    move: str
    san: str
    share: float | None  # its probability in the policy
    score: str | None
    visits: int | None  # of a search that counts them


class MoveAnalysis(TypedDict):
    """What a player says about its move. Value and WDL are those of the side to move."""

    san: str
    line: list[str]
    wdl: Wdl | None
    value: float | None
    judgement: str | None
    considered: list[ConsideredMove]


class Hint(TypedDict):
    by: str
    move: str
    san: str
    judgement: str | None


class Opponent:
    """Analyses one board at a time: the next request waits until a search that was stopped has
    returned. `name` is the player's name in the lab, settings included."""

    def __init__(self, player: Player, name: str) -> None:
        self.name = name
        self._player = player
        self._busy = Lock()

    def analyse(self, board: Board, stop: Event, seconds: float | None = None) -> Analysis:
        """Blocks. The player searches as its settings say, so that its name tells its strength;
        after `seconds` it is stopped."""
        with self._busy, _stopped_after(seconds, stop):
            return self._player.analyse(SearchRequest(board=board, seed=randbits(64), stop=stop))

    def close(self) -> None:
        """Stop a running search first: this waits for it."""
        with self._busy:
            self._player.close()


@contextmanager
def _stopped_after(seconds: float | None, stop: Event) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def describe_analysis(board: Board, analysis: Analysis) -> MoveAnalysis:
    return {
        "san": board.san(analysis.best),
        "line": sans_of(board, analysis.line[:MAX_LINE]),
        "wdl": analysis.wdl if analysis.wdl and all(map(isfinite, analysis.wdl)) else None,
        "value": value_of(analysis),
        "judgement": judgement(analysis),
        "considered": _considered(board, analysis),
    }


def judgement(analysis: Analysis) -> str | None:
    """How the player sees the position, in words."""
    mate_in, pawns = analysis.mate_in, _finite(analysis.score_pawns)
    if mate_in is not None:
        return f"mate in {mate_in}" if mate_in > 0 else f"mated in {-mate_in}"
    if pawns is None:
        return None
    if abs(pawns) < EVEN_PAWNS:
        return "about even"
    amount = f"{abs(pawns):.1f}"
    unit = "pawn" if amount == "1.0" else "pawns"
    return f"{'ahead' if pawns > 0 else 'behind'} by {amount} {unit}"


def hint(opponent: Opponent, board: Board) -> Hint:
    """A move by the opponent, or by the teacher where the opponent gives a bare move. Blocks."""
    name, analysis = opponent.name, _informative_analysis(opponent, board)
    if analysis is None:
        name = TEACHER
        analysis = _teacher().analyse(board, Event(), MAX_HINT_SECONDS)
    return {
        "by": name,
        "move": analysis.best,
        "san": board.san(analysis.best),
        "judgement": judgement(analysis),
    }


def accepts_draw(opponent: Opponent, board: Board) -> bool:
    """Whether the side that is not to move agrees to a draw. The teacher decides for players that
    do not judge positions. Blocks."""
    value = None
    with suppress(Exception):
        value = value_of(opponent.analyse(board, Event(), MAX_HINT_SECONDS))
    if value is None:
        value = value_of(_teacher().analyse(board, Event(), MAX_HINT_SECONDS))
    return value is not None and -value <= EVEN_VALUE


def _teacher() -> Opponent:
    return Opponent(load_player(TEACHER), TEACHER)


def _informative_analysis(opponent: Opponent, board: Board) -> Analysis | None:
    """None for a bare move, and for a player that fails."""
    with suppress(Exception):
        analysis = opponent.analyse(board, Event(), MAX_HINT_SECONDS)
        if judgement(analysis) is not None or analysis.policy is not None:
            return analysis
    return None


def value_of(analysis: Analysis) -> float | None:
    """From -1, lost, to 1, won. Scores in pawns use the scale on which nets learn them."""
    if analysis.wdl and all(map(isfinite, analysis.wdl)):
        return analysis.wdl[0] - analysis.wdl[2]
    if analysis.mate_in is not None:
        return 1.0 if analysis.mate_in > 0 else -1.0
    pawns = _finite(analysis.score_pawns)
    return None if pawns is None else tanh(pawns / VALUE_SCALE_PAWNS)


def _score(analysis: Analysis) -> str | None:
    """In the notation of chess programs."""
    if analysis.mate_in is not None:
        return f"#{analysis.mate_in}".replace("-", MINUS)
    pawns = _finite(analysis.score_pawns)
    return None if pawns is None else f"{pawns:+.1f}".replace("-", MINUS)


def _considered(board: Board, analysis: Analysis) -> list[ConsideredMove]:
    """The likeliest moves, or where there is no policy, the best ones."""
    by_move = {one.best: one for one in (analysis, *analysis.others)}
    policy = analysis.policy or {}
    ranked = sorted(policy, key=lambda move: -policy[move]) if policy else list(by_move)
    return [
        {
            "move": move,
            "san": board.san(move),
            "share": _finite(policy.get(move)),
            "score": _score(by_move[move]) if move in by_move else None,
            "visits": None if analysis.visits is None else analysis.visits[move],
        }
        for move in ranked[:MAX_CONSIDERED]
    ]


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else float(value)
