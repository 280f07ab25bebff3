"""How a run stands: what `train`, `runs` and `inspect` say of it alike."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from selfmate.cli.figures import duration
from selfmate.learners import LEARNERS

if TYPE_CHECKING:
    from selfmate.learners import Learner
    from selfmate.runs.directory import RunDirectory

T = TypeVar("T")


def summary_of(run: "RunDirectory") -> dict[str, Any]:
    """The first keys of every `--json` about a run."""
    status, best = run.status(), run.best()
    return {
        "run": str(run.path),
        "learner": run.learner,
        "state": status.state,
        "done": status.done,
        "total": status.total,
        "unit": status.unit,
        "updated": status.updated,
        "last": _last_figures(run, status.unit),
        "best": best and asdict(best),
    }


def _last_figures(run: "RunDirectory", unit: str) -> dict[str, float]:
    """The newest value of every figure; some come only now and then."""
    newest: dict[str, float] = {}
    for line in run.metrics():
        newest |= figures_of(line, unit)
    return newest


def figures_of(line: Mapping[str, Any], unit: str) -> dict[str, float]:
    """What a line of metrics says besides how far the run was."""
    return {
        name: value
        for name, value in line.items()
        if name not in ("step", unit) and isinstance(value, int | float)
    }


def told_first(learner: "Learner | None", figures: Mapping[str, T]) -> dict[str, T]:
    """Those that matter most, in their order; all of them when there is nothing to go by."""
    names = learner.headlines if learner else ()
    return {name: figures[name] for name in names if name in figures} or dict(figures)


def changed_settings(run: "RunDirectory") -> dict[str, Any]:
    """The settings of a run that are not today's defaults."""
    known = run.learner in LEARNERS
    defaults = LEARNERS[run.learner].config_class().plain() if known else {}
    return {
        key: value
        for key, value in run.config.items()
        if key not in defaults or value != defaults[key]
    }


def age(updated: str) -> str:
    """How long ago a time stamp of a status is, roughly."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(updated)).total_seconds()
    except (ValueError, TypeError):  # a status nobody of us wrote
        return "?"
    number, unit, *_ = duration(max(0.0, seconds)).split()
    return f"{number} {unit} ago"
