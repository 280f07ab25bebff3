"""Everything that learns, by name. Command line, presets and contract tests follow this table."""

import os
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from selfmate.learners.config import Config
    from selfmate.runs.on_disk import RunOnDisk, Session
    from selfmate.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class Learner:
    """Where a learner lives: its module has `train(config, run)`, with a `device` behind if it has
    several, and a `Config` unless that has a module of its own, which is then light to import."""

    name: str
    module: str
    summary: str
    unit: str  # what its training is counted in
    plots: tuple[str, ...]  # the figures that show best how it learns
    then: str  # the command to try on a finished {run}
    headlines: tuple[str, ...] = ()  # the figures that are told first; none: all of them
    verb: str = "train"  # the word it is started by; of "pretrain-x" it is "pretrain"
    devices: tuple[str, ...] = ("cpu",)  # where it can compute
    config_module: str = ""
    main_settings: tuple[str, ...] = ()  # those that people change first
    click: str = ""  # the setting that says how many units one press on Train does; none: all
    is_rehearsed: bool = True  # a few steps are cheap enough to foresee how long all will take

    @property
    def command(self) -> str:
        """What starts it: `train x` or `pretrain x`."""
        return f"{self.verb} {self.name.removeprefix('pretrain-')}"

    @property
    def config_class(self) -> "type[Config]":
        found: type[Config] = import_module(self.config_module or self.module).Config
        return found

    def check_device(self, device: str) -> None:
        if device not in self.devices:
            allowed = " or ".join(self.devices)
            raise ValueError(f"{self.command} cannot compute on {device!r}; --device is {allowed}")
        if device != "cpu":
            from selfmate.nets.devices import check_device

            check_device(device)

    def open_run(self, config: "Config", directory: "Path", session: "Session") -> "RunOnDisk":
        """A run of this learner on disk, for `with`; see `selfmate.runs.on_disk.open_run`."""
        from selfmate.runs.checkpoints import Policy
        from selfmate.runs.header import Header
        from selfmate.runs.on_disk import open_run

        policy = Policy(
            checkpoint_every=config.checkpoint_every,
            keep_last=config.keep_last,
            keep_every=config.keep_every,
        )
        return open_run(directory, Header(self.name, config.plain()), policy, session)

    def train(self, config: "Config", run: "Run", device: str = "cpu") -> None:
        """Does what is left of a run, on one BLAS thread: sums must not depend on the number of
        cores, and products of small matrices are slower on several."""
        # Torch's threads would wait by spinning, on cores that the core's own threads need.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        module: Any = import_module(self.module)  # loads NumPy, whose threads are limited next
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1, user_api="blas"):
            module.train(config, run, *([device] if len(self.devices) > 1 else []))


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner(
            name="sarsa",
            module="selfmate.learners.sarsa",
            summary="mini-chess, king and queen against king: neural SARSA without autodiff",
            unit="episodes",
            plots=("reward", "moves", "mate_percent"),
            then="selfmate endgame evaluate {run}",
            main_settings=("episodes", "size", "learning_rate", "gamma"),
        ),
        Learner(
            name="ddqn",
            module="selfmate.learners.ddqn",
            summary="mini-chess, king and queen against king: Double DQN without autodiff",
            unit="episodes",
            plots=("reward", "moves", "mate_percent"),
            then="selfmate endgame evaluate {run}",
            main_settings=("episodes", "size", "learning_rate", "gamma"),
        ),
        Learner(
            name="dqn",
            module="selfmate.learners.dqn",
            config_module="selfmate.learners.dqn_config",
            summary="chess: Double DQN by playing itself and others, helped by the teacher",
            unit="cycles",
            plots=("td_loss", "score_teacher_depth_1", "entropy"),
            then="selfmate match {run} teacher:depth=1",
            headlines=(
                "score_teacher_depth_1",
                "score_random",
                "td_loss",
                "imitation_loss",
                "entropy",
                "ln_legal",
                "gradient_norm",
                "epsilon",
            ),
            main_settings=("cycles", "games", "learning_rate", "advice_depth"),
            is_rehearsed=False,
        ),
        Learner(
            name="reinforce",
            module="selfmate.learners.reinforce",
            config_module="selfmate.learners.reinforce_config",
            summary="chess: scores the legal moves, and learns from nothing but how games end",
            unit="games",
            plots=("score_random", "entropy", "kl"),
            then="selfmate match {run} random",
            headlines=(
                "score_random",
                "score_greedy",
                "loss",
                "entropy",
                "ln_legal",
                "kl",
                "white_wins",
                "black_wins",
                "cut_games",
            ),
            main_settings=("games", "finds_mates", "baseline", "learning_rate"),
            click="games_per_click",
            is_rehearsed=False,
        ),
        Learner(
            name="alphazero",
            module="selfmate.learners.alphazero",
            config_module="selfmate.learners.alphazero_config",
            summary="chess: a net and a tree search teach each other, from nothing or from masters",
            unit="cycles",
            plots=("ladder_score", "policy_loss", "wdl_loss"),
            then="selfmate match {run}:sims=100 teacher:depth=2",
            headlines=(
                "ladder_score",
                "score_best",
                "promoted",
                "policy_loss",
                "wdl_loss",
                "entropy",
                "ln_legal",
                "drawn_games",
                "plies",
            ),
            main_settings=("cycles", "games", "simulations", "learning_rate"),
            devices=("cpu", "cuda"),
            is_rehearsed=False,
        ),
        Learner(
            name="searchless",
            module="selfmate.learners.searchless",
            config_module="selfmate.learners.searchless_config",
            summary="chess: a transformer finds out the rules by trying, and plays without search",
            unit="cycles",
            plots=("legal_mass", "top_legal", "illegal_attempts"),
            then="selfmate match {run} random",
            headlines=(
                "legal_mass",
                "top_legal",
                "illegal_attempts",
                "target_legal_mass",
                "score_random",
                "score_random_unmasked",
                "score_greedy",
                "puzzles",
                "converted_queen",
                "converted_rook",
                "loss",
            ),
            main_settings=("cycles", "games", "temperature", "learning_rate"),
            is_rehearsed=False,
        ),
        Learner(
            name="pretrain-dqn",
            module="selfmate.learners.pretrain_dqn",
            config_module="selfmate.learners.pretrain_dqn_config",
            summary="chess: a Q-net imitates the teacher, move by move and in its values",
            unit="positions",
            plots=("policy_loss", "match1", "value_loss"),
            then="selfmate train dqn --load {run}",
            headlines=("match1", "match3", "kl", "value_mse", "policy_loss"),
            verb="pretrain",
            is_rehearsed=False,
        ),
        Learner(
            name="pretrain-alphazero",
            module="selfmate.learners.pretrain_alphazero",
            config_module="selfmate.learners.pretrain_alphazero_config",
            summary="chess: a net learns the moves and results of master games",
            unit="positions",
            plots=("policy_loss", "match1", "wdl_loss"),
            then="selfmate train alphazero --load {run} --preset gentle",
            headlines=("match1", "match5", "wdl_accuracy", "policy_loss", "wdl_loss"),
            verb="pretrain",
            devices=("cpu", "cuda"),
            is_rehearsed=False,
        ),
        Learner(
            name="pretrain-searchless",
            module="selfmate.learners.pretrain_searchless",
            config_module="selfmate.learners.pretrain_searchless_config",
            summary="chess: a transformer learns the moves of master games, legal or not",
            unit="positions",
            plots=("legal_mass", "match1", "loss"),
            then="selfmate match {run} greedy",
            headlines=("match1", "match5", "legal_mass", "top_legal", "puzzles", "loss"),
            verb="pretrain",
            is_rehearsed=False,
        ),
    )
}


def started_by(verb: str) -> list[str]:
    """The names that follow `train` or `pretrain`."""
    return [learner.command.split()[1] for learner in LEARNERS.values() if learner.verb == verb]


def find_learner(name: str, verb: str = "train") -> Learner:
    if name not in started_by(verb):
        raise ValueError(f"no learner {name!r} to {verb}; there are: {', '.join(started_by(verb))}")
    return LEARNERS[name if verb == "train" else f"{verb}-{name}"]
