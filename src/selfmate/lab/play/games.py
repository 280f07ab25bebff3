"""A game in the lab: a person against a player, or players watched.

A person's move is answered by the player in a thread of its own. In a watched game each move is
asked for (`step`), so that it goes at the watcher's pace and nobody plays to an empty room.
"""

from collections.abc import Hashable, Mapping
from datetime import date
from threading import Event, RLock, Thread
from typing import Any

from selfmate.lab.errors import BusyError
from selfmate.lab.play.clocks import GameClock
from selfmate.lab.play.hints import hint
from selfmate.lab.play.line import GameLine, Side
from selfmate.lab.play.results import End, end_on_board, end_on_time, other
from selfmate.lab.play.seats import Seat
from selfmate.lab.play.thoughts import describe_thought
from selfmate.rules import Board
from selfmate.uci.clock import for_clock

PERSON = "Human"
OVERHEAD_MS = 50

Seats = Mapping[Side, Seat | None]  # None: the person


class Game:
    """A topic as well. Every verb may be called from any thread."""

    def __init__(
        self, name: str, seats: Seats, start: Board, clock: GameClock | None = None
    ) -> None:
        """`name` is how it is found again. Nobody moves before `begin`."""
        self.name = name
        self.person: Side | None = next((side for side, seat in seats.items() if not seat), None)
        self._seats, self._clock = dict(seats), clock
        self._line = GameLine(start)
        self._end: End | None = None
        self._stop: Event | None = None  # of the thought under way
        self._problem: str | None = None
        self._date = date.today().strftime("%Y.%m.%d")
        self._changes = 0
        self._lock = RLock()

    def begin(self, moves: tuple[str, ...] = ()) -> None:
        """Moves are those of a game that goes on; ValueError when they are not legal."""
        with self._lock:
            for move in moves:
                self._push(move)
            self._go_on()

    def move(self, text: str) -> None:
        """The person's, as UCI or algebraic."""
        with self._lock:
            self._check_persons_turn()
            self._push(self._line.read(text))
            self._go_on()

    def step(self) -> None:
        """The player to move is asked: in a watched game, or again after it failed."""
        with self._lock:
            self._check_goes_on()
            if self._line.board.turn == self.person:
                raise BusyError("it is your move")
            if self._stop is None:
                self._ask_player()

    def back(self) -> None:
        """The person's last move and all that came of it, the end of the game too."""
        with self._lock:
            own = [at for at, ply in enumerate(self._line.plies) if ply.side == self.person]
            if not own:
                raise ValueError("there is no move of yours to take back")
            self._halt()
            self._end = None
            self._line.cut(own[-1])
            if self._clock is not None:
                self._clock.turn_back(own[-1])
            self._go_on()

    def resign(self) -> None:
        with self._lock:
            self._check_goes_on()
            if self.person is None:
                raise ValueError("nobody resigns in a game that is only watched")
            self._finish(End(other(self.person), "resignation"))

    def hint(self) -> dict[str, Any]:
        """What the player would do in the person's place, or else the teacher. Blocks."""
        with self._lock:
            self._check_persons_turn()
            board, plies = self._line.board.copy(), len(self._line.plies)
        return {"plies": plies, **hint(self._seat(other(board.turn)), board)}

    def close(self) -> None:
        """Nothing is to be asked of it any more; its players are free."""
        with self._lock:
            self._halt()
        for seat in {seat for seat in self._seats.values() if seat is not None}:
            seat.close()

    def version(self) -> Hashable:
        with self._lock:
            self._look_at_clock()
            return self._changes

    def data(self) -> dict[str, Any]:
        with self._lock:
            self._look_at_clock()
            end = self._end
            return {
                "id": self.name,
                "version": self._changes,
                "person": self.person,
                "names": {side: self._name(side) for side in self._seats},
                **self._line.data(self.person if end is None else None),
                "thinking": self._stop is not None,
                "problem": self._problem,
                "end": end and end.data(self.person),
                "clock": self._clock and self._clock.data(),
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
        if self._end is None:
            return self._line.pgn(tags, "*")
        reason = self._end.reason.replace("_", " ")
        return self._line.pgn(tags | {"Termination": reason}, self._end.score)

    def _name(self, side: Side) -> str:
        return PERSON if side == self.person else self._seat(side).name

    def _seat(self, side: Side) -> Seat:
        seat = self._seats[side]
        assert seat is not None
        return seat

    def _check_goes_on(self) -> None:
        self._look_at_clock()
        if self._end is not None:
            raise BusyError(f"this game is over. {self._end.words(self.person)}")

    def _check_persons_turn(self) -> None:
        self._check_goes_on()
        if self._line.board.turn != self.person:
            raise BusyError("it is not your move")

    def _look_at_clock(self) -> None:
        fallen = self._clock.fallen() if self._clock and self._end is None else None
        if fallen is not None:
            self._finish(end_on_time(self._line.board, fallen))

    def _push(self, move: str, thought: Mapping[str, Any] | None = None) -> None:
        self._line.push(move, thought)
        if self._clock is not None:
            self._clock.press()

    def _go_on(self) -> None:
        """After any change of the board: it is over, or somebody is to move."""
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
        """Nobody thinks any more, and no time passes."""
        if self._stop is not None:
            self._stop.set()
        self._stop = self._problem = None
        if self._clock is not None:
            self._clock.stop()
        self._changes += 1

    def _start_clock(self) -> None:
        if self._clock is not None and self._line.plies:  # the first move is free
            self._clock.start(self._line.board.turn)

    def _ask_player(self) -> None:
        board, stop = self._line.board.copy(), Event()
        self._stop, self._problem = stop, None
        self._changes += 1
        self._start_clock()
        seconds = self._seconds_for_move(board.turn)
        Thread(target=self._think, args=(board, stop, seconds), daemon=True).start()

    def _seconds_for_move(self, side: Side) -> float | None:
        if self._clock is None:
            return None
        left_ms = int(1000 * self._clock.left(side))
        increment_ms = int(1000 * self._clock.setting.increment_seconds)
        return for_clock(left_ms, increment_ms, 0, OVERHEAD_MS).target_ms / 1000

    def _think(self, board: Board, stop: Event, seconds: float | None) -> None:
        seat = self._seat(board.turn)
        try:
            thought = seat.ask(board, stop, seconds)
            answer = (thought.best, describe_thought(board, thought))
        except Exception as error:  # whatever it is, the game is not lost
            self._hear(stop, problem=f"{seat.name} could not move: {error}")
        else:
            self._hear(stop, answer)

    def _hear(
        self,
        stop: Event,
        answer: tuple[str, Mapping[str, Any]] | None = None,
        problem: str | None = None,
    ) -> None:
        """What came of a thought, if it was not stopped: by a move taken back, or by the end."""
        with self._lock:
            self._look_at_clock()
            if stop is not self._stop:
                return
            if answer is None:
                self._halt()
                self._problem = problem
            else:
                self._stop = None
                self._push(*answer)
                self._go_on()
