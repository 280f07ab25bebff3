"""A match as it goes on: one live line, and a table at the end."""

from typing import TYPE_CHECKING

from selfmate.cli.live_line import LiveLine

if TYPE_CHECKING:
    from selfmate.arena.report import MatchReport
    from selfmate.arena.run_match import MatchRun


def live_line(run: "MatchRun") -> LiveLine:
    """To be updated after every game."""
    already, total = len(run.log.games), run.settings.games

    def line(seconds: float) -> str:
        done, report = len(run.log.games), run.report()
        rate = (done - already) / seconds
        left = f"{(total - done) / rate:.0f} s left" if rate else ""
        return (
            f"{done}/{total}  {report.wins}-{report.draws}-{report.losses}  "
            f"{report.score:.1%}  Elo {elo_text(report)}  {rate:.1f} games/s  {left}"
        )

    return LiveLine(line)


def elo_text(report: "MatchReport") -> str:
    """Elo with its interval, or the bound that is known."""
    if report.elo is not None and report.elo_low is not None and report.elo_high is not None:
        return f"{report.elo:+.0f} [{report.elo_low:+.0f}, {report.elo_high:+.0f}]"
    if report.elo_low is not None:
        return f"above {report.elo_low:+.0f}"
    if report.elo_high is not None:
        return f"below {report.elo_high:+.0f}"
    return "?"


def print_report(run: "MatchRun", seconds: float) -> None:
    """The final table."""
    from rich.console import Console
    from rich.table import Table

    report = run.report()
    names = [player.name for player in run.players]
    table = Table(title=f"{names[0]} against {names[1]}", title_justify="left", show_header=False)
    for label, value in _rows(report, seconds):
        table.add_row(label, value)
    Console(highlight=False).print(table)


def _rows(report: "MatchReport", seconds: float) -> list[tuple[str, str]]:
    limit = f", {report.ply_limit_games} of them at the ply limit" if report.ply_limit_games else ""
    rows = [
        ("won, drawn, lost", f"{report.wins}, {report.draws}{limit}, {report.losses}"),
        ("score", f"{report.score:.1%}"),
        ("Elo, 95 % interval", elo_text(report)),
        ("likelihood of superiority", f"{report.los:.1%}"),
        ("pairs 0, ½, 1, 1½, 2", ", ".join(str(count) for count in report.pentanomial)),
        ("distinct games", f"{report.distinct_games} of {report.games}"),
        ("mean length", f"{report.mean_plies:.0f} plies"),
        ("ended by", ", ".join(f"{why} {n}" for why, n in report.ends.items())),
        ("forfeits", _forfeits(report)),
        ("time", f"{seconds:.1f} s"),
    ]
    if report.sprt is not None:
        rows.append(("SPRT", report.sprt.sentence()))
    return rows


def _forfeits(report: "MatchReport") -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in report.forfeit_reasons.items())
    return f"{report.forfeits} ({reasons})" if reasons else "none"
