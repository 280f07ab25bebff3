"""The folders of `selfmate import` that learners are given."""

from pathlib import Path

from selfmate.data.chunks import ChunkFolder, DamagedChunkError, Split, open_chunks
from selfmate.data.held_out import HeldOut, master_positions
from selfmate.runs.errors import RunRefusedError


def open_games(data: tuple[str, ...]) -> ChunkFolder:
    """What is learned from, of which a part is held back."""
    if not data:
        raise RunRefusedError("there are no games: name a folder of selfmate import with --data")
    try:
        return open_chunks(Path(data[0]), "training", "validation")
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the games cannot be used: {error}") from error


def held_out_masters(games: ChunkFolder, most: int) -> HeldOut:
    """Positions of theirs that nobody learns from."""
    try:
        return master_positions(games, most)
    except DamagedChunkError as error:
        raise RunRefusedError(f"the master games cannot be used: {error}") from error


def open_masters(folder: str, *splits: Split) -> ChunkFolder | None:
    """What is learned from besides, or only looked into; none for no name."""
    if not folder:
        return None
    try:
        return open_chunks(Path(folder), *splits)
    except (OSError, ValueError) as error:
        raise RunRefusedError(f"the master games cannot be used: {error}") from error
