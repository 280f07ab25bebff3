"""A single board, as a user would write it."""

import copy
import re
from collections.abc import Callable

import numpy as np
import pytest

from selfmate import Board, GameBatch
from selfmate.rules import chess960_fen, push_moves, uci_code, uci_text

SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def play(board: Board, *ucis: str) -> Board:
    for uci in ucis:
        board.push(uci)
    return board


def test_fools_mate() -> None:
    board = play(Board(), "f2f3", "e7e5", "g2g4", "d8h4")
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == ("black", "checkmate")
    assert repr(outcome) == "Outcome(winner='black', reason='checkmate')"
    assert board.is_check()
    assert board.legal_moves() == []
    with pytest.raises(ValueError, match="illegal move 'a2a3'"):
        board.push("a2a3")


def test_threefold_repetition_ends_the_game() -> None:
    board = play(Board(), *SHUFFLE, *SHUFFLE)
    outcome = board.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, "threefold_repetition")
    with pytest.raises(ValueError, match=re.escape("the game is over (threefold_repetition)")):
        board.push("e2e4")
    board.push("e2e4", past_draw=True)
    assert board.outcome() is None


def test_fifty_moves_and_mate_on_the_hundredth_half_move() -> None:
    outcome = Board("7k/8/8/8/8/8/R7/K7 b - - 100 90").outcome()
    assert outcome is not None
    assert outcome.reason == "fifty_moves"
    board = Board("7k/8/6K1/8/8/8/R7/8 w - - 99 90")
    board.push("a2a8")
    mate = board.outcome()
    assert mate is not None
    assert mate.reason == "checkmate"


def test_castling_rights_count_for_repetition() -> None:
    shuffle = ("e1e2", "e8e7", "e2e1", "e7e8")
    board = play(Board("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"), *shuffle, *shuffle)
    assert board.outcome() is None  # the first occurrence still had the rights
    play(board, "e1e2")
    assert board.outcome() is None  # as long as Black had his
    play(board, "e8e7")
    assert board.outcome() is not None


def test_fen_shows_en_passant_only_when_it_can_be_taken() -> None:
    assert play(Board(), "e2e4").fen().split()[3] == "-"
    assert play(Board(), "e2e4", "a7a6", "e4e5", "d7d5").fen().split()[3] == "d6"
    pinned = "8/8/8/K2pP2r/8/8/8/7k w - d6 0 2"
    assert Board(pinned).fen() == pinned.replace("d6", "-")


@pytest.mark.parametrize(
    ("fen", "printed"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 7", "4k3/8/8/8/8/8/8/4K3 b - - 7 1"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("  r3k2r/8/8/8/8/8/8/R3K2R  b KQkq - 1 9999 ", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 1 9999"),
    ],
)
def test_fens_of_other_programs_are_read(fen: str, printed: str) -> None:
    assert Board(fen).fen() == printed


