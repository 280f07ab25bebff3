"""A Q-net as a player: its view of the board, its choices, its analyses."""

import chess
import numpy as np
import pytest

from selfmate.nets.config import QNetConfig
from selfmate.nets.q_net import QNet
from selfmate.players import Analysis, SearchRequest
from selfmate.players.network import QPlayer
from selfmate.rules import Board, GameBatch, uci_text
from unit.players.trained_runs import seeded_net

SMALL = QNetConfig(hidden=(16, 8), dueling=False)
AFTER_E4 = Board()
AFTER_E4.push("e2e4")


def net_with(values: dict[str, float]) -> QNet:
    """Gives moves of White the same values in every position, all others 0."""
    net = seeded_net(SMALL, 1)
    for array in net.arrays().values():
        array[...] = 0
    for move, value in values.items():
        code = chess.Move.from_uci(move)
        net.arrays()["actions.bias"][64 * code.from_square + code.to_square] = value
    return net


def chosen(player: QPlayer, board: Board, count: int = 200) -> set[str]:
    rng = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    return {uci_text(move) for move in player.choose([board] * count, rng).moves.tolist()}


def test_both_sides_play_the_move_with_the_highest_value() -> None:
    player = QPlayer("net", net_with({"d2d4": 0.2, "e2e4": 0.3, "e2e5": 0.9}))
    assert chosen(player, Board()) == {"e2e4"}
    assert chosen(player, AFTER_E4) == {"e7e5"}


def test_ties_are_broken_at_random_and_temperature_allows_more_moves() -> None:
    values = {"d2d4": 0.3, "e2e4": 0.3, "a2a3": 0.25}
    assert chosen(QPlayer("net", net_with(values)), Board()) == {"d2d4", "e2e4"}
    assert chosen(QPlayer("net", net_with(values), 0.02), Board()) == {"d2d4", "e2e4", "a2a3"}
    assert chosen(QPlayer("net", net_with(values), 10), Board()) == set(Board().legal_moves())


def test_mirrored_positions_get_mirrored_moves() -> None:
    player, batch = QPlayer("net", seeded_net(SMALL, 2)), GameBatch(30, seed=4)
    for _ in range(25):
        batch.step(batch.random_moves())
    boards = [batch.board(slot) for slot in range(30)]
    mirrored = [Board(chess.Board(board.fen()).mirror().fen()) for board in boards]
    rng = np.zeros(30, np.uint64)
    for move, other in zip(
        player.choose(boards, rng).moves, player.choose(mirrored, rng).moves, strict=True
    ):
        ours, theirs = (chess.Move.from_uci(uci_text(int(code))) for code in (move, other))
        assert chess.square_mirror(ours.from_square) == theirs.from_square
        assert chess.square_mirror(ours.to_square) == theirs.to_square


def test_promotions_are_to_queens() -> None:
    board = Board("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1")
    player = QPlayer("net", net_with({"e7e8": 0.5, "e7d8": 0.4}))
    analysis = player.analyse(SearchRequest(board=board, seed=1))
    assert [each.best for each in (analysis, *analysis.others)][:2] == ["e7e8q", "e7d8q"]


def test_the_analysis_scores_all_moves_in_pawns() -> None:
    values = {"d2d4": 0.3, "e2e4": np.tanh(0.25), "a2a3": 7.0, "h2h4": -0.5, "b2b3": -9.0}
    player = QPlayer("net", net_with(values))
    analysis = player.analyse(SearchRequest(board=Board(), seed=1))
    ranked = (analysis, *analysis.others)
    assert sorted(each.best for each in ranked) == sorted(Board().legal_moves())
    assert [each.line for each in ranked] == [(each.best,) for each in ranked]
    assert [each.best for each in ranked[:3]] == ["a2a3", "d2d4", "e2e4"]
    assert [each.best for each in ranked[-2:]] == ["h2h4", "b2b3"]
    scores = {each.best: each.score_pawns for each in ranked}
    assert scores["e2e4"] == pytest.approx(1)  # as the teacher's: a pawn ahead is tanh(1/4)
    assert scores["a2a3"] == pytest.approx(19.8, abs=0.1)
    assert scores["b2b3"] == pytest.approx(-19.8, abs=0.1)


def test_a_request_may_have_a_temperature_of_its_own() -> None:
    cold = QPlayer("net", net_with({"e2e4": 0.3}))
    warm = QPlayer("net", net_with({"e2e4": 0.3}), 5)

    def analyses(player: QPlayer, temperature: float | None) -> list[Analysis]:
        requests = (
            SearchRequest(board=Board(), seed=number << 58, temperature=temperature)
            for number in range(64)
        )
        return [player.analyse(request) for request in requests]

    assert analyses(cold, 5.0) == analyses(warm, None) != analyses(cold, None)
    assert analyses(warm, 0.0) == analyses(cold, None)
