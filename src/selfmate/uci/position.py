"""The command `position`, and boards as players may be asked about them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selfmate.rules import Board


def parse_position(words: list[str]) -> "Board":
    """The board of `startpos [moves ...]` or `fen FEN [moves ...]`; ValueError says what is wrong.

    A line may go on past a draw that nobody claimed.
    """
    from selfmate.rules import Board

    split = words.index("moves") if "moves" in words else len(words)
    if words[:split] == ["startpos"]:
        board = Board()
    elif words[:1] == ["fen"]:
        board = Board(" ".join(words[1:split]))
    else:
        raise ValueError("position must be: position startpos | fen FEN [moves MOVE ...]")
    for move in words[split + 1 :]:
        board.push(move, past_draw=True)
    return board


def undecided(board: "Board") -> "Board | None":
    """The board, or one without its past when a draw by repetition or fifty moves stands on it.

    Players are asked only about games that go on; a GUI may want a move after a draw that nobody
    claimed. None when even that does not help: mate, stalemate, or nothing left to mate with.
    """
    from selfmate.rules import Board

    if board.outcome() is None:
        return board
    fresh = Board(" ".join([*board.fen().split()[:4], "0", "1"]))
    return fresh if fresh.outcome() is None else None
