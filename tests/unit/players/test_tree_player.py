"""Nets that search, with one whose weights are chance: what it says is as good as any."""

from itertools import pairwise
from threading import Event

import numpy as np
import pytest

from selfmate.players import Analysis, Limits, RootStatistics, SearchRequest
from selfmate.players.game_tree import move_comment
from selfmate.players.searching import TreePlayer
from selfmate.rules import Board, GameBatch, uci_text
from selfmate.searches.config import SearchConfig
from selfmate.searches.tree import BatchedTreeSearch
from unit.players.trained_runs import opinionated_net
from unit.searches.evaluations import Floats, even, opinionated

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
MATE_IN_TWO = "r2qb1rk/ppb2p1p/2n1pPp1/B3N3/2B1P2Q/2P2R2/1P4PP/7K w - - 0 1"
UNLIMITED = 2**31 - 1


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluators whose answers can be computed by hand."""
    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: opinionated
    )


def player(**settings: float) -> TreePlayer:
    return TreePlayer("net", opinionated_net(), **settings)  # type: ignore[arg-type]


def asked(board: Board, **settings: object) -> SearchRequest:
    return SearchRequest(board=board, seed=7, **settings)  # type: ignore[arg-type]


def on(*moves: str) -> Board:
    board = Board()
    for move in moves:
        board.push(move)
    return board


def test_moves_are_those_of_a_plain_search(scripted: None) -> None:
    """Few simulations run one by one, as in a search without batches."""
    batch = GameBatch(8, seed=5)
    for _ in range(20):
        batch.step(batch.random_moves())
    boards = [batch.board(slot) for slot in range(8)]
    chosen = player(simulations=40).choose(boards, np.zeros(8, np.uint64)).moves
    tree_search, slots = BatchedTreeSearch(opinionated, SearchConfig()), np.arange(8)
    tree_search.reset(slots, boards)
    tree_search.run(slots, 40)
    assert chosen.tolist() == tree_search.roots(slots).best.tolist()


def test_analyses_have_the_result_of_the_search(scripted: None) -> None:
    board = on("e2e4", "c7c5")
    analysis = player(simulations=60).analyse(asked(board))
    assert analysis.visits is not None
    assert analysis.policy is not None
    assert set(analysis.visits) == set(analysis.policy) == set(board.legal_moves())
    assert sum(analysis.visits.values()) == 60
    assert analysis.nodes == 61
    assert analysis.policy[analysis.best] == pytest.approx(analysis.visits[analysis.best] / 60)
    ranked = [analysis.visits[one.best] for one in (analysis, *analysis.others)]
    assert ranked == sorted(ranked, reverse=True)
    for one in (analysis, *analysis.others):
        assert one.line[0] == one.best
        assert (one.wdl is not None) == (analysis.visits[one.best] > 0)
    after = board.copy()
    for move in analysis.line:
        after.push(move)
    assert analysis.wdl is not None
    assert analysis.score_pawns is not None
    assert sum(analysis.wdl) == pytest.approx(1)
    assert np.tanh(analysis.score_pawns / 4) == pytest.approx(
        analysis.wdl[0] - analysis.wdl[2], abs=1e-4
    )


def test_without_simulations_the_policy_plays(scripted: None) -> None:
    analysis = player(simulations=0).analyse(asked(Board(), limits=Limits(nodes=50)))
    assert analysis.policy is not None
    assert analysis.best == max(analysis.policy, key=analysis.policy.__getitem__)
    assert analysis.nodes == 1
    assert analysis.wdl is not None


@pytest.mark.parametrize("simulations", [0, 20])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_mate_in_one_is_always_played(simulations: int, temperature: float) -> None:
    one = player(simulations=simulations, temperature=temperature)
    boards, rng = (
        [Board(MATE_IN_ONE)] * 8,
        np.random.default_rng(3).integers(0, 2**64, 8, np.uint64),
    )
    assert {uci_text(int(move)) for move in one.choose(boards, rng).moves} == {"a1a8"}
    analysis = one.analyse(asked(Board(MATE_IN_ONE)))
    assert (analysis.best, analysis.mate_in, analysis.wdl) == ("a1a8", 1, (1, 0, 0))


def test_mates_are_counted_in_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: even
    )
    one = player(simulations=2000)
    ours = one.analyse(asked(Board(MATE_IN_TWO)))
    assert (ours.best, ours.mate_in, len(ours.line)) == ("h4h7", 2, 3)
    board = Board(MATE_IN_TWO)
    board.push("h4h7")
    theirs = one.analyse(asked(board))
    assert theirs.mate_in == -1


def test_choices_have_comments_with_the_result(scripted: None) -> None:
    one, boards = player(simulations=40), [Board(), Board(MATE_IN_ONE)]
    comments = one.choose(boards, np.zeros(2, np.uint64)).comments
    assert comments[0] == move_comment(one.analyse(asked(boards[0])))
    assert comments[1] == "+M1/1 1n wdl 1000 0 0"


def test_temperature_draws_by_visits(scripted: None) -> None:
    boards = [Board()] * 200
    rng = np.random.default_rng(1).integers(0, 2**64, 200, np.uint64)
    drawn = player(simulations=10, temperature=1.0).choose(boards, rng).moves
    found = player(simulations=10).analyse(asked(Board())).visits
    assert found is not None
    assert {uci_text(int(move)) for move in drawn} == {m for m, n in found.items() if n}
    cold = player(simulations=10, temperature=1.0).analyse(asked(Board(), temperature=0.0))
    assert found[cold.best] == max(found.values())


def test_limits_are_kept(scripted: None) -> None:
    one = player(simulations=30)
    assert one.analyse(asked(Board(), limits=Limits(nodes=10))).nodes == 11
    assert one.analyse(asked(on("e2e4"), limits=Limits(nodes=100))).nodes == 101
    late = one.analyse(asked(on("d2d4"), limits=Limits(time_ms=0.0, nodes=UNLIMITED)))
    assert late.nodes == 1
    boards, rng = [Board(), on("e2e4")], np.zeros(2, np.uint64)
    hurried = one.choose(boards, rng, Limits(time_ms=0.0)).moves
    assert hurried.tolist() == player(simulations=0).choose(boards, rng).moves.tolist()


def test_a_search_without_limits_ends_when_stopped(scripted: None) -> None:
    stop, reports = Event(), list[Analysis]()

    def report(analysis: Analysis) -> None:
        reports.append(analysis)
        if analysis.nodes and analysis.nodes > 100:
            stop.set()

    board, limits = Board(), Limits(nodes=UNLIMITED)
    # Reports come when the best move changes, and now and then: not when nothing is new.
    analysis = player().analyse(asked(board, limits=limits, stop=stop, report=report))
    assert stop.is_set()
    assert reports[0].nodes == 1
    assert analysis.nodes is not None
    assert analysis.nodes >= 100


def test_a_search_continues_the_last_one(scripted: None) -> None:
    one = player(simulations=200)
    first = one.analyse(asked(Board()))
    assert first.visits is not None
    reply = first.line[1]
    board = on(first.best, reply)
    second = one.analyse(asked(board))
    assert second.visits is not None
    assert sum(second.visits.values()) == 200
    assert second.nodes == 201, "what was known of the line counts"
    assert 0 < second.kept_nodes < 201
    again = one.analyse(asked(board))
    assert (again.nodes, again.kept_nodes, again.visits) == (201, 201, second.visits)
    fresh = one.analyse(asked(board, is_fresh=True))
    assert (fresh.nodes, fresh.kept_nodes) == (201, 0)


@pytest.mark.parametrize("other", [Board().fen(), MATE_IN_ONE])
def test_another_line_starts_a_new_tree(scripted: None, other: str) -> None:
    one = player(simulations=20)
    one.analyse(asked(on("e2e4", "e7e5")))
    board = Board(other)
    assert one.analyse(asked(board)).visits == player(simulations=20).analyse(asked(board)).visits


@pytest.mark.parametrize("change", [{"search": {"c_puct": 3.0}}, {"limits": Limits(nodes=300)}])
def test_another_search_config_starts_a_new_tree(scripted: None, change: dict[str, object]) -> None:
    one = player(simulations=100)
    one.analyse(asked(Board()))
    changed = one.analyse(asked(Board(), **change))
    assert changed.nodes is not None
    assert changed.nodes > 100
    assert changed == player(simulations=100).analyse(asked(Board(), **change))


def test_it_plays_what_the_net_has_learned_since() -> None:
    net, other = opinionated_net(seed=1), opinionated_net(seed=2)
    boards, rng = [Board(), on("e2e4"), on("d2d4", "d7d5")], np.zeros(3, np.uint64)
    learner = TreePlayer("net", net, simulations=8)
    before = learner.choose(boards, rng).moves.tolist()
    learner.analyse(asked(Board()))
    net.take(other.arrays())
    learner.refresh()
    fresh = TreePlayer("net", other, simulations=8)
    assert learner.choose(boards, rng).moves.tolist() == fresh.choose(boards, rng).moves.tolist()
    assert learner.choose(boards, rng).moves.tolist() != before
    assert learner.analyse(asked(Board())) == fresh.analyse(asked(Board()))


def test_an_error_of_the_net_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(planes: Floats) -> tuple[Floats, Floats]:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: broken
    )
    one = player()
    with pytest.raises(RuntimeError, match="out of memory"):
        one.choose([Board()], np.zeros(1, np.uint64))
    with pytest.raises(RuntimeError, match="out of memory"):
        one.analyse(asked(Board()))


def test_threads_change_nothing_but_the_time() -> None:
    one, two = (
        TreePlayer("net", opinionated_net(), simulations=150).analyse(
            asked(Board(), threads=threads)
        )
        for threads in (1, 2)
    )
    assert one == two


def test_root_moves_are_searched_alone(scripted: None) -> None:
    one, board = player(simulations=50), on("e2e4", "c7c5")
    free = one.analyse(asked(board))
    moves = tuple(sorted(set(board.legal_moves()) - {free.best})[:3])
    found = one.analyse(asked(board, root_moves=moves))
    assert found.visits is not None
    assert set(found.visits) == set(moves)
    assert sum(found.visits.values()) == 50
    assert all(scored.wdl is not None for scored in (found, *found.others))
    assert one.analyse(asked(board)).visits == free.visits, "the next search has all moves again"


def test_a_mate_among_other_moves_is_not_found() -> None:
    board = Board(MATE_IN_ONE)
    assert player(simulations=20).analyse(asked(board, root_moves=("e1d1", "a1a8"))).mate_in == 1
    found = player(simulations=20).analyse(asked(board, root_moves=("e1d1", "e1d2")))
    assert found.best in ("e1d1", "e1d2")
    assert found.mate_in is None


def test_a_cache_saves_evaluations_until_it_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: list[int] = []

    def counted(planes: Floats) -> tuple[Floats, Floats]:
        evaluated.append(len(planes))
        return opinionated(planes)

    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: counted
    )
    one, far, other = player(simulations=40), on("d2d4"), on("e2e4")

    def evaluations(board: Board, **settings: object) -> int:
        evaluated.clear()
        found = one.analyse(asked(board, cache_mb=1, **settings))
        assert found.hashfull is not None
        assert found.hashfull > 0
        return sum(evaluated)

    first = evaluations(far)
    assert evaluations(other) > 0
    assert evaluations(far) == 0, "another tree was searched in between, but the cache is kept"
    few = {"root_moves": ("g8f6",), "limits": Limits(nodes=0)}
    assert evaluations(far, **few) == 1, "priors of few moves are not those of all"
    assert evaluations(far, limits=Limits(nodes=0)) == 0
    assert evaluations(far, is_fresh=True) == first
    assert one.analyse(asked(far, cache_mb=0)).hashfull is None


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of all batches that players ask for; the answers are those of `scripted`."""
    sizes: list[int] = []

    def counted(planes: Floats) -> tuple[Floats, Floats]:
        sizes.append(len(planes))
        return opinionated(planes)

    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: counted
    )
    return sizes


