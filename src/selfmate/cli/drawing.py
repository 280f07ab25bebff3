"""A board in the terminal, with squares and pieces in colour."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from selfmate.rules import Board

GLYPHS = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))
SQUARES = ("on #86664a", "on #c4a57b")
WHITE_PIECE, BLACK_PIECE = "bold #ffffff", "bold #101010"


def draw_board(board: "Board", indent: int = 0) -> "Text":
    """Eight lines from rank 8 down, with ranks and files named."""
    from rich.text import Text

    text = Text()
    for row, line in enumerate(str(board).splitlines()):
        text.append(f"{' ' * indent}{8 - row} ")
        for column, letter in enumerate(line.split()):
            piece = WHITE_PIECE if letter.isupper() else BLACK_PIECE
            glyph = GLYPHS.get(letter.lower(), " ")
            text.append(f" {glyph} ", style=f"{piece} {SQUARES[(row + column + 1) % 2]}")
        text.append("\n")
    text.append(f"{' ' * indent}   " + "  ".join("abcdefgh"))
    return text
