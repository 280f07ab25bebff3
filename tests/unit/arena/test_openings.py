"""Openings that ship or come from files, and start positions of self-play games."""

from pathlib import Path

import pytest

from selfmate.arena.openings import read_openings, shipped_openings
from selfmate.rules import Board

START = Board().fen()


def test_shipped_openings_are_varied_and_playable() -> None:
    openings = shipped_openings()
    assert len(openings) == 500
    assert all(6 <= len(opening.moves) <= 8 for opening in openings)
    ends = {opening.board().fen().rsplit(" ", 2)[0] for opening in openings}
    assert len(ends) == 500
    assert len({opening.moves[:6] for opening in openings}) == 500
    assert len({opening.moves[0] for opening in openings}) >= 8


def test_openings_from_files(tmp_path: Path) -> None:
    epd = tmp_path / "some.epd"
    epd.write_text(f'4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "x";\n# note\n{START}\n')
    assert [opening.fen for opening in read_openings(epd)] == [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        START,
    ]
    pgn = tmp_path / "some.pgn"
    pgn.write_text("1. e4 e5 *\n\n1. d4 *\n")
    assert [o.moves for o in read_openings(pgn)] == [("e2e4", "e7e5"), ("d2d4",)]


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("a.epd", "nonsense\n", "line 1: bad FEN"),
        ("a.epd", "\n\n", "holds no opening"),
        ("a.epd", "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "line 1: the opening ends the game"),
        ("a.pgn", "1. e4 e6 2. Ke3 *\n", "line 1: illegal move"),
        ("a.pgn", "", "holds no opening"),
    ],
)
def test_bad_opening_files_are_refused(tmp_path: Path, name: str, text: str, cause: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=cause):
        read_openings(path)


def test_an_opening_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.epd").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"a\.epd is not UTF-8 text"):
        read_openings(tmp_path / "a.epd")


def pieces(board: Board) -> int:
    return sum(letter.isalpha() for letter in board.fen().split()[0])
