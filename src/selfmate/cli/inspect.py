"""`selfmate inspect`: settings, metrics, replay buffer and verified checkpoints of one run."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from math import exp
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from selfmate.cli.console import BadInputError, reading_input
from selfmate.cli.runs import changed_settings, metrics_of, summary_of
from selfmate.data.transitions import ACTIONS, NO_ACTION, Episodes
from selfmate.runs import (
    Checkpoint,
    Checkpoints,
    CorruptError,
    FileNote,
    ShardStore,
    read_card,
    read_checkpoint,
)

if TYPE_CHECKING:
    from selfmate.runs import Arrays, RunDirectory

# Twenty games of random players or of the teacher have more than 300 effective actions, one game
# that is repeated at most 90. Small buffers are not judged.
FEW_ACTIONS, ENOUGH_EXPERIENCES = 100, 1000
RECENT = 10


@dataclass(frozen=True, kw_only=True)
class ShardFacts:
    name: str
    experiences: int


@dataclass(frozen=True, kw_only=True)
class ReplayFacts:
    """What a replay buffer holds. An experience is a row with an action; shares and means are over
    experiences. The field names are keys of `--json`."""

    experiences: int
    games: int
    reward_variance: float
    terminal_share: float
    distinct_actions: int
    action_entropy_nats: float
    legal_least: int
    legal_mean: float
    legal_most: int
    forced_share: float  # with a single legal action
    advised_share: float  # with advice of the teacher
    pages: tuple[ShardFacts, ...]  # the shards, oldest first
    remarks: tuple[str, ...] = ()  # sentences: what is wrong, and what to do


def analyse(shards: Mapping[str, Episodes]) -> ReplayFacts:
    """Statistics of the shards of a replay buffer, oldest first."""
    rewards, ends, actions = (_joined(shards, name) for name in ("rewards", "ends", "actions"))
    counts = _joined(shards, "legal_counts")
    distinct, entropy_nats = _diversity(actions)
    facts = ReplayFacts(
        experiences=len(actions),
        games=sum(int(np.count_nonzero(shard.ends | ~shard.played)) for shard in shards.values()),
        reward_variance=float(np.var(rewards, dtype=np.float64)) if len(rewards) else 0.0,
        terminal_share=_share(ends),
        distinct_actions=distinct,
        action_entropy_nats=entropy_nats,
        legal_least=int(counts.min()) if len(counts) else 0,
        legal_mean=float(counts.mean()) if len(counts) else 0.0,
        legal_most=int(counts.max(initial=0)),
        forced_share=_share(counts == 1),
        advised_share=_share(_joined(shards, "advice") != NO_ACTION),
        pages=tuple(
            ShardFacts(name=name, experiences=int(np.count_nonzero(shard.played)))
            for name, shard in shards.items()
        ),
    )
    return replace(facts, remarks=tuple(_remarks(facts)))


def _joined(shards: Mapping[str, Episodes], name: str) -> NDArray[Any]:
    """A column of the experiences of all shards, of which there may be none."""
    return np.concatenate(
        [np.zeros(0, np.int16), *(getattr(shard, name)[shard.played] for shard in shards.values())]
    )


def _share(which: NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(which)) / max(1, len(which))


def _diversity(actions: NDArray[np.int16]) -> tuple[int, float]:
    """The number of distinct actions, and the entropy of their distribution."""
    counts = np.bincount(actions, minlength=ACTIONS)
    probs = counts[counts > 0] / max(1, len(actions))
    return len(probs), float((probs * np.log(1 / probs)).sum())


def _remarks(facts: ReplayFacts) -> Iterator[str]:
    if not facts.experiences:
        yield "There are no experiences yet: wait for the first cycle of self-play."
        return
    if not facts.terminal_share:
        yield (
            "Every game was truncated, so no value is grounded in a result: allow more plies, or "
            "start from endgames."
        )
    elif not facts.reward_variance:
        yield (
            "No game was decisive, so all rewards are equal and there is nothing to learn: allow "
            "more plies, or play against the teacher."
        )
    effective = exp(facts.action_entropy_nats)
    if facts.experiences >= ENOUGH_EXPERIENCES and effective < FEW_ACTIONS:
        yield (
            f"The actions have the entropy of only {effective:.0f} equally likely ones: explore "
            "more (a higher epsilon), or start from more openings."
        )


@dataclass(frozen=True, kw_only=True)
class Survey:
    """All checkpoints of a run, verified."""

    checkpoints: list[dict[str, Any]]  # oldest first; corrupt ones with the reason
    newest: Checkpoint | None  # the newest good one, with all its shards
    size_bytes: int  # of all good ones, each shard counted once


class _UnreadShards(ShardStore):
    """Checkpoints share their shards: each shard is read and verified once."""

    def __init__(self, run: "RunDirectory") -> None:
        super().__init__(run.path)
        self.notes = set[FileNote]()

    def read(self, notes: "Mapping[str, FileNote]") -> "dict[str, Arrays]":
        unread = super().read({n: note for n, note in notes.items() if note not in self.notes})
        self.notes |= set(notes.values())
        return unread


def survey(run: "RunDirectory") -> Survey:
    """Reads the newest checkpoint first: only the first good one is read with all its shards."""
    shards, newest, size_bytes = _UnreadShards(run), None, 0
    entries: list[dict[str, Any]] = []
    for step in reversed(Checkpoints(run.path).steps()):
        try:
            checkpoint = _read(run, step, shards)
        except CorruptError as error:
            if Checkpoints(run.path).path(step).exists():  # otherwise it was deleted meanwhile
                entries.append({"step": step, "damage": str(error)})
            continue
        newest = newest or checkpoint
        entries.append(_entry(checkpoint))
        size_bytes += entries[-1]["bytes"]
    size_bytes += sum(note.size_bytes for note in shards.notes)
    return Survey(checkpoints=entries[::-1], newest=newest, size_bytes=size_bytes)


def _read(run: "RunDirectory", step: int, shards: ShardStore) -> Checkpoint:
    path = Checkpoints(run.path).path(step)
    if read_card(path).header.digest() != run.header.digest():
        raise CorruptError("it belongs to another run")
    return read_checkpoint(path, shards)


def _entry(checkpoint: Checkpoint) -> dict[str, Any]:
    card, saved = checkpoint.card, checkpoint.saved
    return {
        "step": card.step,
        "damage": None,
        "done": card.done,
        "bytes": sum(note.size_bytes for note in card.files.values()),
        "page_bytes": sum(note.size_bytes for note in card.shards.values()),
        "player": dict(card.player),
        "weights": _shapes(saved.weights),
        "rest": _shapes(saved.rest),
        "facts": sorted(card.facts),
    }


def _shapes(arrays: "Arrays") -> dict[str, str]:
    """float32 [58, 200]"""
    return {name: f"{array.dtype} {list(array.shape)}" for name, array in arrays.items()}


def replay_of(checkpoint: Checkpoint) -> dict[str, Any] | None:
    """Statistics of its replay buffer of transitions, None if it has none; ValueError if the buffer
    is invalid. AlphaZero's buffer holds positions with policies, which are not analysed."""
    from selfmate.data.replay import HIGH_QUALITY, replay_shards

    shards = replay_shards(checkpoint.saved.shards)
    if not any("rewards" in shard for shard in shards.values()):
        return None
    episodes = {name: Episodes.from_arrays(shard) for name, shard in shards.items()}
    best = {name for name in episodes if name.startswith(HIGH_QUALITY)}
    facts = analyse({name: shard for name, shard in episodes.items() if name not in best})
    high_quality = sum(int(np.count_nonzero(episodes[name].played)) for name in best)
    return {"step": checkpoint.card.step, **asdict(facts), "high_quality": high_quality}


