"""The tree search of the core, with a net that knows nothing."""

import numpy as np
import pytest

from selfmate._core import TreeSearch
from selfmate.rules import Board, uci_code, uci_text

SLOT = np.zeros(1, np.int64)
SEEDS = np.arange(1, dtype=np.uint64)
EVEN = np.array([[0.25, 0.5, 0.25]], np.float32)

# FEN and the move that mates, in one, two and three moves: puzzles of the nineteenth century.
MATES = {
    1: [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),
        ("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "g5f7"),
    ],
    2: [
        ("r2qb1rk/ppb2p1p/2n1pPp1/B3N3/2B1P2Q/2P2R2/1P4PP/7K w - - 0 1", "h4h7"),
        ("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", "f3f7"),
    ],
    3: [
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6"),
    ],
}
SIMULATIONS = {1: 50, 2: 2_000, 3: 50_000}


def started(
    board: Board, simulations: int, *, seed: int = 0, noise: bool = False, **settings: float
) -> TreeSearch:
    search = TreeSearch(**settings)
    search.set(0, board)
    search.start(SLOT, simulations, noise=noise, seeds=SEEDS + np.uint64(seed))
    return search


def run(search: TreeSearch, batch: int = 64) -> TreeSearch:
    while count := search.gather(batch):
        search.receive(np.repeat(EVEN, count, axis=0))
    return search


def visits_of(search: TreeSearch) -> dict[str, int]:
    moves, _, visits, *_ = search.moves(SLOT)
    return {uci_text(int(m)): int(v) for m, v in zip(moves, visits, strict=True)}


@pytest.mark.parametrize(
    ("moves", "fen", "best"),
    [(moves, fen, best) for moves, puzzles in MATES.items() for fen, best in puzzles],
)
@pytest.mark.parametrize("leaves", [1, 16])
def test_mates_are_proven(moves: int, fen: str, best: str, leaves: int) -> None:
    search = run(started(Board(fen), SIMULATIONS[moves], leaves_per_game=leaves))
    found, wdl, best_wdl, _, plies = search.roots(SLOT)
    assert uci_text(int(found[0])) == best
    assert wdl[0].tolist() == best_wdl[0].tolist() == [1, 0, 0]
    assert plies[0] == 2 * moves - 1
    lines = [line for line in search.outlooks(0)[2] if line[0] == found[0]]
    assert [len(line) for line in lines] == [2 * moves - 1]


def test_each_move_has_its_outlook() -> None:
    fen, best = MATES[2][0]
    search = run(started(Board(fen), SIMULATIONS[2]))
    moves, _, visits, _, values, _, _ = search.moves(SLOT)
    wdl, plies, lines = search.outlooks(0)
    assert [line[0] for line in lines] == moves.tolist()
    assert len(lines[moves.tolist().index(uci_code(best))]) == 3
    assert plies[moves == uci_code(best)].tolist() == [3]
    known = visits > 0
    assert np.allclose(wdl[known].sum(axis=1), 1)
    assert np.allclose((wdl[:, 0] - wdl[:, 2])[known], values[known], atol=1e-5)
    assert not wdl[~known].any()


def test_a_move_into_mate_says_so() -> None:
    search = run(started(Board("6k1/8/8/8/8/8/r4PPP/6K1 w - - 0 1"), 400))
    wdl, plies, lines = search.outlooks(0)
    into_mate = [uci_code("g1h1"), uci_code("a2a1")]
    row = lines.index(into_mate)
    assert plies.tolist() == [-2 if line == into_mate else 0 for line in lines]
    assert wdl[row].tolist() == [0, 0, 1]


def test_who_is_mated_in_any_case_holds_out_longest() -> None:
    board = Board("k7/8/1K6/8/8/8/8/7Q b - - 0 1")  # Kb8 is the only move, then mate at once
    search = run(started(board, 100))
    found, wdl, best_wdl, _, plies = search.roots(SLOT)
    assert uci_text(int(found[0])) == "a8b8"
    assert wdl[0].tolist() == best_wdl[0].tolist() == [0, 0, 1]
    assert plies[0] == -2


