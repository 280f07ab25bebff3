"""Sampled games, checked by replaying them with python-chess."""

from collections import Counter
from collections.abc import Sequence

import chess
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.data.trajectories import SampledGames
from selfmate.learners.reinforce.learner import SamplingActor, sampled_games
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.move_scorer import MoveScorer
from selfmate.rules import Board
from selfmate.selfplay.games import GamePlan, play_games

SPEC = MoveScorerConfig(encoding="onehot768", hidden=(24, 16), value_head=False)
STARTS = [chess.STARTING_FEN, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "k7/8/1KQ5/8/8/8/8/8 b - - 0 1"]
MAX_PLIES, TEMPERATURE = 20, 0.05


def seeded_net() -> MoveScorer:
    torch.manual_seed(3)
    return SPEC.make_net()


def sample_games(
    boards: Sequence[Board],
    *,
    temperature: float = 1.0,
    max_plies: int,
    seed: int = 2,
    plays_mate_in_one: bool = False,
    random_sides: NDArray[np.int8] | None = None,
) -> SampledGames:
    actor = SamplingActor(
        spec=SPEC,
        net=seeded_net(),
        temperature=temperature,
        plays_mate_in_one=plays_mate_in_one,
        random_sides=random_sides,
    )
    games = play_games([actor], GamePlan(boards=boards, max_plies=max_plies, seed=seed))
    return sampled_games(games, temperature)


def boards_of(games: int) -> list[Board]:
    return [Board(STARTS[i % 3]) for i in range(games)]


@pytest.fixture(scope="module")
def played() -> tuple[SampledGames, list[Board]]:
    boards = boards_of(45)
    return sample_games(boards, temperature=TEMPERATURE, max_plies=MAX_PLIES, seed=7), boards


def test_rows_are_the_plies_of_the_games(played: tuple[SampledGames, list[Board]]) -> None:
    games, boards = played
    net = seeded_net()
    for number, ended in enumerate(boards):
        board = Board(ended.start_fen)
        rows = np.flatnonzero(games.games == number)
        for row, move in zip(rows, ended.moves, strict=True):
            asked = games.candidates(np.array([row]))
            expected = SPEC.candidates([board])
            for name in ("columns", "values", "offsets"):
                for part in ("positions", "moves"):
                    np.testing.assert_array_equal(
                        getattr(getattr(asked, part), name), getattr(getattr(expected, part), name)
                    )
            assert games.is_white[row] == (board.turn == "white")
            scores = net.scores(expected).astype(np.float64) / TEMPERATURE
            probs = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
            place = board.legal_moves().index(move)
            assert games.chosen[row] == place
            assert games.log_probs[row] == pytest.approx(np.log(probs[place]), abs=1e-4)
            assert games.entropies[row] == pytest.approx(-(probs * np.log(probs)).sum(), abs=1e-4)
            board.push(move)


def test_results_are_in_whites_view_and_truncated_games_are_draws(
    played: tuple[SampledGames, list[Board]],
) -> None:
    games, boards = played
    for number, ended in enumerate(boards):
        board = chess.Board(ended.start_fen)
        for move in ended.moves:
            board.push_uci(move)
        outcome = board.outcome(claim_draw=True)
        assert games.is_cut[number] == (outcome is None)
        winner = None if outcome is None else outcome.winner
        assert games.results[number] == {True: 1, False: -1, None: 0}[winner]
        assert len(ended.moves) == MAX_PLIES or outcome is not None
    assert games.is_cut.any()
    assert {*games.results.tolist()} >= {0, 1}


def test_games_do_not_depend_on_the_games_beside_them() -> None:
    """So a game can be reproduced from its number alone."""
    few, many = boards_of(4), boards_of(9)
    for boards in (few, many):
        sample_games(boards, max_plies=12)
    assert [board.moves for board in few] == [board.moves for board in many[:4]]


def test_mates_in_one_are_played_if_asked_for() -> None:
    """All other moves are sampled as before."""
    fen, mate = STARTS[1], "f7g7"
    found: dict[bool, SampledGames] = {}
    for flag in (False, True):
        boards = [Board(start) for start in (fen, chess.STARTING_FEN) * 20]
        found[flag] = sample_games(boards, max_plies=1, plays_mate_in_one=flag)
    legal = Board(fen).legal_moves()
    mates = {i for i, move in enumerate(legal) if is_mate(fen, move)}
    assert legal.index(mate) in mates
    assert {*found[True].chosen[::2].tolist()} <= mates
    assert not {*found[False].chosen[::2].tolist()} <= mates
    np.testing.assert_allclose(found[True].log_probs[::2], -np.log(len(mates)), atol=0.3)
    for name in ("chosen", "log_probs"):
        ours, others = (getattr(found[flag], name)[1::2] for flag in (True, False))
        np.testing.assert_allclose(ours, others, atol=1e-5)
    np.testing.assert_array_equal(found[True].entropies, found[False].entropies)


def is_mate(fen: str, move: str) -> bool:
    board = chess.Board(fen)
    board.push_uci(move)
    return board.is_checkmate()


def test_moves_are_sampled_with_the_probabilities_of_the_policy() -> None:
    boards = [Board("8/8/8/8/8/k7/8/K6R w - - 0 1") for _ in range(4000)]
    net = seeded_net()
    games = sample_games(boards, temperature=0.01, max_plies=1, seed=5)
    shares = np.bincount(games.chosen, minlength=int(games.legal_counts[0])) / len(boards)
    scores = net.scores(SPEC.candidates([Board(boards[0].start_fen)])) / 0.01
    probs = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    deviations = np.sqrt(probs * (1 - probs) / len(boards))
    assert (np.abs(shares - probs) < 4 * deviations + 1e-6).all()
    assert probs.max() > 2 / len(probs), "a net that tells moves apart"


def test_only_the_policys_plies_are_recorded_against_a_random_player() -> None:
    """The first ply is always the policy's."""
    boards = boards_of(30)
    sides = np.resize(np.array([1, -1, 0], np.int8), 30)
    np.random.default_rng(1).shuffle(sides)
    games = sample_games(boards, max_plies=9, random_sides=sides)
    for number, (board, side) in enumerate(zip(boards, sides.tolist(), strict=True)):
        white_first = Board(board.start_fen).turn == "white"
        is_white = [white_first == (ply % 2 == 0) for ply in range(len(board.moves))]
        kept = [
            white for ply, white in enumerate(is_white) if not ply or (1 if white else -1) != side
        ]
        assert games.is_white[games.games == number].tolist() == kept
    alone = boards_of(30)
    sample_games(alone, max_plies=9)
    for number in np.flatnonzero(sides == 0).tolist():
        assert boards[number].moves == alone[number].moves, (
            "games against random players change nothing"
        )


def test_a_random_player_moves_uniformly() -> None:
    """However sure the policy is."""
    count = 2000
    boards = [Board() for _ in range(count)]
    black = np.full(count, -1, np.int8)
    games = sample_games(boards, temperature=0.01, max_plies=2, seed=3, random_sides=black)
    assert len(games) == count
    shares = np.array([*Counter(board.moves[1] for board in boards).values()]) / count
    assert len(shares) == 20
    assert (np.abs(shares - 1 / 20) < 4 * np.sqrt(1 / 20 * 19 / 20 / count)).all()
