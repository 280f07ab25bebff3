"""Mini-chess: DDQN of the reference design as we run it, beside a transcription of its listing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from threadpoolctl import threadpool_limits

from selfmate.learners.config import Config, read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.ddqn import Config as DdqnConfig
from selfmate.minichess.ddqn import Ddqn
from selfmate.minichess.sarsa import Config as SarsaConfig
from selfmate.minichess.sarsa import Sarsa
from selfmate_benchmarks import Results, best_rates, ratio
from selfmate_benchmarks.peers.minichess import ListedDdqn

ROUNDS = 8
MOVES = 1000  # per game and go
WARM_UP_MOVES = 200  # fill the replays, so that all contestants learn
REFERENCE_GAMES_PER_S = 15.59  # Table VI of the reference design, vectorized


@dataclass(frozen=True)
class Contestant:
    """A training: `move` makes a move in all its games and an update."""

    move: Callable[[], None]
    games: Callable[[], int]  # finished so far


def run(rounds: int = ROUNDS) -> Results:
    """All contestants in one run, each on one core."""
    with threadpool_limits(limits=1, user_api="blas"):
        return _race(_contestants(), rounds)


def _contestants() -> dict[str, Contestant]:
    paper, default = _ddqn("paper"), _ddqn(None)
    listed = ListedDdqn(epsilon=float(paper.epsilons()[0]))
    paper_sarsa, default_sarsa = _sarsa("paper"), _sarsa(None)
    return {
        "paper_ddqn": Contestant(paper.play_and_learn, lambda: int(paper.games.finished)),
        "transcription": Contestant(listed.move_and_learn, lambda: listed.games),
        "paper_sarsa": Contestant(
            paper_sarsa.play_and_learn, lambda: int(paper_sarsa.games.finished)
        ),
        "ddqn": Contestant(default.play_and_learn, lambda: int(default.games.finished)),
        "sarsa": Contestant(
            default_sarsa.play_and_learn, lambda: int(default_sarsa.games.finished)
        ),
    }


def _race(contestants: dict[str, Contestant], rounds: int) -> Results:
    for contestant in contestants.values():
        _go(contestant, WARM_UP_MOVES)
    before = {name: contestant.games() for name, contestant in contestants.items()}
    goes = {name: partial(_go, contestant, MOVES) for name, contestant in contestants.items()}
    updates = best_rates(goes, rounds)
    games: dict[str, float] = {}
    for name, contestant in contestants.items():
        per_update = (contestant.games() - before[name]) / (rounds * MOVES)
        games[name] = (updates[name] or 0.0) * per_update
    results: Results = {
        "ddqn_updates_x_vs_transcription": ratio(updates["paper_ddqn"], updates["transcription"]),
        "ddqn_games_x_vs_transcription": ratio(games["paper_ddqn"], games["transcription"]),
        "ddqn_games_x_vs_reference": games["paper_ddqn"] / REFERENCE_GAMES_PER_S,
    }
    for name, rate in updates.items():
        results |= {f"{name}_updates_per_s": rate, f"{name}_games_per_s": games[name]}
    return results


def _go(contestant: Contestant, moves: int) -> float:
    for _ in range(moves):
        contestant.move()
    return moves


def _ddqn(preset: str | None) -> Ddqn:
    config = _config("ddqn", preset)
    assert isinstance(config, DdqnConfig)
    return Ddqn(config)


def _sarsa(preset: str | None) -> Sarsa:
    config = _config("sarsa", preset)
    assert isinstance(config, SarsaConfig)
    return Sarsa(config)


def _config(learner: str, preset: str | None) -> Config:
    return read_config(LEARNERS[learner], preset=preset)
