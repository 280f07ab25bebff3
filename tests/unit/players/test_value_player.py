"""Nets that play by their value alone, against one move at a time."""

import numpy as np
import pytest

from selfmate.encodings import encode
from selfmate.players import SearchRequest
from selfmate.players.searching import ValuePlayer
from selfmate.rules import Board, uci_code, uci_text
from unit.players.trained_runs import opinionated_net
from unit.searches.evaluations import Floats, opinionated

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
BARE_AFTER_TAKING = "8/8/8/8/2k5/8/1q6/K7 w - - 0 1"


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> ValuePlayer:
    monkeypatch.setattr(
        "selfmate.players.searching.make_evaluator", lambda net, threads=1: opinionated
    )
    return ValuePlayer("net", opinionated_net())


def value_after(board: Board, move: str) -> float:
    after = board.copy()
    after.push(move)
    win, _, loss = opinionated(encode("planes96", [after]))[0][0].tolist()
    return float(loss - win)


def test_every_move_is_tried(player: ValuePlayer) -> None:
    board = Board(KIWIPETE)
    analysis = player.analyse(SearchRequest(board=board, seed=1))
    ranked = [analysis, *analysis.others]
    assert {one.best for one in ranked} == set(board.legal_moves())
    values = {move: value_after(board, move) for move in board.legal_moves()}
    assert [one.best for one in ranked] == sorted(values, key=lambda move: -values[move])
    for one in ranked:
        assert one.wdl is not None
        assert one.wdl[0] - one.wdl[2] == pytest.approx(values[one.best], abs=1e-6)


def test_a_mate_is_seen_even_by_a_net_that_is_sure_of_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost_for_who_moves(planes: Floats) -> tuple[Floats, Floats]:
        rows = len(planes)
        sure = np.tile(np.array([0, 0, 1], np.float32), (rows, 1))
        return sure, np.zeros((rows, 4672), np.float32)

    monkeypatch.setattr(
        "selfmate.players.searching.make_evaluator",
        lambda net, threads=1: lost_for_who_moves,
    )
    sure = ValuePlayer("net", opinionated_net())
    analysis = sure.analyse(SearchRequest(board=Board(MATE_IN_ONE), seed=3))
    assert (analysis.best, analysis.mate_in) == ("a1a8", 1)
    assert analysis.others[0].mate_in is None
    moves = sure.choose([Board(MATE_IN_ONE)] * 9, np.arange(9, dtype=np.uint64)).moves
    assert set(moves.tolist()) == {uci_code("a1a8")}


def test_a_draw_is_a_draw(player: ValuePlayer) -> None:
    analysis = player.analyse(SearchRequest(board=Board(BARE_AFTER_TAKING), seed=1))
    assert (analysis.best, analysis.wdl, analysis.others) == ("a1b2", (0, 1, 0), ())


def test_temperature_lets_it_choose_others(player: ValuePlayer) -> None:
    request = SearchRequest(board=Board(), seed=2**63, temperature=10.0)
    assert (
        player.analyse(request).best
        != player.analyse(SearchRequest(board=Board(), seed=2**63)).best
    )
    warm = ValuePlayer("net", opinionated_net(), temperature=10.0)
    rng = np.random.default_rng(1).integers(0, 2**64, 60, np.uint64)
    assert len({uci_text(int(m)) for m in warm.choose([Board()] * 60, rng).moves}) > 10