def test_no_move_depends_on_what_was_evaluated_before(evaluated: list[int]) -> None:
    """Games of 400 simulations a move, alone and with others: the cache saves work and nothing
    else."""
    one, alone = player(simulations=400), [on("e2e4"), on("d2d4", "d7d5"), on("c2c4")]
    first = list[int]()
    for ply in range(3):
        evaluated.clear()
        chosen = one.choose(alone, np.zeros(3, np.uint64))
        first.append(sum(evaluated))
        for board, move in zip(alone, chosen.moves.tolist(), strict=True):
            fresh = player(simulations=400).choose([board], np.zeros(1, np.uint64))
            assert fresh.moves.tolist() == [move]
            assert fresh.comments[0] == chosen.comments[alone.index(board)]
            board.push(uci_text(move))
            reply = one.choose([board, Board(MATE_IN_TWO)], np.zeros(2, np.uint64)).moves[0]
            board.push(uci_text(int(reply)))
        assert ply == 0 or first[ply] < 0.95 * first[0]


def test_no_answer_depends_on_what_was_analysed_before(evaluated: list[int]) -> None:
    one, board = player(simulations=300), on("e2e4", "c7c5")
    first = one.analyse(asked(board))
    one.analyse(asked(on("d2d4")))
    evaluated.clear()
    assert one.analyse(asked(board)) == first
    assert not evaluated


