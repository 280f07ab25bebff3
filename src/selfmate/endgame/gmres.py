"""Visits of a walk that mixes well, by iteration.

What is solved is a balance: visits = start + what flows in.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flow = Callable[[Floats], Floats]  # visits now -> visits they lead to one step on; linear

BALANCED = 1e-12  # how much may be missing in all, for walks of a few steps
BALANCED_PER_VISIT = 1e-14  # long walks add up more rounding
BASIS = 50  # vectors a round combines
ROUNDS = 12


def balance(start: Floats, flow: Flow) -> Floats:
    """How often each state is visited; from every state the walk must be able to end.

    GMRES (Saad and Schultz, 1986) combines what several steps give. Walks that linger make its
    rounds stall, so each round takes twice as many steps at a time as the one before: in the long
    run even plain steps would do.
    """
    visits, missing = np.zeros_like(start), start
    for number in range(ROUNDS):
        visits = visits + _correction(missing, flow, steps=2 << number)
        missing = start + flow(visits) - visits
        gap = float(abs(missing).sum())
        if gap <= BALANCED + BALANCED_PER_VISIT * float(visits.sum()):
            return np.maximum(visits, 0.0)
    raise ArithmeticError(f"the walk lingers too long: {gap:.1e} of its visits are missing")


def _correction(missing: Floats, flow: Flow, steps: int) -> Floats:
    """The combination of basis vectors that leaves the least missing."""
    target = _gathered(missing, flow, steps)
    size = float(np.linalg.norm(target))
    basis = np.empty((BASIS + 1, len(target)))
    images = np.zeros((BASIS + 1, BASIS))  # what becomes of each vector, told in the basis
    basis[0] = target / size
    for used in range(1, BASIS + 1):
        vector = basis[used - 1] - _walk_on(basis[used - 1], flow, steps)
        images[:used, used - 1] = _remove(vector, basis[:used])
        images[used, used - 1] = length = float(np.linalg.norm(vector))
        wanted = size * np.eye(used + 1)[0]
        weights = np.linalg.lstsq(images[: used + 1, :used], wanted)[0]
        left = np.linalg.norm(wanted - images[: used + 1, :used] @ weights)
        if left * len(target) ** 0.5 <= BALANCED / 2 or length <= 1e-14:
            break  # enough, or nothing new to combine
        basis[used] = vector / length
    correction: Floats = weights @ basis[:used]
    return correction


def _walk_on(vector: Floats, flow: Flow, steps: int) -> Floats:
    """Half of it waits each step: that damps walks to and fro and has the same solution."""
    for _ in range(steps):
        vector = (vector + flow(vector)) / 2
    return vector


def _gathered(missing: Floats, flow: Flow, steps: int) -> Floats:
    """What is missing in one step, as it adds up over `steps` lazy steps."""
    total = vector = missing / 2
    for _ in range(steps - 1):
        vector = (vector + flow(vector)) / 2
        total = total + vector
    return total


def _remove(vector: Floats, basis: Floats) -> Floats:
    """Takes from `vector` what lies along the basis, and returns how much that was."""
    first = basis @ vector
    vector -= first @ basis
    second = basis @ vector  # once is not enough against rounding
    vector -= second @ basis
    return first + second
