"""Text from files that may be compressed with zstd or gzip, told by content, not by name."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO, cast

import zstandard

# Streams that want a larger window than this are refused (zstd's own --long default).
MAX_ZSTD_WINDOW_BYTES = 1 << 27

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE_MAGIC = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_GZIP_MAGIC = b"\x1f\x8b"


def read_texts(stream: io.BufferedReader, name: str, chunk_bytes: int) -> Iterator[bytes]:
    """The text in chunks, decompressed; refused at its beginning if it is no text."""
    magic = stream.peek(4)[:4]
    if magic == _ZSTD_MAGIC or _ZSTD_SKIPPABLE_MAGIC.fullmatch(magic):
        plain = _zstd_texts(stream, chunk_bytes)
    elif magic[:2] == _GZIP_MAGIC:
        plain = iter(partial(gzip.GzipFile(fileobj=stream).read, chunk_bytes), b"")
    else:
        plain = iter(partial(stream.read, chunk_bytes), b"")
    try:
        for number, text in enumerate(plain):
            if number == 0:
                _check_is_text(text, name)
            yield text
    except (zstandard.ZstdError, gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise ValueError(f"{name} is damaged: {error}") from error


def _check_is_text(beginning: bytes, name: str) -> None:
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name} is UTF-16 text; save it as UTF-8")
    if b"\0" in beginning[:4096]:
        raise ValueError(f"{name} is binary data, not text")


def _zstd_texts(stream: io.BufferedReader, chunk_bytes: int) -> Iterator[bytes]:
    """Decompressed chunks of one or more zstd frames.

    zstandard's reader takes a cut-off stream for a complete one. So a frame with a known text is
    put behind the stream: its text comes out last only if every frame before it is complete.
    """
    sentinel = b"the stream is complete"
    last_frame = zstandard.ZstdCompressor(write_checksum=True).compress(sentinel)
    decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW_BYTES)
    with decompressor.stream_reader(
        cast(BinaryIO, _Followed(stream, last_frame)), read_across_frames=True, closefd=False
    ) as reader:
        held = b""
        while text := reader.read(chunk_bytes):
            held += text
            if ready := held[: -len(sentinel)]:
                yield ready
            held = held[-len(sentinel) :]
    if held != sentinel:
        raise EOFError("the compressed stream is cut off")


class _Followed:
    """A readable stream with some more bytes behind its end."""

    def __init__(self, stream: io.BufferedReader, tail: bytes) -> None:
        self._stream = stream
        self._tail = tail

    def read(self, size: int) -> bytes:
        if data := self._stream.read(size):
            return data
        data, self._tail = self._tail, b""
        return data
