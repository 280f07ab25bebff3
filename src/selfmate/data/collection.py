"""Collecting the teacher's games in a file: in order, few repeats, and to be gone on with.

Games are written in the order of their numbers, so that the file depends on the settings alone: how
often a position may still come is settled by what stands before.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from selfmate.data.agreement import Settings, check_agreement, write_agreement
from selfmate.data.line_file import LineFile, whole_chunks
from selfmate.data.teacher_games import Plan, TaughtGame, TeacherGames
from selfmate.search.dice import roll

CHUNK_CHARACTERS = 1 << 18  # what a kill may cost, beside the games that were being played
AFTER_THE_GAME = -1  # the ply whose dice decide whether a game is kept


@dataclass(frozen=True, kw_only=True)
class Choosiness:
    """What of the games is kept."""

    max_repeats: int = 2  # of a position, clocks aside, in the whole file
    drop_draws: float = 0.0  # share of the games that nobody won


@dataclass
class Tally:
    """What has come of it so far."""

    games: int = 0  # played now
    dropped: int = 0  # of them
    judged: int = 0  # positions, by the teacher, now
    plies: int = 0
    results: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    repeats: Counter[str] = field(default_factory=Counter)  # of each position in the whole file

    def add(self, game: TaughtGame) -> None:
        self.games += 1
        self.plies += game.plies
        self.results[game.result] += 1
        self.reasons[str(game.reason)] += 1


class Collection:
    """The file of one plan, from its beginning or, resuming, from where it was cut off."""

    def __init__(
        self,
        games: TeacherGames,
        choosiness: Choosiness,
        path: Path,
        *,
        teacher: str,
        resume: bool,
    ) -> None:
        self.path, self.teacher, self.tally = path, teacher, Tally()
        self.next = 0  # number of the game to be written next
        self._games, self._choosiness = games, choosiness
        self._texts: list[str] = []
        if path.exists() and not resume:
            raise ValueError(f"{path} is there already: resume it, or choose another file")
        settings = _settings(games.plan, choosiness, teacher)
        if path.exists():
            check_agreement(path, settings)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = LineFile(path)
        try:
            self._file.cut(self._read())
            write_agreement(path, settings)
        except BaseException:
            self._file.close()
            raise

    def run(self) -> Iterator[Tally]:
        """Plays and writes what is missing; after every ply of all games, how far it is."""
        early: dict[int, TaughtGame] = {}
        for judged, ended in self._games.play(self.next):
            self.tally.judged += judged
            early |= {game.number: game for game in ended}
            while (game := early.pop(self.next, None)) is not None:
                self._keep(game)
                self.next += 1
            if sum(map(len, self._texts)) >= CHUNK_CHARACTERS:
                self._write()
            yield self.tally

    def save(self) -> None:
        """Writes the games that are ready, safe from whatever comes."""
        self._write()
        self._file.sync()

    def close(self) -> None:
        self._file.close()

    def _write(self) -> None:
        if self._texts:
            self._file.append("".join(self._texts))
            self._texts = []

    def _keep(self, game: TaughtGame) -> None:
        self.tally.add(game)
        if game.result == 0 and self._is_dropped(game.number):
            self.tally.dropped += 1
            return
        for fen, line in game.positions:
            position = _without_clocks(fen)
            if self.tally.repeats[position] < self._choosiness.max_repeats:
                self.tally.repeats[position] += 1
                self._texts.append(line)

    def _is_dropped(self, number: int) -> bool:
        dice = roll(self._games.plan.seed, np.array([number]), np.array([AFTER_THE_GAME]))
        return int(dice[0]) < self._choosiness.drop_draws * 2**64

    def _read(self) -> int:
        """Takes over the games that are whole, and returns how many bytes they are.

        Whether the last game is whole cannot be seen, so the chunks it is in are left out.
        """
        kept_bytes, end, last = 0, 0, -1
        unsure = list[str]()
        for chunk_end, rows in _chunks(self.path):
            if rows[0][0] != last:
                self.tally.repeats.update(unsure)
                kept_bytes, self.next, unsure = end, last + 1, []
            unsure += [_without_clocks(fen) for _, fen in rows]
            end, last = chunk_end, rows[-1][0]
        if last >= self._games.plan.games:
            raise ValueError(
                f"{self.path} holds game {last} already, more than the {self._games.plan.games} "
                "games asked for"
            )
        return kept_bytes


def _settings(plan: Plan, choosiness: Choosiness, teacher: str) -> Settings:
    """What decides the games; their number is free unless tau depends on it."""
    settings = asdict(plan) | asdict(choosiness) | {"teacher": teacher}
    settings["starts"] = sha256("\n".join(plan.starts).encode()).hexdigest()[:12]
    if plan.tau_end is None:
        del settings["games"]
    return settings


def _without_clocks(fen: str) -> str:
    return fen.rsplit(" ", 2)[0]


def _chunks(path: Path) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Game and FEN of every line of a chunk, and the byte behind it."""
    number = 0
    for end, text in whole_chunks(path):
        rows = []
        for line in text.splitlines():
            number += 1
            rows.append(_game_and_fen(path, number, line))
        if rows:
            yield end, rows


def _game_and_fen(path: Path, number: int, line: bytes) -> tuple[int, str]:
    try:
        entry = json.loads(line)
        return int(entry["game_id"]), str(entry["fen"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}, line {number} is damaged: {error!r}") from error
