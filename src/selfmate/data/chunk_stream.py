"""Positions of a folder of chunks in an endless sequence of epochs, each in an order of its own.

An epoch takes the chunks in an order drawn by (seed, epoch), and the rows of each in an order drawn
as well. So a place in the sequence is always the same row, wherever one starts, and one chunk at a
time is in memory.
"""

from collections.abc import Iterator

import numpy as np

from selfmate.data.chunk import Chunk, joined
from selfmate.data.chunks import ChunkFolder, Split


class ChunkStream:
    def __init__(self, folder: ChunkFolder, split: Split, *, seed: int) -> None:
        self._folder, self._split, self._seed = folder, split, seed
        self._sizes = np.array(folder.chunk_sizes(split), np.int64)
        self.count = int(self._sizes.sum())
        if not self.count:
            raise ValueError(f"{folder.path} has no {split} positions")

    def batches(self, start: int, stop: int, size: int) -> Iterator[Chunk]:
        """The rows at places start to stop, `size` at a time; the last batch may be smaller."""
        held, rows = list[Chunk](), 0
        for part in self._parts(start, stop):
            at = 0
            while at < len(part):
                taken = part.take(slice(at, at + size - rows))
                held.append(taken)
                at, rows = at + len(taken), rows + len(taken)
                if rows == size:
                    yield joined(held)
                    held, rows = [], 0
        if held:
            yield joined(held)

    def _parts(self, start: int, stop: int) -> Iterator[Chunk]:
        """What of each chunk lies between the places, in order."""
        while start < stop:
            epoch, place = divmod(start, self.count)
            order = self._order(epoch)
            ends = np.cumsum(self._sizes[order])
            turn = int(np.searchsorted(ends, place, side="right"))
            begin = int(ends[turn] - self._sizes[order[turn]])
            last = min(int(ends[turn]), place + stop - start)
            yield self._shuffled(epoch, int(order[turn])).take(slice(place - begin, last - begin))
            start += last - place

    def _order(self, epoch: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.random.default_rng([self._seed, epoch]).permutation(len(self._sizes))

    def _shuffled(self, epoch: int, number: int) -> Chunk:
        chunk = self._folder.read(self._split, number)
        dice = np.random.default_rng([self._seed, epoch, number])
        return chunk.take(dice.permutation(len(chunk)))
