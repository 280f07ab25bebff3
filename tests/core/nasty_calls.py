"""Calls everything in the core with the worst arguments there are. Run by test_nasty_calls.

One argument after the other is replaced by everything nasty, then several at random. A call may
return or raise, but the interpreter must survive it, and so must the objects it was given.
"""

import itertools
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

import selfmate._core as core
from core import apart
from core.crashing_calls import Forgetful, Fresh, LongerThanItIs
from core.good_arguments import OBJECTS, Arguments, always, board, targets

RANDOM_CALLS = int(os.environ.get("SELFMATE_NASTY_CALLS", "100"))  # of each target
REFUSALS = (TypeError, ValueError, RuntimeError, MemoryError, IndexError, AttributeError)

INTEGERS = [-1, 0, 1, 3, 1024, 2**15, 2**31 - 1, 2**31, 2**32 + 1, 2**62, 2**63 - 1, 2**63, 2**64]
NUMBERS = [*INTEGERS, -(2**31), -(2**63), float("nan"), float("inf"), -float("inf"), 1e308, 5e-324]
TEXTS = ["", "\ud800", "\0", "x" * 100_000, "e2e4", "uint8", "tokens78", b"", b"\0[" * 1000]
OTHERS = [None, object(), [], [None], {}, {"stem.weight": None}, True, 1j, core.Board, core]
DTYPES = ["f4", "f8", "u1", "u2", "i4", "i8", "u8", "?", "c8", "O", "M8[s]", ">f4", "V3"]
EMPTY = [(0, 2**40), (2**40, 0), (3, 0), (0, 2**59), (0, 8, 8, 2**33), (2**33, 0, 3, 3),
         (0, 2**33, 24), (0, 68, 8, 8), (0,) * 30]  # fmt: skip

Make = Callable[[], Any]


class Weird(np.ndarray):
    """An array that answers for another one."""

    def __dlpack__(self, **options: Any) -> Any:
        return np.zeros(1).__dlpack__(**options)

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.zeros(1)


class Changing:
    """A sequence that shrinks while it is read."""

    def __init__(self) -> None:
        self.boards = [board(), board(), board()]

    def __len__(self) -> int:
        return 1000

    def __getitem__(self, index: int) -> core.Board:
        return self.boards.pop()


def objects() -> Iterator[Make]:
    """Objects of our classes: whole, never initialized, and lists of them."""
    for name, make in OBJECTS.items():
        kind = getattr(core, name)
        yield from (make, partial(kind.__new__, kind))
        yield from (lambda make=make: [make()], lambda kind=kind: [kind.__new__(kind)] * 3)
    yield from (Forgetful, LongerThanItIs, Changing)
    yield from (lambda: [board(), Forgetful()], lambda: [board()] * 3)


def arrays() -> Iterator[Make]:
    """Small ones of all types, and those without numbers, which may have any extents."""
    for dtype, shape in itertools.product(DTYPES, [(), (0,), (3,), (3, 63)]):
        yield partial(np.zeros, shape, dtype)
    for dtype, shape in itertools.product(["f4", "i8", "u1"], EMPTY):
        yield partial(np.zeros, shape, dtype)


def misaligned(good: Any) -> Any:
    memory = bytearray(good.nbytes + 1)
    found = np.frombuffer(memory, good.dtype, offset=1, count=good.size).reshape(good.shape)
    found[...] = good
    return found


def read_only(good: Any) -> Any:
    good.flags.writeable = False
    return good


# Arrays near a good one: of other shapes and types, and such as do not lie as they should.
VARIANTS: list[Callable[[Any], Any]] = [
    lambda good: good[::-1],
    lambda good: good[::2],
    lambda good: good[:-1],
    lambda good: good[:0],
    lambda good: good[None],
    lambda good: good.T,
    lambda good: good.flat,
    lambda good: good.tolist(),
    lambda good: good.tobytes(),
    lambda good: np.concatenate([good, good]),
    lambda good: np.broadcast_to(good[:1], good.shape),
    lambda good: np.repeat(good, 2, -1)[..., ::2],
    lambda good: good.byteswap().view(good.dtype.newbyteorder()),
    lambda good: good.view(Weird),
    misaligned,
    read_only,
    memoryview,
    Fresh,
    *(partial(lambda dtype, good: good.astype(dtype), dtype) for dtype in DTYPES[:8]),
]


