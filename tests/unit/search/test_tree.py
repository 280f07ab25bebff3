import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate._core import TreeSearch
from selfmate.rules import Board, uci_code, uci_text
from selfmate.search.tree import Forest, RootMoves, Roots, TreeSettings, chosen_moves
from unit.search.evaluations import Floats, even, opinionated

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


def forest(*planted: Board, batch: int = 16, **numbers: float) -> Forest:
    grown = Forest(opinionated, TreeSettings(**numbers), batch=batch)  # type: ignore[arg-type]
    grown.plant(np.arange(len(planted)), planted)
    return grown


def test_the_defaults_are_the_core_s() -> None:
    """The numbers stand in two places: a search with either is the same."""
    dice = np.array([5], np.uint64)
    told, untold = forest(Board()), TreeSearch()
    told.grow(ONE, 200, dice)
    untold.set(0, Board())
    untold.start(ONE, 200, noise=True, seeds=dice)
    planes = np.empty((1, 68, 8, 8), np.float32)
    while untold.gather(1, planes):
        untold.receive(*opinionated(planes))
    found, expected = told.moves(ONE), RootMoves(*untold.moves(ONE))
    assert found.visits.tolist() == expected.visits.tolist()
    assert found.priors.tolist() == expected.priors.tolist()


def test_every_legal_move_has_its_row() -> None:
    grown = forest(*boards())
    grown.grow(SLOTS, 50)
    found = grown.moves(SLOTS)
    for i, board in enumerate(boards()):
        rows = slice(found.offsets[i], found.offsets[i + 1])
        assert {uci_text(int(move)) for move in found.moves[rows]} == set(board.legal_moves())
        assert found.visits[rows].sum() == 50
        assert np.isclose(found.shares[rows].sum(), 1)
    assert grown.roots(SLOTS).visits.tolist() == [51, 51, 51]
    assert np.allclose(grown.roots(SLOTS).wdl_side_to_move.sum(axis=1), 1)


@pytest.mark.parametrize("simulations", [0, 1, 50])
def test_what_the_best_move_brings_is_told_beside_the_mean_of_all(simulations: int) -> None:
    grown = forest(*boards())
    grown.grow(SLOTS, simulations)
    roots, found = grown.roots(SLOTS), grown.moves(SLOTS)
    for slot in SLOTS.tolist():
        own = slice(found.offsets[slot], found.offsets[slot + 1])
        row = found.moves[own].tolist().index(roots.best[slot])
        known = found.visits[own][row] > 0
        wanted = (
            grown.outlooks(slot).wdl_side_to_move[row] if known else roots.wdl_side_to_move[slot]
        )
        assert roots.best_wdl_side_to_move[slot] == pytest.approx(wanted)


def test_without_simulations_the_priors_are_the_shares() -> None:
    grown = forest(Board())
    grown.grow(ONE, 0)
    found = grown.moves(ONE)
    assert found.visits.sum() == 0
    assert found.shares == pytest.approx(found.priors, rel=1e-5)
    assert grown.roots(ONE).best[0] == found.moves[found.priors.argmax()]


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_games_do_not_depend_on_each_other_nor_on_the_batch(batch: int) -> None:
    together = forest(*boards(), batch=batch)
    together.grow(SLOTS, 80, SLOTS.astype(np.uint64))
    for i, board in enumerate(boards()):
        alone, slot = forest(board), SLOTS[i : i + 1]
        alone.grow(ONE, 80, slot.astype(np.uint64))
        assert together.moves(slot).visits.tolist() == alone.moves(ONE).visits.tolist()


def test_a_search_can_be_left_and_goes_on() -> None:
    left, unbroken = forest(Board(), batch=4), forest(Board(), batch=4)
    left.start(ONE, 100)
    for _ in zip(range(10), left.batches(), strict=False):
        assert not left.is_done(ONE)[0]
    assert left.roots(ONE).visits[0] >= 10
    for _ in left.batches():
        pass
    unbroken.grow(ONE, 100)
    assert left.moves(ONE).visits.tolist() == unbroken.moves(ONE).visits.tolist()


