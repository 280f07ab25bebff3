from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate._core import TreeSearch
from selfmate.rules import Board, uci_code, uci_text
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch, RootMoves, Roots, sample_moves
from unit.searches.evaluations import Floats, even, opinionated

SLOTS = np.arange(3, dtype=np.int64)
ONE = SLOTS[:1]
FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1",
)
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


def boards() -> list[Board]:
    return [Board(fen) for fen in FENS]


def tree_search(*games: Board, batch: int = 16, **numbers: float) -> BatchedTreeSearch:
    search = BatchedTreeSearch(opinionated, SearchConfig(**numbers), batch=batch)  # type: ignore[arg-type]
    search.reset(np.arange(len(games)), games)
    return search


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"c_puct_factor": 100.0},
        {"c_puct_stdev_scale": 1.0},
        {"fpu_absolute": True},
        {"root_fpu_absolute": True},
        {"num_considered_actions": 8},
        {"widening": 1.0},
    ],
    ids=str,
)
def test_defaults_are_those_of_the_core(settings: dict[str, Any]) -> None:
    """They are stated twice, in C++ and in Python: a search with either is the same, also where
    one setting lets others count."""
    seeds = np.array([5], np.uint64)
    ours, core = tree_search(Board(), **settings), TreeSearch(**settings)
    ours.run(ONE, 200, seeds)
    core.set(0, Board())
    core.start(ONE, 200, noise=True, seeds=seeds)
    planes = np.empty((1, 96, 8, 8), np.float32)
    while core.gather(1, planes):
        core.receive(*opinionated(planes))
    found, expected = ours.moves(ONE), RootMoves(*core.moves(ONE))
    assert found.visits.tolist() == expected.visits.tolist()
    assert found.priors.tolist() == expected.priors.tolist()


def test_every_legal_move_has_its_row() -> None:
    search = tree_search(*boards())
    search.run(SLOTS, 50)
    found = search.moves(SLOTS)
    for i, board in enumerate(boards()):
        rows = slice(found.offsets[i], found.offsets[i + 1])
        assert {uci_text(int(move)) for move in found.moves[rows]} == set(board.legal_moves())
        assert found.visits[rows].sum() == 50
        assert np.isclose(found.shares[rows].sum(), 1)
    assert search.roots(SLOTS).visits.tolist() == [51, 51, 51]
    assert np.allclose(search.roots(SLOTS).wdl_side_to_move.sum(axis=1), 1)


@pytest.mark.parametrize("simulations", [0, 1, 50])
def test_roots_have_the_wdl_of_the_best_move_beside_the_mean(simulations: int) -> None:
    search = tree_search(*boards())
    search.run(SLOTS, simulations)
    roots, found = search.roots(SLOTS), search.moves(SLOTS)
    for slot in SLOTS.tolist():
        own = slice(found.offsets[slot], found.offsets[slot + 1])
        row = found.moves[own].tolist().index(roots.best[slot])
        known = found.visits[own][row] > 0
        wanted = (
            search.outlooks(slot).wdl_side_to_move[row] if known else roots.wdl_side_to_move[slot]
        )
        assert roots.best_wdl_side_to_move[slot] == pytest.approx(wanted)


def test_without_simulations_the_priors_are_the_shares() -> None:
    search = tree_search(Board())
    search.run(ONE, 0)
    found = search.moves(ONE)
    assert found.visits.sum() == 0
    assert found.shares == pytest.approx(found.priors, rel=1e-5)
    assert search.roots(ONE).best[0] == found.moves[found.priors.argmax()]


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_games_do_not_depend_on_each_other_nor_on_the_batch(batch: int) -> None:
    together = tree_search(*boards(), batch=batch)
    together.run(SLOTS, 80, SLOTS.astype(np.uint64))
    for i, board in enumerate(boards()):
        alone, slot = tree_search(board), SLOTS[i : i + 1]
        alone.run(ONE, 80, slot.astype(np.uint64))
        assert together.moves(slot).visits.tolist() == alone.moves(ONE).visits.tolist()


