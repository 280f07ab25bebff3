"""Openings are named by their positions."""

import chess

from selfmate.lab.opening_names import LINES, opening_names, opening_of
from selfmate.rules import Board


def played(text: str, fen: str | None = None) -> Board:
    board = Board(fen)
    for san in text.split():
        board.push(board.parse_san(san))
    return board


def test_every_line_is_chess_and_no_position_has_two_names() -> None:
    lines = LINES.strip().splitlines()
    names: dict[str, str] = {}
    for line in lines:
        sans, _, name = line.partition(": ")
        board = chess.Board()
        for san in sans.split():
            board.push_san(san)
        assert names.setdefault(board.epd(), name) == name, line
    assert len(opening_names()[0]) == len(names)


def test_the_last_name_stays_when_the_game_leaves_the_table() -> None:
    assert opening_of(Board()) is None
    assert opening_of(played("e4 e5 Nf3 Nc6 Bb5")) == "Ruy Lopez"
    assert opening_of(played("e4 e5 Nf3 Nc6 Bb5 h5 h4 Nh6")) == "Ruy Lopez"


def test_the_order_of_the_moves_does_not_matter() -> None:
    assert opening_of(played("c4 Nf6 d4 g6 Nc3 Bg7")) == "King's Indian Defence"


def test_other_starts_have_no_openings() -> None:
    assert opening_of(played("e4", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")) is None