def test_games_are_played_on_while_others_are_searched() -> None:
    grown = forest(*boards())
    grown.start(SLOTS, 20)
    played = 0
    for leaves in grown.batches():
        assert 1 <= leaves <= 3
        done = SLOTS[grown.is_done(SLOTS)]
        if played < 4 and len(done):
            grown.advance(done, grown.roots(done).best)
            grown.start(done, 10 * played)
            played += 1
    assert grown.is_done(SLOTS).all()


@pytest.mark.parametrize("simulations", [0, 1, 100, 10_000])
def test_trees_are_deepened_to_so_many_simulations(
    simulations: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in portions, and where no leaf needs the net: bare kings draw whatever they do."""
    monkeypatch.setattr("selfmate.search.tree.PORTION", 64)
    boards = [Board(), Board("7k/8/8/8/8/8/8/K7 w - - 0 1")][simulations > 100 :]
    slots = SLOTS[: len(boards)]
    grown = forest(*boards)
    grown.grow(slots, min(simulations, 30))
    pauses = sum(1 for _ in grown.deepen(slots, simulations))
    assert pauses >= simulations / 64
    assert set(grown.roots(slots).visits.tolist()) == {simulations + 1}


@pytest.mark.parametrize(("fen", "most_nodes"), [(FENS[0], 100), (MATE_IN_ONE, 1 << 20)])
def test_a_tree_that_is_full_or_decided_is_deep_enough(fen: str, most_nodes: int) -> None:
    grown = forest(Board(fen), most_nodes=most_nodes)
    for _ in grown.deepen(ONE, 2**31 - 1):
        assert grown.roots(ONE).visits[0] < 200


def test_a_felled_tree_is_searched_no_more() -> None:
    grown = forest(*boards())
    grown.start(SLOTS, 20)
    grown.fell(SLOTS[1:])
    assert sum(grown.batches()) <= 21
    with pytest.raises(ValueError, match="there is no game in slot 1"):
        grown.roots(SLOTS)


def test_what_the_net_said_is_not_asked_again() -> None:
    asked = 0

    def counted(planes: Floats) -> tuple[Floats, Floats]:
        nonlocal asked
        asked += len(planes)
        return even(planes)

    grown = Forest(counted, TreeSettings(cached_evaluations=1000))
    for _ in range(2):
        grown.plant(ONE, [Board()])
        grown.grow(ONE, 50)
    assert asked <= 51


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
def test_what_was_never_visited_is_never_drawn(weights: list[int], die: int) -> None:
    found = rows([weights], [0])
    dice = np.array([die], np.uint64)
    move = int(chosen_moves(*found, np.array([1.0]), dice)[0])
    assert weights[move - 1] > 0


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_moves_are_drawn_as_often_as_their_visits_say(temperature: float) -> None:
    count = 4000
    roots, found = rows([[10, 30, 60]] * count, [2] * count)
    dice = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    drawn = chosen_moves(roots, found, np.full(count, temperature), dice)
    wanted = np.array([10, 30, 60]) ** (1 / temperature)
    shares = np.bincount(drawn, minlength=4)[1:] / count
    assert np.abs(shares - wanted / wanted.sum()).max() < 0.03


def test_each_game_has_its_temperature_and_at_none_the_best_is_played() -> None:
    roots, found = rows([[50, 50], [50, 50]], [0, 0])
    dice = np.full(2, 2**64 - 1, np.uint64)
    assert chosen_moves(roots, found, np.array([0.0, 1.0]), dice).tolist() == [1, 2]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_mate_in_one_is_always_played(temperature: float) -> None:
    grown = forest(*[Board(MATE_IN_ONE)] * 20)
    slots = np.arange(20)
    grown.grow(slots, 30, slots.astype(np.uint64))
    dice = np.random.default_rng(2).integers(0, 2**64, 20, np.uint64)
    roots, found = grown.roots(slots), grown.moves(slots)
    drawn = chosen_moves(roots, found, np.full(20, temperature), dice)
    assert set(drawn.tolist()) == {uci_code("a1a8")}
    assert set(roots.plies_to_mate.tolist()) == {1}
    seen = grown.outlooks(0)
    mating = found.moves[: found.offsets[1]].tolist().index(uci_code("a1a8"))
    assert seen.lines[mating] == [uci_code("a1a8")]
    assert seen.plies_to_mate[mating] == 1
    assert seen.wdl_side_to_move[mating].tolist() == [1, 0, 0]