def variants(make: Make) -> Iterator[Make]:
    for vary in VARIANTS:
        yield partial(varied, vary, make)
    for number in extremes(make().dtype):
        yield partial(varied, partial(filled, number, slice(None)), make)
        yield partial(varied, partial(filled, number, slice(-1, None)), make)


def varied(vary: Callable[[Any], Any], make: Make) -> Any:
    return vary(make())


def filled(number: Any, where: slice, good: Any) -> Any:
    good[where] = number
    return good


def extremes(dtype: Any) -> list[Any]:
    if dtype.kind == "f":
        return [np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45]
    limits = np.iinfo(dtype)
    return [limits.min, limits.max, limits.max // 2]


def nasty(make: Make) -> list[Make]:
    """All that may stand in place of a good argument."""
    found = [always(value) for value in (*NUMBERS, *TEXTS, *OTHERS)]
    found += [*objects(), *arrays()]
    return [*found, *variants(make)] if isinstance(make(), np.ndarray) else found


def attempt(name: str, call: Callable[..., Any], given: dict[str, Any]) -> None:
    """Calls, then uses what came out and the object again."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            use(call(**given))
        except MemoryError:
            pass
        except REFUSALS as error:
            if "std::" in str(error) or len(str(error).split()) < 3:
                raise AssertionError(f"{name} does not say why it refuses: {error}") from error
        for thing in given.values():
            with suppress(*REFUSALS):
                use(thing)


def use(thing: Any) -> None:
    """Touches the memory behind an object."""
    if isinstance(thing, np.ndarray) and thing.dtype.kind in "fiub" and thing.size < 1 << 24:
        thing.sum()
    elif isinstance(thing, (tuple, list)):
        for part in thing[:100]:
            use(part)
    elif isinstance(thing, core.Board):
        thing.outcome()
        core.encode("planes68", [thing])
    elif isinstance(thing, core.GameBatch):
        thing.step(thing.random_moves())
    elif isinstance(thing, core.TreeSearch):
        search_on(thing)


def search_on(search: core.TreeSearch) -> None:
    """In slot 0, where a game is put if there is none."""
    slot = np.zeros(1, np.int64)
    try:
        search.roots(slot)
    except ValueError:
        search.set(0, board())
    for _ in range(5):
        count = search.gather(3)
        if count == 0:
            search.start(slot, 20, noise=True, seeds=np.zeros(1, np.uint64))
        search.receive(np.full((count, 3), 1 / 3, np.float32))
    search.moves(slot)
    search.outlooks(0)


def attack(name: str, call: Callable[..., Any], arguments: Arguments) -> None:
    attempt(name, call, made(arguments))
    worst = {parameter: nasty(make) for parameter, make in arguments.items()}
    for parameter, makes in worst.items():
        for make in makes:
            attempt(name, call, made(arguments | {parameter: make}))
    rng = random.Random(name)
    for _ in range(RANDOM_CALLS if arguments else 0):
        chosen = rng.sample(list(arguments), rng.randint(1, len(arguments)))
        attempt(name, call, made(arguments | {each: rng.choice(worst[each]) for each in chosen}))
    attack_with_shared_memory(name, call, arguments)


def made(arguments: Arguments) -> dict[str, Any]:
    return {parameter: make() for parameter, make in arguments.items()}


def attack_with_shared_memory(name: str, call: Callable[..., Any], arguments: Arguments) -> None:
    """Two arrays that lie in the same memory, as far as they differ in size."""
    for one, other in itertools.permutations(arguments, 2):
        given = made(arguments)
        small, large = given[one], given[other]
        if isinstance(small, np.ndarray) and isinstance(large, np.ndarray):
            memory = np.zeros(max(small.nbytes, large.nbytes), np.uint8)
            for parameter, array in ((one, small), (other, large)):
                shared = memory[: array.nbytes].view(array.dtype).reshape(array.shape)
                given[parameter] = shared
            attempt(name, call, given)


if __name__ == "__main__":
    cases = {
        name: partial(attack, name, call, arguments)
        for name, (call, arguments) in targets().items()
        if len(sys.argv) == 1 or name in sys.argv
    }
    apart.main(cases)
