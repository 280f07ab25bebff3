"""Pretraining on master games: targets, batch sizes, refusals, and that it learns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfmate.data.dataset import NO_EVALUATION, NO_MOVE, Chunk, ChunkFolder
from selfmate.data.game_filter import CODES
from selfmate.data.held_out import held_out_masters
from selfmate.data.trajectories import games_of_masters
from selfmate.encodings.records import MOVES, encode_records
from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.learners.searchless.config import PretrainConfig
from selfmate.learners.searchless.evaluation import make_evaluator
from selfmate.learners.searchless.pretrain import Pretraining
from selfmate.nets.optim import one_thread
from selfmate.rules import Board, uci_code, uci_text
from selfmate.runs.run import RunRefusedError
from unit.data.imports import games_text, import_all

SMALL: dict[str, Any] = {
    "width": 16,
    "blocks": 1,
    "heads": 2,
    "validation_positions": 64,
    "evaluation_games": 2,
    "conversion_games": 1,
    "threads": 1,
    "target": "imitation",
    "batch_size": 32,
    "batch_size_end": 32,
}


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> ChunkFolder:
    place = tmp_path_factory.mktemp("masters")
    (place / "games.pgn").write_text(games_text(30, seed=1))
    return import_all([place / "games.pgn"], place / "chunks")


def pretraining(masters: ChunkFolder, **settings: Any) -> Pretraining:
    config = PretrainConfig.model_validate(SMALL | settings)
    evaluator = make_evaluator(config, held_out_masters(masters, config.validation_positions))
    return Pretraining(config, masters, evaluator)


def chunk_of(rows: list[tuple[str, int, int, str]]) -> Chunk:
    """Positions after 1. e4, from rows of move, White's result, plies left and ending."""
    board = Board()
    board.push("e2e4")
    moves, results, left, endings = zip(*rows, strict=True)
    count = len(rows)
    return Chunk(
        stored=encode_records([board] * count),
        moves=np.array([uci_code(move) for move in moves], np.uint16),
        results=np.array(results, np.int8),
        plies_left=np.array(left, np.uint16),
        endings=np.array([CODES[ending] for ending in endings], np.uint8),
        white_elo=np.zeros(count, np.uint16),
        black_elo=np.zeros(count, np.uint16),
        games=np.arange(count),
        evaluations=np.full(count, NO_EVALUATION, np.int16),
        best_moves=np.full(count, NO_MOVE, np.uint16),
    )


def test_games_are_seen_by_the_side_to_move() -> None:
    rows = [
        ("e7e5", 1, 6, "checkmate"),  # Black is mated at White's third move from here
        ("c7c5", -1, 5, "checkmate"),  # Black mates with its third move, this one the first
        ("g8f6", -1, 41, "resignation"),
        ("d7d5", 0, 80, "repetition"),
    ]
    games = games_of_masters(chunk_of(rows), by_mate=True)
    assert [uci_text(int(move)) for move in MOVES[games.played]] == ["e2e4", "c2c4", "g1f3", "d2d4"]
    assert games.results_side_to_move.tolist() == [-1, 1, 1, 0]
    assert games.moves_left.tolist() == [3, 3, 0, 0]
    by_end = games_of_masters(chunk_of(rows), by_mate=False)
    assert by_end.moves_left.tolist() == [3, 3, 21, 40]
    assert not len(games.tried.values)


def test_the_batch_size_doubles_at_equal_distances(masters: ChunkFolder) -> None:
    growing = pretraining(masters, positions=100_000, batch_size=32, batch_size_end=256)
    points = (0, 24_999, 25_000, 49_999, 50_000, 75_000, 99_999, 100_000)
    assert [growing.batch_size(done) for done in points] == [32, 32, 64, 64, 128, 256, 256, 256]
    assert pretraining(masters).batch_size(10**6) == 32
    assert growing.step_size() % 256 == 0
    assert pretraining(masters, validations_per_epoch=4).step_size() % 32 == 0


def test_it_learns_the_moves_that_were_played(masters: ChunkFolder) -> None:
    agent = pretraining(masters, learning_rate=0.02)
    batches = list(agent.stream.batches(0, 320, 32))
    with one_thread():
        for _ in range(3):
            losses = [agent.update(agent.games_of(batch), 0.02)["loss"] for batch in batches]
    assert np.mean(losses) < 0.8 * np.log(1968)


def test_a_corrupt_validation_chunk_is_refused(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(games_text(10, seed=2))
    folder = import_all([tmp_path / "games.pgn"], tmp_path / "chunks")
    for chunk in (tmp_path / "chunks").glob("validation*"):
        chunk.write_bytes(chunk.read_bytes()[:-100])
    with pytest.raises(RunRefusedError, match="the master games cannot be used"):
        held_out_masters(folder, 16)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (("batch_size=512",), "batch_size 512 is more than batch_size_end 256: .* only grow"),
        (
            ("batch_size=4",),
            "batch_size_end 256 is not batch_size 4 doubled .* it can be 4, 8, 16, 32, 64, 128",
        ),
        (("batch_size=100",), "batch_size_end 256 is not batch_size 100 doubled"),
    ],
)
def test_impossible_batch_sizes_are_refused(sizes: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_config(LEARNERS["pretrain-searchless"], sets=sizes)
