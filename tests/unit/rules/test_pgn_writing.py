"""Writing PGN: what is written reads back the same, here and in python-chess."""

import io
import random

import chess
import chess.pgn
import pytest

from selfmate.rules.pgn import movetext, read_pgn, write_pgn
from unit.rules.pgn_texts import lines, parse

WRITTEN = r"""[Event "a \"b\" \\"]
[WhiteElo "2400"]
[Result "0-1"]
[Annotator "me"]

1. f3 e5 2. g4 Qh4# 0-1

[FEN "4k3/8/8/8/8/8/8/R3K3 b Q - 3 40"]

40... Kd7 41. O-O-O+ *
"""


def test_writing_reads_back_the_same() -> None:
    records, _ = parse(WRITTEN)
    file = io.StringIO()
    write_pgn(records, file, tags=[{"Round": "1"}, {"White": "x\ny"}])
    assert (
        file.getvalue()
        == r"""[Event "a \"b\" \\"]
[Site "?"]
[Date "????.??.??"]
[Round "1"]
[White "?"]
[Black "?"]
[Result "0-1"]
[WhiteElo "2400"]
[Annotator "me"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "x y"]
[Black "?"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/8/R3K3 b Q - 3 40"]

40... Kd7 41. O-O-O+ *

"""
    )
    again, dropped = parse(file.getvalue())
    assert dropped == []
    assert lines(again) == lines(records)
    assert again.tags(0)["Event"] == 'a "b" \\'
    assert again.start_fen(1) == records.start_fen(1)


def test_written_text_is_narrow_and_python_chess_reads_it() -> None:
    records, _ = parse("Nf3 Nf6 Ng1 Ng8 " * 60 + "1/2-1/2")
    file = io.StringIO()
    write_pgn(records, file)
    assert max(map(len, file.getvalue().splitlines())) < 80
    game = chess.pgn.read_game(io.StringIO(file.getvalue()))
    assert game is not None
    assert game.errors == []
    assert len(list(game.mainline_moves())) == 240


def test_some_games_are_written_by_number() -> None:
    records, _ = parse("1. e4 * 1. d4 * 1. c4 *")
    file = io.StringIO()
    write_pgn(records, file, games=[2, 0])
    again, _ = parse(file.getvalue())
    assert lines(again) == ["c4", "e4"]


def test_writing_refuses_wrong_tags() -> None:
    records, _ = parse("1. e4 *")
    with pytest.raises(ValueError, match="2 tag mappings were given for 1 games"):
        write_pgn(records, io.StringIO(), tags=[{}, {}])
    with pytest.raises(ValueError, match="'bad name' cannot be a PGN tag name"):
        write_pgn(records, io.StringIO(), tags=[{"bad name": "x"}])


def test_movetext_numbers() -> None:
    assert movetext([], "*") == "*\n"
    assert movetext(["e4", "e5", "Nf3"], "1-0") == "1. e4 e5 2. Nf3 1-0\n"
    black_first = "4k3/8/8/8/8/8/8/R3K3 b Q - 3 40"
    assert movetext(["Kd7", "Ra2"], "*", black_first) == "40... Kd7 41. Ra2 *\n"


def test_comments_stand_behind_their_moves() -> None:
    text = movetext(["e4", "e5", "Nf3"], "*", comments=("+0.3/4", "", "a } b"))
    assert text == "1. e4 {+0.3/4} 1... e5 2. Nf3 {a ) b} *\n"
    assert movetext(["e4"], "*", comments=("",)) == "1. e4 *\n"


def test_commented_games_are_read_back() -> None:
    sans = ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    text = movetext(sans, "*", comments=["+0.31/10 201n wdl 331 300 369"] * 5)
    assert max(map(len, text.splitlines())) < 80
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert [node.comment for node in game.mainline()] == ["+0.31/10 201n wdl 331 300 369"] * 5
    (chunk,) = read_pgn(io.BytesIO(text.encode()), threads=1)
    assert chunk.games.san(0) == sans


def chess960_game(number: int) -> chess.Board:
    """A random game that castles where it can."""
    rng = random.Random(number)
    board = chess.Board.from_chess960_pos(number)
    while not board.is_game_over() and board.ply() < 80:
        moves = list(board.legal_moves)
        board.push(rng.choice([move for move in moves if board.is_castling(move)] or moves))
    return board


def test_games_of_chess960_go_to_python_chess_and_back() -> None:
    boards = [chess960_game(number) for number in range(7, 960, 50)]
    records, dropped = parse("".join(f"{chess.pgn.Game.from_board(board)}\n\n" for board in boards))
    assert dropped == []
    assert any("O-O" in records.san(game) for game in range(len(records)))
    file = io.StringIO()
    write_pgn(records, file)
    again, _ = parse(file.getvalue())
    file.seek(0)
    for number, board in enumerate(boards):
        moves = [move.uci() for move in board.move_stack]
        assert records.uci(number) == again.uci(number) == moves
        assert records.start_fen(number) == again.start_fen(number) == board.root().shredder_fen()
        read = chess.pgn.read_game(file)
        assert read is not None
        assert read.errors == []
        assert read.headers["Variant"] == "Chess960"
        assert read.end().board().fen() == board.fen()


@pytest.mark.parametrize("variant", ["Chess960", "chess 960", "Fischerandom", "Fischer Random"])
def test_the_variant_alone_makes_chess960_of_the_standard_start(variant: str) -> None:
    records, _ = parse(f'[Variant "{variant}"]\n1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O *')
    assert records.uci(0)[-2:] == ["e1h1", "e8h8"]
    assert records.start_fen(0).split()[2] == "HAha"
