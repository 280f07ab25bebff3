"""Starts of won endgames against python-chess."""

from collections import Counter

import chess

from selfmate.data.endgames import PIECE_SETS, favourite, few_pieces, won_endgame
from selfmate.rules import Board

STARTS = [won_endgame(5, number) for number in range(300)]


def test_starts_are_legal_and_won_by_material() -> None:
    kinds: Counter[tuple[bool, bool]] = Counter()
    armies = set()
    for fen in STARTS:
        board = chess.Board(fen)
        assert board.is_valid()
        assert not board.is_game_over()
        winner = board.occupied_co[chess.WHITE].bit_count() > 1
        assert favourite(Board(fen)) == (1 if winner else -1)
        pieces = board.piece_map().values()
        assert [piece.piece_type for piece in pieces if piece.color != winner] == [chess.KING]
        army = [piece.symbol().upper() for piece in pieces if piece.color == winner]
        armies.add("".join(sorted(set(army) - {"K"}, key="QRB".index)) + str(len(army)))
        assert not any(map(board.is_capture, board.legal_moves))
        bishops = chess.SquareSet(board.bishops)
        assert not bishops or {
            bool(chess.BB_SQUARES[s] & chess.BB_LIGHT_SQUARES) for s in bishops
        } == {True, False}
        kinds[winner, board.turn] += 1
    assert len(armies) == len(PIECE_SETS)
    assert min(kinds.values()) > 40
    assert len(kinds) == 4


def test_where_both_have_men_nobody_has_to_win() -> None:
    assert favourite(Board()) == 0
    assert favourite(Board("7k/8/6K1/8/8/8/8/8 w - - 0 1")) == 0


def test_starts_depend_on_seed_and_number_alone() -> None:
    assert won_endgame(5, 7) == STARTS[7]
    assert won_endgame(6, 7) != STARTS[7]
    assert len(set(STARTS)) == len(STARTS)


def test_positions_with_few_pieces_are_legal_and_of_all_kinds() -> None:
    balances: Counter[int] = Counter()
    for number in range(200):
        board = chess.Board(few_pieces(5, number))
        assert board.is_valid()
        assert not board.is_game_over()
        ours, theirs = (board.occupied_co[color].bit_count() for color in chess.COLORS)
        assert max(ours, theirs) <= 5
        pieces = board.piece_map().values()
        armies = [
            sorted(piece.piece_type for piece in pieces if piece.color == color)
            for color in chess.COLORS
        ]
        balances[(armies[0] > armies[1]) - (armies[0] < armies[1])] += 1
    assert balances[0] > 80
    assert min(balances[1], balances[-1]) > 20
    assert few_pieces(5, 7) == few_pieces(5, 7) != few_pieces(6, 7)
