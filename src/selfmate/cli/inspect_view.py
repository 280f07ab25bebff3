"""What `selfmate inspect` prints: the state of a run, then a section per subject."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from selfmate.cli.console import Curve, duration, escape, plot_panels, short_number
from selfmate.cli.runs import age, key_metrics
from selfmate.learners.config import in_words
from selfmate.learners.registry import LEARNERS

if TYPE_CHECKING:
    from selfmate.runs import RunDirectory

LOSSES = {"policy_loss", "value_loss"}
VALIDATED = ("match1", "match3", "kl", "value_mse")
Report = Mapping[str, Any]
PLOT_LINES = 7
FIRST_NOTES, NOTES_SHOWN = 5, 10
BAR_WIDTH = 40


@dataclass(frozen=True, kw_only=True)
class Validation:
    """A validation of pretraining: the metrics on games held out, and the loss since the last."""

    positions: int  # that the net had learned
    training_loss: float | None  # the mean over its steps
    validated: tuple[float, ...]  # in the order of VALIDATED


def validations_of(run: "RunDirectory") -> list[Validation]:
    """The validations of a pretraining run, from its metrics; other runs have none."""
    weight = run.config.get("value_weight")
    if weight is None or run.status().unit != "positions":
        return []
    found, losses = list[Validation](), list[float]()
    for line in run.metrics():
        if line.keys() >= LOSSES:
            losses.append(line["policy_loss"] + weight * line["value_loss"])
        if not line.keys() >= set(VALIDATED):
            continue
        positions = 0 if _is_before(run, line) else line["positions"]
        found.append(
            Validation(
                positions=positions,
                training_loss=fmean(losses) if positions and losses else None,
                validated=tuple(line[name] for name in VALIDATED),
            )
        )
        losses = losses if not positions else []
    return found


def _is_before(run: "RunDirectory", line: Mapping[str, float]) -> bool:
    """Whether the first step's validation is that of the untrained net: unless an epoch ended."""
    epochs = run.config["epochs"] if run.config.get("data") else 1
    return line["step"] == 1 and epochs * line["positions"] < run.status().total


def print_validations(validations: Sequence[Validation]) -> None:
    """A table with a line per validation; prints nothing if there are none."""
    from rich.console import Console
    from rich.table import Table

    if not validations:
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("  positions", "training loss", "match@1", "match@3", "KL", "value MSE"):
        table.add_column(column, justify="right")
    for one in validations:
        match1, match3, kl, value_mse = one.validated
        table.add_row(
            f"{one.positions:,}" if one.positions else "before",
            "" if one.training_loss is None else short_number(one.training_loss),
            f"{match1:.1%}",
            f"{match3:.1%}",
            short_number(kl),
            short_number(value_mse),
        )
    Console(highlight=False).print(table)


def print_inspection(
    run: "RunDirectory", report: Report, series: Mapping[str, Sequence[float]]
) -> None:
    console = Console(highlight=False)
    _print_head(console, report)
    _print_metrics(console, report)
    _print_plots(console, report, series)
    if validations := validations_of(run):
        _print_title(console, "validation")
        print_validations(validations)
    if report["shares"]:
        _print_times(console, report["shares"])
    if report["replay"]:
        _print_replay(console, report["replay"], report["unit"])
    if report["notes"]:
        _print_notes(console, report["notes"])
    _print_checkpoints(console, report)


def _print_title(console: Console, title: str) -> None:
    console.print(f"\n[bold]{title}[/]")


