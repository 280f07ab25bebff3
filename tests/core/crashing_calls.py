"""Calls that crashed the interpreter once, or ran for ever. Run by test_crashing_calls."""

import resource
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import selfmate._core as core
from core import apart
from selfmate.searches.config import SearchConfig

NEAR_2_62 = 2**62 + 1
SLOT = np.zeros(1, np.int64)
SEEDS = np.zeros(1, np.uint64)
START_MOVES = np.array([core.uci_code("e2e4")], np.uint16)
ROUNDS = 300

cases: dict[str, Callable[[], object]] = {}


def case(function: Callable[[], object]) -> Callable[[], object]:
    cases[function.__name__] = function
    return function


# A board without an instance in C++.
class Forgetful(core.Board):
    def __init__(self) -> None:
        pass


GAMES: dict[str, Callable[[Any], object]] = {
    "encode": lambda games: core.encode("planes68", games),
    "legal_actions": lambda games: core.legal_actions("az4672", games),
    "action_mask": lambda games: core.action_mask("az4672", games),
    "legal_move136": core.legal_move136,
    "encode_packed": core.encode_packed,
    "encode_records": core.encode_records,
    "teacher_scores": lambda games: core.teacher_scores(games, 1),
    "choose_random": lambda games: core.choose_random(games, SEEDS),
    "push_moves": lambda games: core.push_moves(games, START_MOVES),
}


def given_one(call: Callable[[Any], object], make: Callable[[], core.Board]) -> object:
    return call([make()])


for title, call in GAMES.items():
    without_init = partial(core.Board.__new__, core.Board)
    cases[f"uninitialized_board_{title}"] = partial(given_one, call, without_init)
    cases[f"forgetful_board_{title}"] = partial(given_one, call, Forgetful)


@case
def uninitialized_batch() -> object:
    return core.encode("planes68", core.GameBatch.__new__(core.GameBatch))


@case
def uninitialized_records() -> object:
    return core.GameRecords.__new__(core.GameRecords).moves


class LongerThanItIs(list[core.Board]):
    def __len__(self) -> int:
        return 1000


@case
def list_with_another_length() -> object:
    return core.push_moves(LongerThanItIs([core.Board()]), np.repeat(START_MOVES, 1000))


def sparse(rows: int = 1) -> tuple[Any, Any, Any]:
    return np.zeros(rows, np.int32), np.ones(rows, np.float32), np.arange(rows + 1)


@case
def sparse_height_near_2_62() -> object:
    columns, values, offsets = sparse()
    columns[:] = 2**30
    matrix = np.ones((1, 4), np.float32)
    return core.sparse_transposed_times(columns, values, offsets, matrix, NEAR_2_62)


@case
def sparse_empty_matrix_of_width_2_60() -> object:
    no_columns = np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(17, np.int64)
    return core.sparse_times(*no_columns, np.zeros((0, 2**60), np.float32))


@case
def sparse_times_without_values() -> object:
    columns, _, offsets = sparse(1000)
    matrix = np.ones((1, 4), np.float32)
    return core.sparse_times(columns, None, offsets, matrix)  # type: ignore[arg-type]


@case
def sparse_transposed_times_without_values() -> object:
    columns, _, offsets = sparse(1000)
    matrix = np.ones((1000, 4), np.float32)
    return core.sparse_transposed_times(columns, None, offsets, matrix, 1)  # type: ignore[arg-type]


def searched(**settings: float) -> core.TreeSearch:
    search = core.TreeSearch(**settings)
    search.set(0, core.Board())
    search.start(SLOT, 40, noise=True, seeds=SEEDS)
    while count := search.gather(8):
        search.receive(np.full((count, 3), 1 / 3, np.float32))
    return search


for setting in SearchConfig.model_fields:
    for number in (float("inf"), float("nan")):
        # Gumbel's constants count where sequential halving is used.
        settings = {"leaves_per_game": 4, "num_considered_actions": 4 * setting.startswith("c_")}
        cases[f"{setting}={number}"] = partial(searched, **settings | {setting: number})


@case
def advance_by_no_move() -> None:
    searched().advance(SLOT, np.array([65535], np.uint16))


@case
def winograd_weights_of_no_inputs() -> object:
    return core.winograd_weights(np.zeros((2**31 + 8, 0, 3, 3), np.float32))


@case
def convolution_to_2_40_channels() -> object:
    boards = np.zeros((0, 8, 8, 2**40), np.float32)
    return core.convolution_gradient(boards, boards)


@case
def more_random_games_than_numbers() -> object:
    return core.random_games(2**63 - 1)


@case
def attention_among_2_33_tokens() -> None:
    looks = np.zeros((0, 2**33, 24), np.float32)
    core.attend(looks, None, 1, np.zeros((0, 2**33, 8), np.float32))


@case
def lone_surrogate() -> object:
    return core.Board("\ud800")