def test_a_mate_is_seen_however_few_moves_are_looked_at() -> None:
    fen, best = MATES[1][0]
    search = run(started(Board(fen), 50, widening=0.01))
    assert uci_text(int(search.roots(SLOT)[0][0])) == best


def test_draws_by_rule_are_worth_nothing() -> None:
    """One ply before the hundredth without progress: whatever is played, the game is drawn."""
    board = Board("7k/8/8/8/8/8/8/KQ6 w - - 99 200")
    search = TreeSearch()
    search.set(0, board)
    search.start(SLOT, 60, noise=False, seeds=SEEDS)
    planes = np.zeros((8, 96, 8, 8), np.float32)
    leaves = 0
    while count := search.gather(8, planes):
        leaves += count
        search.receive(np.repeat(np.array([[1, 0, 0]], np.float32), count, axis=0))
    assert leaves == 1  # the root's own
    *_, values, _, _ = search.moves(SLOT)
    assert set(values.tolist()) == {0.0}


def test_the_third_time_is_a_draw_in_the_tree_and_the_second_is_not() -> None:
    board = Board("7k/8/8/8/8/8/R7/K7 w - - 0 1")
    for move in ("a2b2", "h8g8", "b2a2", "g8h8", "a2b2", "h8g8", "b2a2"):
        board.push(move)
    search = run(started(board, 40))
    moves, _, visits, _, values, _, _ = search.moves(SLOT)
    rows = {
        uci_text(int(m)): (int(v), float(x)) for m, v, x in zip(moves, visits, values, strict=True)
    }
    assert rows["g8h8"][1] == 0.0  # the start for the third time
    assert rows["g8h8"][0] > 1


def test_the_root_is_searched_even_where_the_game_could_end() -> None:
    board = Board("7k/8/8/8/8/8/R7/K7 w - - 120 200")
    assert sum(visits_of(run(started(board, 30))).values()) == 30


