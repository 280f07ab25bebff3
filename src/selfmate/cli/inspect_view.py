"""What `selfmate inspect` prints: the head, then a section for each thing the run has."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from selfmate.cli.epochs import epochs_of, print_epochs
from selfmate.cli.figures import duration, figure
from selfmate.cli.plot import Curve, plot_panels
from selfmate.cli.run_summary import age, told_first
from selfmate.learners import LEARNERS
from selfmate.learners.settings import in_words

if TYPE_CHECKING:
    from selfmate.runs.directory import RunDirectory

Report = Mapping[str, Any]
PLOT_LINES = 7
NOTES_SHOWN = 10
BAR = 40


def print_inspection(
    run: "RunDirectory", report: Report, series: Mapping[str, Sequence[float]]
) -> None:
    console = Console(highlight=False)
    _print_head(console, report)
    _print_figures(console, report)
    _print_plots(console, report, series)
    if epochs := epochs_of(run):
        _print_title(console, "epochs")
        print_epochs(epochs)
    if report["shares"]:
        _print_times(console, report["shares"])
    if report["replay"]:
        _print_replay(console, report["replay"], report["unit"])
    said = [note for note in report["notes"] if note.get("aloud", True)]
    if said:
        _print_notes(console, said)
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
    progress = f"{report['done']:,} of {report['total']:,} {report['unit']}"
    message = f": {report['message']}" if report["message"] else ""
    grid = Table.grid(padding=(0, 2))
    grid.add_row("  state", f"{report['state']}{escape(message)}")
    grid.add_row("  progress", f"{progress}, {duration(report['seconds'])} of training")
    grid.add_row("  written", age(report["updated"]))
    grid.add_row("  settings", escape(changed) or "all at their defaults")
    if report["sample"]:
        grid.add_row("  last game", escape(_told_game(report["sample"])))
    console.print(f"[bold]{escape(report['run'])}[/]  {escape(report['learner'])}")
    console.print(grid)


def _told_game(sample: Mapping[str, Any]) -> str:
    """From a file, so any key may be missing."""
    step, white, black, result, reason, moves = (
        str(sample.get(key, "?")) for key in ("step", "white", "black", "result", "reason", "moves")
    )
    plies, why = len(moves.split()), reason.replace("_", " ")
    return f"step {step}: {white} - {black}, {result} by {why} after {plies} plies"


def _print_figures(console: Console, report: Report) -> None:
    """Those that matter with their ranges, the others with what they are now."""
    figures = report["figures"]
    told = told_first(LEARNERS.get(report["learner"]), figures)
    table = _table("figure", "last", "mean of last 10", "least", "greatest", left=("figure",))
    for name, spread in told.items():
        table.add_row(escape(name), *(figure(value) for value in spread.values()))
    console.print()
    console.print(table)
    others = [name for name in figures if name not in told]
    grid = Table.grid(padding=(0, 2))
    half = -(-len(others) // 2)
    for left, right in zip(others[:half], [*others[half:], ""], strict=False):
        pair = [(name, figure(figures[name]["last"]) if name else "") for name in (left, right)]
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
    """The largest first; what is no part last."""
    _print_title(console, "where the time goes")
    grid = Table.grid(padding=(0, 2))
    rest = max(0.0, 1 - sum(shares.values()))
    for name, share in [*sorted(shares.items(), key=lambda item: -item[1]), ("other", rest)]:
        bar = "━" * round(share * BAR)
        grid.add_row(f"  {escape(name)}", f"{share:4.0%}", f"[cyan]{bar}[/]")
    console.print(grid)


def _print_replay(console: Console, replay: Mapping[str, Any], unit: str) -> None:
    _print_title(console, f"replay memory of checkpoint {replay['step']}")
    grid = Table.grid(padding=(0, 2))
    for name, text in _replay_rows(replay, unit):
        grid.add_row(f"  {name}", text)
    console.print(grid)
    for remark in replay["remarks"]:
        console.print(f"  [yellow]{escape(remark)}[/]")


def _replay_rows(replay: Mapping[str, Any], unit: str) -> list[tuple[str, str]]:
    sizes = [page["experiences"] for page in replay["pages"]]
    ages = range(len(sizes) - 1, -1, -1)  # a page a step, the newest last
    mean_age = sum(a * n for a, n in zip(ages, sizes, strict=True)) / max(1, sum(sizes))
    entropy = f"entropy {replay['action_entropy_nats']:.2f} nats"
    legal = f"{replay['legal_least']} to {replay['legal_most']}, mean {replay['legal_mean']:.1f}"
    return [
        ("experiences", f"{replay['experiences']:,} of {replay['games']:,} games"),
        ("ages", f"0 to {len(sizes) - 1} {unit}, mean {mean_age:.1f}"),
        ("rewards", f"variance {figure(replay['reward_variance'])}"),
        ("terminal", f"{replay['terminal_share']:.2%} of experiences"),
        ("actions", f"{replay['distinct_actions']:,} distinct, {entropy}"),
        ("legal moves", f"{legal}, forced {replay['forced_share']:.1%}"),
        ("advised", f"{replay['advised_share']:.0%} by the teacher"),
    ]


def _print_notes(console: Console, notes: Sequence[Mapping[str, Any]]) -> None:
    shown = notes[-NOTES_SHOWN:]
    of_all = f", the last {len(shown)} of {len(notes):,}" if len(notes) > len(shown) else ""
    _print_title(console, f"notes{of_all}")
    grid = Table.grid(padding=(0, 2))
    for note in shown:
        grid.add_row(f"  {note.get('step')}", escape(str(note.get("note"))))
    console.print(grid)


def _print_checkpoints(console: Console, report: Report) -> None:
    if not report["checkpoints"]:
        console.print("\nno checkpoints yet")
        return
    table = _table("checkpoint", "done", "files", "shared pages", "what", left=("what",))
    best = report["best"]["step"] if report["best"] else None
    for entry in report["checkpoints"]:
        if entry["damage"]:
            damage = f"[red]damaged: {escape(entry['damage'])}[/]"
            table.add_row(f"{entry['step']}", "", "", "", damage)
            continue
        mark = "the best" if entry["step"] == best else "good"
        sizes = (_megabytes(entry[key]) for key in ("bytes", "page_bytes"))
        table.add_row(f"{entry['step']}", f"{entry['done']:,}", *sizes, mark)
    console.print()
    console.print(table)
    console.print(f"  {_megabytes(report['bytes'])} in all")
    good = [entry for entry in report["checkpoints"] if not entry["damage"]]
    if good:
        _print_arrays(console, good[-1])


def _print_arrays(console: Console, entry: Mapping[str, Any]) -> None:
    """What plays in full, the rest by the parts that its names begin with."""
    weights = ", ".join(f"{name} {shape}" for name, shape in entry["weights"].items())
    parts = Counter(name.partition(".")[0] for name in entry["rest"])
    rest = ", ".join(f"{part} ({count})" if count > 1 else part for part, count in parts.items())
    grid = Table.grid(padding=(0, 2))
    grid.add_row("  weights", escape(weights))
    grid.add_row("  besides", escape(rest) or "nothing")
    console.print(grid)


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.2f} MB" if size_bytes else "-"