def inspect(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="The directory of a run, such as runs/x, or of imported games."
        ),
    ],
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Of imported games: a picture of evaluations and results."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a run: settings, metrics, notes, replay buffer, checkpoints.

    Every checkpoint is verified, and every line of its other files. Of a folder
    of `selfmate import`, show what was imported and how evaluations relate to
    results.
    """
    from selfmate.cli.inspect_data import inspect_data, is_data
    from selfmate.cli.inspect_view import print_inspection
    from selfmate.runs import RunDirectory

    if is_data(run):
        inspect_data(run, plot, as_json)
        return
    if plot is not None:
        raise BadInputError(f"--plot is for folders of selfmate import, {run} is none")
    with reading_input():
        found = RunDirectory(run)
        surveyed = survey(found)
        replay = replay_of(surveyed.newest) if surveyed.newest else None
    series = _series(found)
    report = _report(found, surveyed, series) | {"replay": replay}
    if as_json:
        print(json.dumps(report))
    else:
        print_inspection(found, report, series)


def _report(
    run: "RunDirectory", surveyed: Survey, series: Mapping[str, list[float]]
) -> dict[str, Any]:
    return {
        **summary_of(run),
        "config": run.config,
        "changed": changed_settings(run),
        "message": run.status().message,
        **_times(run),
        "figures": {name: _spread(values) for name, values in series.items()},
        "notices": run.notices(),
        "notes": list(run.notes()),
        "sample": run.newest_sample(),
        "checkpoints": surveyed.checkpoints,
        "bytes": surveyed.size_bytes,
    }


def _series(run: "RunDirectory") -> dict[str, list[float]]:
    unit = run.status().unit
    series: dict[str, list[float]] = {}
    for line in run.metrics():
        for name, value in metrics_of(line, unit).items():
            series.setdefault(name, []).append(value)
    return series


def _spread(values: list[float]) -> dict[str, float]:
    return {
        "last": values[-1],
        "recent_mean": fmean(values[-RECENT:]),
        "least": min(values),
        "greatest": max(values),
    }


def _times(run: "RunDirectory") -> dict[str, object]:
    """The seconds of all steps, and the fraction that each part took, and the memory of the process
    at the end of each step, if they were recorded."""
    seconds, parts, memory = 0.0, dict[str, float](), list[float]()
    for line in run.timings():
        numbers = metrics_of(line, "")
        seconds += numbers.get("seconds", 0.0)
        memory += [numbers["memory_mb"]] if "memory_mb" in numbers else []
        recorded = line.get("parts")
        for name, part in metrics_of(recorded, "").items() if isinstance(recorded, dict) else ():
            parts[name] = parts.get(name, 0.0) + part
    return {
        "seconds": seconds,
        "shares": {name: part / seconds for name, part in parts.items()} if seconds else {},
        "memory_mb": _spread(memory) if memory else {},
    }