def _table(*columns: str, left: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        table.add_column(column, justify="left" if column in left else "right")
    return table


def _print_head(console: Console, report: Report) -> None:
    changed = ", ".join(f"{key} = {in_words(v)}" for key, v in report["changed"].items())
    progress = f"{report['done']:,} of {report['total']:,} {escape(report['unit'])}"
    message = f": {report['message']}" if report["message"] else ""
    grid = Table.grid(padding=(0, 2))
    grid.add_row("  state", f"{report['state']}{escape(message)}")
    grid.add_row("  progress", f"{progress}, {duration(report['seconds'])} of training")
    if memory := report["memory_mb"]:
        text = f"{memory['last']:.0f} MB after the last step, at most {memory['greatest']:.0f} MB"
        grid.add_row("  memory", text)
    grid.add_row("  written", age(report["updated"]))
    grid.add_row("  settings", escape(changed) or "all at their defaults")
    if report["sample"]:
        grid.add_row("  last game", escape(_game_text(report["sample"])))
    console.print(f"[bold]{escape(report['run'])}[/]  {escape(report['learner'])}")
    console.print(grid)
    for notice in report["notices"]:
        console.print(f"  [yellow]{escape(notice)}[/]")


def _game_text(sample: Mapping[str, Any]) -> str:
    """The game comes from a file, so any key may be missing."""
    step, white, black, result, reason, moves = (
        str(sample.get(key, "?")) for key in ("step", "white", "black", "result", "reason", "moves")
    )
    plies, why = len(moves.split()), reason.replace("_", " ")
    return f"step {step}: {white} - {black}, {result} by {why} after {plies} plies"


def _print_metrics(console: Console, report: Report) -> None:
    """Key metrics with their ranges, then the last values of all others."""
    metrics = report["figures"]
    shown = key_metrics(LEARNERS.get(report["learner"]), metrics)
    table = _table("metric", "last", "mean of last 10", "min", "max", left=("metric",))
    for name, spread in shown.items():
        table.add_row(escape(name), *(short_number(value) for value in spread.values()))
    console.print()
    console.print(table)
    others = [name for name in metrics if name not in shown]
    grid = Table.grid(padding=(0, 2))
    half = -(-len(others) // 2)
    for left, right in zip(others[:half], [*others[half:], ""], strict=False):
        pair = [
            (name, short_number(metrics[name]["last"]) if name else "") for name in (left, right)
        ]
        grid.add_row(*(escape(text) for texts in pair for text in texts), style="dim")
    if others:
        console.print()
        console.print(grid)


def _print_plots(console: Console, report: Report, series: Mapping[str, Sequence[float]]) -> None:
    learner = LEARNERS.get(report["learner"])
    curves = {plot: Curve() for plot in (learner.plots if learner else ()) if plot in series}
    for name, curve in curves.items():
        for value in series[name]:
            curve.add(value)
    if curves:
        console.print()
        console.print(plot_panels(curves, console.width - 1, PLOT_LINES * len(curves)))


def _print_times(console: Console, shares: Mapping[str, float]) -> None:
    """The largest part first, the unrecorded rest last."""
    _print_title(console, "where the time goes")
    grid = Table.grid(padding=(0, 2))
    rest = max(0.0, 1 - sum(shares.values()))
    for name, share in [*sorted(shares.items(), key=lambda item: -item[1]), ("other", rest)]:
        bar = "━" * round(share * BAR_WIDTH)
        grid.add_row(f"  {escape(name)}", f"{share:4.0%}", f"[cyan]{bar}[/]")
    console.print(grid)


def _print_replay(console: Console, replay: Mapping[str, Any], unit: str) -> None:
    _print_title(console, f"replay buffer of checkpoint {replay['step']}")
    grid = Table.grid(padding=(0, 2))
    for name, text in _replay_rows(replay, unit):
        grid.add_row(f"  {name}", escape(text))
    console.print(grid)
    for remark in replay["remarks"]:
        console.print(f"  [yellow]{escape(remark)}[/]")


def _replay_rows(replay: Mapping[str, Any], unit: str) -> list[tuple[str, str]]:
    sizes = [shard["experiences"] for shard in replay["pages"]]
    ages = range(len(sizes) - 1, -1, -1)  # one shard per step, the newest last
    mean_age = sum(a * n for a, n in zip(ages, sizes, strict=True)) / max(1, sum(sizes))
    entropy = f"entropy {replay['action_entropy_nats']:.2f} nats"
    legal = f"{replay['legal_least']} to {replay['legal_most']}, mean {replay['legal_mean']:.1f}"
    return [
        ("experiences", f"{replay['experiences']:,} of {replay['games']:,} games"),
        ("high quality", f"{replay['high_quality']:,} in a buffer of their own"),
        ("ages", f"0 to {len(sizes) - 1} {unit}, mean {mean_age:.1f}"),
        ("rewards", f"variance {short_number(replay['reward_variance'])}"),
        ("terminal", f"{replay['terminal_share']:.2%} of experiences"),
        ("actions", f"{replay['distinct_actions']:,} distinct, {entropy}"),
        ("legal moves", f"{legal}, forced {replay['forced_share']:.1%}"),
        ("teacher advice", f"{replay['advised_share']:.0%} of experiences"),
    ]


def _print_notes(console: Console, notes: Sequence[Mapping[str, Any]]) -> None:
    """The first notes, which say how the run began, and the last ones; of those that were kept
    without being printed the last one."""
    printed = [note for note in notes if note.get("aloud", True)]
    quiet = [note for note in notes if not note.get("aloud", True)]
    first, last = printed[:FIRST_NOTES], printed[FIRST_NOTES:][-NOTES_SHOWN:]
    left_out = len(printed) - len(first) - len(last)
    _print_title(console, f"notes, {left_out:,} left out" if left_out else "notes")
    grid = Table.grid(padding=(0, 2))
    for note in (*first, *([{"step": "", "note": "..."}] if left_out else ()), *last):
        grid.add_row(f"  {escape(note.get('step'))}", escape(note.get("note")))
    console.print(grid)
    if quiet:
        newest = f"{escape(quiet[-1].get('note'))} in step {escape(quiet[-1].get('step'))}"
        console.print(f"  and {len(quiet):,} that were not printed, the last: {newest}")


def _print_checkpoints(console: Console, report: Report) -> None:
    if not report["checkpoints"]:
        console.print("\nno checkpoints yet")
        return
    table = _table("checkpoint", "done", "files", "shared shards", "state", left=("state",))
    best = report["best"]["step"] if report["best"] else None
    for entry in report["checkpoints"]:
        if entry["damage"]:
            damage = f"[red]corrupt: {escape(entry['damage'])}[/]"
            table.add_row(f"{entry['step']}", "", "", "", damage)
            continue
        mark = "best" if entry["step"] == best else "good"
        sizes = (_megabytes(entry[key]) for key in ("bytes", "page_bytes"))
        table.add_row(f"{entry['step']}", f"{entry['done']:,}", *sizes, mark)
    console.print()
    console.print(table)
    console.print(f"  {_megabytes(report['bytes'])} in total")
    good = [entry for entry in report["checkpoints"] if not entry["damage"]]
    if good:
        _print_arrays(console, good[-1])


def _print_arrays(console: Console, entry: Mapping[str, Any]) -> None:
    """All weights; the other arrays only by the first part of their names."""
    weights = ", ".join(f"{name} {shape}" for name, shape in entry["weights"].items())
    parts = Counter(name.partition(".")[0] for name in entry["rest"])
    rest = ", ".join(f"{part} ({count})" if count > 1 else part for part, count in parts.items())
    grid = Table.grid(padding=(0, 2))
    grid.add_row("  weights", escape(weights))
    grid.add_row("  other", escape(rest) or "none")
    console.print(grid)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.2f} MB" if size_bytes else "-"
