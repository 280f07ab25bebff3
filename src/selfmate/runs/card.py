"""The card of a checkpoint: its run, progress and player, and the digests of its files."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from selfmate.runs.files import canonical, config_toml, parse, parse_config_toml, pretty, read_plain
from selfmate.runs.run import CorruptError, Json, RunRefusedError

CONFIG = "config.toml"
WEIGHTS = "weights.safetensors"
MAX_CONFIG_BYTES = 2**20
FORMAT = 1
MAX_CARD_BYTES = 4 * 2**20
NUMBERS = ("step", "done", "total", "metrics_bytes")
TABLES = ("facts", "player", "config", "files")
KEYS = {*NUMBERS, *TABLES, "format", "learner", "unit", "run", "best", "sha256"}
# Written only if they differ from the default, so that the cards of older runs stay byte for byte
# what this version would write.
OPTIONAL_KEYS = {"pages", "attempt", "is_last"}
DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Header:
    """The identity of a run: its learner and all its settings, including the seed."""

    learner: str
    config: dict[str, Json]

    def digest(self) -> str:
        """A checkpoint whose card has another digest belongs to another run."""
        text = canonical({"learner": self.learner, "config": self.config})
        return sha256(text.encode()).hexdigest()

    def to_toml(self) -> bytes:
        return config_toml(self.learner, self.config).encode()

    def check_same(self, mine: "Header", directory: Path) -> None:
        """`self` is the header of the run on disk, `mine` that of the run to resume there."""
        if self.learner != mine.learner:
            raise RunRefusedError(
                f"{directory} is a run of {self.learner}, not of {mine.learner}: "
                "choose another --run"
            )
        for key in mine.config | self.config:
            here, asked = _shown(self.config, key), _shown(mine.config, key)
            if here != asked:
                raise RunRefusedError(
                    f"{directory} was started with {key} = {here}, not {asked}: resume it with "
                    "the same settings, or choose another --run"
                )


def read_header(directory: Path) -> Header:
    """The header in a run's config.toml; CorruptError if it cannot be read."""
    learner, config = parse_config_toml(read_plain(directory / CONFIG, MAX_CONFIG_BYTES))
    return Header(learner, config)


def _shown(config: dict[str, Json], key: str) -> str:
    return canonical(config[key]) if key in config else "nothing"


@dataclass(frozen=True)
class Best:
    """The best step so far, and its score."""

    step: int
    score: float

    @staticmethod
    def parse(value: Any) -> "Best":
        """From JSON; ValueError if it is something else."""
        entry = _typed(value, dict, "best")
        score = entry.get("score")
        if type(score) not in (int, float):
            raise ValueError("the score in best is not a number")
        return Best(_whole(entry.get("step"), "the step in best"), score)


@dataclass(frozen=True)
class FileNote:
    """Size and digest of a file, to tell whether it is the one that was written."""

    size_bytes: int
    sha256: str
    unpacked_bytes: int | None = None  # of a gzip file: what is in it

    @staticmethod
    def of(data: bytes, unpacked_bytes: int | None = None) -> "FileNote":
        return FileNote(len(data), sha256(data).hexdigest(), unpacked_bytes)

    @staticmethod
    def parse(value: Any) -> "FileNote":
        entry = _typed(value, dict, "a file's entry")
        digest = _typed(entry.get("sha256"), str, "sha256 of a file")
        if not DIGEST.fullmatch(digest):
            raise ValueError("sha256 of a file is not a digest")
        unpacked = entry.get("unpacked_bytes")
        unpacked = None if unpacked is None else _whole(unpacked, "unpacked_bytes")
        return FileNote(_whole(entry.get("bytes"), "bytes"), digest, unpacked)

    def entry(self) -> dict[str, Json]:
        unpacked: dict[str, Json] = (
            {} if self.unpacked_bytes is None else {"unpacked_bytes": self.unpacked_bytes}
        )
        return {"bytes": self.size_bytes, "sha256": self.sha256, **unpacked}

    def path_of(self, path: Path) -> Path:
        """The name of the file: it ends in .gz if it is compressed."""
        return path if self.unpacked_bytes is None else path.with_name(f"{path.name}.gz")


@dataclass(frozen=True, kw_only=True)
class Card:
    """What card.json says about a checkpoint."""

    header: Header
    step: int
    done: int  # units: episodes, cycles
    total: int
    unit: str
    player: Mapping[str, Json]
    facts: Mapping[str, Json]
    metrics_bytes: int  # size of metrics.jsonl after this step
    best: Best | None
    attempt: int = 1  # attempt at the steps that follow
    is_last: bool = False  # the learner ended the run here
    shards: Mapping[str, FileNote] = field(default_factory=dict)  # "pages" in the file
    files: Mapping[str, FileNote] = field(default_factory=dict)

    @property
    def weights(self) -> FileNote:
        return self.files[WEIGHTS]

    @property
    def is_finished(self) -> bool:
        """Whether the run has nothing left to do."""
        return self.is_last or self.done >= self.total

    def to_bytes(self) -> bytes:
        """ValueError if a fact cannot be written or the card would be too large to be read."""
        fields = self._fields()
        data = pretty(fields | {"sha256": _digest(fields)})
        if len(data) > MAX_CARD_BYTES:
            raise ValueError(
                f"the card would have {len(data):,} bytes, more than {MAX_CARD_BYTES:,}: "
                "large facts belong in arrays"
            )
        return data

    @staticmethod
    def from_bytes(data: bytes) -> "Card":
        fields = parse(data, "card.json")
        try:
            card = _card(fields)
            same = card.to_bytes() == data
        except (ValueError, RecursionError) as error:
            raise CorruptError(f"card.json is corrupt: {str(error)[:100]}") from error
        # Comparing the whole text also finds duplicate keys and changes without meaning.
        if not same:
            raise CorruptError("card.json is corrupt: its text and its digest do not agree")
        return card

    def _fields(self) -> dict[str, Json]:
        shards: list[Json] = [{"name": name, **note.entry()} for name, note in self.shards.items()]
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
            **({"pages": shards} if shards else {}),
            **({"attempt": self.attempt} if self.attempt > 1 else {}),
            **({"is_last": True} if self.is_last else {}),
        }


def _digest(fields: dict[str, Json]) -> str:
    return sha256(canonical(fields).encode()).hexdigest()


def _card(fields: dict[str, Any]) -> Card:
    """Checks types only: `from_bytes` writes the card again to check that its values agree."""
    if fields.keys() - OPTIONAL_KEYS != KEYS:
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
        shards=_shards(fields.get("pages", [])),
        files={name: FileNote.parse(entry) for name, entry in tables["files"].items()},
        **numbers,
    )


def _shards(value: Any) -> dict[str, FileNote]:
    """From a list, because the keys of a JSON object are sorted and shards have an order."""
    entries = [(FileNote.parse(entry), entry) for entry in _typed(value, list, "pages")]
    return {_typed(entry.get("name"), str, "name of a shard"): note for note, entry in entries}


def _whole(value: Any, name: str) -> int:
    number: int = _typed(value, int, name)
    if number < 0:
        raise ValueError(f"{name} is negative")
    return number


def _typed(value: Any, kind: type, name: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{name} is not of type {kind.__name__}")
    return value
