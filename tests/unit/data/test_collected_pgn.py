"""Collections as PGN: the games, and what the teacher said about each of its positions."""

import io
from pathlib import Path

import chess
import chess.pgn
import pytest

from selfmate.rules import Board
from selfmate.searches.teacher import score_moves
from unit.data.collected import collect


def games_of(path: Path) -> list[chess.pgn.Game]:
    text, games = io.StringIO(path.read_text()), list[chess.pgn.Game]()
    while (game := chess.pgn.read_game(text)) is not None:
        assert not game.errors
        games.append(game)
    return games


def test_games_have_the_teachers_evaluations(tmp_path: Path) -> None:
    collect(tmp_path / "games.pgn")
    games = games_of(tmp_path / "games.pgn")
    rounds = [int(game.headers["Round"]) for game in games]
    assert rounds == sorted(set(rounds))
    assert {"random", "teacher:depth=1"} == {game.headers["White"] for game in games}
    assert any("FEN" in game.headers for game in games)
    for game in games:
        players = {chess.WHITE: game.headers["White"], chess.BLACK: game.headers["Black"]}
        for node in game.mainline():
            before = node.parent
            by_teacher = players[before.turn()] != "random"
            score = before.eval()
            assert (score is not None) == by_teacher
            if score is not None:
                board = Board(game.board().fen())
                for move in before.board().move_stack:
                    board.push(move.uci())
                best = int(score_moves([board], depth=1).centipawns.max())
                assert score.pov(before.turn()).score(mate_score=10_000) == pytest.approx(
                    best, abs=1
                )


@pytest.mark.parametrize("ending", [".pgn", ".pgn.zst"])
def test_a_file_that_was_cut_is_completed(tmp_path: Path, ending: str) -> None:
    whole, cut = tmp_path / f"whole{ending}", tmp_path / f"cut{ending}"
    collect(whole)
    data = whole.read_bytes()
    collect(cut)
    for size in (0, len(data) // 2, len(data) - 1, len(data)):
        cut.write_bytes(data[:size])
        collect(cut, resume=True)
        if ending == ".pgn":
            assert cut.read_bytes() == data
        else:
            assert cut.stat().st_size > 0
