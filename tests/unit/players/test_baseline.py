"""random, greedy and the teacher as players."""

from collections import Counter
from threading import Event, Timer

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate._core import choose_best, choose_greedy, choose_random
from selfmate.players import Analysis, Limits, SearchRequest, load_player
from selfmate.rules import Board, uci_text

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
HANGING = "3qk3/8/8/8/8/2n5/1P1P4/3QK3 w - - 0 1"


def random_seeds(count: int, seed: int = 1) -> NDArray[np.uint64]:
    return np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)


@pytest.mark.parametrize(
    ("text", "name"),
    [("random", "random"), ("greedy", "greedy"), ("teacher", "teacher:depth=2"),
     ("teacher:depth=6", "teacher:depth=6")],
)  # fmt: skip
def test_names_are_canonical_and_load_again(text: str, name: str) -> None:
    assert load_player(text).name == name
    assert load_player(name).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("random:depth=1", "player 'random' has no setting 'depth'; it has none"),
        ("greedy:x=1", "player 'greedy' has no setting 'x'"),
        ("teacher:nodes=5", "player 'teacher' has no setting 'nodes'; it has depth, random"),
        ("teacher:depth=0", r"is not a whole number 1\.\.6"),
        ("teacher:depth=7", r"is not a whole number 1\.\.6"),
        ("teacher:random=100", r"is not a whole number 1\.\.99"),
        ("teacher:depth=two", r"is not a whole number 1\.\.6"),
    ],
)
def test_wrong_settings_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(text)


def test_random_is_uniform() -> None:
    seeds = np.arange(20_000, dtype=np.uint64)  # consecutive seeds must give independent moves
    counts = np.array(
        list(Counter(choose_random([Board()] * len(seeds), seeds, 2).tolist()).values())
    )
    assert len(counts) == 20
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert chi_square < 43.8  # 19 degrees of freedom, 0.1 %


def texts(moves: NDArray[np.uint16]) -> set[str]:
    return {uci_text(move) for move in moves.tolist()}


def test_greedy_wins_the_most_material_and_breaks_ties_at_random() -> None:
    seeds = random_seeds(200)
    assert texts(choose_greedy([Board()] * 200, seeds)) == set(Board().legal_moves())
    two_ways = Board(HANGING)
    assert texts(choose_greedy([two_ways] * 200, seeds)) == {"b2c3", "d2c3"}
    promoting = Board("3r3k/4P3/8/8/8/8/8/K7 w - - 0 1")
    assert texts(choose_greedy([promoting] * 50, seeds[:50])) == {"e7d8q"}
    passing = Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")
    assert texts(choose_greedy([passing] * 50, seeds[:50])) == {"e5d6"}


def test_the_best_move_is_chosen_and_ties_are_broken_at_random() -> None:
    moves = np.array([10, 11, 12, 20, 21], np.uint16)
    scores = np.array([-5, 7, 7, -9, -10], np.int32)
    offsets = np.array([0, 3, 5], np.int64)
    chosen = [
        choose_best(moves, scores, offsets, random_seeds(2, seed)).tolist() for seed in range(40)
    ]
    assert {first for first, _ in chosen} == {11, 12}
    assert {second for _, second in chosen} == {20}


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 0, 2], "game 0 has no move to choose"),
        ([0, 1, 3], "run from 0 to the number of moves, 2"),
        ([1, 1, 2], "run from 0"),
        ([0, 2], r"offsets must be a C-contiguous int64 array of shape \(3,\)"),
    ],
)
def test_wrong_offsets_are_refused(offsets: list[int], message: str) -> None:
    moves, scores = np.zeros(2, np.uint16), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match=message):
        choose_best(moves, scores, np.array(offsets, np.int64), random_seeds(2))


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="seeds must be a C-contiguous uint64 array"):
        choose_random([Board()], np.zeros(1, np.int64))
    with pytest.raises(ValueError, match=r"uint64 array of shape \(1,\)"):
        choose_greedy([Board()], random_seeds(2))
    with pytest.raises(ValueError, match="moves must be an array of one dimension"):
        choose_best(None, None, None, None)  # type: ignore[arg-type]
    mated = Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    with pytest.raises(ValueError, match="game 1 has no legal move"):
        choose_random([Board(), mated], random_seeds(2))


def test_the_teacher_reports_each_depth() -> None:
    reported = list[Analysis]()
    mate_in_two = Board("7k/8/R7/1R6/8/8/8/K7 w - - 0 1")
    last = load_player("teacher:depth=3").analyse(
        SearchRequest(board=mate_in_two, seed=1, report=reported.append)
    )
    assert [analysis.depth for analysis in reported] == [1, 2, 3]
    assert reported[-1] == last
    assert last.mate_in == 2
    assert last.score_pawns == pytest.approx(99.97)
    assert len(last.line) == 3
    nodes = [analysis.nodes or 0 for analysis in reported]
    assert 0 < nodes[0] < nodes[1] < nodes[2]


@pytest.mark.parametrize(("asked", "got"), [(1, 1), (3, 3), (0, 1)])
def test_the_depth_asked_for_is_searched(asked: int, got: int) -> None:
    analysis = load_player("teacher").analyse(
        SearchRequest(board=Board(KIWIPETE), seed=1, limits=Limits(depth=asked))
    )
    assert analysis.depth == got


def test_a_depth_beyond_the_maximum_is_clipped() -> None:
    bare = Board("8/8/8/3k4/8/3K4/3P4/8 w - - 0 1")
    analysis = load_player("teacher").analyse(
        SearchRequest(board=bare, seed=1, limits=Limits(depth=99))
    )
    assert analysis.depth == 6


@pytest.mark.parametrize("time_ms", [0, 1, 30])
def test_the_time_limit_is_kept(time_ms: float) -> None:
    player, board, limits = load_player("teacher:depth=6"), Board(KIWIPETE), Limits(time_ms=time_ms)
    analysis = player.analyse(SearchRequest(board=board, seed=1, limits=limits))
    assert analysis.best in board.legal_moves()
    assert (analysis.depth or 0) < 6
    assert (
        uci_text(int(player.choose([board], random_seeds(1), limits).moves[0]))
        in board.legal_moves()
    )


def test_stop_ends_a_running_search() -> None:
    stop, board = Event(), Board(KIWIPETE)
    Timer(0.05, stop.set).start()
    analysis = load_player("teacher:depth=6").analyse(SearchRequest(board=board, seed=1, stop=stop))
    assert analysis.best in board.legal_moves()
    assert (analysis.depth or 0) < 6  # six plies here would take many seconds


def test_the_node_limit_is_kept() -> None:
    player = load_player("teacher:depth=6")
    for nodes in (1, 20, 500, 20_000):
        analysis = player.analyse(
            SearchRequest(board=Board(KIWIPETE), seed=1, limits=Limits(nodes=nodes))
        )
        assert (analysis.nodes or 0) <= max(nodes, 48)


def test_a_blundering_teacher_plays_random_moves_as_often_as_it_says() -> None:
    boards, seeds = [Board()] * 4_000, random_seeds(4_000)
    sound = load_player("teacher:depth=1").choose(boards, seeds).moves
    blundering = load_player("teacher:depth=1,random=30").choose(boards, seeds).moves
    # One random move in twenty is the teacher's own.
    assert np.mean(sound != blundering) == pytest.approx(0.3 * 0.95, abs=0.03)
    for board, seed, move in zip(boards[:200], seeds, blundering, strict=False):
        analysis = load_player("teacher:depth=1,random=30").analyse(
            SearchRequest(board=board, seed=int(seed))
        )
        assert analysis.best == uci_text(int(move))
