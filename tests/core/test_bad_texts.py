"""Mutated FEN, UCI and SAN by the tens of thousands: the same verdict as python-chess, no crash."""

import random
import re

import chess
import pytest

from oracle.positions import CHESS960_FENS, STARTS, fen_of, random_games
from selfmate import Board

MUTANTS = 30_000
FEN_LETTERS = "PNBRQKpnbrqk12345678/ wb-KQkqABFGHah abcdefgh36 0159+~x\t\x00é"
MOVE_LETTERS = "NBRQKOPabcdefgh12345678x-=+#0!?nbrqk \x00é"


def mutate(text: str, letters: str, rng: random.Random) -> str:
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        action = rng.randrange(4)
        if action == 0:
            text = text[:at] + rng.choice(letters) + text[at:]
        elif action == 1:
            text = text[:at] + text[at + 1 :]
        elif action == 2:
            text = text[:at] + rng.choice(letters) + text[at + 1 :]
        else:
            other = rng.randrange(len(text) + 1)
            text = text[: min(at, other)] + text[max(at, other) :]
    return text


def oracle_fen(fen: str) -> str | None:
    """What python-chess makes of a FEN, within the limits that we state; None when refused."""
    fields = fen.split()
    counters_fit = all(re.fullmatch(r"[0-9]+", f) and int(f) <= 9999 for f in fields[4:6])
    if not 4 <= len(fields) <= 6 or not counters_fit or "~" in fields[0]:
        return None
    try:
        board = chess.Board(fen)
    except ValueError:
        return None
    # python-chess silently drops a Q or q when that side has no rook on its first rank; we refuse.
    for color, letter, home in (
        (chess.WHITE, "Q", chess.BB_RANK_1),
        (chess.BLACK, "q", chess.BB_RANK_8),
    ):
        if letter in fields[2] and not board.rooks & board.occupied_co[color] & home:
            return None
    by_file = any(letter in "abcdefgh" for letter in fields[2].lower())
    board.chess960 = by_file or board.has_chess960_castling_rights()
    return fen_of(board) if board.is_valid() else None


def our_fen(fen: str) -> str | None:
    try:
        return Board(fen).fen()
    except ValueError:
        return None


def test_mutated_fens_get_the_oracles_verdict() -> None:
    rng = random.Random(1)
    fens = [*STARTS, *CHESS960_FENS, *(board.fen() for board in random_games(7, 2_000))]
    fens += [fen_of(board) for board in random_games(8, 1_000, chess960=True)]
    accepted = 0
    for _ in range(MUTANTS):
        fen = mutate(rng.choice(fens), FEN_LETTERS, rng)
        assert our_fen(fen) == oracle_fen(fen), fen
        accepted += our_fen(fen) is not None
    assert MUTANTS / 100 < accepted < MUTANTS / 2


def test_random_placements_get_the_oracles_verdict() -> None:
    """Few pieces anywhere: kings in check from all sides, pawns on last ranks, odd en passant."""
    rng = random.Random(2)
    accepted = 0
    for _ in range(MUTANTS):
        oracle = chess.Board(None)
        for symbol in "Kk" + "".join(rng.choices("QRBNPqrbnp", k=rng.randint(0, 6))):
            oracle.set_piece_at(rng.randrange(64), chess.Piece.from_symbol(symbol))
        side, target = rng.choice("wb"), rng.choice(["-", rng.choice(chess.SQUARE_NAMES)])
        fen = f"{oracle.board_fen()} {side} - {target} 0 1"
        assert our_fen(fen) == oracle_fen(fen), fen
        accepted += our_fen(fen) is not None
    assert accepted > MUTANTS / 100


def test_random_double_pushes_get_the_oracles_verdict() -> None:
    """En-passant squares behind real pawns, with checks that the push can or cannot have given."""
    rng = random.Random(4)
    accepted = 0
    for _ in range(MUTANTS):
        oracle = chess.Board(None)
        for symbol in "Kk" + "".join(rng.choices("QRBNPqrbnp", k=rng.randint(0, 5))):
            oracle.set_piece_at(rng.randrange(64), chess.Piece.from_symbol(symbol))
        file = rng.randrange(8)
        oracle.set_piece_at(chess.square(file, 4), chess.Piece.from_symbol("p"))
        fen = f"{oracle.board_fen()} w - {'abcdefgh'[file]}6 0 1"
        assert our_fen(fen) == oracle_fen(fen), fen
        accepted += our_fen(fen) is not None
    assert accepted > MUTANTS / 20


