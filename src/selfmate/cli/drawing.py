"""A board in the terminal, with squares and pieces in colour."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from selfmate.rules import Board

GLYPHS = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))
SQUARES = ("on #86664a", "on #c4a57b")
WHITE_PIECE, BLACK_PIECE = "bold #ffffff", "bold #101010"
NO_SHADES: Mapping[str, str] = MappingProxyType({})


def draw_board(board: "Board", indent: int = 0) -> "Text":
    """Eight lines from rank 8 down, with ranks and files named."""
    return draw_ranks([line.split() for line in str(board).splitlines()], indent)


def draw_ranks(
    ranks: Sequence[Sequence[str]], indent: int = 0, shades: Mapping[str, str] = NO_SHADES
) -> "Text":
    """A board of any size from its letters, the highest rank first; `shades` are the colours of
    squares that shall not look like the others, by name."""
    from rich.text import Text

    text, files = Text(), "abcdefgh"[: len(ranks)]
    for rank, letters in zip(range(len(ranks), 0, -1), ranks, strict=True):
        text.append(f"{' ' * indent}{rank} ")
        for column, letter in enumerate(letters):
            piece = WHITE_PIECE if letter.isupper() else BLACK_PIECE
            shade = shades.get(f"{files[column]}{rank}")
            square = f"on {shade}" if shade else SQUARES[(rank + column + 1) % 2]
            text.append(f" {GLYPHS.get(letter.lower(), ' ')} ", style=f"{piece} {square}")
        text.append("\n")
    text.append(f"{' ' * indent}   " + "  ".join(files))
    return text