def test_a_tree_search_asks_whether_to_end(scripted: None) -> None:
    told: list[RootStatistics] = []

    def is_enough(root: RootStatistics) -> bool:
        told.append(root)
        return root.visits > 100

    limits = Limits(nodes=UNLIMITED, time_ms=0.0)
    found = player().analyse(asked(Board(), limits=limits, is_enough=is_enough))
    assert found.visits is not None
    assert found.wdl is not None
    assert [root.visits > 100 for root in told] == [False] * (len(told) - 1) + [True]
    most, second, *_ = sorted(found.visits.values(), reverse=True)
    last = told[-1]
    assert (last.best, last.visits) == (found.best, found.nodes)
    assert (last.best_visits, last.second_visits) == (most, second)
    assert last.value == pytest.approx(found.wdl[0] - found.wdl[2])


def test_depth_is_the_length_of_the_principal_variation(scripted: None) -> None:
    found = player().analyse(asked(Board(), limits=Limits(depth=4, nodes=UNLIMITED)))
    assert len(found.line) == found.depth == 4


def test_the_search_for_a_mate_ends_when_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "selfmate.players.searching.make_search_evaluator", lambda net, threads=1: even
    )
    limits = Limits(mate=2, nodes=UNLIMITED)
    assert player().analyse(asked(Board(MATE_IN_TWO), limits=limits)).mate_in == 2


def test_as_a_teacher_it_scores_first_what_it_would_play() -> None:
    boards = [Board(), Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), Board()]
    boards[2].push("e2e4")
    teacher = player(simulations=60)
    scores = teacher.scoring(3).score(boards)
    first = scores.moves[scores.offsets[:-1]]
    assert first.tolist() == teacher.choose(boards, np.zeros(3, np.uint64)).moves.tolist()
    assert scores.centipawns[scores.offsets[1]] == 9_999  # mate on the first ply
    for begin, end in pairwise(scores.offsets.tolist()):
        assert 1 <= end - begin <= 3
        assert (np.diff(scores.centipawns[begin:end]) <= 0).all()


def test_by_time_it_cannot_teach() -> None:
    with pytest.raises(ValueError, match="cannot teach by time"):
        TreePlayer("net", opinionated_net(), limits=Limits(time_ms=10)).scoring(1)
