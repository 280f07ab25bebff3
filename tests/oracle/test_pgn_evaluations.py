"""Evaluations and best moves in comments: python-chess finds comments and positions, a slow
reference reads them, and the core must find the same."""

import io
import random
import re

import chess
import chess.engine
import chess.pgn
import numpy as np
import pytest

from selfmate._core import GameRecords, PgnReader
from selfmate.rules import uci_code

NONE, MOST = -32768, 10_000
BLACK_FIRST = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 3 17"
SCORE = r"(?P<sign>[+-]?)(?:(?P<mate>[M#])(?P<inner>[+-]?)(?P<moves>\d+)|(?P<pawns>\d+\.\d+))"
TCEC = re.compile(rf"(?:^|[\s,])wv={SCORE}(?=[\s,;]|$)")
CUTECHESS = re.compile(rf"\s*{SCORE}/\d")
BEST = re.compile(r"\[%best\s+([^\]]*)\]")


def read(movetext: str) -> GameRecords:
    """With a tag, as a comment before it is no part of the game."""
    reader = PgnReader(1)
    reader.feed(f'[Event "?"]\n{movetext}'.encode())
    reader.finish()
    assert reader.take_dropped() == []
    return reader.take()


def evaluations(text: str) -> list[int]:
    return list(map(int, read(text).evaluations))


def centipawns(match: re.Match[str] | None, view: int) -> int | None:
    """For the view of the side to move."""
    if match is None:
        return None
    negative = "-" in (match["sign"], match["inner"])
    size = MOST if match["mate"] else min(MOST, round(100 * float(match["pawns"])))
    return view * (-size if negative else size)


def said_after(node: chess.pgn.GameNode) -> int | None:
    """By python-chess: %eval is of the position after the move."""
    score = node.eval()
    if score is None:
        return None
    return max(-MOST, min(MOST, score.pov(node.turn()).score(mate_score=10**6)))


def reference(text: str) -> tuple[list[int], list[int]]:
    """Evaluations and best moves of the positions before all moves of a game."""
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert not game.errors
    found, best = [], []
    for node in game.mainline():
        before, comment = node.parent, node.comment
        view = 1 if before.turn() == chess.WHITE else -1
        candidates = (
            said_after(before),
            centipawns(CUTECHESS.match(comment), 1),
            centipawns(TCEC.search(comment), view),
        )
        found.append(next((value for value in candidates if value is not None), NONE))
        match = BEST.search(before.comment)
        move = chess.Move.from_uci(match[1]) if match else chess.Move.null()
        best.append(uci_code(move.uci()) if move in before.board().legal_moves else 0)
    return found, best


def random_score(rng: random.Random, mate: str) -> str:
    number = rng.randrange(1, 40)
    if rng.random() < 0.2:
        sign = rng.choice(["", "-"])
        return f"#{sign}{number}" if mate == "#" else f"{sign}M{number}"
    return f"{rng.gauss(0, 3 if rng.random() < 0.9 else 200):.2f}"


def random_notes(rng: random.Random, board: chess.Board) -> str:
    """Comments on the move that led to the board."""
    notes = []
    if rng.random() < 0.4:
        notes.append(f"{{[%clk 0:01:02] [%eval {random_score(rng, '#')}]}}")
    if rng.random() < 0.4:
        notes.append(f"{{d=20, pd=e5, wv={random_score(rng, 'M')}, mb=+0+0}}")
    if rng.random() < 0.4:
        sign = "" if (score := random_score(rng, "M")).startswith("-") else "+"
        notes.insert(0, f"{{{sign}{score}/18 1.2s}}")
    if rng.random() < 0.3 and (legal := list(board.legal_moves)):
        notes.append(f"{{[%best {rng.choice(legal).uci()}]}}")
    if rng.random() < 0.2:
        notes.append("{the score is 1/2 or 0.5 by [%evil 3.0] and wv}")
    return " ".join(notes)


def random_game(seed: int) -> str:
    rng = random.Random(seed)
    board = chess.Board(rng.choice([chess.STARTING_FEN, BLACK_FIRST]))
    is_start = board.fen() == chess.STARTING_FEN
    words = [] if is_start else [f'[SetUp "1"]\n[FEN "{board.fen()}"]\n\n']
    words.append(random_notes(rng, board) if rng.random() < 0.5 else "")
    while len(board.move_stack) < 40 and not board.is_game_over():
        move, other = (rng.choice(list(board.legal_moves)) for _ in range(2))
        number = f"{board.fullmove_number}{'.' if board.turn else '...'}"
        words += [number, board.san(move)]
        variation = f"({number} {board.san(other)} {{[%eval 7.77]}} {{wv=8.88}} {{+9.99/9 1s}})"
        board.push(move)
        words.append(notes := random_notes(rng, board))
        if rng.random() < 0.2:
            words += [variation, "" if notes else "{+66.60/1 after a variation}"]
    return " ".join(words) + " *\n"


