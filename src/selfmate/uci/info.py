"""Thoughts of a player as `info` lines."""

import math

from selfmate.players import Thought


def info_lines(thought: Thought, elapsed_ms: float, show_wdl: bool, multi_pv: int) -> list[str]:
    """A line for each of the best moves, as many as are wanted and known."""
    if multi_pv == 1 or not thought.others:
        return [_info_line(thought, elapsed_ms, show_wdl, None)]
    best = (thought, *thought.others)[:multi_pv]
    return [_info_line(each, elapsed_ms, show_wdl, rank) for rank, each in enumerate(best, start=1)]


def move_stats(thought: Thought) -> list[str]:
    """For every move how often a search came to it, the most first, and what came of it."""
    visits = thought.visits or {}
    return [
        f"{one.best} visits {visits[one.best]}"
        + (f" wdl {' '.join(map(str, _permille(one.wdl)))}" if one.wdl else "")
        + f" pv {' '.join(one.line)}"
        for one in (thought, *thought.others)
        if one.best in visits
    ]


def _info_line(thought: Thought, elapsed_ms: float, show_wdl: bool, rank: int | None) -> str:
    """Whatever the player told, in the usual order."""
    words = ["info"]
    words += _number("depth", thought.depth)
    words += _number("multipv", rank)
    words += _score(thought)
    if show_wdl and thought.wdl is not None and _finite(thought.wdl):
        words += ["wdl", *(str(share) for share in _permille(thought.wdl))]
    words += _number("nodes", thought.nodes)
    if thought.nodes is not None and elapsed_ms >= 1:
        words += _number("nps", int(thought.nodes / elapsed_ms * 1000))
    words += _number("time", int(elapsed_ms))
    words += ["pv", *(thought.line or (thought.best,))]
    return " ".join(words)


def _number(name: str, value: int | None) -> list[str]:
    return [] if value is None else [name, str(value)]


def _finite(wdl: tuple[float, float, float]) -> bool:
    return all(map(math.isfinite, wdl))


def _score(thought: Thought) -> list[str]:
    if thought.mate_in is not None:
        return ["score", "mate", str(thought.mate_in)]
    if thought.score_pawns is not None and math.isfinite(thought.score_pawns):
        return ["score", "cp", str(round(100 * thought.score_pawns))]
    if thought.wdl is not None and _finite(thought.wdl):
        return ["score", "cp", str(centipawns(thought.wdl[0] - thought.wdl[2]))]
    return []


def centipawns(expectation: float) -> int:
    """A value in -1..1 on the scale that GUIs draw, by the formula Lc0 had for years."""
    return round(90 * math.tan(1.5637541897 * max(-1.0, min(1.0, expectation))))


def _permille(wdl: tuple[float, float, float]) -> tuple[int, int, int]:
    """Three whole numbers of sum 1000, as GUIs expect."""
    win, loss = round(1000 * wdl[0]), round(1000 * wdl[2])
    return win, max(0, 1000 - win - loss), loss
