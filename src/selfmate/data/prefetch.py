"""Items made ahead on a thread of their own, while the caller works on those before."""

import threading
from collections.abc import Iterator
from queue import Queue
from typing import TypeVar

T = TypeVar("T")


class _End:
    """What stands behind the last item: nothing, or the error that ended them."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def prefetched(items: Iterator[T], depth: int) -> Iterator[T]:
    """The same items, up to `depth` of them ahead.

    The thread ends with the items, with the first error, which is raised here, or when the caller
    takes no more and closes the iterator.
    """
    ready: Queue[T | _End] = Queue(depth)
    closed = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, ready, closed), daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        closed.set()
        while thread.is_alive():
            _drain(ready)
            thread.join(0.01)


def _fill(items: Iterator[T], ready: "Queue[T | _End]", closed: threading.Event) -> None:
    end = _End()
    try:
        for item in items:
            if closed.is_set():
                return
            ready.put(item)
    except BaseException as error:
        end = _End(error)
    ready.put(end)


def _drain(ready: "Queue[T | _End]") -> None:
    """Makes room for a thread that waits to put something."""
    while not ready.empty():
        ready.get_nowait()
