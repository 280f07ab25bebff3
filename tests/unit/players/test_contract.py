"""What every player of our own promises, whatever it plays by."""

from pathlib import Path
from threading import Event

import numpy as np
import pytest

from selfmate.players import Player, Question, load_player
from selfmate.rules import Board, GameBatch, uci_text
from unit.players.trained_runs import make_run, make_scorer_run, make_transformer_run, make_tree_run

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
    "TREE:by=value",
    "TREE:by=value,temperature=0.1",
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
    "POLICY": make_transformer_run,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for word, make in MAKERS.items():
        make(folder / word.lower())
    return {word: folder / word.lower() for word in MAKERS}


@pytest.fixture(params=NAMES)
def player(request: pytest.FixtureRequest, runs: dict[str, Path]) -> Player:
    name: str = request.param
    for word, path in runs.items():
        name = name.replace(word, str(path))
    return load_player(name)


def played_on() -> list[Board]:
    batch = GameBatch(BOARDS, seed=3)
    for _ in range(35):
        batch.step(batch.random_moves())
    return [batch.board(slot) for slot in range(BOARDS)]


def test_choices_are_legal_and_do_not_depend_on_grouping(player: Player) -> None:
    boards, dice = played_on(), np.random.default_rng(1).integers(0, 2**64, BOARDS, np.uint64)
    together = player.choose(boards, dice).moves
    for number, board in enumerate(boards):
        assert uci_text(int(together[number])) in board.legal_moves()
        alone = player.choose([board], dice[number : number + 1]).moves
        assert alone[0] == together[number]
    player.close()


def test_the_full_name_gives_the_same_player_again(player: Player) -> None:
    boards, dice = played_on(), np.random.default_rng(2).integers(0, 2**64, BOARDS, np.uint64)
    again = load_player(player.name)
    assert again.name == player.name
    assert np.array_equal(again.choose(boards, dice).moves, player.choose(boards, dice).moves)


def test_thinking_and_choosing_agree(player: Player) -> None:
    for fen in (KIWIPETE, PROMOTING, Board().fen()):
        for number in (5, 2**64 - 5):
            thought = player.think(Question(board=Board(fen), dice=number))
            chosen = player.choose([Board(fen)], np.array([number], np.uint64)).moves
            assert thought.best == thought.line[0] == uci_text(int(chosen[0]))


def test_a_stop_beforehand_still_gets_a_move(player: Player) -> None:
    stop = Event()
    stop.set()
    thought = player.think(Question(board=Board(), dice=1, stop=stop))
    assert thought.best in Board().legal_moves()
