"""The puzzles that ship, and how they are solved in the lab."""

from pathlib import Path

import chess
import pytest

import selfmate.arena
from selfmate.arena.puzzles import shipped_puzzles
from selfmate.lab.errors import NotFoundError
from selfmate.lab.puzzle_book import attempt, is_right
from selfmate.rules import Board
from unit.lab.asking import AskedLab

MAX_BYTES = 100_000


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> AskedLab:
    folder = tmp_path_factory.mktemp("lab")
    return AskedLab(folder / "runs", folder / "page")


def test_two_hundred_puzzles_ship_in_a_small_file_easiest_first() -> None:
    puzzles = shipped_puzzles()
    assert 200 <= len(puzzles) <= 600
    assert [one.rating for one in puzzles] == sorted(one.rating for one in puzzles)
    assert len({one.fen for one in puzzles}) == len(puzzles)
    file = Path(selfmate.arena.__file__).parent / "puzzles.csv"
    assert file.stat().st_size < MAX_BYTES


def test_every_solution_is_chess() -> None:
    for puzzle in shipped_puzzles():
        board = chess.Board(puzzle.fen)
        for move in puzzle.moves:
            board.push_uci(move)


@pytest.mark.parametrize("number", [1, 20, 50, 100])
def test_the_solution_solves_and_another_move_does_not(number: int) -> None:
    puzzle = shipped_puzzles()[number - 1]
    own = list(puzzle.moves[1::2])
    assert attempt(number, [])["state"] == "open"
    assert attempt(number, [])["solution"] == attempt(number, [])["line"] == []
    assert attempt(number, own[:-1])["state"] == "open"
    solved = attempt(number, own)
    assert (solved["state"], solved["solution"]) == ("solved", solved["played"])
    seen = Board(puzzle.fen)
    seen.push(puzzle.moves[0])
    wrong = next(one for one in seen.legal_moves() if not is_right(seen, one, own[0]))
    failed = attempt(number, [wrong])
    assert (failed["state"], failed["solution"]) == ("failed", solved["solution"])
    assert failed["legal"] == {}
    assert failed["fen"] == failed["start"] == seen.fen()  # the wrong move is taken back
    assert (failed["played"], failed["answer"]) == ([seen.san(wrong)], own[0])
    assert solved["answer"] is None
    assert solved["line"] == list(puzzle.moves[1:])


def test_every_mate_is_right() -> None:
    board = Board("6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1")
    assert is_right(board, "e1e8", "a1a8")
    assert not is_right(board, "e1e7", "a1a8")


def test_who_gives_up_sees_the_solution() -> None:
    given_up = attempt(1, [], give_up=True)
    assert given_up["state"] == "failed"
    assert given_up["solution"]
    assert given_up["answer"] == given_up["line"][0]


def test_there_is_no_other_puzzle() -> None:
    with pytest.raises(NotFoundError, match="puzzles 1 to"):
        attempt(0, [])


def test_players_are_asked(lab: AskedLab) -> None:
    strong = lab.post("/api/puzzles/1/answer", {"player": "teacher:depth=4"}).json
    weak = lab.post("/api/puzzles/1/answer", {"player": "teacher:depth=1"}).json
    assert (strong["player"], strong["solves"]) == ("teacher:depth=4", True)
    assert strong["moves"] == attempt(1, list(shipped_puzzles()[0].moves[1::2]))["played"][::2]
    assert not weak["solves"]
