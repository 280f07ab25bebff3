"""Several datasets as one endless sequence of positions, in fixed shares."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from selfmate.data.dataset import Chunk, ChunkFolder, ChunkStream

SCALE_BITS = 32  # a share is a whole number of 2 ** -32, so that all counts are exact


class Mixture:
    """The training positions of some folders.

    Which folder has the next row of the sequence depends on the shares and the row's number alone,
    and the rows of a folder come in the order of its `ChunkStream`: a mixture can be resumed at any
    row.
    """

    def __init__(self, folders: Sequence[ChunkFolder], shares: Sequence[float], *, seed: int):
        """Without shares each folder has a share by its number of positions."""
        self._streams = [ChunkStream(folder, "training", seed=seed) for folder in folders]
        self.count = sum(stream.count for stream in self._streams)  # positions in an epoch
        self._parts = _parts_of_rest(shares or [stream.count for stream in self._streams])

    def batches(self, start: int, stop: int, size: int) -> Iterator[Mapping[int, Chunk]]:
        """Rows start to stop of the sequence, `size` at a time; the last batch may be smaller. Each
        batch has its rows by number of the folder."""
        bounds = [self._counts(row) for row in [*range(start, stop, size), stop]]
        readers = [
            stream.take(first, [taken for ends in pairwise(column) if (taken := ends[1] - ends[0])])
            for stream, first, column in zip(
                self._streams, bounds[0], zip(*bounds, strict=True), strict=True
            )
        ]
        for before, after in pairwise(bounds):
            wanted = [i for i in range(len(readers)) if after[i] > before[i]]
            yield {number: next(readers[number]) for number in wanted}

    def _counts(self, rows: int) -> list[int]:
        """How many of the first rows of the sequence come from each folder: the first folder takes
        its share, the second its share of the rest, and so on. No count ever falls."""
        counts = []
        for part in self._parts:
            counts.append(rows * part >> SCALE_BITS)
            rows -= counts[-1]
        return counts


def _parts_of_rest(shares: Sequence[float]) -> list[int]:
    """Each share as a part of what the folders before leave, in units of 2 ** -SCALE_BITS."""
    rests = [sum(shares[number:]) for number in range(len(shares))]
    return [
        round(share / rest * (1 << SCALE_BITS)) for share, rest in zip(shares, rests, strict=True)
    ]