def oracle_san(oracle: chess.Board, text: str) -> str | None:
    try:
        move = oracle.parse_san(text)
    except ValueError:
        return None
    # python-chess reads both ways to write castling as squares; we read that of the game only.
    squares = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}
    wrong = squares if oracle.chess960 else squares.values()
    return move.uci() if move and not (oracle.is_castling(move) and text[:4] in wrong) else None


def our_san(board: Board, text: str) -> str | None:
    try:
        return board.parse_san(text)
    except ValueError:
        return None


@pytest.mark.parametrize("chess960", [False, True])
def test_mutated_san_gets_the_oracles_verdict(chess960: bool) -> None:
    rng = random.Random(3)
    accepted = 0
    for oracle in random_games(11, MUTANTS // 10, chess960=chess960):
        moves = list(oracle.legal_moves)
        if not moves:
            continue
        board = Board(fen_of(oracle))
        for _ in range(10):
            move = rng.choice(moves)
            text = rng.choice([oracle.san(move), oracle.lan(move), move.uci()])
            text = mutate(text, MOVE_LETTERS, rng)
            assert our_san(board, text) == oracle_san(oracle, text), (board.fen(), text)
            accepted += our_san(board, text) is not None
    assert accepted > MUTANTS / 50


def test_mutated_uci_gets_the_oracles_verdict() -> None:
    rng = random.Random(5)
    for oracle in random_games(13, MUTANTS // 10):
        legal = [move.uci() for move in oracle.legal_moves]
        if not legal or oracle.is_insufficient_material():
            continue
        board = Board(oracle.fen())
        over = board.outcome() is not None
        for _ in range(10):
            text = mutate(rng.choice(legal), MOVE_LETTERS, rng)
            try:
                board.push(text)
            except ValueError:
                assert text not in legal or over
            else:
                assert text in legal
                board.pop()


@pytest.mark.parametrize(
    ("fen", "cause"),
    [
        ("", "it has 0 fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("k7/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has more than one king"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "Black is in check, but it is the other side's move"),
        ("k7/8/8/8/8/8/8/K7 w K - 0 1", "castling right 'K' without a rook on h1"),
        ("k7/8/8/8/8/8/K7/7R w K - 0 1", "castling right 'K' without the king on e1"),
        ("k7/8/8/8/8/8/8/R2K4 w K - 0 1", "castling right 'K' without a rook on h1"),
        ("k7/8/8/8/8/8/8/R2K4 w AG - 0 1", "castling right 'K' without a rook on g1"),
        ("k7/8/8/8/8/8/3K4/R7 w A - 0 1", "castling right 'Q' without the king on rank 1"),
        ("k7/8/8/8/8/8/8/RR1K4 w AB - 0 1", "two rooks on one side of the king have a castling"),
        ("k7/8/8/8/8/8/8/R2K4 w X - 0 1", "castling rights 'X', allowed are - or some of KQkq, in"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "pawn on the first or last rank"),
        ("k7/8/8/8/8/8/8/K7 w - e6 0 1", "en-passant square e6"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "the side to move is 'x', allowed are w and b"),
        ("k7/8/8/8/8/8/8/K7 w - - 10000 1", "half-move clock '10000' is not in 0..9999"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 -1", "full-move number '-1' is no number"),
        ("k7/8/8/8/8/8/8/K8 w - - 0 1", "rank 1 does not have exactly 8 squares"),
        ("k7/8/8/8/8/8/K7 w - - 0 1", "fewer than 8 ranks"),
        ("k7/8/8/8/8/8/8/44/K7 w - - 0 1", "two digits in a row"),
    ],
)
def test_a_bad_fen_is_refused_with_its_cause(fen: str, cause: str) -> None:
    with pytest.raises(ValueError, match=re.escape(cause)):
        Board(fen)


def test_messages_show_long_and_odd_texts_safely() -> None:
    with pytest.raises(ValueError, match=r"\\x00\\xff|\\x00\\xc3\\xbf") as caught:
        Board("\x00ÿ" + "9" * 10_000)
    assert len(str(caught.value)) < 500