class Fresh:
    """Makes its array anew whenever it is asked for it."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.copy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


@case
def fresh_array_to_read() -> object:
    large = np.zeros((1 << 20, 4), np.float32)
    return core.sparse_times(*sparse(1 << 16), Fresh(large))  # type: ignore[arg-type]


@case
def fresh_array_to_write() -> object:
    boards = [core.Board()] * 4096
    out = Fresh(np.zeros((4096, 68, 8, 8), np.float32))
    return core.encode("planes68", boards, out)  # type: ignore[arg-type]


def together(*works: Callable[[], object]) -> list[Exception]:
    """Runs works at the same time, each many times, and returns what they raised."""
    raised: list[Exception] = []

    def repeat(work: Callable[[], object]) -> None:
        for _ in range(ROUNDS):
            try:
                work()
            except (RuntimeError, ValueError) as error:
                raised.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def blocked(work: Callable[[], object], attempt: Callable[[], object]) -> None:
    """Attempts something again and again while `work` runs, until it is refused."""
    thread = threading.Thread(target=work)
    thread.start()
    try:
        while thread.is_alive():
            attempt()
    finally:
        thread.join()


@case
def two_threads_step_a_batch() -> object:
    batch = core.GameBatch(2000, seed=1)
    return together(*(lambda: batch.step(batch.random_moves()),) * 2)


@case
def two_threads_gather() -> object:
    search = core.TreeSearch()
    for slot in range(50):
        search.set(slot, core.Board())
    slots = np.arange(50)

    def gather_and_receive() -> None:
        search.start(slots, 1000, noise=False, seeds=np.zeros(50, np.uint64))
        search.receive(np.full((search.gather(50), 3), 1 / 3, np.float32))

    return together(*(gather_and_receive,) * 2)


@case
def step_while_the_teacher_scores() -> None:
    batch = core.GameBatch(20, seed=1)
    blocked(partial(core.teacher_scores, batch, 4), lambda: batch.step(batch.random_moves()))


@case
def push_while_the_teacher_scores() -> None:
    board = core.Board()

    def push_and_pop() -> None:
        board.push("e2e4")
        board.pop()

    blocked(partial(core.teacher_scores, [board] * 20, 4), push_and_pop)


@case
def push_moves_while_the_teacher_scores() -> None:
    board = core.Board()

    def push_and_pop() -> None:
        core.push_moves([board], START_MOVES)
        board.pop()

    blocked(partial(core.teacher_scores, [board] * 20, 4), push_and_pop)


def changed_meanwhile(array: Any, values: Sequence[int], work: Callable[[], object]) -> object:
    """Runs `work` while the array is filled with one value after the other."""

    def change() -> None:
        for value in values:
            array.fill(value)

    return together(work, change)


@case
def columns_changed_meanwhile() -> object:
    columns, values, offsets = sparse(1 << 16)
    matrix = np.ones((4, 64), np.float32)
    return changed_meanwhile(
        columns, [0, 2**30], lambda: core.sparse_times(columns, values, offsets, matrix)
    )


@case
def position_records_changed_meanwhile() -> object:
    many, few = (
        core.encode_records([core.Board(fen)])
        for fen in ("k7/8/8/8/NNNNNNNN/8/8/7K w - - 0 1", "k7/8/8/8/8/8/8/7K w - - 0 1")
    )
    rows = np.repeat(few, 4096, axis=0)
    works = [
        lambda: core.legal_of_records("az4672", rows),
        lambda: np.copyto(rows, many),
        lambda: np.copyto(rows, few),
    ]
    return together(*works)


@case
def legal_actions_changed_meanwhile() -> object:
    rows = 2000
    legal = np.zeros(rows, np.int32)
    logits = np.zeros((rows, 64), np.float32)
    offsets, seeds = np.arange(rows + 1), np.zeros(rows, np.uint64)
    return changed_meanwhile(
        legal, [0, 2**30], lambda: core.attempt_actions(logits, legal, offsets, seeds, 0.0, 0)
    )


@case
def moves_changed_meanwhile() -> object:
    boards = [core.Board()] * 5000
    moves = np.repeat(START_MOVES, 5000)
    return changed_meanwhile(
        moves,
        [int(START_MOVES[0]), 65535],
        lambda: core.actions_of_moves("uci1968", boards, moves),
    )


@case
def gumbel_search_after_an_advance() -> object:
    search = core.TreeSearch(num_considered_actions=4)
    search.set(0, core.Board())
    search.start(SLOT, 400, noise=True, seeds=SEEDS)
    for _ in range(100):
        search.receive(np.full((search.gather(8), 3), 1 / 3, np.float32))
    search.advance(SLOT, search.roots(SLOT)[0])
    return search.gather(8)


@case
def evaluations_too_large_for_a_float() -> object:
    for settings in ({"leaves_per_game": 8}, {"num_considered_actions": 4, "c_scale": 1e38}):
        search = core.TreeSearch(**settings)
        search.set(0, core.Board())
        search.start(SLOT, 300, noise=True, seeds=SEEDS)
        while count := search.gather(8):
            search.receive(np.full((count, 3), (3e38, 3e38, -3e38), np.float32))
    return search


@case
def endless_attempts() -> object:
    logits = np.full((1, 64), np.nan, np.float32)
    legal = np.array([5], np.int32)
    return core.attempt_actions(logits, legal, np.arange(2), SEEDS, 1.0, 2**31 - 1)


@case
def search_without_memory() -> object:
    """Goes on with an empty search after it has run out of memory."""
    if apart.is_sanitized():  # which knows no limit
        return None
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (64 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    search = core.TreeSearch(leaves_per_game=100, cache_size=10**6)
    search.set(0, core.Board())
    search.start(SLOT, 10**6, noise=False, seeds=SEEDS)
    wdl = np.full((100, 3), 1 / 3, np.float32)
    with suppress(MemoryError):
        while count := search.gather(100):
            search.receive(wdl[:count])
        raise AssertionError("the memory did not run out")
    search.set(0, core.Board())
    search.start(SLOT, 10, noise=False, seeds=SEEDS)
    return search.gather(8)


if __name__ == "__main__":
    apart.main(cases)
