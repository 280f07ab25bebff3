"""Matches over HTTP: start, stop, go on, a game to look at, all games as PGN."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from selfmate.arena.match import DEFAULT_MAX_PLIES, PlayedGame
from selfmate.arena.match_pgn import write_match_pgn
from selfmate.arena.run_match import MatchSettings
from selfmate.arena.sprt import parse_sprt
from selfmate.lab.errors import NotThereError
from selfmate.lab.match.game_record import record_of, row_of
from selfmate.lab.match.matches import Matches

MOST_GAMES = 10_000
MOST_ROWS = 200
LARGEST_SEED = 2**63 - 1

PlayerName = Annotated[str, Field(max_length=300)]
Games = Annotated[int, Field(ge=2, le=MOST_GAMES)]


class NewMatch(BaseModel):
    """Without a seed it is the first that these two have not played yet."""

    model_config = ConfigDict(extra="forbid")

    a: PlayerName
    b: PlayerName
    games: Games
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] | None = None
    sprt: Annotated[str, Field(max_length=80)] | None = None  # as in `selfmate match`
    max_plies: Annotated[int, Field(ge=1, le=2000)] = DEFAULT_MAX_PLIES

    def settings(self) -> MatchSettings:
        return MatchSettings(
            games=self.games + self.games % 2,
            seed=1 if self.seed is None else self.seed,
            max_plies=self.max_plies,
            sprt=parse_sprt(self.sprt) if self.sprt else None,
        )


class GoOn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    games: Games | None = None  # in all; None: as planned


def match_routes(matches: Matches) -> APIRouter:
    router = APIRouter(prefix="/api/matches")

    @router.get("")
    def listing() -> list[dict[str, Any]]:
        return matches.data()

    @router.post("")
    def start(wanted: NewMatch) -> dict[str, str]:
        name = matches.start(wanted.a, wanted.b, wanted.settings(), new_seed=wanted.seed is None)
        return {"id": name}

    @router.post("/{name}/stop")
    def stop(name: str) -> dict[str, str]:
        matches.stop(name)
        return {"id": name}

    @router.post("/{name}/resume")
    def resume(name: str, wanted: GoOn) -> dict[str, str]:
        matches.go_on(name, wanted.games and wanted.games + wanted.games % 2)
        return {"id": name}

    @router.get("/{name}/games")
    def games(name: str, older_than: int = 0) -> list[dict[str, Any]]:
        """Newest first, past the `older_than` newest ones."""
        match = matches.file(name)
        numbers = match.order[::-1][max(older_than, 0) :][:MOST_ROWS]
        return [row_of(match.games[number]) for number in numbers]

    @router.get("/{name}/games/{number}")
    def game(name: str, number: int) -> dict[str, Any]:
        found = matches.file(name).games.get(number)
        if found is None:
            raise NotThereError(f"there is no game {number + 1} in this match yet")
        return record_of(found)

    @router.get("/{name}/pgn")
    def pgn(name: str) -> StreamingResponse:
        return StreamingResponse(
            _pgn(matches, name),
            media_type="application/x-chess-pgn",
            headers={"Content-Disposition": f'attachment; filename="match-{quote(name)}.pgn"'},
        )

    return router


def _pgn(matches: Matches, name: str) -> Iterator[str]:
    match = matches.file(name)
    a, b = matches.shown(match)
    changed = datetime.fromtimestamp(match.path.stat().st_mtime, UTC).strftime("%Y.%m.%d")

    def text(game: PlayedGame) -> str:
        file = io.StringIO()
        write_match_pgn([game], (a, b), file, date=changed, seed=match.agreement.seed)
        return file.getvalue()

    return map(text, match.tally.counted())
