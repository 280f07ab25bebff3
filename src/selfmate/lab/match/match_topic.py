"""One match as its page shows it: `match:NAME`."""

from collections.abc import Hashable
from dataclasses import asdict
from typing import Any

from selfmate.lab.match.game_record import row_of
from selfmate.lab.match.matches import Matches

NEWEST_GAMES = 30


class MatchTopic:
    def __init__(self, matches: Matches, name: str) -> None:
        self._matches, self._name = matches, name

    def version(self) -> Hashable:
        return self._matches.change(self._matches.path(self._name))

    def data(self) -> dict[str, Any]:
        match = self._matches.file(self._name)
        state = self._matches.state(match)
        return {
            "id": self._name,
            "players": self._matches.shown(match),
            "seed": match.agreement.seed,
            "max_plies": match.agreement.max_plies,
            "state": state,
            "problem": self._matches.problem(match) if state == "failed" else None,
            "done": len(match.games),
            "total": match.total,
            "report": asdict(match.tally.report()),
            "history": match.history.points(),
            "newest": [row_of(match.games[n]) for n in match.order[: -NEWEST_GAMES - 1 : -1]],
            "playing": match.playing() if state == "running" else None,
        }
