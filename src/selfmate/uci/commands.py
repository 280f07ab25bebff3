"""UCI lines: commands of the GUI are parsed, analyses become `info` lines.

Imports neither NumPy nor the rules, because `uci` is answered before they are needed.
"""

import math
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from selfmate.players import Analysis
    from selfmate.rules import Board

MAX_INTEGER = 2**31 - 1

# Numbers of `go` and the smallest that makes sense. GUIs send clocks below zero.
GO_MINIMUM = {
    "depth": 1,
    "nodes": 1,
    "mate": 1,
    "movetime": 0,
    "wtime": -MAX_INTEGER,
    "btime": -MAX_INTEGER,
    "winc": 0,
    "binc": 0,
    "movestogo": 0,
}
GO_FLAGS = ("infinite", "ponder")
GO_KEYWORDS = {*GO_MINIMUM, *GO_FLAGS, "searchmoves"}


def parse_integer(text: str, low: int, high: int) -> int | None:
    """An integer as GUIs send it; None if the text is none or out of range."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 10):
        return None
    number = int(text)
    return number if low <= number <= high else None


class GoCommand(NamedTuple):
    """The words of one `go`."""

    numbers: dict[str, int]  # by keyword; times in milliseconds
    flags: set[str]  # `infinite`, `ponder`: no `bestmove` before `stop` or `ponderhit`
    searchmoves: list[str]
    warnings: list[str]  # what was ignored, and why


def parse_go(words: Iterable[str]) -> GoCommand:
    """Never fails, because every `go` must be answered: bad words are ignored with a warning."""
    go = GoCommand({}, set(), [], [])
    rest = deque(words)
    while rest:
        word = rest.popleft()
        if word in GO_MINIMUM:
            _parse_go_number(go, word, rest)
        elif word in GO_FLAGS:
            go.flags.add(word)
        elif word == "searchmoves":
            while rest and rest[0] not in GO_KEYWORDS:
                go.searchmoves.append(rest.popleft())
        else:
            go.warnings.append(f"go: unknown word {word!r} ignored")
    return go


def _parse_go_number(go: GoCommand, word: str, rest: deque[str]) -> None:
    text = rest.popleft() if rest and rest[0] not in GO_KEYWORDS else ""
    number = parse_integer(text, GO_MINIMUM[word], MAX_INTEGER)
    if number is None:
        go.warnings.append(
            f"go: {word} ignored, {text!r} is not a whole number from {GO_MINIMUM[word]}"
        )
    else:
        go.numbers[word] = number


def parse_position(words: list[str], *, chess960: bool = False) -> "Board":
    """The board of `startpos [moves ...]` or `fen FEN [moves ...]`; ValueError says what is wrong.

    Moves may continue past a draw that nobody claimed. In Chess960 castling is the king taking its
    own rook; a FEN that only Chess960 can have needs no option.
    """
    from selfmate.rules import Board

    split = words.index("moves") if "moves" in words else len(words)
    if words[:split] == ["startpos"]:
        board = Board(chess960=chess960)
    elif words[:1] == ["fen"]:
        board = Board(" ".join(words[1:split]), chess960=chess960)
    else:
        raise ValueError("position must be: position startpos | fen FEN [moves MOVE ...]")
    for move in words[split + 1 :]:
        board.push(move, past_draw=True)
    return board


def info_lines(analysis: "Analysis", elapsed_ms: float, show_wdl: bool, multi_pv: int) -> list[str]:
    """One `info` line for each of the `multi_pv` best moves, as far as the player scores them."""
    if multi_pv == 1 or not analysis.others:
        return [_info_line(analysis, elapsed_ms, show_wdl, None)]
    best = (analysis, *analysis.others)[:multi_pv]
    return [_info_line(each, elapsed_ms, show_wdl, rank) for rank, each in enumerate(best, start=1)]


def _info_line(analysis: "Analysis", elapsed_ms: float, show_wdl: bool, rank: int | None) -> str:
    """What the player says about one move, in the usual order."""
    words = ["info"]
    words += _number("depth", analysis.depth)
    words += _number("multipv", rank)
    words += _score(analysis)
    if show_wdl and analysis.wdl is not None and _is_finite(analysis.wdl):
        words += ["wdl", *map(str, _permille(analysis.wdl))]
    words += _number("nodes", analysis.nodes)
    new_nodes = (analysis.nodes or 0) - analysis.kept_nodes
    if new_nodes and elapsed_ms >= 1:
        words += _number("nps", int(new_nodes / elapsed_ms * 1000))
    words += _number("hashfull", analysis.hashfull)
    words += _number("tbhits", analysis.tbhits)
    words += _number("time", int(elapsed_ms))
    words += ["pv", *(analysis.line or (analysis.best,))]
    return " ".join(words)


def move_stats(analysis: "Analysis") -> list[str]:
    """Visits, WDL and line of every move of a tree search, most visited first."""
    visits = analysis.visits or {}
    return [
        f"{move.best} visits {visits[move.best]}"
        + (f" wdl {' '.join(map(str, _permille(move.wdl)))}" if move.wdl else "")
        + f" pv {' '.join(move.line)}"
        for move in (analysis, *analysis.others)
        if move.best in visits
    ]


def _number(name: str, value: int | None) -> list[str]:
    return [] if value is None else [name, str(value)]


def _is_finite(wdl: tuple[float, float, float]) -> bool:
    return all(map(math.isfinite, wdl))


def _score(analysis: "Analysis") -> list[str]:
    if analysis.mate_in is not None:
        return ["score", "mate", str(analysis.mate_in)]
    if analysis.score_pawns is not None and math.isfinite(analysis.score_pawns):
        return ["score", "cp", str(round(100 * analysis.score_pawns))]
    if analysis.wdl is not None and _is_finite(analysis.wdl):
        return ["score", "cp", str(centipawns(analysis.wdl[0] - analysis.wdl[2]))]
    return []


def centipawns(value: float) -> int:
    """A value in [-1, 1] as centipawns, by the formula of Lc0's score type `centipawn`."""
    return round(90 * math.tan(1.5637541897 * max(-1.0, min(1.0, value))))


def _permille(wdl: tuple[float, float, float]) -> tuple[int, int, int]:
    """WDL in thousandths; the three integers add up to 1000, as GUIs expect."""
    win, loss = round(1000 * wdl[0]), round(1000 * wdl[2])
    return win, max(0, 1000 - win - loss), loss