def test_a_search_can_be_left_and_continued() -> None:
    left, unbroken = tree_search(Board(), batch=4), tree_search(Board(), batch=4)
    left.start(ONE, 100)
    for _ in zip(range(10), left.batches(), strict=False):
        assert not left.is_done(ONE)[0]
    assert left.roots(ONE).visits[0] >= 10
    for _ in left.batches():
        pass
    unbroken.run(ONE, 100)
    assert left.moves(ONE).visits.tolist() == unbroken.moves(ONE).visits.tolist()


def test_games_advance_while_others_are_searched() -> None:
    search = tree_search(*boards())
    search.start(SLOTS, 20)
    played = 0
    for leaves in search.batches():
        assert 1 <= leaves <= 3
        done = SLOTS[search.is_done(SLOTS)]
        if played < 4 and len(done):
            search.advance(done, search.roots(done).best)
            search.start(done, 10 * played)
            played += 1
    assert search.is_done(SLOTS).all()


@pytest.mark.parametrize("simulations", [0, 1, 100, 10_000])
def test_trees_are_deepened_to_so_many_simulations(
    simulations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in several parts, and where no leaf needs the net, because bare kings always draw."""
    monkeypatch.setattr("selfmate.searches.tree.SIMULATIONS_PER_PAUSE", 64)
    boards = [Board(), Board("7k/8/8/8/8/8/8/K7 w - - 0 1")][simulations > 100 :]
    slots = SLOTS[: len(boards)]
    search = tree_search(*boards)
    search.run(slots, min(simulations, 30))
    pauses = sum(1 for _ in search.deepen(slots, simulations))
    assert pauses >= simulations / 64
    assert set(search.roots(slots).visits.tolist()) == {simulations + 1}


@pytest.mark.parametrize(("fen", "max_nodes"), [(FENS[0], 100), (MATE_IN_ONE, 1 << 20)])
def test_a_tree_that_is_full_or_decided_is_deep_enough(fen: str, max_nodes: int) -> None:
    search = tree_search(Board(fen), max_nodes=max_nodes)
    for _ in search.deepen(ONE, 2**31 - 1):
        assert search.roots(ONE).visits[0] < 200


def test_a_cleared_slot_is_not_searched() -> None:
    search = tree_search(*boards())
    search.start(SLOTS, 20)
    search.clear(SLOTS[1:])
    assert sum(search.batches()) <= 21
    with pytest.raises(ValueError, match="there is no game in slot 1"):
        search.roots(SLOTS)


def test_cached_positions_are_not_evaluated_again() -> None:
    asked = 0

    def counted(planes: Floats) -> tuple[Floats, Floats]:
        nonlocal asked
        asked += len(planes)
        return even(planes)

    search = BatchedTreeSearch(counted, SearchConfig(cache_size=1000))
    for _ in range(2):
        search.reset(ONE, [Board()])
        search.run(ONE, 50)
    assert asked <= 51


@pytest.mark.parametrize("leaves", [1, 3, 8])
@pytest.mark.parametrize("cache_size", [50, 100_000])
def test_a_cache_with_exact_keys_changes_no_result(leaves: int, cache_size: int) -> None:
    """Three games of six plies, in which each search sees positions of the last one again."""
    asked = 0

    def counted(planes: Floats) -> tuple[Floats, Floats]:
        nonlocal asked
        asked += len(planes)
        return opinionated(planes)

    games, plain_asked = boards(), 0
    config = SearchConfig(cache_size=cache_size, exact_cache_key=True, leaves_per_game=leaves)
    cached = BatchedTreeSearch(counted, config, batch=24)
    for _ in range(6):
        plain = tree_search(*games, batch=24, leaves_per_game=leaves)
        plain.start(SLOTS, 150)
        plain_asked += sum(plain.batches())
        cached.reset(SLOTS, games)
        cached.run(SLOTS, 150)
        expected, found = plain.moves(SLOTS), cached.moves(SLOTS)
        assert found.visits.tolist() == expected.visits.tolist()
        assert found.values_side_to_move.tolist() == expected.values_side_to_move.tolist()
        for board, move in zip(games, plain.roots(SLOTS).best.tolist(), strict=True):
            if board.outcome() is None:
                board.push(uci_text(move))
    assert asked < 0.9 * plain_asked or cache_size == 50


def test_a_batch_of_cached_positions_alone_does_not_end_the_search() -> None:
    search = BatchedTreeSearch(opinionated, SearchConfig(cache_size=1000, leaves_per_game=4))
    for simulations in (40, 80):
        search.reset(ONE, [Board()])
        search.run(ONE, simulations)
        assert search.roots(ONE).visits.tolist() == [simulations + 1]


def rows(weights: list[list[int]], best: list[int]) -> tuple[Roots, RootMoves]:
    counts = [len(row) for row in weights]
    flat = np.concatenate([np.array(row) / sum(row) for row in weights]).astype(np.float32)
    moves = np.concatenate([np.arange(1, count + 1) for count in counts]).astype(np.uint16)
    nothing = np.zeros(len(flat), np.float32)
    ints = np.zeros(len(flat), np.int32)
    found = RootMoves(moves, ints, ints, nothing, nothing, flat, np.cumsum([0, *counts]))
    chosen = np.array([moves[found.offsets[i] + place] for i, place in enumerate(best)])
    zeros, unsaid = np.zeros(len(weights), np.int32), np.zeros((len(weights), 3), np.float32)
    return Roots(chosen, unsaid, unsaid, zeros, zeros), found


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any), st.integers(0, 2**64 - 1))
@settings(max_examples=50, deadline=None)
def test_what_was_never_visited_is_never_drawn(weights: list[int], seed: int) -> None:
    found = rows([weights], [0])
    seeds = np.array([seed], np.uint64)
    move = int(sample_moves(*found, np.array([1.0]), seeds)[0])
    assert weights[move - 1] > 0


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_moves_are_drawn_in_proportion_to_their_visits(temperature: float) -> None:
    count = 4000
    roots, found = rows([[10, 30, 60]] * count, [2] * count)
    seeds = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    drawn = sample_moves(roots, found, np.full(count, temperature), seeds)
    wanted = np.array([10, 30, 60]) ** (1 / temperature)
    shares = np.bincount(drawn, minlength=4)[1:] / count
    assert np.abs(shares - wanted / wanted.sum()).max() < 0.03


def test_games_have_their_own_temperature_and_at_0_the_best_is_played() -> None:
    roots, found = rows([[50, 50], [50, 50]], [0, 0])
    seeds = np.full(2, 2**64 - 1, np.uint64)
    assert sample_moves(roots, found, np.array([0.0, 1.0]), seeds).tolist() == [1, 2]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_mate_in_one_is_always_played(temperature: float) -> None:
    search = tree_search(*[Board(MATE_IN_ONE)] * 20)
    slots = np.arange(20)
    search.run(slots, 30, slots.astype(np.uint64))
    seeds = np.random.default_rng(2).integers(0, 2**64, 20, np.uint64)
    roots, found = search.roots(slots), search.moves(slots)
    drawn = sample_moves(roots, found, np.full(20, temperature), seeds)
    assert set(drawn.tolist()) == {uci_code("a1a8")}
    assert set(roots.plies_to_mate.tolist()) == {1}
    outlooks = search.outlooks(0)
    mating = found.moves[: found.offsets[1]].tolist().index(uci_code("a1a8"))
    assert outlooks.lines[mating] == [uci_code("a1a8")]
    assert outlooks.plies_to_mate[mating] == 1
    assert outlooks.wdl_side_to_move[mating].tolist() == [1, 0, 0]