@pytest.mark.parametrize(
    ("fen", "uci", "san"),
    [
        ("4k3/8/8/8/8/2N3N1/8/4K3 w - - 0 1", "c3e4", "Nce4"),
        ("4k3/8/2N5/8/8/2N5/8/6K1 w - - 0 1", "c3b5", "Nb5"),
        ("4k3/8/8/1N6/8/1N6/8/4K3 w - - 0 1", "b3d4", "N3d4"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "e4e1", "Qee1"),
        ("8/k7/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h1e1", "Q1e1"),
        ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8n", "exd8=N"),
        ("3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"),
        ("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "e8g8", "O-O"),
        ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"),
        ("8/8/8/3pP3/8/8/8/k6K w - d6 0 2", "e5d6", "exd6"),
    ],
)
def test_san_both_ways(fen: str, uci: str, san: str) -> None:
    board = Board(fen)
    assert board.san(uci) == san
    assert board.parse_san(san) == uci


# Castling in Chess960


@pytest.mark.parametrize(
    ("fen", "uci", "san", "after"),
    [
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "O-O", "5RK1"),  # the king stays
        ("3k4/8/8/8/8/8/8/4KR2 w F - 0 1", "e1f1", "O-O", "5RK1"),  # the rook stays
        ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "O-O", "5RK1"),  # they change places
        ("2k5/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", "O-O-O", "2KR4"),
        ("3k4/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", "O-O-O+", "2KR4"),
        ("4k3/8/8/8/8/8/8/R5K1 w A - 0 1", "g1a1", "O-O-O", "2KR4"),
        ("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1", "e1b1", "O-O-O", "R1KR4"),  # the inner rook
        ("4k3/8/8/8/8/8/8/1RR1K3 w Q - 0 1", "e1b1", None, ""),  # the outer one: c1 is taken
        ("4k3/8/8/8/8/8/8/qRK5 w B - 0 1", "c1b1", None, ""),  # the rook is a shield
        ("4k3/8/8/8/8/8/8/q1RK4 w C - 0 1", "d1c1", None, ""),  # pinned, and no shield on d1
        ("4k3/8/8/8/8/8/8/1RK1q3 w B - 0 1", "c1b1", None, ""),  # in check
        ("3rk3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", "O-O-O", "2KR4"),  # only the rook is attacked
        ("2r1k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1", None, ""),  # the destination is attacked
        ("4k3/8/8/8/8/8/8/RK1N4 w A - 0 1", "b1a1", None, ""),  # the rook's square is taken
    ],
)
def test_castling_in_chess960(fen: str, uci: str, san: str | None, after: str) -> None:
    board = Board(fen)
    assert board.chess960
    assert (uci in board.legal_moves()) == (san is not None)
    if san is not None:
        assert board.san(uci) == san
        assert board.parse_san(san.replace("O", "0")) == uci
        assert play(board, uci).fen().split()[0].endswith(f"/{after}")
        board.pop()
    assert board.fen() == Board(board.fen()).fen()
    assert board.hash == Board(board.fen()).hash


def test_standard_castling_is_written_as_ever_and_chess960_takes_the_rook() -> None:
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    standard, chess960 = Board(fen), Board(fen, chess960=True)
    assert (standard.chess960, chess960.chess960) == (False, True)
    assert {"e1g1", "e1c1"} <= set(standard.legal_moves())
    assert {"e1h1", "e1a1"} <= set(chess960.legal_moves())
    for board, other in ((standard, "e1h1"), (chess960, "e1g1")):
        with pytest.raises(ValueError, match=f"illegal move '{other}'"):
            board.push(other)
    assert play(standard, "e1g1").fen().split()[0] == play(chess960, "e1h1").fen().split()[0]
    with pytest.raises(ValueError, match="in Chess960 castling is the king taking its own rook"):
        chess960.push("e8g8")


@pytest.mark.parametrize(
    ("fen", "printed"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"),
        ("r2k3r/8/8/8/8/8/8/R2K3R w KQkq - 0 1", "r2k3r/8/8/8/8/8/8/R2K3R w HAha - 0 1"),
        ("r3k2r/8/8/8/8/8/8/RR2K2R w KBkq - 0 1", "r3k2r/8/8/8/8/8/8/RR2K2R w HBha - 0 1"),
        ("4k3/8/8/8/8/8/8/1RR1K1RR w KQ - 0 1", "4k3/8/8/8/8/8/8/1RR1K1RR w HB - 0 1"),
    ],
)
def test_a_fen_says_that_it_is_chess960(fen: str, printed: str) -> None:
    board = Board(fen)
    assert (board.chess960, board.fen(), Board(board.fen()).chess960) == (True, printed, True)


def test_the_hash_tells_which_rook_may_castle() -> None:
    fens = [f"4k3/8/8/8/8/8/8/RR2K3 w {rights} - 0 1" for rights in ("A", "B", "Q", "-")]
    outer, inner, standard, neither = (Board(fen).hash for fen in fens)
    assert len({outer, inner, standard, neither}) == 4


@pytest.mark.parametrize("number", [-1, 960])
def test_there_are_960_starts(number: int) -> None:
    with pytest.raises(ValueError, match=rf"Chess960 start {number} is not in 0\.\.959"):
        chess960_fen(number)


@pytest.mark.parametrize("text", ["Ng1f3", "g1f3", "g1-f3", "Nf3", "Nf3+", "Ngf3", "N1f3"])
def test_other_spellings_of_a_move_are_read(text: str) -> None:
    assert Board().parse_san(text) == "g1f3"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "not a move in algebraic notation"),
        ("Pe4", "not a move in algebraic notation"),
        ("e9", "not a move in algebraic notation"),
        ("--", "null moves are not allowed"),
        ("Nd2", "illegal move 'Nd2'"),
        ("O-O", "illegal move 'O-O'"),
    ],
)
def test_bad_san_is_refused_with_its_cause(text: str, cause: str) -> None:
    with pytest.raises(ValueError, match=re.escape(cause)):
        Board().parse_san(text)


