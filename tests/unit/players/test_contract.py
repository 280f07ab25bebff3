"""The contract of `Player`, for all of our own players and those of packages that are installed."""

from pathlib import Path
from threading import Event

import numpy as np
import pytest

from selfmate.players import Player, SearchRequest, load_player, plugin_names
from selfmate.rules import Board, GameBatch, uci_text
from unit.players.trained_runs import (
    make_run,
    make_scorer_run,
    make_sparse_run,
    make_transformer_run,
    make_tree_run,
)

NAMES = (
    "random",
    "greedy",
    "teacher:depth=1",
    "teacher:depth=2",
    "teacher:depth=1,random=40",
    "RUN",
    "RUN:version=2,temperature=0.1",
    "SCORER",
    "SCORER:temperature=0.7,lookahead=1",
    "TREE:sims=0",
    "TREE:sims=100",
    "TREE:sims=8,temperature=0.7,cpuct=3",
    "TREE:sims=24,num_considered_actions=8",
    "TREE:sims=24,c_puct_factor=2,root_policy_temperature=1.5,c_puct_stdev_scale=0.85",
    "TREE:sims=24,two_fold_draws=1,prove_draws=1,lcb_stdevs=3,virtual_loss=0.5",
    "TREE:by=value",
    "TREE:by=value,temperature=0.1",
    "SPARSE",
    "SPARSE:sims=0",
    "SPARSE:sims=100",
    "SPARSE:sims=24,num_considered_actions=8",
    "SPARSE:by=value",
    "POLICY",
    "POLICY:temperature=0.7",
)
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PROMOTING = "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1"
BOARDS = 48


MAKERS = {
    "RUN": make_run,
    "SCORER": make_scorer_run,
    "TREE": make_tree_run,
    "SPARSE": make_sparse_run,
    "POLICY": make_transformer_run,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for word, make in MAKERS.items():
        make(folder / word.lower())
    return {word: folder / word.lower() for word in MAKERS}


@pytest.fixture(params=(*NAMES, *plugin_names()))
def player(request: pytest.FixtureRequest, runs: dict[str, Path]) -> Player:
    name: str = request.param
    for word, path in runs.items():
        name = name.replace(word, str(path))
    return load_player(name)


def random_positions() -> list[Board]:
    batch = GameBatch(BOARDS, seed=3)
    for _ in range(35):
        batch.step(batch.random_moves())
    return [batch.board(slot) for slot in range(BOARDS)]


def test_choices_are_legal_and_do_not_depend_on_grouping(player: Player) -> None:
    boards, seeds = (
        random_positions(),
        np.random.default_rng(1).integers(0, 2**64, BOARDS, np.uint64),
    )
    together = player.choose(boards, seeds).moves
    for number, board in enumerate(boards):
        assert uci_text(int(together[number])) in board.legal_moves()
        alone = player.choose([board], seeds[number : number + 1]).moves
        assert alone[0] == together[number]
    player.close()


def test_the_full_name_gives_the_same_player_again(player: Player) -> None:
    boards, seeds = (
        random_positions(),
        np.random.default_rng(2).integers(0, 2**64, BOARDS, np.uint64),
    )
    again = load_player(player.name)
    assert again.name == player.name
    assert np.array_equal(again.choose(boards, seeds).moves, player.choose(boards, seeds).moves)


def test_analyse_and_choose_agree(player: Player) -> None:
    for fen in (KIWIPETE, PROMOTING, Board().fen()):
        for seed in (5, 2**64 - 5):
            analysis = player.analyse(SearchRequest(board=Board(fen), seed=seed))
            chosen = player.choose([Board(fen)], np.array([seed], np.uint64)).moves
            assert analysis.best == analysis.line[0] == uci_text(int(chosen[0]))


def test_a_request_that_is_stopped_at_once_still_gets_a_move(player: Player) -> None:
    stop = Event()
    stop.set()
    analysis = player.analyse(SearchRequest(board=Board(), seed=1, stop=stop))
    assert analysis.best in Board().legal_moves()


def test_only_root_moves_are_chosen(player: Player) -> None:
    for fen in (KIWIPETE, PROMOTING):
        board = Board(fen)
        free = player.analyse(SearchRequest(board=board, seed=5))
        moves = tuple(move for move in board.legal_moves() if move != free.best)[-3:]
        found = player.analyse(SearchRequest(board=board, seed=5, root_moves=moves))
        assert {scored.best for scored in (found, *found.others)} <= set(moves)
        assert (found.score_pawns is None) == (free.score_pawns is None)
