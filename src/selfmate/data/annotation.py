"""Annotating games: a teacher's evaluation and best move of every position, as PGN comments.

`[%eval 0.31]` and `[%eval #-3]` are the evaluation in White's view, as Lichess writes it, and
`[%best e2e4]` is the best move, both of the position after the move that they follow; a comment
before the first move is of the start position. `selfmate import` reads them. In endgames of which
there is an exact table, the table is asked instead of the teacher.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from selfmate.data.collection import (
    PGN_ENDINGS,
    LineFile,
    Settings,
    check_place,
    check_settings,
    complete_games,
    write_settings,
)
from selfmate.data.teacher_games import comment_of
from selfmate.rules import Board, GameRecords, read_pgn, uci_text
from selfmate.rules.pgn import game_text
from selfmate.searches.endgame_tables import exact_scores, rows_by_table
from selfmate.searches.teacher import MoveScores


class Teacher(Protocol):
    """Scores moves; a `Scoring` of selfmate.players is one."""

    @property
    def name(self) -> str: ...

    @property
    def score(self) -> Callable[[Sequence[Board]], MoveScores]:
        """At least the best moves of some boards that are not over."""

    @property
    def parallel_games(self) -> int:
        """How many boards one call of `score` should get to be efficient."""


def comments_of(boards: Sequence[Board], scores: MoveScores) -> list[str]:
    """One for each board, from its best move."""
    comments = []
    for number, board in enumerate(boards):
        rows = slice(scores.offsets[number], scores.offsets[number + 1])
        best = int(np.argmax(scores.centipawns[rows]))
        move = uci_text(int(scores.moves[rows][best]))
        cp = int(scores.centipawns[rows][best])
        comments.append(comment_of(cp, move, is_white=board.turn == "white"))
    return comments


def exact_or(score: Callable[[Sequence[Board]], MoveScores], boards: Sequence[Board]) -> list[str]:
    """One comment for each board: by a table that has it, else by the teacher."""
    comments = dict[int, str]()
    for (piece, is_stronger), rows in rows_by_table(boards).items():
        if len(rows):
            part = [boards[row] for row in rows.tolist()]
            scores = exact_scores(part, piece, is_stronger=is_stronger)
            comments |= zip(rows.tolist(), comments_of(part, scores), strict=True)
    if rest := [row for row in range(len(boards)) if row not in comments]:
        part = [boards[row] for row in rest]
        comments |= zip(rest, comments_of(part, score(part)), strict=True)
    return [comments[row] for row in range(len(boards))]


@dataclass
class AnnotationStats:
    """Of this session, but for `games`, which counts those of the whole file."""

    games: int = 0
    positions: int = 0
    dropped: int = 0  # games with errors
    bytes_read: int = 0


class Annotation:
    """The annotated file of some games, new or resumed where it ends.

    Raises ValueError if the file exists and is not resumed, is damaged, or was made with other
    settings.
    """

    def __init__(self, files: Sequence[Path], out: Path, teacher: Teacher, *, resume: bool) -> None:
        self.files, self.path, self.teacher = files, out, teacher.name
        self.stats, self._teacher = AnnotationStats(), teacher
        check_place(out, PGN_ENDINGS)
        if out.exists() and not resume:
            raise ValueError(f"{out} exists already: resume it or choose another file")
        settings = _settings(files, teacher.name)
        if out.exists():
            check_settings(out, settings)
        self._file = LineFile(out)
        try:
            self._done, _, size_bytes = complete_games(out)  # games in the file
            self._file.truncate(size_bytes)
            write_settings(out, settings)
        except BaseException:
            self._file.close()
            raise

    def run(self) -> Iterator[AnnotationStats]:
        """Annotates and writes what is missing; yields the statistics after every step."""
        for path in self.files:
            before = self.stats.bytes_read
            with path.open("rb", buffering=0) as file:
                for chunk in read_pgn(file):
                    self.stats.dropped += len(chunk.dropped)
                    begin, end = self.stats.bytes_read, before + file.tell()
                    for games in self._batches(chunk.games):
                        yield from self._annotate(chunk.games, games)
                        done = (games[-1] + 1) / len(chunk.games)
                        self.stats.bytes_read = begin + round(done * (end - begin))
                    self.stats.bytes_read = end
                    yield self.stats

    def sync(self) -> None:
        """Waits until everything is on the disk."""
        self._file.sync()

    def close(self) -> None:
        self._file.close()

    def _batches(self, records: GameRecords) -> Iterator[list[int]]:
        """Games that are not in the file yet, as many at a time as fill a call of `score`."""
        games, positions = list[int](), 0
        for game in range(len(records)):
            if self.stats.games < self._done:
                self.stats.games += 1
                continue
            games.append(game)
            positions += int(records.offsets[game + 1] - records.offsets[game]) + 1
            if positions >= self._teacher.parallel_games:
                yield games
                games, positions = [], 0
        if games:
            yield games

    def _annotate(self, records: GameRecords, games: Sequence[int]) -> Iterator[AnnotationStats]:
        """Scores all positions of some games together, and writes the games."""
        positions = {game: positions_of(records, game) for game in games}
        boards = [board for line in positions.values() for board in line if board.outcome() is None]
        texts = list[str]()
        for begin in range(0, len(boards), self._teacher.parallel_games):
            part = boards[begin : begin + self._teacher.parallel_games]
            texts += exact_or(self._teacher.score, part)
            self.stats.positions += len(part)
            yield self.stats
        waiting = iter(texts)
        for game, line in positions.items():
            comments = [next(waiting) if board.outcome() is None else "" for board in line]
            tags = {"Annotator": self.teacher}
            self._file.append(game_text(records, game, tags, comments))
            self.stats.games += 1
        yield self.stats


def positions_of(records: GameRecords, game: int) -> list[Board]:
    """All positions of a game, the last one included."""
    board = Board(records.start_fen(game))
    boards = [board]
    for move in records.uci(game):
        board = board.copy()
        board.push(move, past_draw=True)
        boards.append(board)
    return boards


def _settings(files: Sequence[Path], teacher: str) -> Settings:
    """All that determines the file."""
    names = ", ".join(f"{path.name} of {path.stat().st_size} bytes" for path in files)
    return {"teacher": teacher, "games": names}
