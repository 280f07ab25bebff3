"""One net that several threads may ask at once."""

import numpy as np
from numpy.typing import NDArray

from selfmate.nets.evaluator import Evaluator, make_evaluator
from selfmate.nets.se_resnet import SeResNet

Floats = NDArray[np.float32]


class Evaluators:
    """Answers as an evaluator does. Each thread that asks has one of its own, made when there is
    none to spare; it computes on `threads` threads."""

    def __init__(self, net: SeResNet, threads: int = 1) -> None:
        self._net, self._threads = net, threads
        self._spare: list[Evaluator] = []  # what is done to it is done at once: no lock

    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        try:
            evaluator = self._spare.pop()
        except IndexError:
            evaluator = make_evaluator(self._net, threads=self._threads)
        try:
            return evaluator(planes)
        finally:
            self._spare.append(evaluator)

    def refresh(self) -> None:
        """Takes over what the net has learned. Not while somebody asks."""
        for evaluator in self._spare:
            evaluator.refresh()