def test_ambiguous_san_is_refused() -> None:
    with pytest.raises(ValueError, match="ambiguous move 'Ne4'"):
        Board("4k3/8/8/8/8/2N3N1/8/4K3 w - - 0 1").parse_san("Ne4")


@pytest.mark.parametrize("uci", ["", "e2", "e2e9", "e2e4x", "e7e8Q", "0000", "E2E4", "e2e4 "])
def test_bad_uci_is_refused(uci: str) -> None:
    with pytest.raises(ValueError, match="a UCI move looks like e2e4 or e7e8q"):
        Board().push(uci)


def test_pop_returns_the_move_and_stops_at_the_start() -> None:
    board = play(Board(), "e2e4", "e7e5")
    assert [board.pop(), board.pop()] == ["e7e5", "e2e4"]
    with pytest.raises(ValueError, match="no move to take back"):
        board.pop()


@pytest.mark.parametrize("duplicate", [Board.copy, copy.copy, copy.deepcopy])
def test_copies_are_independent(duplicate: object) -> None:
    board = play(Board(), *SHUFFLE)
    other = board.copy() if duplicate is Board.copy else duplicate(board)  # type: ignore[operator]
    other.push("e2e4")
    assert board.moves == list(SHUFFLE)
    assert play(board, *SHUFFLE).outcome() is not None


def test_a_board_prints_itself() -> None:
    assert str(Board()).splitlines()[0] == "r n b q k b n r"
    assert repr(Board()) == f"Board('{Board().fen()}')"


def codes(*ucis: str) -> "np.ndarray[tuple[int], np.dtype[np.uint16]]":
    return np.array([uci_code(uci) for uci in ucis], np.uint16)


def test_moves_on_several_boards_at_once() -> None:
    boards = [Board(), play(Board(), "f2f3", "e7e5", "g2g4")]
    outcomes = push_moves(boards, codes("e2e4", "d8h4"))
    assert [outcome and outcome.reason for outcome in outcomes] == [None, "checkmate"]
    assert [board.moves[-1] for board in boards] == ["e2e4", "d8h4"]
    assert push_moves([], codes()) == []


def test_pushing_on_several_boards_is_all_or_nothing() -> None:
    boards = [Board(), play(Board(), *SHUFFLE, *SHUFFLE)]
    with pytest.raises(ValueError, match="board 1: move 'e2e4' cannot be played"):
        push_moves(boards, codes("e2e4", "e2e4"))
    with pytest.raises(ValueError, match="board 0: move 'e2e5' cannot be played"):
        push_moves(boards[:1], codes("e2e5"))
    with pytest.raises(ValueError, match="one is given twice"):
        push_moves([boards[0], boards[0]], codes("e2e4", "e2e4"))
    with pytest.raises(ValueError, match="moves must be a C-contiguous uint16 array"):
        push_moves(boards, codes("e2e4"))
    with pytest.raises(ValueError, match="boards must be a list of Board"):
        push_moves([None], codes("e2e4"))  # type: ignore[list-item]
    assert boards[0].moves == []


@pytest.mark.parametrize("uci", ["a1a2", "h8a1", "e7e8q", "a2a1n"])
def test_codes_and_texts_of_moves(uci: str) -> None:
    assert uci_text(uci_code(uci)) == uci


@pytest.mark.parametrize("code", [-1, 0x10000, 5 << 12])
def test_no_text_for_what_is_no_code(code: int) -> None:
    with pytest.raises(ValueError, match="is no move code"):
        uci_text(code)


def starts_of_a_batch(fen: str) -> GameBatch:
    return GameBatch(1, starts=[fen])


@pytest.mark.parametrize(
    "read",
    [
        Board,
        lambda text: Board().push(text),
        lambda text: Board().san(text),
        lambda text: Board().parse_san(text),
        uci_code,
        starts_of_a_batch,
    ],
)
def test_half_of_a_surrogate_pair_is_refused_with_a_sentence(read: Callable[[str], object]) -> None:
    with pytest.raises(ValueError, match=r"'\\ud800' has half of a surrogate pair"):
        read("\ud800")
