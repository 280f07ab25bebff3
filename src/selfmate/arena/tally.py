"""Which games of a match count, and what they say together."""

from collections.abc import Mapping

from selfmate.arena.match import PlayedGame
from selfmate.arena.report import MatchReport, make_report, pair_counts
from selfmate.arena.sprt import Sprt


class Tally:
    """Of games by their numbers, to which others are added; `count` looks at the new ones."""

    def __init__(self, games: Mapping[int, PlayedGame], total: int, sprt: Sprt | None) -> None:
        self._games, self._total, self._sprt = games, total, sprt
        self._counted: list[PlayedGame] = []
        self.decided = False  # by SPRT
        self.count()

    def count(self) -> None:
        """Counts complete pairs in the order of their numbers, not as they happen to end.

        So the same seed gives the same verdict of SPRT however many games run at once.
        """
        if self._sprt is None:
            return
        while not self.decided:
            first = len(self._counted)
            pair = [self._games.get(first), self._games.get(first + 1)]
            if first >= self._total or None in pair:
                return
            self._counted += [game for game in pair if game is not None]
            self.decided = self._sprt.verdict(pair_counts(self._counted)) is not None

    def counted(self) -> list[PlayedGame]:
        """All games, or with SPRT the pairs up to the decision."""
        if self._sprt is not None:
            return list(self._counted)
        return [self._games[n] for n in sorted(self._games) if n < self._total]

    def report(self) -> MatchReport:
        """As things stand."""
        return make_report(self.counted(), self._sprt)

    @property
    def over(self) -> bool:
        return self.decided or all(n in self._games for n in range(self._total))