@pytest.mark.parametrize("seed", range(60))
def test_all_forms_mean_what_python_chess_and_the_reference_say(seed: int) -> None:
    text = random_game(seed)
    records = read(text)
    assert (records.evaluations.tolist(), records.best_moves.tolist()) == reference(text)


def test_lichess_speaks_of_the_position_after_the_move() -> None:
    text = "{[%eval 0.2]} 1. e4 {[%eval 0.31]} e5 {[%eval #-3]} 2. Nf3 {[%eval -5,20]} Nc6 *\n"
    assert evaluations(text) == [20, -31, -MOST, 500]


def test_tcec_speaks_of_the_position_before_the_move_in_whites_view() -> None:
    text = "{wv=9.00} 1. e4 {wv=0.31} e5 {wv=0.30} 2. Nf3 {wv=M12} Nc6 {d=1, wv=-#7, n=2} *\n"
    assert evaluations(text) == [31, -30, MOST, MOST]


def test_cutechess_speaks_of_the_position_before_the_move_in_the_movers_view() -> None:
    text = "1. e4 {+0.31/18 1.2s} e5 {-0.30/17 0.9s} 2. Nf3 {+M5/20 0s} Nc6 {-M4/9, Mate} *\n"
    assert evaluations(text) == [31, -30, MOST, -MOST]


def test_a_position_without_an_evaluation_has_none() -> None:
    records = read("1. e4 {book} e5 {[%clk 0:00:01]} 2. Nf3 {1/2 was offered} Nc6 *\n")
    assert records.evaluations.dtype == np.int16
    assert set(records.evaluations.tolist()) == {NONE}
    assert set(records.best_moves.tolist()) == {0}


def test_the_first_evaluation_of_a_position_counts() -> None:
    assert evaluations("1. e4 {[%eval 1.00]} e5 {wv=2.00} {+3.00/1 0s} *\n") == [NONE, -100]


@pytest.mark.parametrize(
    "comment",
    [
        "[%eval]",
        "[%eval ]",
        "[%eval x]",
        "[%eval -]",
        "[%eval .]",
        "[%eval #]",
        "[%eval #0]",
        "[%eval 1.2.3]",
        "[%evaluate 1.0]",
        "[%eval",
        "[%eval 1.0x]",
        "",
        " ",
        "wv=",
        "wv=x",
        "wv=1.0x",
        "xwv=1.0",
        "wv =1.0",
        "+/18",
        "+0.31",
        "+0.31/",
        "+0.31 /18",
        "1/2",
        "M/3",
        "said 0.31/18",
        "[%best]",
        "[%best e9e4]",
        "[%best e2e5]",
        "[%best",
    ],
)
def test_odd_comments_say_nothing(comment: str) -> None:
    records = read(f"{{{comment}}} 1. e4 {{{comment}}} e5 *\n")
    assert records.evaluations.tolist() == [NONE, NONE]
    assert records.best_moves.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("score", "wanted"),
    [
        ("0", 0),
        ("-0.00", 0),
        ("+1.5", 150),
        (".25", 25),
        ("3.", 300),
        ("0.315", 32),
        ("152.31", MOST),
        ("-99999999999999999999.99", -MOST),
        ("#1", MOST),
        ("#-12", -MOST),
    ],
)
def test_numbers_are_centipawns_within_bounds(score: str, wanted: int) -> None:
    assert evaluations(f"{{[%eval {score}]}} 1. e4 *\n") == [wanted]


def test_a_best_move_is_of_the_position_after_the_move() -> None:
    records = read("{[%best d2d4]} 1. e4 {[%best c7c5] [%eval 0.30]} e5 {[%best e1e2]} *\n")
    assert records.best_moves.tolist() == [uci_code("d2d4"), uci_code("c7c5")]


def test_games_from_elsewhere_have_neither() -> None:
    from selfmate.rules import random_games

    records = random_games(3, seed=1)
    assert len(records.evaluations) == len(records.best_moves) == len(records.moves)
    assert set(records.evaluations.tolist()) == {NONE}
