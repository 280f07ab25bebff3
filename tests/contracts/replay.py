"""A sample game played again: chess by the rule book, mini-chess by its slow reference."""

from collections.abc import Mapping

from oracle.slow_minichess import Position, Square
from selfmate.rules import Board

RESULTS = {"white": "1-0", "black": "0-1", None: "1/2-1/2"}
ENDINGS = {
    "ongoing": ("*", "ply_limit"),
    "mate": ("1-0", "checkmate"),
    "draw": ("1/2-1/2", "stalemate"),
}


def replayed(sample: Mapping[str, str]) -> tuple[str, str]:
    """Result and reason as they follow from start and moves, each of which must be legal."""
    replay = _chess if " " in sample["start"] else _minichess
    return replay(sample["start"], sample["moves"].split())


def _chess(start: str, moves: list[str]) -> tuple[str, str]:
    board = Board(start)
    for move in moves:
        board.push(move)
    outcome = board.outcome()
    return (RESULTS[outcome.winner], outcome.reason) if outcome else ("*", "ply_limit")


def _minichess(start: str, moves: list[str]) -> tuple[str, str]:
    position, ending = _placed(start), "ongoing"
    for number, move in enumerate(moves):
        assert ending == "ongoing"
        after = _moved(position, _square(move[:2]), _square(move[2:]))
        if number % 2 == 0:
            assert after in position.moves().values()
            ending = after.outcome()
        else:
            assert after in position.replies()
        position = after
    return ENDINGS[ending]


def _placed(start: str) -> Position:
    ranks = start.split("/")[::-1]
    found = {}
    for row, rank in enumerate(ranks):
        column = 0
        for letter in rank:
            if not letter.isdigit():
                found[letter] = (row, column)
            column += int(letter) if letter.isdigit() else 1
        assert column == len(ranks)
    assert len(found) == 3
    return Position(len(ranks), found["K"], found["Q"], found["k"])


def _moved(position: Position, origin: Square, target: Square) -> Position:
    pieces = (position.king, position.queen, position.enemy)
    return Position(position.size, *(target if piece == origin else piece for piece in pieces))


def _square(name: str) -> Square:
    return int(name[1]) - 1, ord(name[0]) - ord("a")
