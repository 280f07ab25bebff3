"""What a learner knows of its run: an iterator of steps, and what is saved between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from numpy.typing import NDArray

from selfmate.runs.sample_game import SampleGame

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, kw_only=True)
class Saved:
    """Everything a learner needs to go on as if it had never stopped."""

    weights: Arrays  # what plays; `--load` takes these alone
    rest: Arrays  # optimizer, replay, games that are being played
    facts: Mapping[str, Json]  # counters and random states
    # What is large and never changes, such as the games of a cycle. A page is written once: while
    # its name is handed out, it stands for the same arrays.
    pages: Mapping[str, Arrays] = field(default_factory=dict)


class State(Protocol):
    """What a run saves and restores; one object of the learner's own."""

    def save(self) -> Saved: ...

    def load(self, saved: Saved) -> None:
        """Takes over what `save` returned once; ValueError says what does not fit. Also called
        between steps, when the run goes back: nothing of later steps may stay."""

    def load_weights(self, weights: Arrays) -> None:
        """Takes over another run's weights alone; ValueError says what does not fit."""


class Step(Protocol):
    """One step of a run: the units `start` to `stop` (episodes, cycles) are to be done."""

    @property
    def number(self) -> int: ...

    @property
    def start(self) -> int: ...

    @property
    def stop(self) -> int: ...

    @property
    def attempt(self) -> int:
        """1, and one more each time the run went back to the checkpoint before this step. What
        went wrong then goes wrong again unless a learner does something differently."""

    def record(
        self,
        figures: Mapping[str, float],
        score: float | None = None,
        *,
        best: bool | None = None,
        seconds: Mapping[str, float] | None = None,
    ) -> None:
        """What this step came to, once a step: a line of metrics. A figure that is not a finite
        number ends the run. The step with the highest `score` so far is saved as the best, unless
        the learner says by `best` whether this one is. `seconds` is where the time went."""

    def say(self, note: str, *, aloud: bool = True, alarm: bool = False) -> None:
        """A sentence for people, kept with the run when the step is, and said unless not aloud. An
        alarm is one that asks somebody to do something."""

    def show(self, game: SampleGame) -> None:
        """A game of this step for people to look at, at most one; kept when the step is."""

    def finish(self) -> None:
        """Beside `record`: nothing more is to be gained, so the run is finished after this step."""

    def go_back(self, reason: str) -> None:
        """Instead of `record`: this step came to nothing. The run says so, and with the next step
        that is asked for it is back where its last regular checkpoint was."""


class Run(Protocol):
    """What `train` is given. Nothing calls the learner back: it asks for its next step."""

    def steps(
        self,
        state: State,
        *,
        total: int,
        unit: str,
        size: int = 1,
        player: Mapping[str, Json],
    ) -> Iterator[Step]:
        """The steps that are still to be done, of `size` units each until `total`.

        A resumed run first loads its checkpoint into `state`. Between steps checkpoints are
        written, and the iterator ends early when the run is asked to stop. `player` goes into
        every card: how the weights are played."""
