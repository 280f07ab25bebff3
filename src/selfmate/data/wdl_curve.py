"""From centipawns to win, draw and loss: an ordered logistic curve, fitted on recorded games.

For an evaluation of x pawns in the view of the side to move, clipped to +-MAX_PAWNS,

    P(win)  = sigmoid(slope * x - offset)
    P(loss) = sigmoid(-slope * x - offset)
    P(draw) = 1 - P(win) - P(loss)

Both numbers are linear in the pieces on the board, kings and pawns included: the same advantage is
worth less in an endgame. With a full board offset / slope pawns are won in half of the games. A
mate is certain. The likelihood is concave, so Fisher scoring finds its maximum from anywhere.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from selfmate.encodings.records import PositionRecords, is_white_to_move, piece_counts

if TYPE_CHECKING:
    from selfmate.data.dataset import Chunk

MAX_PAWNS = 10.0
MATE = 10_000  # centipawns, as chunks have it
MAX_PIECES = 32
MIN_FITTED_POSITIONS = 1000
MAX_STEPS = 100
TOLERANCE = 1e-9
MAX_PARAMETER = 50.0  # evaluations that are nearly always right

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]  # [PIECES, PAWNS, 3] positions by pieces, evaluation and result
LIMIT = round(100 * MAX_PAWNS)  # centipawns
SHAPE = (MAX_PIECES + 1, 2 * LIMIT + 1, 3)


class WdlCurve(BaseModel):
    """A fitted curve, with what it was fitted on."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    offset_full: float = Field(gt=0, le=MAX_PARAMETER)  # with 32 pieces
    offset_bare: float = Field(gt=0, le=MAX_PARAMETER)  # with none, at the other end of the line
    slope_full: float = Field(gt=0, le=MAX_PARAMETER)  # per pawn
    slope_bare: float = Field(gt=0, le=MAX_PARAMETER)
    positions: int = Field(default=0, ge=0)  # it was fitted on
    validation_loss: float | None = None  # mean cross-entropy on held-out games, in nats

    def wdl(self, centipawns: NDArray[np.int16], pieces: NDArray[np.int64]) -> NDArray[np.float32]:
        """[B, 3] Win, draw and loss of the side to move, for evaluations [B] in its view."""
        pawns = np.clip(centipawns / 100, -MAX_PAWNS, MAX_PAWNS)
        wdl = _wdl(self._parameters(), pawns, pieces)
        wdl[centipawns >= MATE] = (1, 0, 0)
        wdl[centipawns <= -MATE] = (0, 0, 1)
        found: NDArray[np.float32] = wdl.astype(np.float32)
        return found

    def wdl_of(self, centipawns: NDArray[np.int16], stored: PositionRecords) -> NDArray[np.float32]:
        """[B, 3] The same for positions."""
        return self.wdl(centipawns, piece_counts(stored))

    def loss(self, counts: Counts) -> float:
        """The mean cross-entropy with results, in nats."""
        pieces, rows, results = _cells(counts)
        likelihood = _log_likelihood(self._parameters(), rows, pieces, results)
        return -likelihood / max(1, int(results.sum()))

    @classmethod
    def fit(cls, counts: Counts, held_out: Counts | None = None) -> Self | None:
        """The likeliest curve. None if the positions are few, a result is missing, or those who
        stand better do not win more often."""
        if counts.sum() < MIN_FITTED_POSITIONS or not counts.sum((0, 1)).all():
            return None
        full, bare = _likeliest(counts).reshape(2, 2).T.tolist()
        if min(full[1], bare[1]) <= 0:
            return None
        curve = cls(
            offset_full=full[0],
            slope_full=full[1],
            offset_bare=bare[0],
            slope_bare=bare[1],
            positions=int(counts.sum()),
        )
        if held_out is None or not held_out.sum():
            return curve
        return curve.model_copy(update={"validation_loss": curve.loss(held_out)})

    def _parameters(self) -> Floats:
        """[4] As the fit has them: both offsets, both slopes."""
        return np.array([self.offset_full, self.offset_bare, self.slope_full, self.slope_bare])


