"""The first half of an import: games read, sifted, and their positions written in runs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfmate.data.chunk import Chunk
from selfmate.data.chunks import SPLITS, GameTally
from selfmate.data.dropped_games import DroppedGames
from selfmate.data.endings import ENDINGS
from selfmate.data.game_filter import FAULTY, REPEATED, GameFilter, LeftOut, Sifted
from selfmate.data.position_rows import Rows, rows_of
from selfmate.data.seen_games import SeenGames
from selfmate.data.shuffled_rows import RowRuns
from selfmate.encodings.stored import store_records
from selfmate.rules import GameRecords, read_pgn
from selfmate.rules.cores import available_cores
from selfmate.rules.pgn import RESULT_TEXTS, PgnChunk

DIGESTS = 1 << 64


class GameReading:
    """Reads all files from the beginning, but stores only the games that are in no run yet."""

    def __init__(
        self,
        files: Sequence[Path],
        game_filter: GameFilter,
        validation: float,
        runs: RowRuns,
        run_rows: int,
    ) -> None:
        """`validation` is a share of the games. A run has so many rows, or a few more."""
        self._files, self._filter, self._runs, self._run_rows = files, game_filter, runs, run_rows
        self._validation_below = int(validation * DIGESTS)
        self._next_stored = runs.next_game
        self._seen, self._rows, self._parts = SeenGames(), list[Rows](), list[NDArray[np.uint8]]()
        self._kept, self._endings, self._results = Counter[int](), Counter[int](), Counter[int]()
        self.dropped = DroppedGames()
        self.bytes_read = 0

    @property
    def kept(self) -> int:
        return self._kept.total()

    @property
    def read(self) -> int:
        return self.kept + self.dropped.counts.total()

    def run(self) -> Iterator[None]:
        """A piece of a file at a time. ValueError when one is damaged."""
        for path in self._files:
            before = self.bytes_read
            with path.open("rb", buffering=0) as file:
                for piece in read_pgn(file):
                    self._take(path.name, piece)
                    self.bytes_read = before + file.tell()
                    yield
        self._write_run()

    def tally(self) -> GameTally:
        return GameTally(
            read=self.read,
            kept={split: self._kept[part] for part, split in enumerate(SPLITS)},
            dropped=dict(self.dropped.counts.most_common()),
            endings={ENDINGS[code]: count for code, count in self._endings.most_common()},
            results={RESULT_TEXTS[result]: self._results[result] for result in (1, 0, -1)},
        )

    def _take(self, file: str, piece: PgnChunk) -> None:
        records, sifted = piece.games, self._filter.sift(piece.games)
        digests = [_digest(records, game) for game in sifted.games.tolist()]
        new = np.array(self._seen.add(digests), np.bool_)
        repeated = [LeftOut(game, REPEATED) for game in sifted.games[~new].tolist()]
        self._report(file, piece, [*sifted.left_out, *repeated])
        is_validation = np.array([digest < self._validation_below for digest in digests], np.uint8)
        chosen = Sifted(sifted.games[new], sifted.endings[new], [])
        self._keep(records, chosen, is_validation[new])

    def _report(self, file: str, piece: PgnChunk, left_out: list[LeftOut]) -> None:
        entries = [(game.line, FAULTY, game.reason) for game in piece.dropped]
        lines = piece.games.lines
        entries += [(int(lines[game.game]), game.reason, game.detail) for game in left_out]
        for line, reason, detail in sorted(entries):
            self.dropped.add(file, line, reason, detail)

    def _keep(self, records: GameRecords, chosen: Sifted, parts: NDArray[np.uint8]) -> None:
        numbers = self.kept + np.arange(len(chosen.games))
        self._kept.update(parts.tolist())
        self._endings.update(chosen.endings.tolist())
        self._results.update(records.results[chosen.games].tolist())
        missing = numbers >= self._next_stored
        if not missing.any():
            return
        by_game = np.zeros((len(records), 3), np.int64)
        by_game[chosen.games] = np.column_stack([numbers, chosen.endings, parts])
        stored = store_records(
            records,
            chosen.games[missing],
            skip_plies=self._filter.skip_plies,
            threads=available_cores(),
        )
        games = stored.games
        chunk = Chunk(
            stored=stored.stored,
            moves=stored.moves,
            results=records.results[games],
            plies_left=stored.plies_left,
            endings=by_game[games, 1].astype(np.uint8),
            white_elo=records.white_elo[games],
            black_elo=records.black_elo[games],
            games=by_game[games, 0],
        )
        self._rows.append(rows_of(chunk))
        self._parts.append(by_game[games, 2].astype(np.uint8))
        if sum(map(len, self._rows)) >= self._run_rows:
            self._write_run()

    def _write_run(self) -> None:
        if self._rows:
            self._runs.append(np.concatenate(self._rows), np.concatenate(self._parts), self.kept)
            self._rows, self._parts = [], []


def _digest(records: GameRecords, game: int) -> int:
    """Of the moves: who else imports this game parts it from the others in the same way."""
    line = records.moves[records.offsets[game] : records.offsets[game + 1]]
    return int.from_bytes(blake2b(line.tobytes(), digest_size=8).digest(), "little")
