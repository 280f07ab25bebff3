"""Boards as text, with the names of ranks and files. White's pieces are outlined, Black's filled:
they can be told apart without colours. Where a terminal has no pieces, they are letters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from selfmate.rules import Board

GLYPHS = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
SQUARES = ("on #86664a", "on #c4a57b")
MARKED_SQUARES = ("on #7d8037", "on #a9a748")
WHITE_PIECE, BLACK_PIECE = "bold #ffffff", "bold #101010"
NO_SHADES: Mapping[str, str] = MappingProxyType({})


def shows_pieces(console: "Console") -> bool:
    """Whether the terminal's encoding has the chess pieces; else they are drawn as letters."""
    try:
        "".join(GLYPHS.values()).encode(console.encoding)
    except UnicodeEncodeError:
        return False
    return True


def has_colour(console: "Console") -> bool:
    return console.color_system is not None and not console.no_color


@dataclass(frozen=True)
class BoardPicture:
    """A board to print: each terminal gets what it can show."""

    board: "Board"
    indent: int = 0

    def __rich_console__(self, console: "Console", _: "ConsoleOptions") -> "Iterator[Text]":
        letters, plain = not shows_pieces(console), not has_colour(console)
        yield draw_ranks(letters_of(self.board), self.indent, letters=letters, plain=plain)


def draw_board(board: "Board", indent: int = 0) -> BoardPicture:
    """Rank 8 first."""
    return BoardPicture(board, indent)


def letters_of(board: "Board") -> list[list[str]]:
    """Rank 8 first; White's pieces are upper case, an empty square is a dot."""
    return [line.split() for line in str(board).splitlines()]


def draw_ranks(
    ranks: Sequence[Sequence[str]],
    indent: int = 0,
    shades: Mapping[str, str] = NO_SHADES,
    *,
    letters: bool = False,
    plain: bool = False,
) -> "Text":
    """A board of any size from its letters, the highest rank first. `shades` are colours of single
    squares, by name; `letters` and `plain` as in `draw_game`."""
    from rich.text import Text

    text, files = Text(), "abcdefgh"[: len(ranks)]
    for rank, pieces in zip(range(len(ranks), 0, -1), ranks, strict=True):
        text.append(f"{' ' * indent}{rank} ")
        for column, letter in enumerate(pieces):
            piece = WHITE_PIECE if letter.isupper() else BLACK_PIECE
            shade = shades.get(f"{files[column]}{rank}")
            square = f"on {shade}" if shade else SQUARES[(rank + column + 1) % 2]
            text.append(f" {_shown(letter, letters, plain)} ", style=f"{piece} {square}")
        text.append("\n")
    text.append(f"{' ' * indent}   " + "  ".join(files))
    return text


def draw_game(board: "Board", *, flipped: bool, letters: bool, plain: bool) -> "Text":
    """The board of a game with its last move in brackets; from Black's side if `flipped`.

    `letters` stand for pieces where those cannot be shown; without colours (`plain`) empty squares
    are dots.
    """
    from rich.text import Text

    rows, step = letters_of(board), -1 if flipped else 1
    last = board.moves[-1] if board.moves else ""
    files, text = "abcdefgh"[::step], Text()
    for rank in range(8, 0, -1)[::step]:
        text.append(f"{rank} ")
        for file in files:
            column, square = "abcdefgh".index(file), f"{file}{rank}"
            letter = rows[8 - rank][column]
            shown = _shown(letter, letters, plain)
            left, right = "[]" if square in (last[:2], last[2:4]) else "  "
            shades = MARKED_SQUARES if left == "[" else SQUARES
            piece = WHITE_PIECE if letter.isupper() else BLACK_PIECE
            text.append(f"{left}{shown}{right}", style=f"{piece} {shades[(rank + column + 1) % 2]}")
        text.append("\n")
    return text.append("   " + "  ".join(files))


def _shown(letter: str, letters: bool, plain: bool) -> str:
    if letter == ".":
        return " " if not plain else "." if letters else "·"
    return letter if letters else GLYPHS[letter]
