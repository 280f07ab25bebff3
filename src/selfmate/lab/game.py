"""A game in the lab: a person against a player, or two players that a person watches.

The player answers a person's move in a thread of its own. In a watched game the page asks for each
move (`step`): the game keeps the watcher's pace, and stops when nobody watches.
"""

from collections.abc import Hashable, Mapping
from datetime import date
from threading import Event, RLock, Thread
from typing import Literal

from typing_extensions import TypedDict

from selfmate.lab.errors import BusyError
from selfmate.lab.game_record import (
    ClockData,
    End,
    EndData,
    GameClock,
    GameLine,
    LineData,
    Side,
    end_on_board,
    end_on_time,
    opposite,
)
from selfmate.lab.opening_names import opening_of
from selfmate.lab.opponent import (
    Hint,
    MoveAnalysis,
    Opponent,
    accepts_draw,
    describe_analysis,
    hint,
)
from selfmate.rules import Board
from selfmate.uci.time_management import clock_budget

PERSON = "Human"
PersonsEnd = Literal["resignation", "agreement"]
OVERHEAD_MS = 50

Opponents = Mapping[Side, Opponent | None]  # None is the person


class SideNames(TypedDict):
    white: str
    black: str


class GameData(LineData):
    """The topic `game:ID`. Each change has a higher version."""

    id: str
    version: int
    person: Side | None
    names: SideNames
    thinking: bool
    problem: str | None
    end: EndData | None
    clock: ClockData | None
    opening: str | None
    draw_declined: bool  # the player has declined a draw in this position
    pgn: str


class GameHint(Hint):
    plies: int  # the moves after which it was given


