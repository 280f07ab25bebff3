"""The card of a checkpoint: what it is, how it is played, how to go on, and digests of it all."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.header import Header
from selfmate.runs.json_text import canonical, parse, pretty
from selfmate.runs.run import Json

FORMAT = 1
MOST_CARD_BYTES = 4 * 2**20
NUMBERS = ("step", "done", "total", "metrics_bytes")
TABLES = ("facts", "player", "config", "files")
KEYS = {*NUMBERS, *TABLES, "format", "learner", "unit", "run", "best", "sha256"}
# Only there when they say something, so that the cards of older runs are still what we would write.
NOT_ALWAYS = {"pages", "attempt", "is_last"}
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Best:
    step: int
    score: float

    @staticmethod
    def parse(value: Any) -> "Best":
        """From JSON; ValueError when it is something else."""
        entry = _typed(value, dict, "best")
        score = entry.get("score")
        if type(score) not in (int, float):
            raise ValueError("the score in best is not a number")
        return Best(_whole(entry.get("step"), "the step in best"), score)


@dataclass(frozen=True)
class FileNote:
    size_bytes: int
    sha256: str

    @staticmethod
    def of(data: bytes) -> "FileNote":
        return FileNote(len(data), sha256(data).hexdigest())

    @staticmethod
    def parse(value: Any) -> "FileNote":
        entry = _typed(value, dict, "a file's entry")
        digest = _typed(entry.get("sha256"), str, "sha256 of a file")
        if not DIGEST.fullmatch(digest):
            raise ValueError("sha256 of a file is not a digest")
        return FileNote(_whole(entry.get("bytes"), "bytes"), digest)

    def entry(self) -> dict[str, Json]:
        return {"bytes": self.size_bytes, "sha256": self.sha256}


@dataclass(frozen=True, kw_only=True)
class Card:
    header: Header
    step: int
    done: int  # units: episodes, cycles
    total: int
    unit: str
    player: Mapping[str, Json]
    facts: Mapping[str, Json]
    metrics_bytes: int  # where metrics.jsonl goes on
    best: Best | None
    attempt: int = 1  # of the steps that follow
    is_last: bool = False  # the learner found that nothing more is to be gained
    pages: Mapping[str, FileNote] = field(default_factory=dict)
    files: Mapping[str, FileNote] = field(default_factory=dict)

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.is_last or self.done >= self.total

    def to_bytes(self) -> bytes:
        """ValueError when a fact cannot be written or the card would be too large to be read."""
        fields = self._fields()
        data = pretty(fields | {"sha256": _digest(fields)})
        if len(data) > MOST_CARD_BYTES:
            raise ValueError(
                f"the card would have {len(data):,} bytes, more than {MOST_CARD_BYTES:,}: "
                "large facts belong into arrays"
            )
        return data

    @staticmethod
    def from_bytes(data: bytes) -> "Card":
        fields = parse(data, "card.json")
        try:
            card = _card(fields)
            same = card.to_bytes() == data
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"card.json is damaged: {str(error)[:100]}") from error
        # Comparing the whole text also finds doubled keys and changes that mean nothing.
        if not same:
            raise DamagedError("card.json is damaged: its text and its digest do not agree")
        return card

    def _fields(self) -> dict[str, Json]:
        pages: list[Json] = [{"name": name, **note.entry()} for name, note in self.pages.items()]
        return {
            "format": FORMAT,
            "learner": self.header.learner,
            "config": self.header.config,
            "run": self.header.digest(),
            **{key: getattr(self, key) for key in NUMBERS},
            "unit": self.unit,
            "player": dict(self.player),
            "facts": dict(self.facts),
            "best": self.best and {"step": self.best.step, "score": self.best.score},
            "files": {name: note.entry() for name, note in self.files.items()},
            **({"pages": pages} if pages else {}),
            **({"attempt": self.attempt} if self.attempt > 1 else {}),
            **({"is_last": True} if self.is_last else {}),
        }


def _digest(fields: dict[str, Json]) -> str:
    return sha256(canonical(fields).encode()).hexdigest()


def _card(fields: dict[str, Any]) -> Card:
    """Checks types only: that the values belong together is found by writing them again."""
    if fields.keys() - NOT_ALWAYS != KEYS:
        raise ValueError(f"its keys are not {sorted(KEYS)}")
    if fields["format"] != FORMAT:
        raise ValueError(f"format {fields['format']!r} is not {FORMAT}, the one this version reads")
    numbers = {key: _whole(fields[key], key) for key in NUMBERS}
    tables = {key: _typed(fields[key], dict, key) for key in TABLES}
    return Card(
        header=Header(_typed(fields["learner"], str, "learner"), tables["config"]),
        unit=_typed(fields["unit"], str, "unit"),
        player=tables["player"],
        facts=tables["facts"],
        best=None if fields["best"] is None else Best.parse(fields["best"]),
        attempt=_whole(fields.get("attempt", 1), "attempt"),
        is_last=_typed(fields.get("is_last", False), bool, "is_last"),
        pages=_pages(fields.get("pages", [])),
        files={name: FileNote.parse(entry) for name, entry in tables["files"].items()},
        **numbers,
    )


def _pages(value: Any) -> dict[str, FileNote]:
    """A list, because a JSON object would be sorted by name and pages have an order."""
    entries = [(FileNote.parse(entry), entry) for entry in _typed(value, list, "pages")]
    return {_typed(entry.get("name"), str, "name of a page"): note for note, entry in entries}


def _whole(value: Any, name: str) -> int:
    number: int = _typed(value, int, name)
    if number < 0:
        raise ValueError(f"{name} is negative")
    return number


def _typed(value: Any, kind: type, name: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{name} is not of type {kind.__name__}")
    return value
