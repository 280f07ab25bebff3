"""`strength.json`: what was measured, as everything else reads it.

A point is one line of the file and never changes once it is there. The table, the picture and the
page are made of this file; the lab's curves read it with `read_results`.
"""

import json
import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, get_type_hints

from typing_extensions import TypedDict

from selfmate.arena.rating import SCALE, Rating
from selfmate.rules import available_cores
from selfmate.runs import CorruptError
from selfmate.runs.files import parse, read_plain, replace_file
from selfmate.strength.families import FAMILIES, STARTS

RESULTS = "strength.json"
FORMAT = 1
MAX_RESULTS_BYTES = 2**24
PACKAGES = ("selfmate", "torch", "numpy")
CPUINFO = Path("/proc/cpuinfo")


class Point(TypedDict):
    """The rating of one net after some minutes of training."""

    training: str  # family, start and random seed
    family: str
    start: str  # nothing, teacher or games
    seed: int
    minutes: float  # asked for
    trained_minutes: float  # of the steps that were done by then
    finished: bool  # the training had ended by itself
    step: int
    player: str  # its full name, in the folder of the file
    settings: str  # how it was played; empty: policy alone
    weights: str  # the SHA-256 of their file
    elo: float
    low: float | None  # of the 95 % interval; None: no game sets it
    high: float | None
    games: int
    misfit: float
    ruler_margin: float
    commands: list[str]  # that made the weights and rated them, in the folder of the file
    versions: dict[str, str]


class Machine(TypedDict):
    processor: str
    cores: int
    system: str


class StrengthData(TypedDict):
    """The whole file."""

    format: int
    scale: str
    quick: bool  # a smoke test: its figures say nothing
    commands: list[str]  # that the user typed
    machine: Machine
    points: list[Point]


def this_machine() -> Machine:
    return {
        "processor": _processor(),
        "cores": available_cores(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _processor() -> str:
    with suppress(OSError):
        for line in CPUINFO.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Of what trains and rates."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def new_results(quick: bool) -> StrengthData:
    return {
        "format": FORMAT,
        "scale": SCALE,
        "quick": quick,
        "commands": [],
        "machine": this_machine(),
        "points": [],
    }


def read_results(folder: Path) -> StrengthData | None:
    """None if nothing was measured there; ValueError if the file is damaged."""
    path = folder / RESULTS
    if not path.exists():
        return None
    try:
        data = parse(read_plain(path, MAX_RESULTS_BYTES), RESULTS)
    except CorruptError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    _check_keys(data, StrengthData, path)
    for point in data["points"]:
        _check_keys(point, Point, path)
    if data["format"] != FORMAT:
        raise ValueError(f"{path} has the format {data['format']}, not {FORMAT}")
    found: StrengthData = data  # type: ignore[assignment]
    return found


def _check_keys(entry: Any, kind: type, path: Path) -> None:
    missing = get_type_hints(kind).keys() - set(entry)
    if missing:
        raise ValueError(f"{path} is damaged: it has no {', '.join(sorted(missing))}")


def write_results(folder: Path, data: StrengthData) -> None:
    """Replaces the file; a kill leaves the old one or the new one."""
    replace_file(folder / RESULTS, to_bytes(data))


def to_bytes(data: StrengthData) -> bytes:
    """A line for each point, so that it is seen at once that old ones did not change."""
    head = json.dumps({key: data[key] for key in data if key != "points"}, indent=1)  # type: ignore[literal-required]
    points = ",\n".join(f"  {json.dumps(point)}" for point in data["points"])
    return f'{head[:-2]},\n "points": [\n{points}\n ]\n}}\n'.encode()


def add_point(data: StrengthData, point: Point) -> None:
    """In the order of the table of families, then by time and random seed."""
    data["points"] = sorted([*data["points"], point], key=_order)


def _order(point: Point) -> tuple[int, int, float, int]:
    families = [family.name for family in FAMILIES]
    family = families.index(point["family"]) if point["family"] in families else len(families)
    starts: Sequence[str] = STARTS
    start = starts.index(point["start"]) if point["start"] in starts else len(starts)
    return family, start, point["minutes"], point["seed"]


def rating_of(point: Point) -> Rating:
    return Rating(
        elo=point["elo"],
        low=point["low"],
        high=point["high"],
        games=point["games"],
        misfit=point["misfit"],
        ruler_margin=point["ruler_margin"],
    )
