"""Players as teachers: scores of their moves."""

from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from selfmate.players import SearchRequest, load_player
from selfmate.players.engine import find_program
from selfmate.players.engine_process import EngineFaultError
from selfmate.players.player import load_scoring
from selfmate.rules import Board, GameBatch, uci_text
from selfmate.searches.teacher import MoveScores, score_moves
from unit.players.scoring_engines import ScoringEngine
from unit.players.trained_runs import make_run, make_scorer_run

PROMOTING = "3r3k/4P3/8/8/8/8/8/K7 w - - 0 1"
Scores = dict[str, int]


def random_positions(count: int, plies: int = 20) -> list[Board]:
    batch = GameBatch(count, seed=4)
    for _ in range(plies):
        batch.step(batch.random_moves())
    return [batch.board(slot) for slot in range(count)]


def listed(scores: MoveScores) -> list[Scores]:
    """By board: moves as texts, and their centipawns."""
    assert scores.moves.dtype == np.uint16
    assert scores.centipawns.dtype == np.int32
    assert scores.offsets.dtype == np.int64
    moves = [uci_text(move) for move in scores.moves.tolist()]
    pairs = list(zip(moves, scores.centipawns.tolist(), strict=True))
    ends = scores.offsets.tolist()
    return [dict(pairs[begin:end]) for begin, end in pairwise(ends)]


def test_the_teacher_gives_its_exact_scores() -> None:
    boards = random_positions(9)
    scoring = load_scoring("teacher", 5)
    assert scoring.name == "teacher:depth=2"
    assert listed(scoring.score(boards)) == listed(score_moves(boards, depth=2))


def test_a_q_net_scores_as_it_analyses(tmp_path: Path) -> None:
    make_run(tmp_path / "x")
    boards = [*random_positions(9, plies=21), Board(PROMOTING)]
    scoring = load_scoring(f"{tmp_path / 'x'}:version=best", 5)
    assert scoring.name == f"{tmp_path / 'x'}:version=2,terminal=off"
    found = listed(scoring.score(boards))
    player = load_player(scoring.name)
    for board, scores in zip(boards, found, strict=True):
        first = player.analyse(SearchRequest(board=board, seed=1))
        analyses = {one.best: one.score_pawns or 0.0 for one in (first, *first.others)}
        assert scores.keys() == analyses.keys()
        assert all(abs(scores[move] - 100 * pawns) <= 0.51 for move, pawns in analyses.items())
        assert listed(scoring.score([board])) == [scores]
    assert {"e7e8q", "e7d8q"} <= found[-1].keys()
    assert not {"e7e8n", "e7d8r"} & found[-1].keys()


def scored_one_by_one(name: str, boards: Sequence[Board], best: int) -> list[Scores]:
    with closing(load_scoring(name, best)) as scoring:
        return [listed(scoring.score([board]))[0] for board in boards]


def check_engine(name: str, boards: Sequence[Board], best: int) -> list[Scores]:
    """Scores do not depend on other boards of the call, nor on earlier searches."""
    with closing(load_scoring(name, best)) as scoring:
        assert scoring.name == name
        found = listed(scoring.score(boards))
        assert listed(scoring.score(boards[::-1])) == found[::-1]
    assert scored_one_by_one(name, boards[::3], best) == found[::3]
    for board, scores in zip(boards, found, strict=True):
        assert set(scores) <= set(board.legal_moves())
        assert list(scores.values()) == sorted(scores.values(), reverse=True)
    return found


def test_scores_of_an_engine_depend_on_the_board_alone(tmp_path: Path) -> None:
    engine, boards = ScoringEngine(tmp_path), random_positions(12)
    found = check_engine(engine.name, boards, 4)
    assert [len(one) for one in found] == [min(4, len(board.legal_moves())) for board in boards]
    everything = scored_one_by_one(engine.name, boards[:2], 218)
    assert [set(one) for one in everything] == [set(board.legal_moves()) for board in boards[:2]]
    assert engine.left() == []


@pytest.mark.skipif(find_program("stockfish") is None, reason="Stockfish is not installed")
def test_stockfish_with_nodes_depends_on_the_board_alone() -> None:
    mate = Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    found = check_engine("stockfish:nodes=800", [mate, *random_positions(11)], 5)
    assert found[0]["a1a8"] == 9_999
    assert [len(one) for one in found] == [5] * 12


def test_a_fault_ends_the_call_and_is_raised(tmp_path: Path) -> None:
    engine = ScoringEngine(tmp_path, "crash")
    scoring = load_scoring(engine.name, 3)
    with closing(scoring), pytest.raises(EngineFaultError, match="crashed"):
        scoring.score(random_positions(6))
    assert engine.left() == []


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        (
            "alone",
            ValueError,
            "of 3 moves of the start position it scored 1; it needs a higher limit",
        ),
        ("mute", EngineFaultError, f"no_score: in {Board().fen()}"),
    ],
)
def test_an_engine_that_cannot_teach_is_refused_and_ended(
    how: str, error: type[Exception], message: str, tmp_path: Path
) -> None:
    engine = ScoringEngine(tmp_path, how)
    with pytest.raises(error, match=message):
        load_scoring(engine.name, 3)
    assert engine.pids()
    assert engine.left() == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "random cannot teach: it does not score its moves; teacher:depth=1..6, stock"),
        ("greedy", "greedy cannot teach: it does not score its moves"),
        ("SCORER", "cannot teach: it does not score its moves"),
        ("stockfish:elo=1500", "cannot teach: by elo= it plays against its scores; teacher:depth"),
        ("stockfish:skill=3", "by skill= it plays"),
        ("teacher:depth=2,random=20", "by random= it plays"),
        ("RUN:temperature=0.1", "by temperature= it plays"),
        ("teacher:depth=7", "is not a whole number 1..6"),
        ("nobody", "no player 'nobody'"),
    ],
)
def test_players_that_cannot_teach_are_refused(name: str, message: str, tmp_path: Path) -> None:
    make_run(tmp_path / "q")
    make_scorer_run(tmp_path / "s")
    name = name.replace("RUN", str(tmp_path / "q")).replace("SCORER", str(tmp_path / "s"))
    with pytest.raises(ValueError, match=message):
        load_scoring(name, 5)
