"""A game in the terminal: a person types moves and commands, a player answers."""

import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from selfmate.cli.console import JobFailedError, LiveLine, counted
from selfmate.cli.dialogue import accepts_draw, judgement, read_move, why_not
from selfmate.cli.stopping import command_of

if TYPE_CHECKING:
    from selfmate.players import Analysis, Player
    from selfmate.rules import Board

Side = Literal["white", "black"]

EVENT, PERSON = "Selfmate, in the terminal", "Human"
OTHER: dict[Side, Side] = {"white": "black", "black": "white"}
RESULTS = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}  # by winner
HELP = """\
  Nf3 or g1f3  make a move, in algebraic notation or by its squares
  hint         what your opponent would play in your place
  back         take back your last move
  moves        the game so far, and all legal moves
  flip         see the board from the other side
  letters      letters in place of pieces, and back
  draw         offer a draw
  resign       give up
  quit         leave; the game is saved and can be resumed"""


@dataclass
class GameFile:
    """The game as PGN on disk, written again after every change."""

    path: Path
    problem: str = field(default="", init=False)  # why it could not be saved

    def save(self, text: str) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(text, "utf-8")
        except OSError as error:
            self.problem = error.strerror or str(error)
        else:
            self.problem = ""


class TerminalGame:
    """One game: a person types moves and commands, a player answers."""

    def __init__(
        self,
        player: "Player",
        board: "Board",
        side: Side,
        *,
        rating: str,
        file: GameFile,
        seed: int,
        letters: bool = False,
    ) -> None:
        """`rating` is what is known about the player's strength, for the first line."""
        from rich.console import Console

        from selfmate.cli.board_view import shows_pieces

        self._player, self._board, self._side, self._seed = player, board, side, seed
        self._rating, self._file = rating, file
        self._console = Console(highlight=False, markup=False)
        self._flipped = side == "black"
        self._letters = letters or not shows_pieces(self._console)
        self._winner: Side | None = None  # by resignation
        self._termination = ""  # how it ended other than by the rules
        self._left = False
        self._commands: dict[str, Callable[[], None]] = {
            "hint": self._hint,
            "back": self._back,
            "moves": self._list_moves,
            "flip": self._flip,
            "letters": self._switch_letters,
            "draw": self._offer_draw,
            "resign": self._resign,
            "help": lambda: self._console.print(HELP),
            "quit": self._leave,
        }

    def play(self) -> None:
        from selfmate.players.engine_process import EngineFaultError

        before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            self._greet()
            while not self._is_over():
                (self._ask if self._board.turn == self._side else self._answer)()
        except KeyboardInterrupt:
            self._leave()
        except EngineFaultError as fault:
            self._leave()
            raise JobFailedError(f"{self._player.name} failed: {fault}") from fault
        finally:
            signal.signal(signal.SIGTERM, before)
            self._say_goodbye()

    def _greet(self) -> None:
        say = self._console.print
        say(f"You play {self._player.name}, {self._rating}.")
        say(f"You have {self._side.capitalize()}{self._which_pieces()}. Type a move, or help.")
        self._show()

    def _which_pieces(self) -> str:
        white = self._side == "white"
        if self._letters:
            return ", the capital letters" if white else ", the small letters"
        return (
            ", the outlined pieces \N{WHITE CHESS KING}"
            if white
            else (", the filled pieces \N{BLACK CHESS KING}")
        )

    def _show(self) -> None:
        from selfmate.cli.board_view import draw_game, has_colour

        console = self._console
        plain = not has_colour(console)
        console.print()
        console.print(
            draw_game(self._board, flipped=self._flipped, letters=self._letters, plain=plain)
        )
        console.print()

    def _is_over(self) -> bool:
        return bool(self._left or self._termination or self._board.outcome() is not None)

    # ---- the person's turn

    def _ask(self) -> None:
        try:
            text = input("your move: ").strip()
        except EOFError:
            self._console.print()
            self._leave()
            return
        if text.lower() in self._commands:
            self._commands[text.lower()]()
        elif text:
            self._try_move(text)

    def _try_move(self, text: str) -> None:
        move = read_move(self._board, text)
        if move is None:
            self._console.print(why_not(self._board, text))
        else:
            self._push(move)

    def _push(self, move: str) -> None:
        self._board.push(move)
        self._save()

    def _hint(self) -> None:
        analysis = self._analysis()
        self._console.print(f"{self._player.name} would play {self._with_judgement(analysis)}.")

    def _with_judgement(self, analysis: "Analysis") -> str:
        said = judgement(self._board, analysis)
        return self._board.san(analysis.best) + (f" ({said})" if said else "")

    def _back(self) -> None:
        if len(self._board.moves) < 2:
            self._console.print("There is no move of yours to take back.")
            return
        self._board.pop()
        self._board.pop()
        self._save()
        self._show()

    def _list_moves(self) -> None:
        legal = [self._board.san(move) for move in self._board.legal_moves()]
        if self._board.moves:
            so_far = self._movetext("*").rstrip("*\n")
            self._console.print(f"So far: {so_far}")
        self._console.print(f"Legal: {', '.join(sorted(legal))}")

    def _flip(self) -> None:
        self._flipped = not self._flipped
        self._show()

    def _switch_letters(self) -> None:
        self._letters = not self._letters
        self._show()

    def _offer_draw(self) -> None:
        if accepts_draw(self._analysis()):
            self._termination = "draw by agreement"
            self._save()
        else:
            self._console.print(f"{self._player.name} declines the draw.")

    def _resign(self) -> None:
        self._winner, self._termination = OTHER[self._side], "resignation"
        self._save()

    def _leave(self) -> None:
        self._left = True

    # ---- the player's turn

    def _analysis(self) -> "Analysis":
        from selfmate.players import analyse

        seed = self._seed + len(self._board.moves)
        with LiveLine(lambda _: f"{self._player.name} is thinking ..."):
            return analyse(self._player, self._board, seed=seed)

    def _answer(self) -> None:
        board, analysis = self._board, self._analysis()
        number = board.fen().split()[-1] + ("." if board.turn == "white" else "...")
        san, said = board.san(analysis.best), judgement(board, analysis)
        self._push(analysis.best)
        self._show()
        check = " Check!" if board.is_check() and board.outcome() is None else ""
        self._console.print(
            f"{self._player.name} plays {number} {san}{said and f' ({said})'}.{check}"
        )

    # ---- the end

    def _result(self) -> str:
        outcome = self._board.outcome()
        if outcome is not None:
            return RESULTS[outcome.winner]
        return RESULTS[self._winner] if self._termination else "*"

    def _movetext(self, result: str) -> str:
        from selfmate.rules import Board, sans_of
        from selfmate.rules.pgn import movetext

        start = self._board.start_fen
        sans = sans_of(Board(start), self._board.moves)
        return movetext(sans, result, start)

    def _pgn(self) -> str:
        from selfmate.rules import Board
        from selfmate.rules.pgn import ROSTER, tag_text

        names = {self._side: PERSON, OTHER[self._side]: self._player.name}
        tags = ROSTER | {
            "Event": EVENT,
            "Date": datetime.now(UTC).strftime("%Y.%m.%d"),
            "White": names["white"],
            "Black": names["black"],
            "Result": self._result(),
        }
        if self._board.start_fen != Board().fen():
            tags |= {"SetUp": "1", "FEN": self._board.start_fen}
        if self._termination:
            tags["Termination"] = self._termination
        return f"{tag_text(tags)}\n{self._movetext(self._result())}"

    def _save(self) -> None:
        self._file.save(self._pgn())

    def _say_goodbye(self) -> None:
        say, file = self._console.print, self._file
        if self._is_over() and not self._left:
            if self._board.turn != self._side:
                self._show()  # the player's last move was shown when it was made
            say(self._end_sentence())
        if not self._board.moves:
            return
        if file.problem:
            say(f"The game cannot be saved to {file.path}: {file.problem}. Here it is:\n")
            say(self._pgn())
            return
        say(f"The game is in {file.path}.", soft_wrap=True)
        if self._left:
            command = command_of("play", self._player.name, "--resume", str(file.path))
            say(f"Continue it with: {command}", soft_wrap=True)

    def _end_sentence(self) -> str:
        outcome = self._board.outcome()
        reason = self._termination or (outcome.reason.replace("_", " ") if outcome else "")
        winner = self._winner or (outcome.winner if outcome else None)
        moves = counted((len(self._board.moves) + 1) // 2, "move")
        if winner is None:
            return f"A draw after {moves}: {reason}."
        who = "You win" if winner == self._side else f"{self._player.name} wins"
        return f"{who} after {moves}, by {reason}."


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
