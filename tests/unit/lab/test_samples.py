"""Games that runs have kept, as positions: by the rules, whoever wrote them."""

from typing import Any

import chess
import pytest

from selfmate.lab.samples import replay

MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]
GAME: dict[str, Any] = {
    "step": 7,
    "start": chess.STARTING_FEN,
    "moves": " ".join(MATE),
    "result": "0-1",
    "reason": "checkmate",
    "white": "learner",
    "black": "random",
}


def test_a_game_is_shown_as_python_chess_plays_it() -> None:
    shown = replay(GAME)
    assert shown is not None
    board, fens = chess.Board(), [chess.STARTING_FEN]
    for move in MATE:
        board.push_uci(move)
        fens.append(board.fen())
    assert list(shown["fens"]) == fens
    assert list(shown["moves"]) == ["f3", "e5", "g4", "Qh4#"]
    assert list(shown["squares"]) == MATE
    assert (shown["step"], shown["size"], shown["result"]) == (7, 8, "0-1")


def test_mini_chess_has_a_small_board() -> None:
    shown = replay(GAME | {"start": "k3/4/1KQ1/4", "moves": "c2c4 a4b4 b2b3"})
    assert shown is not None
    assert shown["size"] == 4
    assert list(shown["fens"]) == ["k3/4/1KQ1/4", "k1Q1/4/1K2/4", "1kQ1/4/1K2/4", "1kQ1/1K2/4/4"]
    assert list(shown["moves"]) == ["Qc4", "Kb4", "Kb3"]


@pytest.mark.parametrize(
    ("start", "moves", "plies"),
    [
        (chess.STARTING_FEN, "e2e4 e2e4", 1),
        (chess.STARTING_FEN, "e2e5", 0),
        (chess.STARTING_FEN, "<b>x</b>", 0),
        ("k3/4/1KQ1/4", "c2c4 a1a2", 1),
        ("k3/4/1KQ1/4", "c2<script>", 0),
    ],
)
def test_what_is_no_move_ends_the_game(start: str, moves: str, plies: int) -> None:
    shown = replay(GAME | {"start": start, "moves": moves})
    assert shown is not None
    assert len(shown["moves"]) == plies


@pytest.mark.parametrize("start", ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "k3/4/1KQ1/44", 7, None])
def test_what_is_no_position_is_not_shown(start: Any) -> None:
    assert replay(GAME | {"start": start}) is None
