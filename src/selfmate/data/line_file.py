"""A file of lines that grows by whole chunks, plain or compressed, and survives being cut off.

Every chunk of a compressed file is a gzip member or a zstd frame of its own, so what a kill cut off
can be told from what is whole.
"""

import fcntl
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import zstandard

GZIP_LEVEL = 1  # level 6 would take longer than the teacher
READ_BYTES = 1 << 16


class _Frame(Protocol):
    """A decompressor of one frame or member."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class LineFile:
    """For the one writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._descriptor)
            raise ValueError(f"{path} is being written by another process") from error
        self._size_bytes = os.fstat(self._descriptor).st_size

    def cut(self, size_bytes: int) -> None:
        """Forgets what is behind."""
        os.ftruncate(self._descriptor, size_bytes)
        self._size_bytes = size_bytes

    def append(self, text: str) -> None:
        """Writes whole lines; when that fails, none of them."""
        data = memoryview(_compressed(self.path, text.encode()))
        written = 0
        try:
            while written < len(data):
                at = self._size_bytes + written
                written += os.pwrite(self._descriptor, data[written:], at)
        except OSError:
            self.cut(self._size_bytes)
            raise
        self._size_bytes += written

    def sync(self) -> None:
        """Has the disk write what the system still holds; each chunk would wait too long for it."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


def whole_chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    """What is whole: texts of whole lines, each with the byte of the file behind it.

    A plain file comes line by line. ValueError where it is damaged before its end.
    """
    if (frames := _FRAMES.get(path.suffix)) is None:
        yield from _whole_lines(path)
        return
    try:
        yield from _whole_frames(path, frames)
    except (zlib.error, zstandard.ZstdError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    end = 0
    with path.open("rb") as file:
        for line in file:
            end += len(line)
            if line.endswith(b"\n"):
                yield end, line


def _whole_frames(path: Path, new: Callable[[], _Frame]) -> Iterator[tuple[int, bytes]]:
    frame, texts, end = new(), list[bytes](), 0
    with path.open("rb") as file:
        data = file.read(READ_BYTES)
        end += len(data)
        while data:
            texts.append(frame.decompress(data))
            data = b""
            if frame.eof:
                data = frame.unused_data
                yield end - len(data), b"".join(texts)
                frame, texts = new(), []
            if not data:
                data = file.read(READ_BYTES)
                end += len(data)


def _compressed(path: Path, text: bytes) -> bytes:
    if path.suffix == ".gz":
        return gzip.compress(text, GZIP_LEVEL, mtime=0)
    if path.suffix == ".zst":
        return zstandard.ZstdCompressor(write_checksum=True).compress(text)
    return text


_FRAMES: dict[str, Callable[[], _Frame]] = {
    ".gz": lambda: zlib.decompressobj(wbits=31),
    ".zst": lambda: zstandard.ZstdDecompressor().decompressobj(),
}