class Game:
    """A topic as well. Every method may be called from any thread."""

    def __init__(
        self, name: str, opponents: Opponents, start: Board, clock: GameClock | None = None
    ) -> None:
        """`name` is the game's address. No move is made before `begin`."""
        self.name = name
        self.person: Side | None = next((side for side, one in opponents.items() if not one), None)
        self._opponents, self._clock = dict(opponents), clock
        self._line = GameLine(start)
        self._end: End | None = None
        self._stop: Event | None = None  # of the search that is running
        self._problem: str | None = None
        self._declined_at: int | None = None  # the plies after which a draw was declined
        self._date = date.today().strftime("%Y.%m.%d")
        self._changes = 0
        self._lock = RLock()

    # ---- what the page asks for

    def begin(self, moves: tuple[str, ...] = (), ended: PersonsEnd | None = None) -> None:
        """`moves` are those of a game that is resumed, and `ended` how the person ended it, if so.
        ValueError when a move is illegal."""
        with self._lock:
            for move in moves:
                self._push(move)
            self._continue()
            if ended == "resignation":
                self.resign()
            elif ended == "agreement":
                self._check_not_over()
                self._finish(End(None, ended))

    def move(self, text: str) -> None:
        """The person's move, in UCI or algebraic notation."""
        with self._lock:
            self._check_persons_turn()
            self._push(self._line.parse_move(text))
            self._continue()

    def step(self) -> None:
        """Asks the player to move: in a watched game, or again after it failed."""
        with self._lock:
            self._check_not_over()
            if self._line.board.turn == self.person:
                raise BusyError("it is your move")
            if self._stop is None:
                self._ask_player()

    def back(self) -> None:
        """Takes back the person's last move and everything after it, the end of the game too."""
        with self._lock:
            own = [at for at, ply in enumerate(self._line.plies) if ply["side"] == self.person]
            if not own:
                raise ValueError("there is no move of yours to take back")
            self._halt()
            self._end = self._declined_at = None
            self._line.truncate(own[-1])
            if self._clock is not None:
                self._clock.turn_back(own[-1])
            self._continue()

    def resign(self) -> None:
        with self._lock:
            self._check_not_over()
            if self.person is None:
                raise ValueError("nobody resigns in a game that is only watched")
            self._finish(End(opposite(self.person), "resignation"))

    def draw(self) -> None:
        """Offers a draw; the player accepts one unless it thinks that it stands better. Blocks."""
        with self._lock:
            self._check_persons_turn()
            board, plies = self._line.board.copy(), len(self._line.plies)
            if self._declined_at == plies:
                raise BusyError("your offer was declined: move before you offer a draw again")
        accepted = accepts_draw(self._opponent(opposite(board.turn)), board)
        with self._lock:
            self._check_not_over()
            if len(self._line.plies) != plies:
                raise BusyError("the game went on before the offer was answered")
            if accepted:
                self._finish(End(None, "agreement"))
            else:
                self._declined_at = plies
                self._changes += 1

    def hint(self) -> GameHint:
        """The move that the player, or else the teacher, would make for the person. Blocks."""
        with self._lock:
            self._check_persons_turn()
            board, plies = self._line.board.copy(), len(self._line.plies)
        return {"plies": plies, **hint(self._opponent(opposite(board.turn)), board)}

    def close(self) -> None:
        """Stops and closes the players. The game cannot be used afterwards."""
        with self._lock:
            self._halt()
        for opponent in {one for one in self._opponents.values() if one is not None}:
            opponent.close()

    # ---- what the page shows

    def version(self) -> Hashable:
        with self._lock:
            self._check_clock()
            return self._changes

    def data(self) -> GameData:
        with self._lock:
            self._check_clock()
            end = self._end
            return {
                "id": self.name,
                "version": self._changes,
                "person": self.person,
                "names": {"white": self._name("white"), "black": self._name("black")},
                **self._line.data(self.person if end is None else None),
                "thinking": self._stop is not None,
                "problem": self._problem,
                "end": None if end is None else end.data(self.person),
                "clock": None if self._clock is None else self._clock.data(),
                "opening": opening_of(self._line.board),
                "draw_declined": self._declined_at == len(self._line.plies),
                "pgn": self._pgn(),
            }

    def _pgn(self) -> str:
        tags = {
            "Event": "Selfmate lab",
            "Date": self._date,
            "White": self._name("white"),
            "Black": self._name("black"),
            "TimeControl": self._clock.setting.pgn if self._clock else "-",
        }
        if (opening := opening_of(self._line.board)) is not None:
            tags["Opening"] = opening
        if self._end is None:
            return self._line.pgn(tags, "*")
        reason = self._end.reason.replace("_", " ")
        return self._line.pgn(tags | {"Termination": reason}, self._end.score)

    def _name(self, side: Side) -> str:
        return PERSON if side == self.person else self._opponent(side).name

    def _opponent(self, side: Side) -> Opponent:
        opponent = self._opponents[side]
        assert opponent is not None
        return opponent

    # ---- how the game proceeds; callers hold the lock

    def _check_not_over(self) -> None:
        self._check_clock()
        if self._end is not None:
            raise BusyError(f"this game is over. {self._end.words(self.person)}")

    def _check_persons_turn(self) -> None:
        self._check_not_over()
        if self._line.board.turn != self.person:
            raise BusyError("it is not your move")

    def _check_clock(self) -> None:
        """Ends the game when somebody has run out of time."""
        fallen = self._clock.fallen() if self._clock and self._end is None else None
        if fallen is not None:
            self._finish(end_on_time(self._line.board, fallen))

    def _push(self, move: str, analysis: MoveAnalysis | None = None) -> None:
        self._line.push(move, analysis)
        if self._clock is not None:
            self._clock.press()

    def _continue(self) -> None:
        """After any change of the board: the game is over, or one side is to move."""
        self._changes += 1
        board = self._line.board
        end = end_on_board(board)
        if end is not None:
            self._finish(end)
        elif self.person is not None and board.turn != self.person:
            self._ask_player()
        else:
            self._start_clock()

    def _finish(self, end: End) -> None:
        self._halt()
        self._end = end

    def _halt(self) -> None:
        """Stops the search and the clock."""
        if self._stop is not None:
            self._stop.set()
        self._stop = self._problem = None
        if self._clock is not None:
            self._clock.stop()
        self._changes += 1

    def _start_clock(self) -> None:
        if self._clock is not None and self._line.plies:  # the first move costs no time
            self._clock.start(self._line.board.turn)

    # ---- the player's move

    def _ask_player(self) -> None:
        board, stop = self._line.board.copy(), Event()
        self._stop, self._problem = stop, None
        self._changes += 1
        self._start_clock()
        seconds = self._seconds_for_move(board.turn)
        Thread(target=self._analyse, args=(board, stop, seconds), daemon=True).start()

    def _seconds_for_move(self, side: Side) -> float | None:
        if self._clock is None:
            return None
        left_ms = int(1000 * self._clock.left(side))
        increment_ms = int(1000 * self._clock.setting.increment_seconds)
        return clock_budget(left_ms, increment_ms, 0, OVERHEAD_MS).target_ms / 1000

    def _analyse(self, board: Board, stop: Event, seconds: float | None) -> None:
        """In a thread of its own, without the lock."""
        opponent = self._opponent(board.turn)
        try:
            analysis = opponent.analyse(board, stop, seconds)
            described = describe_analysis(board, analysis)
            self._take_move(stop, analysis.best, described)
        except Exception as error:  # a player may fail in any way, and the game must survive it
            self._take_problem(stop, f"{opponent.name} could not move: {error}")

    def _take_move(self, stop: Event, move: str, analysis: MoveAnalysis) -> None:
        """A move comes too late when its search was stopped: taken back, resigned, out of time."""
        with self._lock:
            self._check_clock()
            if stop is self._stop:
                self._push(move, analysis)
                self._stop = None
                self._continue()

    def _take_problem(self, stop: Event, problem: str) -> None:
        with self._lock:
            self._check_clock()
            if stop is self._stop:
                self._halt()
                self._problem = problem
