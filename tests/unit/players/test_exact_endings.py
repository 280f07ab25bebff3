"""Nets that know what a move ends, and nets that do not: whatever their weights."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from selfmate.nets.config import MoveScorerConfig, QNetConfig, TransformerConfig
from selfmate.players import Player, SearchRequest, load_player
from selfmate.players.network import PolicyPlayer, QPlayer, ScorerPlayer
from selfmate.players.searching import TreePlayer
from selfmate.rules import Board, Ragged, uci_code, uci_text
from selfmate.searches.endings import DRAW, MATE, NO_ENDING, move_endings
from selfmate.uci.options import Capabilities, Options
from unit.cli.process import selfmate
from unit.players.trained_runs import make_run, make_transformer_run, opinionated_net
from unit.searches.evaluations import ACTIONS, Floats

MATE_IN_ONE = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"  # four mates; three moves draw
WON = "7k/5Q2/8/6K1/8/8/8/8 w - - 0 1"  # no mate; five moves draw
KNIGHT_MATES = "6br/5Ppk/6pp/8/8/8/8/K7 w - - 0 1"
FIFTY_MOVES = "7k/8/8/8/8/8/R7/K7 w - - 99 120"  # every move draws
RETURNING = ("g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1")  # f6g8 repeats the position

MakePlayer = Callable[..., Player]


def make_q(temperature: float = 0.0, **settings: bool) -> Player:
    torch.manual_seed(1)
    return QPlayer("net", QNetConfig(hidden=(16, 8)).make_net(), temperature, **settings)


def make_transformer(temperature: float = 0.0, **settings: bool) -> Player:
    torch.manual_seed(1)
    net = TransformerConfig(width=16, blocks=1, heads=2).make_net()
    return PolicyPlayer("net", net, temperature, **settings)


def make_scorer(temperature: float = 0.0, **settings: bool) -> Player:
    torch.manual_seed(1)
    spec = MoveScorerConfig(encoding="onehot768", hidden=(16, 8), value_head=True)
    return ScorerPlayer("net", spec, spec.make_net(), temperature, **settings)


def make_policy_alone(temperature: float = 0.0, exact_endings: bool = True) -> Player:
    return TreePlayer(
        "net",
        opinionated_net(),
        simulations=0,
        temperature=temperature,
        exact_endings=exact_endings,
    )


EVERY_KIND = pytest.mark.parametrize(
    "make", [make_q, make_transformer, make_scorer, make_policy_alone]
)


def returned() -> Board:
    board = Board()
    for move in RETURNING:
        board.push(move)
    return board


def chosen(player: Player, board: Board, count: int = 100) -> set[str]:
    seeds = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    return {uci_text(move) for move in player.choose([board] * count, seeds).moves.tolist()}


def moves_with(ending: int, board: Board) -> set[str]:
    known = move_endings([board])
    return {uci_text(move) for move in known.moves.values[known.endings == ending].tolist()}


def q_net_of(value: float) -> QPlayer:
    """Every move is worth as much."""
    net = QNetConfig(hidden=(4,), dueling=False).make_net()
    for array in net.arrays().values():
        array[...] = 0
    net.arrays()["actions.bias"][...] = value
    return QPlayer("net", net)


@EVERY_KIND
@pytest.mark.parametrize("temperature", [0.0, 10.0])
def test_a_mate_is_played(make: MakePlayer, temperature: float) -> None:
    board = Board(MATE_IN_ONE)
    assert chosen(make(temperature), board) <= moves_with(MATE, board)
    assert chosen(make(10.0, exact_endings=False), board) > moves_with(MATE, board)


@pytest.mark.parametrize("make", [make_transformer, make_scorer])
def test_nets_without_values_avoid_draws(make: MakePlayer) -> None:
    for board in (Board(WON), returned()):
        draws = moves_with(DRAW, board)
        assert draws
        assert chosen(make(10.0), board, 300) == moves_with(NO_ENDING, board)
        assert chosen(make(10.0, exact_endings=False), board, 300) & draws


@EVERY_KIND
def test_a_draw_is_played_where_nothing_else_is_legal(make: MakePlayer) -> None:
    board = Board(FIFTY_MOVES)
    assert chosen(make(10.0), board, 300) == set(board.legal_moves()) == moves_with(DRAW, board)


def test_a_q_net_compares_a_draw_with_its_own_values() -> None:
    for board in (Board(WON), returned()):
        assert chosen(q_net_of(-0.5), board) == moves_with(DRAW, board)
        assert chosen(q_net_of(0.5), board) == moves_with(NO_ENDING, board)


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_a_policy_with_a_value_takes_a_draw_when_it_is_behind(
    monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        wdl = np.tile(np.array([(1 + value) / 2, 0, (1 - value) / 2], np.float32), (len(planes), 1))
        return wdl, np.zeros((len(planes), ACTIONS), np.float32)

    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: evaluate
    )
    for board in (Board(WON), returned()):
        wanted = moves_with(DRAW if value < 0 else NO_ENDING, board)
        assert chosen(make_policy_alone(10.0), board, 300) == wanted
        analysis = make_policy_alone().analyse(SearchRequest(board=board, seed=1))
        scores = {one.best: one.score_pawns for one in (analysis, *analysis.others)}
        assert analysis.best in wanted
        assert {scores[move] for move in moves_with(DRAW, board)} == {0.0}


def test_a_q_net_underpromotes_to_mate() -> None:
    board = Board(KNIGHT_MATES)
    assert chosen(make_q(), board) == {"f7f8n"}
    assert "f7f8n" not in chosen(make_q(10.0, exact_endings=False), board)
    others = [Board(), board, Board(MATE_IN_ONE)]  # rows before and after stay where they are
    seeds = np.zeros(3, np.uint64)
    together = make_q().choose(others, seeds).moves.tolist()
    assert together == [make_q().choose([one], seeds[:1]).moves[0] for one in others]
    queen = SearchRequest(board=board, root_moves=("f7f8q",))
    assert make_q().analyse(queen).best == "f7f8q"


@EVERY_KIND
def test_analyses_say_what_a_move_ends(make: MakePlayer) -> None:
    board = Board(MATE_IN_ONE)
    analysis = make().analyse(SearchRequest(board=board, seed=1))
    assert analysis.mate_in == 1
    found = {one.best: one for one in (analysis, *analysis.others)}
    assert {move for move, one in found.items() if one.mate_in} == moves_with(MATE, board)
    assert {found[move].score_pawns for move in moves_with(DRAW, board)} == {0.0}
    assert found.keys() == set(board.legal_moves())


@EVERY_KIND
def test_a_request_may_decide_it(make: MakePlayer) -> None:
    def best(player: Player, asked: bool | None = None) -> list[str]:
        request = SearchRequest(board=Board(MATE_IN_ONE), temperature=10.0, exact_endings=asked)
        requests = (replace(request, seed=number << 58) for number in range(64))
        return [player.analyse(request).best for request in requests]

    assert best(make(), False) == best(make(exact_endings=False))
    assert best(make(exact_endings=False), True) == best(make())
    assert best(make()) != best(make(exact_endings=False))


def test_only_allowed_moves_count() -> None:
    board = Board(WON)
    draws = tuple(sorted(moves_with(DRAW, board)))
    analysis = make_transformer().analyse(SearchRequest(board=board, seed=1, root_moves=draws))
    assert {analysis.best, *(one.best for one in analysis.others)} == set(draws)


def test_without_a_mask_a_net_knows_no_rules(tmp_path: Path) -> None:
    make_transformer_run(tmp_path / "x")
    name = f"{tmp_path}/x:version=1"
    assert load_player(f"{name},mask=0").name == f"{name},mask=0,terminal=off"
    assert load_player(name).name == f"{name},terminal=exact"
    with pytest.raises(ValueError, match=r"no mask, so it knows no rules: terminal=exact needs"):
        load_player(f"{name},mask=0,terminal=exact")


def test_endings_of_moves_in_another_order_and_of_some() -> None:
    boards = [Board(), Board(MATE_IN_ONE), returned()]
    known = move_endings(boards)
    rows: Sequence[Sequence[str]] = [["e2e4"], sorted(boards[1].legal_moves()), ["f6g8", "a7a6"]]
    codes = np.array([uci_code(move) for row in rows for move in row], np.int32)
    offsets = np.cumsum([0, *map(len, rows)])
    found = known.of(Ragged(codes, offsets))
    assert found.endings.tolist() == [
        next(kind for kind in range(3) if move in moves_with(kind, board))
        for board, row in zip(boards, rows, strict=True)
        for move in row
    ]


def test_uci_has_it_as_an_option(tmp_path: Path) -> None:
    options = Options(Capabilities(exact_endings=True))
    assert options.exact_endings is None
    options.set(["name", "Terminal", "value", "off"])
    assert options.exact_endings is False
    with pytest.raises(ValueError, match="'perhaps' is none of exact, off"):
        options.set(["name", "terminal", "value", "perhaps"])
    make_run(tmp_path / "x")
    typed = f"uci\nposition fen {MATE_IN_ONE}\ngo\nquit\n"
    said = selfmate("uci", str(tmp_path / "x"), typed=typed).stdout
    assert "option name Terminal type combo default exact var exact var off\n" in said
    assert "info score mate 1 " in said
