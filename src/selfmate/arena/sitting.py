"""Long work that others may watch and end, through two files beside its own: one says how far it
is, and the other, where somebody puts it, that it should stop."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.files import read_plain, replace_file
from selfmate.runs.json_text import parse, pretty

MOST_NEWS_BYTES = 2**18
SECONDS_BETWEEN_NEWS = 0.25

News = dict[str, Any]


class StopAskedError(Exception):
    """Somebody asked this work to stop."""


class Sitting:
    """One process at work on a file, such as a match on its log, which it has locked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told = -math.inf
        stop_path(path).unlink(missing_ok=True)  # what came too late for an earlier sitting

    def tell(self, news: Callable[[], News]) -> None:
        """May be called as often as one likes; looks up a few times a second. StopAskedError when
        the work should end."""
        now = time.monotonic()
        if now - self._told < SECONDS_BETWEEN_NEWS:
            return
        self._told = now
        write_news(self._path, news())
        if stop_path(self._path).exists():
            raise StopAskedError

    def end(self, news: News) -> None:
        write_news(self._path, news)
        stop_path(self._path).unlink(missing_ok=True)


def news_path(path: Path) -> Path:
    return path.with_suffix(".json")


def stop_path(path: Path) -> Path:
    return path.with_suffix(".stop")


def write_news(path: Path, news: News) -> None:
    replace_file(news_path(path), pretty(news), durable=False)


def read_news(path: Path) -> News:
    """What the last sitting at a file has told; empty where there was none."""
    try:
        return parse(read_plain(news_path(path), MOST_NEWS_BYTES), news_path(path).name)
    except DamagedError:
        return {}


def ask_to_stop(path: Path) -> None:
    stop_path(path).touch()
