"""Games are the same however they are divided among threads and workers, for every learner that
takes workers, and with every kind of net."""

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields

import numpy as np
import pytest
import torch

from selfmate.cluster.shelf import Shelf, digest_of
from selfmate.learners.reinforce.learner import SamplingActors
from selfmate.nets.config import (
    MoveScorerConfig,
    QNetConfig,
    ResNetConfig,
    SparseNetConfig,
    TransformerConfig,
)
from selfmate.rules import Board, Ragged
from selfmate.runs import Arrays
from selfmate.searches.config import SearchConfig
from selfmate.selfplay.alphazero import SearchActors, SearchPlay
from selfmate.selfplay.dqn import Opponents
from selfmate.selfplay.games import GamePlan, Starts, Trajectories, trajectories
from selfmate.selfplay.searchless import AttemptingActors
from selfmate.selfplay.workers import (
    ActorFactory,
    GameTasks,
    NetConfig,
    NetSnapshot,
    ThreadWorkers,
    replay,
    unpacked,
)

GAMES = 21
PLAY = SearchPlay(
    search=SearchConfig(cache_size=1000, exact_cache_key=True),
    simulations=6,
    full_search_fraction=0.6,
    fast_simulations=3,
    temperature=1.0,
    temperature_end=0.1,
    temperature_plies=6,
    resign_threshold=0.3,
    resign_playthrough=0.5,
)


def net(config: NetConfig) -> NetSnapshot:
    torch.manual_seed(1)
    made = config.make_net()
    rng = np.random.default_rng(2)
    weights = {
        name: array + 0.1 * rng.standard_normal(array.shape).astype(np.float32)
        for name, array in made.arrays().items()
    }
    return NetSnapshot.of(config, weights)


def residual() -> SearchActors:
    return SearchActors(net=net(ResNetConfig(blocks=1, filters=16, attention_blocks=1)), play=PLAY)


def sparse() -> SearchActors:
    return SearchActors(net=net(SparseNetConfig(accumulator=32, policy_width=32)), play=PLAY)


def epsilon_greedy() -> ActorFactory:
    config = QNetConfig(hidden=(16, 8), dueling=True)
    pool = Opponents(config, config.make_net(), dict.fromkeys(("self", "past", "teacher_1"), 1.0))
    pool.retire("best-0", net(config).weights or {})
    seats = pool.seats(GAMES, np.random.default_rng(1))
    return pool.actors(seats, epsilon=0.2, teacher_depth=1)


def attempting() -> AttemptingActors:
    config = TransformerConfig(width=16, blocks=1, heads=2)
    return AttemptingActors(net=net(config), temperature=1.0, max_attempts=20)


def sampling() -> SamplingActors:
    config = MoveScorerConfig(encoding="onehot768", hidden=(12, 8), value_head=False)
    return SamplingActors(
        net=net(config),
        spec=config,
        temperature=0.7,
        plays_mate_in_one=True,
        random_sides=np.resize(np.array([0, 1, 0, -1], np.int8), GAMES),
    )


FACTORIES: Mapping[str, Callable[[], ActorFactory]] = {
    "residual": residual,
    "sparse": sparse,
    "dqn": epsilon_greedy,
    "searchless": attempting,
    "reinforce": sampling,
}


def plan() -> GamePlan:
    starts = Starts(openings=True, endgame_fraction=0.3, random_plies=2)
    boards = starts.boards(GAMES, np.random.default_rng(3))
    return GamePlan(boards=boards, max_plies=14, seed=9, parallel_games=4)


def by_tasks(factory: ActorFactory, workers: int) -> tuple[Trajectories, GamePlan]:
    """As workers in other processes play them, in an order of their own."""
    whole = plan()
    tasks = GameTasks(factory, whole)
    shelves = [Shelf() for _ in range(workers)]
    played = []
    for number, task in enumerate(iter(lambda: tasks.take(workers), None)):
        shelf = shelves[number % workers]
        shelf.put({of.digest: of.weights or {} for of in factory.nets})
        played.append(unpacked(pickle.loads(pickle.dumps(task)).run(shelf)))
    played.reverse()
    replay(whole.boards, played)
    return trajectories(played, whole, workers=workers), whole


def content(games: Trajectories, of: GamePlan) -> Iterator[tuple[str, object]]:
    """All that may not depend on the division."""
    for name, column in games.columns.items():
        parts = (column.values, column.offsets) if isinstance(column, Ragged) else (column,)
        for part in parts:
            yield name, (part.dtype, part.shape, part.tobytes())
    for name in ("games", "plies", "is_white", "results", "lengths"):
        yield name, getattr(games, name).tolist()
    yield "endings", list(games.endings)
    yield "stats", games.stats
    yield "leaves", games.leaves
    yield "truncated", [board.fen() for board in games.truncated.boards]
    yield "boards", [(board.start_fen, board.moves) for board in of.boards]


@pytest.mark.parametrize("name", FACTORIES)
def test_games_do_not_depend_on_how_they_are_divided(name: str) -> None:
    factory = FACTORIES[name]()
    whole = plan()
    games = ThreadWorkers(1, 1).play(factory, whole)
    expected = dict(content(games, whole))
    for threads in (2, 3):
        other = plan()
        assert dict(content(ThreadWorkers(threads, 2).play(factory, other), other)) == expected
    for workers in (1, 4):
        assert dict(content(*by_tasks(factory, workers))) == expected
    assert games.stats.games == GAMES
    assert {field.name for field in fields(games)} >= {"columns", "stats"}


def test_a_snapshot_travels_without_its_weights() -> None:
    factory = residual()
    assert factory.net.weights
    travelled = pickle.loads(pickle.dumps(factory))
    assert travelled.net.weights is None
    assert travelled.net.digest == factory.net.digest
    assert len(pickle.dumps(factory)) < 4000


def test_the_digest_depends_on_names_shapes_and_values() -> None:
    one = np.arange(6, dtype=np.float32)
    others: list[Arrays] = [
        {"a": one},
        {"b": one},
        {"a": one.reshape(2, 3)},
        {"a": one + 1},
        {"a": -one},
    ]
    assert len({digest_of(arrays) for arrays in others}) == len(others)
    assert digest_of({"a": one.copy()}) == digest_of({"a": one})


def test_making_a_net_leaves_torchs_random_numbers_alone() -> None:
    snapshot = residual().net
    torch.manual_seed(5)
    before = torch.get_rng_state()
    snapshot.load(snapshot.weights or {})
    assert torch.equal(before, torch.get_rng_state())


def test_tasks_are_large_at_first_and_cover_every_game_once() -> None:
    whole = GamePlan(boards=[Board() for _ in range(100)], max_plies=1, seed=1, parallel_games=32)
    tasks = GameTasks(residual(), whole)
    sizes = [task.numbers for task in iter(lambda: tasks.take(2), None)]
    assert [number for numbers in sizes for number in numbers] == list(range(100))
    assert [len(numbers) for numbers in sizes[:2]] == [25, 19]
    assert len(sizes[-1]) <= 8
