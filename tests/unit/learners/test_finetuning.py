"""Fine-tuning: the head first, the moves of one player only, and a report that is honest."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from selfmate.cli.console import BadInputError, JobFailedError
from selfmate.cli.finetune import _imported, _plan, finetune
from selfmate.data.dataset import ChunkFolder, ChunkStream
from selfmate.encodings.records import is_white_to_move
from selfmate.learners.finetuning import (
    Interval,
    held_out_positions,
    hits,
    make_tuning,
    open_tuning,
    report_of,
    tune,
)
from selfmate.nets.optim import Optimizer
from selfmate.players import check_name, load_player
from selfmate.players.trained import find_net
from selfmate.rules import Board
from selfmate.runs import Session
from unit.players.trained_runs import make_run, make_transformer_run, make_untrained_tree_run

PAWNS_FIRST = "Pawns, First"


def write_games(path: Path, count: int = 200) -> None:
    """Random games; one player, of both colours in turn, plays the first legal move by name."""
    texts = []
    for number in range(count):
        board, rng, sans = Board(), np.random.default_rng(number), list[str]()
        while board.outcome() is None and len(sans) < 60:
            moves = sorted(board.legal_moves())
            is_theirs = (board.turn == "white") == (number % 2 == 0)
            move = moves[0] if is_theirs else str(rng.choice(moves))
            sans.append(board.san(move))
            board.push(move)
        names = [PAWNS_FIRST, "somebody"][:: 1 if number % 2 == 0 else -1]
        tags = f'[White "{names[0]}"]\n[Black "{names[1]}"]\n[Result "1/2-1/2"]\n'
        texts.append(f"{tags}\n{' '.join(sans)} 1/2-1/2\n")
    path.write_text("\n".join(texts))


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> ChunkFolder:
    folder = tmp_path_factory.mktemp("games")
    write_games(folder / "games.pgn")
    return _imported([folder / "games.pgn"], folder / "run", PAWNS_FIRST.lower(), seed=1)


def test_only_the_moves_of_the_player_are_learned(games: ChunkFolder) -> None:
    assert games.manifest.settings["player"] == PAWNS_FIRST.lower()
    stream = ChunkStream(games, "training", seed=0)
    (chunk,) = stream.take(0, [stream.count])
    for game in np.unique(chunk.games).tolist():
        assert len(set(is_white_to_move(chunk.stored)[chunk.games == game].tolist())) == 1
    assert set(is_white_to_move(chunk.stored).tolist()) == {True, False}
    plies = 50 * sum(games.manifest.games.kept.values()) // 2
    assert 0.8 * plies < sum(games.counts.values()) <= plies


def test_games_of_others_are_dropped(tmp_path: Path) -> None:
    write_games(tmp_path / "others.pgn", 5)
    with pytest.raises(JobFailedError, match="other players: "):
        _imported([tmp_path / "others.pgn"], tmp_path / "run", "me", seed=1)


@pytest.mark.parametrize("make", [make_untrained_tree_run, make_transformer_run])
def test_a_net_learns_to_choose_the_players_moves(
    make: object, games: ChunkFolder, tmp_path: Path
) -> None:
    make(tmp_path / "net")  # type: ignore[operator]
    weights = find_net(check_name(str(tmp_path / "net")))
    plan = _plan(weights, PAWNS_FIRST, epochs=8, seed=1)
    tuning = make_tuning(plan, games)
    tuning.load_weights(weights.arrays)
    held_out = held_out_positions(games)
    before = hits(tuning, held_out)
    session = Session(load=weights.arrays, say=lambda _: None)
    with open_tuning(plan, tuning, tmp_path / "run", session) as run:
        tune(tuning, run, held_out)
    report = report_of(before, hits(tuning, held_out), held_out.games)
    assert report.gain.low > 0
    assert report.gain.mean == pytest.approx(report.after.mean - report.before.mean)
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["match1"] == pytest.approx(report.after.mean)
    player = load_player(f"{tmp_path / 'run'}:version=best")
    assert len(player.choose([Board()], np.zeros(1, np.uint64)).moves) == 1


def test_the_head_learns_first_and_the_rest_slowly() -> None:
    first, last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)
    net = torch.nn.Sequential(first, last)
    optimizer = Optimizer.heads_first(net, 1.0, list(last.parameters()))
    body, head = first.weight.detach().clone(), last.weight.detach().clone()
    optimizer.gradient(net(torch.ones(1, 3)).square().sum())
    optimizer.step(0.1)
    assert torch.equal(first.weight, body)
    assert not torch.equal(last.weight, head)
    optimizer.slow_rest(0.1)
    optimizer.gradient(net(torch.ones(1, 3)).square().sum())
    optimizer.step(0.1)
    assert 0 < float((first.weight.detach() - body).abs().max()) <= 0.0101


def test_intervals_count_games_and_not_positions() -> None:
    """Ten positions of each game are alike: they say no more than one."""
    rng = np.random.default_rng(1)
    by_game = (rng.random(400) < 0.3).astype(np.float64)
    once = Interval.of(by_game, np.arange(400))
    ten_times = Interval.of(by_game.repeat(10), np.arange(400).repeat(10))
    assert once.mean == pytest.approx(ten_times.mean)
    assert once.high - once.low == pytest.approx(ten_times.high - ten_times.low)
    expected = 1.96 * np.sqrt(once.mean * (1 - once.mean) / 399)
    assert once.high - once.mean == pytest.approx(expected)
    single = Interval.of(np.array([1.0, 0.0]), np.zeros(2, np.int64))
    assert not np.isfinite(single.low)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"net": "./dqn-run"}, "is a q_net, which does not learn from games"),
        ({"net": "teacher"}, "teacher is no net of ours"),
        ({"pgn": [Path("none.pgn")]}, "there is no file none.pgn"),
        ({"resume": True}, "--resume needs --run"),
        ({"run": Path("dqn-run")}, "dqn-run exists already"),
    ],
)
def test_bad_input_is_a_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / "dqn-run")
    (tmp_path / "g.pgn").write_text("")
    with pytest.raises(BadInputError, match=message):
        finetune(**{"net": "searchless-tiny", "pgn": [Path("g.pgn")]} | settings)
    assert not (tmp_path / "runs" / "finetune-1").exists()
