"""How much of some work is neither net nor core: what Python and NumPy take around them."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch

from selfmate import _core
from selfmate.nets import ragged
from selfmate.nets.descent import Descent
from selfmate.nets.q_net import QNet

Function = Callable[..., Any]
NET_METHODS = ((QNet, "forward"), (QNet, "values"), (Descent, "gradient"), (Descent, "step"))
NET_FUNCTIONS = (ragged.log_softmax, torch.nn.functional.huber_loss)


class Meter:
    """Adds up the time within some functions; what one calls of another counts once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._is_within = False

    def timed(self, function: Function) -> Function:
        @wraps(function)
        def within(*arguments: Any, **named: Any) -> Any:
            if self._is_within:
                return function(*arguments, **named)
            self._is_within, began = True, time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds += time.perf_counter() - began
                self._is_within = False

        return within


def share_outside(go: Callable[[], object]) -> float:
    """Of the time that `go` takes. Profilers do not see the core's functions, so all of them and
    those of the net are replaced by timed ones meanwhile."""
    meter = Meter()
    with _replaced(meter.timed):
        began = time.perf_counter()
        go()
        seconds = time.perf_counter() - began
    return 1 - meter.seconds / seconds


@contextmanager
def _replaced(timed: Callable[[Function], Function]) -> Iterator[None]:
    places = [*NET_METHODS, *_places_of_functions()]
    before = [(owner, name, getattr(owner, name)) for owner, name in places]
    for owner, name, function in before:
        setattr(owner, name, timed(function))
    try:
        yield
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)


def _places_of_functions() -> list[tuple[Any, str]]:
    """Every module that calls a function has a name for it."""
    core = [f for f in vars(_core).values() if callable(f) and not isinstance(f, type)]
    wanted = {id(function) for function in (*core, *NET_FUNCTIONS)}
    modules = [
        torch.nn.functional,
        *(m for n, m in sys.modules.items() if n.startswith("selfmate")),
    ]
    return [
        (m, name) for m in modules for name, found in list(vars(m).items()) if id(found) in wanted
    ]
