"""Giving up lost games saves time, as long as they really are lost."""

from collections.abc import Iterator

from pydantic import TypeAdapter, ValidationError

from selfmate.runs.run import Json

MOST_WRONG = 0.05  # share of games played on that the side which would have given up did not lose
ENOUGH = 20  # such games
_PAIRS = TypeAdapter(list[tuple[int, int]])


class Resignation:
    """A share of games in which nobody may give up shows how often that would have been wrong. If
    it is too often, nobody may in any game until it is not."""

    def __init__(self, checked: float) -> None:
        self._checked = checked
        self._seen: list[tuple[int, int]] = []  # games played on and wrong ones, of last cycles
        self._was_allowed = True

    @property
    def checked(self) -> float:
        """The share of games that are played on."""
        return self._checked if self._is_allowed() else 1.0

    def saw(self, checked: int, wrong: int) -> None:
        """A cycle's games that were played on, and those of them that were not lost after all."""
        self._was_allowed = self._is_allowed()
        self._seen.append((checked, wrong))
        while sum(games for games, _ in self._seen[1:]) >= ENOUGH:
            self._seen.pop(0)

    def alarms(self) -> Iterator[str]:
        """When giving up has just been stopped."""
        if self._was_allowed and not self._is_allowed():
            games, wrong = self._counts()
            yield (
                f"{wrong} of {games} games were not lost by the side that would have given up: "
                "nobody does until that is rare; raise resign if this happens again."
            )

    def facts(self) -> Json:
        return [list(counts) for counts in self._seen]

    def load(self, facts: Json) -> None:
        """What `facts` returned once; ValueError when it is something else."""
        try:
            self._seen = _PAIRS.validate_python(facts)
        except ValidationError:
            raise ValueError("these are not the facts of resignations") from None
        self._was_allowed = self._is_allowed()

    def _counts(self) -> tuple[int, int]:
        return sum(games for games, _ in self._seen), sum(wrong for _, wrong in self._seen)

    def _is_allowed(self) -> bool:
        games, wrong = self._counts()
        return games < ENOUGH or wrong <= MOST_WRONG * games