# For games with too few evaluations for a curve of their own: that of 17,872 games of TCEC.
DEFAULT_CURVE = WdlCurve(offset_full=1.53, offset_bare=3.78, slope_full=2.38, slope_bare=0.74)


def count_results(chunks: "Iterable[Chunk]") -> Counts:
    """The results of evaluated positions, mates excepted. Evaluations count from -LIMIT to LIMIT;
    results are win, draw and loss of the side to move."""
    counts = np.zeros(np.prod(SHAPE), np.int64)
    for chunk in chunks:
        used = chunk.take(np.flatnonzero(chunk.is_evaluated & (np.abs(chunk.evaluations) < MATE)))
        columns = np.clip(used.evaluations.astype(np.int64), -LIMIT, LIMIT) + LIMIT
        views = np.where(is_white_to_move(used.stored), 1, -1)
        cells = (piece_counts(used.stored), columns, 1 - views * used.results)
        counts += np.bincount(np.ravel_multi_index(cells, SHAPE), minlength=len(counts))
    return counts.reshape(SHAPE)


def _cells(counts: Counts) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Cells with positions: pieces [C], pawns [C] and results [C, 3]."""
    pieces, columns = np.nonzero(counts.sum(2))
    return pieces, (columns - LIMIT) / 100, counts[pieces, columns]


def _bareness(pieces: NDArray[np.int64]) -> Floats:
    """[B] 0 for a full board, 1 for an empty one."""
    bareness: Floats = (MAX_PIECES - pieces) / MAX_PIECES
    return bareness


def _wdl(parameters: Floats, pawns: Floats, pieces: NDArray[np.int64]) -> Floats:
    """[B, 3] The draw is written as a product, which never cancels to nothing:
    1 - win - loss = (exp(2 offset) - 1) win loss."""
    bareness = _bareness(pieces)
    offset, slope = (
        (1 - bareness) * full + bareness * bare for full, bare in parameters.reshape(2, 2)
    )
    win, loss = (1 / (1 + np.exp(offset - side * slope * pawns)) for side in (1, -1))
    return np.stack([win, np.expm1(2 * offset) * win * loss, loss], axis=1)


def _likeliest(counts: Counts) -> Floats:
    """[4] By Fisher scoring, with steps halved until the likelihood grows within bounds."""
    pieces, pawns, results = _cells(counts)
    parameters = np.ones(4)
    best = _log_likelihood(parameters, pawns, pieces, results)
    for _ in range(MAX_STEPS):
        score, information = _score(parameters, pawns, pieces, results)
        step = np.linalg.solve(information + 1e-9 * np.eye(4), score)
        while np.abs(step).max() > TOLERANCE:
            trial = parameters + step
            is_allowed = trial[:2].min() > 0 and np.abs(trial).max() < MAX_PARAMETER
            if is_allowed and (found := _log_likelihood(trial, pawns, pieces, results)) > best:
                parameters, best = trial, found
                break
            step /= 2
        else:
            return parameters
    return parameters


def _log_likelihood(
    parameters: Floats, pawns: Floats, pieces: NDArray[np.int64], results: NDArray[np.int64]
) -> float:
    return float((results * np.log(_wdl(parameters, pawns, pieces))).sum())


def _score(
    parameters: Floats, pawns: Floats, pieces: NDArray[np.int64], results: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """[4], [4, 4] The gradient of the log-likelihood, and its information matrix."""
    wdl = _wdl(parameters, pawns, pieces)
    win, draw, loss = wdl.T
    zero = np.zeros_like(win)
    # [3, C] d log P(result) / d logit, of the logits of winning and of losing.
    of_win = np.stack([1 - win, -win * (1 - win) / draw, zero])
    of_loss = np.stack([zero, -loss * (1 - loss) / draw, 1 - loss])
    by_offset, by_slope = -of_win - of_loss, pawns * (of_win - of_loss)
    bare = _bareness(pieces)
    gradients = np.stack(
        [by_offset * (1 - bare), by_offset * bare, by_slope * (1 - bare), by_slope * bare]
    )  # [4, 3, C]
    expected = results.sum(1, keepdims=True) * wdl  # [C, 3]
    return (
        np.einsum("prc,cr->p", gradients, results),
        np.einsum("prc,qrc,cr->pq", gradients, gradients, expected),
    )
