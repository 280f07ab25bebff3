"""Annotated games: python-chess reads what the teacher said; resuming gives the same bytes."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn
import pytest
import zstandard

from selfmate.data.annotation import Annotation
from selfmate.rules import Board, read_pgn, uci_code
from selfmate.searches.teacher import MoveScores, score_moves
from unit.data.imports import games_text

MATE = '[Event "mate"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 {old} (2. a3) Qh4# 0-1\n\n'
ENDGAME = """[FEN "8/8/8/8/8/5k2/5q2/7K b - - 0 1"]
[SetUp "1"]
[Result "1/2-1/2"]

1... Qf1+ 2. Kh2 Qf2+ 3. Kh1 Qf1+ 4. Kh2 Qf2+ 5. Kh1 Qf1+ 6. Kh2 Qf2+ 1/2-1/2

"""


def score(boards: Sequence[Board]) -> MoveScores:
    return score_moves(boards, depth=1)


@dataclass(frozen=True)
class ShallowTeacher:
    name: str = "teacher"
    parallel_games: int = 30

    def score(self, boards: Sequence[Board]) -> MoveScores:
        return score(boards)


def annotate(source: Path, out: Path, *, resume: bool = False, teacher: str = "teacher") -> None:
    work = Annotation([source], out, ShallowTeacher(teacher), resume=resume)
    try:
        for _ in work.run():
            pass
    finally:
        work.close()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(MATE + ENDGAME + games_text(4, seed=3))
    return path


def test_python_chess_reads_what_the_teacher_said(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    annotate(source, out)
    text, games, exact = io.StringIO(out.read_text()), 0, 0
    while (game := chess.pgn.read_game(text)) is not None:
        games += 1
        assert game.headers["Annotator"] == "teacher"
        for node in [game, *game.mainline()]:
            board, found = Board(game.board().fen()), node.eval()
            for played in node.board().move_stack:
                board.push(played.uci(), past_draw=True)
            if board.outcome() is not None:
                assert node.comment == ""
                continue
            assert found is not None
            if len(node.board().piece_map()) == 3:  # an exact table has it
                mate = found.pov(node.turn()).mate()
                assert mate is not None
                exact += abs(mate) == 1 and mate < 0
                continue
            scores = score([board])
            best = int(scores.centipawns.max())
            assert found.pov(node.turn()).score(mate_score=10_000) == pytest.approx(best, abs=1)
            move = node.comment.split("[%best ")[1].rstrip("]")
            of_move = dict(zip(scores.moves.tolist(), scores.centipawns.tolist(), strict=True))
            assert of_move[uci_code(move)] == best
    assert games == 6
    assert exact > 0, "a teacher of depth 1 does not see that it is mated next"


def test_import_reads_the_same(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn.zst"
    annotate(source, out)
    pieces = [chunk.games for chunk in read_pgn(out)]
    assert sum(map(len, pieces)) == 6
    records = pieces[0]
    board = Board()
    assert records.evaluations[0] == score([board]).centipawns.max()
    board.push("f2f3")
    assert records.evaluations[1] == score([board]).centipawns.max()
    assert records.evaluations[3] == 10_000  # Qh4#
    assert records.best_moves[:4].all()


@pytest.mark.parametrize("ending", [".pgn", ".pgn.zst", ".pgn.gz"])
def test_a_file_that_was_cut_anywhere_is_completed(
    source: Path, tmp_path: Path, ending: str
) -> None:
    whole, cut = tmp_path / f"whole{ending}", tmp_path / f"cut{ending}"
    annotate(source, whole)
    data = whole.read_bytes()
    for size in (0, 1, len(data) // 3, len(data) // 2, len(data) - 1, len(data)):
        annotate(source, cut, resume=cut.exists())
        cut.write_bytes(data[:size])
        annotate(source, cut, resume=True)
        assert cut.read_bytes() == data


def test_what_cannot_be_annotated_is_refused(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    annotate(source, out)
    with pytest.raises(ValueError, match="exists already"):
        annotate(source, out)
    with pytest.raises(ValueError, match="was made with teacher teacher, not other"):
        annotate(source, out, resume=True, teacher="other")
    with pytest.raises(ValueError, match=r"must end in \.pgn"):
        annotate(source, tmp_path / "out.txt")


def test_compressed_games_are_read(source: Path, tmp_path: Path) -> None:
    packed = tmp_path / "games.pgn.zst"
    packed.write_bytes(zstandard.ZstdCompressor().compress(source.read_bytes()))
    annotate(source, tmp_path / "a.pgn")
    annotate(packed, tmp_path / "b.pgn")
    assert (tmp_path / "a.pgn").read_bytes() == (tmp_path / "b.pgn").read_bytes()