def test_the_same_seed_gives_the_same_tree_and_another_one_another() -> None:
    first, again, other = (
        visits_of(run(started(Board(), 200, seed=seed, noise=True))) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_without_noise_seeds_do_not_matter() -> None:
    one, two = (visits_of(run(started(Board(), 100, seed=seed))) for seed in (1, 2))
    assert one == two


def test_games_side_by_side_are_searched_as_if_alone() -> None:
    boards = [Board(), Board(MATES[3][0][0]), Board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")]
    slots = np.arange(3, dtype=np.int64)
    search = TreeSearch()
    for slot, board in enumerate(boards):
        search.set(slot, board)
    search.start(slots, 120, noise=True, seeds=np.arange(3, dtype=np.uint64))
    run(search, batch=2)  # fewer than games: each has its turn
    for slot, board in enumerate(boards):
        alone = run(started(board, 120, seed=slot, noise=True))
        _, _, visits, *_ = search.moves(slots[slot : slot + 1])
        assert visits.tolist() == list(visits_of(alone).values())
    assert search.is_done(slots).all()


def test_batches_change_little() -> None:
    """Virtual losses spread the walks: at most a tenth of them go elsewhere."""
    alone = run(started(Board(), 800))
    together = run(started(Board(), 800, leaves_per_game=8))
    one, other = visits_of(alone), visits_of(together)
    assert sum(one.values()) == sum(other.values()) == 800
    assert sum(abs(one[move] - other[move]) for move in one) / 2 <= 80


def test_what_is_known_is_kept_after_a_move() -> None:
    search = run(started(Board(), 300))
    best = int(search.roots(SLOT)[0][0])
    kept = visits_of(search)[uci_text(best)]
    search.advance(SLOT, np.array([best], np.uint16))
    visits = search.roots(SLOT)[3]
    assert visits[0] == kept
    assert sum(visits_of(search).values()) == kept - 1
    search.start(SLOT, 100, noise=False, seeds=SEEDS)
    run(search)
    assert sum(visits_of(search).values()) == kept - 1 + 100


def test_a_move_that_was_never_tried_starts_anew() -> None:
    search = run(started(Board(), 0))
    search.advance(SLOT, np.array([uci_code("a2a3")], np.uint16))
    assert search.roots(SLOT)[3][0] == 0
    search.start(SLOT, 10, noise=False, seeds=SEEDS)
    assert sum(visits_of(run(search)).values()) == 10


def test_evaluations_are_shared_and_forgotten() -> None:
    search = TreeSearch(cache_size=1000)
    for slot in (0, 1):
        search.set(slot, Board())
        search.start(np.array([slot]), 50, noise=False, seeds=SEEDS)
        leaves = 0
        while count := search.gather(8):
            leaves += count
            search.receive(np.repeat(EVEN, count, axis=0))
        assert 40 < leaves <= 51 if slot == 0 else leaves == 0


def test_memory_is_bounded() -> None:
    search = run(started(Board(), 10_000, max_nodes=500))
    assert sum(visits_of(search).values()) < 600
    assert search.is_done(SLOT).all()


def test_a_game_that_is_over_has_nothing_to_search() -> None:
    search = run(started(Board("7k/5KQ1/8/8/8/8/8/8 b - - 0 1"), 10))
    best, wdl, *_ = search.roots(SLOT)
    assert best[0] == 0
    assert wdl[0].tolist() == [0, 0, 1]
    assert len(search.moves(SLOT)[0]) == 0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"c_puct": -1.0}, "c_puct must be at least 0"),
        ({"dirichlet_fraction": 2.0}, "dirichlet_fraction must be from 0 to 1"),
        ({"leaves_per_game": 0}, "leaves_per_game must be from 1 to 10000, not 0"),
        ({"max_nodes": 1}, "max_nodes must be at least 2"),
        ({"c_puct": float("nan")}, "c_puct must be at least 0"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        TreeSearch(**settings)


def test_wrong_use_is_refused_and_changes_nothing() -> None:
    search = started(Board(), 10)
    with pytest.raises(ValueError, match="there is no game in slot 7"):
        search.roots(np.array([7]))
    with pytest.raises(ValueError, match="slot -1 is below 0"):
        search.roots(np.array([-1]))
    with pytest.raises(ValueError, match="move 'e2e5' is not legal in slot 0"):
        search.advance(SLOT, np.array([uci_code("e2e5")], np.uint16))
    with pytest.raises(ValueError, match="planes must be"):
        search.gather(4, np.zeros((3, 96, 8, 8), np.float32))
    assert search.gather(4) == 1
    with pytest.raises(ValueError, match="were not received yet"):
        search.gather(4)
    with pytest.raises(ValueError, match="wdl must be"):
        search.receive(np.zeros((2, 3), np.float32))
    with pytest.raises(ValueError, match="wdl must be finite"):
        search.receive(EVEN * np.float32("nan"))
    with pytest.raises(ValueError, match="were not received yet"):
        search.advance(SLOT, np.array([uci_code("e2e4")], np.uint16))
    search.receive(EVEN)
    assert sum(visits_of(run(search)).values()) == 10


@pytest.mark.parametrize("num_considered_actions", [0, 4])
def test_roots_can_be_read_at_any_time(num_considered_actions: int) -> None:
    """Before a search, and after moves that led to a root with more or fewer of them."""
    search = TreeSearch(num_considered_actions=num_considered_actions)
    search.set(0, Board())
    for uci in ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4"):
        assert search.roots(SLOT)[0].shape == (1,)
        assert len(search.moves(SLOT)[0]) >= 1
        search.start(SLOT, 12, noise=True, seeds=np.array([3], np.uint64))
        run(search)
        search.advance(SLOT, np.array([uci_code(uci)], np.uint16))
    assert search.roots(SLOT)[0].shape == (1,)


@pytest.mark.parametrize(("num_considered_actions", "is_done"), [(0, False), (4, True)])
def test_sequential_halving_ends_with_its_root(num_considered_actions: int, is_done: bool) -> None:
    search = started(Board(), 400, num_considered_actions=num_considered_actions)
    for _ in range(100):
        search.receive(np.repeat(EVEN, search.gather(1), axis=0))
    search.advance(SLOT, search.roots(SLOT)[0])
    assert search.is_done(SLOT).tolist() == [is_done]
    run(search)
    assert len(search.roots(SLOT)[0]) == 1


@pytest.mark.parametrize("num_considered_actions", [0, 32])
def test_what_is_answered_by_mate_has_no_share(num_considered_actions: int) -> None:
    """After f3 and e5, g4 is mated; a search that knows nothing finds out."""
    board = Board()
    for uci in ("f2f3", "e7e5"):
        board.push(uci)
    search = TreeSearch(num_considered_actions=num_considered_actions)
    search.set(0, board)
    search.start(SLOT, 400, noise=False, seeds=np.zeros(1, np.uint64))
    run(search)
    moves, *_, shares, _ = search.moves(SLOT)
    assert shares.sum() == pytest.approx(1, abs=1e-5)
    assert shares[moves == uci_code("g2g4")].tolist() == [0]
    assert (shares > 0).sum() == len(moves) - 1


@pytest.mark.parametrize(
    ("slot", "moves", "message"),
    [
        (0, [], "there must be a move to search"),
        (0, [uci_code("e2e5")], "move 'e2e5' is not legal in slot 0"),
        (1, [uci_code("e2e4")], "slot 1 was searched already"),
        (7, [uci_code("e2e4")], "there is no game in slot 7"),
        (-1, [uci_code("e2e4")], "there is no game in slot"),
    ],
)
def test_bad_root_moves_are_refused(slot: int, moves: list[int], message: str) -> None:
    search = TreeSearch()
    search.set(1, Board())
    while search.gather(1):
        search.receive(EVEN)
    search.set(0, Board())
    with pytest.raises(ValueError, match=message):
        search.restrict_root(slot, np.array(moves, np.uint16))


# Options of the search, computed by hand.


def test_a_search_of_no_simulations_leaves_sequential_halving_its_winner() -> None:
    search = run(started(Board(), 40, num_considered_actions=4))
    best = search.roots(SLOT)[0][0]
    search.start(SLOT, 0, noise=False, seeds=SEEDS)
    assert search.roots(SLOT)[0][0] == best


def priors(temperatures: dict[str, float], line: tuple[str, ...] = ()) -> list[float]:
    """Of the root's moves after a line, with random logits."""
    search = TreeSearch(**temperatures)
    search.set(0, Board())
    for move in (*line, None):
        search.start(SLOT, 60, noise=False, seeds=SEEDS)
        while count := search.gather(1):
            logits = np.random.default_rng(7).normal(size=(count, 4672)).astype(np.float32)
            search.receive(np.repeat(EVEN, count, axis=0), logits)
        if move is not None:
            search.advance(SLOT, np.array([uci_code(move)], np.uint16))
    return sorted(search.moves(SLOT)[3].tolist(), reverse=True)


def at_temperature(shares: list[float], temperature: float) -> list[float]:
    powers = np.array(shares) ** (1 / temperature)
    found: list[float] = (powers / powers.sum()).tolist()
    return found


def test_priors_have_the_temperature_of_the_policy() -> None:
    plain = priors({})
    assert priors({"policy_temperature": 2.0}) == pytest.approx(at_temperature(plain, 2), rel=1e-4)
    root = {"policy_temperature": 2.0, "root_policy_temperature": 0.5}
    assert priors(root) == pytest.approx(at_temperature(plain, 0.5), rel=1e-4)


def test_a_kept_root_has_the_temperature_of_a_root() -> None:
    """The subtree was searched with that of the other nodes."""
    line = ("e2e4", "e7e5")
    wanted = at_temperature(priors({}, line), 0.5)
    settings = {"policy_temperature": 2.0, "root_policy_temperature": 0.5}
    assert priors(settings, line) == pytest.approx(wanted, rel=1e-3)


def value_after(search: TreeSearch, *line: str) -> float:
    """What the search finds for the last move of a line."""
    for move in line[:-1]:
        search.advance(SLOT, np.array([uci_code(move)], np.uint16))
    moves, _, visits, _, values, *_ = search.moves(SLOT)
    row = moves.tolist().index(uci_code(line[-1]))
    assert visits[row] > 0
    return float(values[row])


ROOK = "7k/8/8/8/8/8/R7/K7 w - - 0 1"
CYCLE = ("a2b2", "h8g8", "b2a2", "g8h8")


def run_winning(search: TreeSearch) -> TreeSearch:
    """With a net that is sure of White's win; plane 48 is the side to move."""
    planes = np.zeros((1, 96, 8, 8), np.float32)
    while search.gather(1, planes):
        wdl = [1, 0, 0] if planes[0, 48, 0, 0] else [0, 0, 1]
        search.receive(np.array([wdl], np.float32))
    return search


def test_a_position_that_returns_in_the_tree_is_a_draw_at_once() -> None:
    search = run_winning(started(Board(ROOK), 8_000, two_fold_draws=True))
    assert value_after(search, *CYCLE) == 0.0


def test_a_position_before_the_root_must_return_twice() -> None:
    board = Board(ROOK)
    for move in CYCLE[:2]:
        board.push(move)
    search = run_winning(started(board, 500, two_fold_draws=True))
    assert value_after(search, *CYCLE[2:]) < -0.9


def test_a_kept_tree_forgets_draws_by_positions_before_its_root() -> None:
    """The cycle began at the old root; below the new one its end is no draw yet."""
    search = run_winning(started(Board(ROOK), 8_000, two_fold_draws=True))
    search.advance(SLOT, np.array([uci_code(CYCLE[0])], np.uint16))
    search.start(SLOT, 4_000, noise=False, seeds=SEEDS)
    assert value_after(run_winning(search), *CYCLE[1:]) < -0.9


def test_a_draw_is_proven_where_every_move_draws() -> None:
    """One move, then every answer is the hundredth ply without progress: nothing is left to do."""
    board = Board("k7/8/8/8/8/8/1R6/K7 b - - 98 80")
    plain, proven = run(started(board, 400)), run(started(board, 400, prove_draws=True))
    assert plain.roots(SLOT)[3][0] == 401
    _, wdl, best_wdl, visits, mates = proven.roots(SLOT)
    assert visits[0] < 40
    assert wdl[0].tolist() == best_wdl[0].tolist() == [0, 1, 0]
    assert mates[0] == 0
    assert proven.is_done(SLOT).all()
    proven.advance(SLOT, proven.roots(SLOT)[0])
    assert proven.roots(SLOT)[1][0].tolist() == [0, 1, 0]
    assert len(proven.moves(SLOT)[0]) > 1


def test_a_draw_is_proven_where_every_other_move_is_mated() -> None:
    """After Kh8 White mates; after Kf8 every move is the hundredth ply without progress."""
    board = Board("6k1/8/6K1/8/8/8/8/R7 b - - 98 80")
    search = run(started(board, 400, prove_draws=True))
    best, wdl, best_wdl, visits, _ = search.roots(SLOT)
    assert uci_text(int(best[0])) == "g8f8"
    assert wdl[0].tolist() == best_wdl[0].tolist() == [0, 1, 0]
    assert visits[0] < 60
    _, plies, lines = search.outlooks(0)
    assert {line[0]: mate for line, mate in zip(lines, plies.tolist(), strict=True)} == {
        uci_code("g8h8"): -2,
        uci_code("g8f8"): 0,
    }
