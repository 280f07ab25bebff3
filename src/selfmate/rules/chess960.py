"""The 960 start positions of Chess960, in the numbering of Reinhard Scharnagl."""

from itertools import combinations

CHESS960_STARTS = 960
# The places of the knights on the five files that bishops and queen leave.
_KNIGHT_PLACES = tuple(combinations(range(5), 2))


def chess960_fen(number: int) -> str:
    """The start position with a number from 0 to 959; 518 has the pieces of standard chess.

    >>> chess960_fen(518)
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1'
    """
    if not 0 <= number < CHESS960_STARTS:
        raise ValueError(f"Chess960 start {number} is not in 0..{CHESS960_STARTS - 1}")
    pieces = _pieces(number)
    rights = "abcdefgh"[pieces.rindex("r")] + "abcdefgh"[pieces.index("r")]
    return f"{pieces}/pppppppp/8/8/8/8/PPPPPPPP/{pieces.upper()} w {rights.upper()}{rights} - 0 1"


def _pieces(number: int) -> str:
    """Black's pieces from the a-file on."""
    rest, light_bishop = divmod(number, 4)
    rest, dark_bishop = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    files = [""] * 8
    files[2 * light_bishop + 1] = files[2 * dark_bishop] = "b"
    _fill(files, (queen,), "q")
    _fill(files, _KNIGHT_PLACES[knights], "nn")
    _fill(files, (0, 1, 2), "rkr")
    return "".join(files)


def _fill(files: list[str], places: tuple[int, ...], pieces: str) -> None:
    """Puts pieces on free files, given by their order among the free ones."""
    free = [file for file in range(8) if not files[file]]
    for place, piece in zip(places, pieces, strict=True):
        files[free[place]] = piece
