"""A few steps of a run that nobody keeps, to say how long the whole will take here."""

import time
from collections.abc import Generator, Mapping

from selfmate.runs.errors import RunFailedError
from selfmate.runs.run import Json, State
from selfmate.runs.steps import Plan, RunStep

SECONDS_ENOUGH = 0.4
NOTHING_WRITTEN = "nothing is written in a rehearsal"


class Rehearsal:
    """Implements `Run` without a disk: the steps end when enough time was measured."""

    plan: Plan  # what the learner asked for

    def __init__(self) -> None:
        self._units: list[int] = []
        self._seconds: list[float] = []

    def steps(
        self,
        state: State,
        *,
        total: int,
        unit: str,
        size: int = 1,
        player: Mapping[str, Json],
    ) -> Generator[RunStep]:
        plan = self.plan = Plan(total=total, unit=unit, size=size)
        for number in range(1, plan.count + 1):
            step = RunStep(plan, number, NOTHING_WRITTEN)
            began = time.perf_counter()
            yield step
            if step.failure is not None:
                raise RunFailedError(f"{step.failure}; {NOTHING_WRITTEN}")
            step.figures  # noqa: B018 - a step that was not recorded is a mistake here as well
            self._units.append(step.stop - step.start)
            self._seconds.append(time.perf_counter() - began)
            if step.is_last or sum(self._seconds) >= SECONDS_ENOUGH:
                return

    def seconds_for(self, total: int) -> float:
        """How long `total` units would take at the pace rehearsed."""
        # The first step warms up; it counts only when there is no other.
        warm = slice(1, None) if len(self._units) > 1 else slice(None)
        return total * sum(self._seconds[warm]) / sum(self._units[warm])
