"""What a worker keeps from one task to the next: weights by the digest of their content, and what
was made of them."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import TypeVar

import numpy as np

from selfmate.runs import Arrays

T = TypeVar("T")


def digest_of(arrays: Arrays) -> str:
    """Of names, types, shapes and values."""
    digest = sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()


def _same(arrays: Arrays) -> Arrays:
    return arrays


class Shelf:
    """Arrays by digest. They are fetched when they are asked for, and only once."""

    def __init__(self) -> None:
        self._fetch: Mapping[str, Callable[[], Arrays]] = {}
        self._made: dict[str, object] = {}
        self._kept: dict[str, object] = {}

    def put(self, weights: Mapping[str, Arrays]) -> None:
        """The arrays that the next tasks need."""
        self.offer({digest: partial(_same, arrays) for digest, arrays in weights.items()})

    def offer(self, fetch: Mapping[str, Callable[[], Arrays]]) -> None:
        """As `put`, with functions that fetch them. What others were made into is forgotten."""
        self._fetch = fetch
        self._forget(fetch)

    def made(self, digest: str, make: Callable[[Arrays], T]) -> T:
        """What `make` makes of the arrays, or made of them before."""
        if digest not in self._made:
            self._made[digest] = make(self._fetch[digest]())
        found: T = self._made[digest]  # type: ignore[assignment]  # a digest has one maker
        return found

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What `make` makes, or made under this name before: it needs no arrays, and is kept for
        good."""
        if name not in self._kept:
            self._kept[name] = make()
        found: T = self._kept[name]  # type: ignore[assignment]  # a name has one maker
        return found

    def _forget(self, kept: Iterable[str]) -> None:
        self._made = {digest: self._made[digest] for digest in kept if digest in self._made}
