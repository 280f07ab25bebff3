"""Puzzles in the Lichess format."""

import gzip
from pathlib import Path

import pytest
import zstandard

from selfmate.arena.puzzles import Puzzle, read_puzzles, score_results, solve, solve_in_rounds
from selfmate.rules import Board
from selfmate.rules.pgn import DamagedFileError
from unit.arena.scripted import Scripted

HEADER = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags\n"
# Black blunders, then either rook mates on the eighth rank; Lichess names one of them.
TWO_MATES = "6k1/5ppp/8/8/8/8/r4PPP/R3R1K1 b - - 0 1"
MATE = Puzzle(TWO_MATES, ("a2b2", "a1a8"), 650, ("mate", "mateIn1"))
LONG = Puzzle("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", ("e8e7", "e2e4", "e7e6", "e1e2"), 1250, ("long",))


def always(answers: dict[str, str]) -> Scripted:
    return Scripted("p", lambda board, seeds: answers[board.fen().split()[0]])


def solved(player: Scripted, *puzzles: Puzzle) -> list[bool]:
    return [result for _, result in solve(player, puzzles, seed=1)]


@pytest.mark.parametrize(("move", "right"), [("a1a8", True), ("e1e8", True), ("a1a7", False)])
def test_any_mate_solves_a_mate(move: str, right: bool) -> None:
    assert solved(Scripted("p", lambda *_: move), MATE) == [right]


def test_every_move_of_a_line_must_be_found() -> None:
    board = Board(LONG.fen)
    positions = []
    for move in LONG.moves:
        positions.append(board.fen().split()[0])
        board.push(move)
    first, second = positions[1], positions[3]
    assert solved(always({first: "e2e4", second: "e1e2"}), LONG) == [True]
    assert solved(always({first: "e2e4", second: "e1d2"}), LONG) == [False]
    assert solved(always({first: "e2e3"}), LONG) == [False]


def test_a_forfeit_solves_nothing() -> None:
    assert solved(Scripted("p", lambda *_: "!crashed"), MATE, LONG) == [False, False]


def test_scores_by_rating_band_and_theme() -> None:
    score = score_results([(MATE, True), (MATE, False), (LONG, False)])
    assert (score.overall.solved, score.overall.total) == (1, 3)
    assert {band: (c.solved, c.total) for band, c in score.by_band.items()} == {
        600: (1, 2),
        1200: (0, 1),
    }
    assert score.by_theme["mateIn1"].share == 0.5


def test_plain_and_compressed_files(tmp_path: Path) -> None:
    text = f"{HEADER}x,{MATE.fen},a2b2 a1a8,650,1,1,1,mate mateIn1,u,\n"
    plain, packed = tmp_path / "p.csv", tmp_path / "p.csv.zst"
    plain.write_text(text)
    packed.write_bytes(zstandard.ZstdCompressor().compress(text.encode()))
    assert read_puzzles(plain) == read_puzzles(packed) == [MATE]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "no Lichess puzzle file"),
        ("a,b\n1,2\n", "no column FEN, Moves, Rating, Themes"),
        (HEADER, "holds no puzzle"),
        (HEADER + f"x,{MATE.fen},a2b2,650,1,1,1,mate,u,\n", "line 2: a puzzle has an even number"),
        (HEADER + f"x,{MATE.fen},a2b2 a1a9,650,1,1,1,mate,u,\n", "line 2: bad move 'a1a9'"),
        (HEADER + "x,what,a2b2 a1a8,650,1,1,1,mate,u,\n", "line 2: bad FEN"),
        (HEADER + f"x,{MATE.fen},a2b2 a1a8,high,1,1,1,mate,u,\n", "line 2: "),
        (HEADER + "x\n", "line 2: "),
    ],
)
def test_errors_in_files_name_the_line(tmp_path: Path, text: str, cause: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=cause):
        read_puzzles(path)


def test_gzip_is_read_and_damage_is_said(tmp_path: Path) -> None:
    rows = [f"x,{MATE.fen},a2b2 a1a8,{rating},1,1,1,mate,u,\n" for rating in range(600, 3600)]
    text = (HEADER + "".join(rows)).encode()
    packed = zstandard.ZstdCompressor().compress(text)
    for name, data in (("p.gz", gzip.compress(text)), ("p.zst", packed)):
        path = tmp_path / name
        path.write_bytes(data)
        assert len(read_puzzles(path)) == 3000
        path.write_bytes(data[: len(data) // 2])
        with pytest.raises(DamagedFileError, match=f"{name} is damaged: "):
            read_puzzles(path)
    (tmp_path / "p.zst").write_bytes(packed[:40] + bytes(20) + packed[60:])
    with pytest.raises(DamagedFileError, match=r"p\.zst is damaged: "):
        read_puzzles(tmp_path / "p.zst")


def test_a_field_without_end_is_no_row(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"{HEADER}x,{MATE.fen},a2b2 a1a8,650,1,1,1,{'m' * 131_073},u,\n")
    with pytest.raises(ValueError, match=r"p\.csv, line 2 .* at most 131,072 characters"):
        read_puzzles(path)
    path.write_bytes(HEADER.encode() + b"\xff")
    with pytest.raises(ValueError, match=r"p\.csv is no UTF-8 text"):
        read_puzzles(path)


def test_a_sample_is_drawn_by_its_seed_from_the_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    rows = [f"x,{MATE.fen},a2b2 a1a8,{rating},1,1,1,mate,u,\n" for rating in range(1000)]
    path.write_text(HEADER + "".join(rows))
    samples = [
        [puzzle.rating for puzzle in read_puzzles(path, sample=300, seed=seed)]
        for seed in (1, 1, 2)
    ]
    assert samples[0] == samples[1] == sorted(set(samples[0]))
    assert samples[0] != samples[2]
    assert len(samples[0]) == 300
    assert 60 < sum(rating >= 700 for rating in samples[0]) < 120  # 90 expected, 3.8 sigma
    assert len(read_puzzles(path, sample=5000)) == 1000


def test_puzzles_come_in_order_whichever_ends_first() -> None:
    long = Puzzle(Board().fen(), ("e2e4", "e7e5", "g1f3", "b8c6"), 1500, ())
    short = Puzzle(Board().fen(), ("d2d4", "d7d5"), 1500, ())
    answers = {"e2e4": "e7e5", "g1f3": "b8c6", "d2d4": "d7d5"}
    player = Scripted("p", lambda board, _: answers[board.moves[-1]], parallel_games=2)
    rounds = list(solve_in_rounds(player, [long, short, short, long], seed=1))
    assert [puzzle for results in rounds for puzzle, _ in results] == [long, short, short, long]
    assert rounds[0] == []  # the short one is held back until the long one is solved
    assert all(is_solved for results in rounds for _, is_solved in results)
