"""A learner that learns nothing, but has all a real one has: weights, an optimizer, a replay that
fills up, shards that come and go, a random generator, a step that fails once. Also a program, to be
killed, stopped and run out of disk."""

import argparse
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from selfmate.runs.card import Header
from selfmate.runs.checkpoint import Policy
from selfmate.runs.run import (
    Arrays,
    Json,
    Run,
    RunFailedError,
    RunRefusedError,
    SampleGame,
    SavedState,
    Step,
    check_layout,
)
from selfmate.runs.session import DiskRun, Session, open_run

CONFIG: dict[str, Json] = {"seed": 3, "rate": 0.25, "layers": [4, 4], "name": "toy", "adam": True}
HEADER = Header("toy", CONFIG)
POLICY = Policy(checkpoint_every=3, keep_last=2, keep_every=2)
TOTAL, SIZE, STEPS = 57, 5, 12  # the last step is a short one
SHARDS_REMEMBERED = 4
PLAYER: dict[str, Json] = {"kind": "toy", "size": 4}


class ToyState:
    def __init__(self, seed: int = 3) -> None:
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.weights: dict[str, NDArray[Any]] = {
            "w": np.zeros((4, 4), np.float32),
            "b": np.zeros(()),
        }
        self.moment = np.zeros((4, 4), np.float32)
        self.replay = np.zeros(0, np.int16)
        self.shards: dict[str, Arrays] = {}

    def learn(self, attempt: int = 1) -> float:
        push = self.rng.standard_normal((4, 4), dtype=np.float32) * np.float32(0.9 ** (attempt - 1))
        self.moment = self.moment + np.float32(0.1) * (push - self.moment)
        self.weights["w"] = self.weights["w"] + self.moment
        self.weights["b"] = np.asarray(self.weights["b"] + self.rng.random())
        self.replay = np.append(self.replay, self.rng.integers(1000, dtype=np.int16))
        return float(self.weights["w"].sum())

    def add_shard(self, step: Step) -> None:
        """Saves what was seen in this step; the oldest shard that is left changes the weights."""
        seen = self.replay[step.start :] * np.int16(step.attempt)
        self.shards[f"step {step.number}"] = {"seen": seen}
        for name in list(self.shards)[:-SHARDS_REMEMBERED]:
            del self.shards[name]
        oldest = next(iter(self.shards.values()))
        self.weights["b"] = np.asarray(self.weights["b"] + oldest["seen"].mean())

    def save(self) -> SavedState:
        return SavedState(
            weights=self.weights,
            rest={"moment": self.moment.T, "replay": self.replay},
            facts={"rng": dict(self.rng.bit_generator.state), "seen": len(self.replay)},
            shards=dict(self.shards),
        )

    def load(self, saved: SavedState) -> None:
        replay = saved.rest["replay"]
        if len(replay) != saved.facts["seen"]:
            raise ValueError(f"the replay has {len(replay)} entries")
        check_layout(saved.rest, {"moment": self.moment, "replay": replay.astype(np.int16)})
        if len(saved.shards) > SHARDS_REMEMBERED:
            raise ValueError(f"there are {len(saved.shards)} shards")
        self.load_weights(saved.weights)
        self.moment, self.replay = saved.rest["moment"].T, replay
        self.shards = dict(saved.shards)
        self.rng.bit_generator.state = cast("dict[str, Any]", saved.facts["rng"])

    def load_weights(self, weights: Arrays) -> None:
        check_layout(weights, self.weights)
        self.weights = {name: array.copy() for name, array in weights.items()}


def game_of(state: ToyState, attempt: int) -> SampleGame:
    seen = tuple(str(number) for number in state.replay[-SIZE:].tolist())
    return SampleGame(
        start="-", moves=seen, result="*", reason="toy", white="toy", black=f"attempt {attempt}"
    )


def nothing(step: Step) -> None:
    pass


def stumbles(step: Step) -> bool:
    """Once, between the checkpoints 3 and 6."""
    return (step.number, step.attempt) == (5, 1)


def train(
    run: Run,
    state: ToyState,
    before: Callable[[Step], None] = nothing,
    fails: Callable[[Step], bool] = stumbles,
) -> None:
    for step in run.steps(state, total=TOTAL, unit="episodes", size=SIZE, player=PLAYER):
        before(step)
        levels = [state.learn(step.attempt) for _ in range(step.start, step.stop)]
        level = levels[-1]
        state.add_shard(step)
        step.show(game_of(state, step.attempt))
        if fails(step):
            step.roll_back("the toy stumbled")
            continue
        step.log_updates(step.start + 1, {"level": levels})
        score = level if step.number % 2 == 0 else None
        step.record({"level": float(np.float32(level)), "seen": len(state.replay)}, score)


def run_toy(
    directory: Path,
    session: Session | None = None,
    header: Header = HEADER,
    before: Callable[[Step], None] = nothing,
    fails: Callable[[Step], bool] = stumbles,
) -> DiskRun:
    with open_run(directory, header, POLICY, session or Session()) as run:
        train(run, ToyState(), before, fails)
    return run


def stop_at(step_number: int) -> Callable[[Step], None]:
    """Ctrl-C within that step."""

    def before(step: Step) -> None:
        if step.number == step_number:
            os.kill(os.getpid(), signal.SIGINT)

    return before


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument(
        "--signals", nargs="*", default=[], help="sent to itself in step 5, second attempt"
    )
    parser.add_argument("--max-bytes", type=int, help="how large a file may grow from step 8 on")
    wanted = parser.parse_args()

    def before(step: Step) -> None:
        if (step.number, step.attempt) == (5, 2):
            for name in wanted.signals:
                os.kill(os.getpid(), signal.Signals[name])
        if step.number == 8 and wanted.max_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (wanted.max_bytes, wanted.max_bytes))

    session = Session(resume=wanted.resume, say=lambda notice: print(notice, file=sys.stderr))
    try:
        run = run_toy(wanted.directory, session, before=before)
    except (RunRefusedError, RunFailedError) as error:
        print(error, file=sys.stderr)
        sys.exit(2 if isinstance(error, RunRefusedError) else 1)
    except KeyboardInterrupt:
        print("interrupted at once", file=sys.stderr)
        sys.exit(130)
    if run.stopped_by:
        sys.exit(128 + run.stopped_by)


if __name__ == "__main__":
    main()
