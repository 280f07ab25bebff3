"""`selfmate play`: a game against a player in the terminal."""

from contextlib import closing, suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from secrets import choice, randbelow
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import (
    LARGEST_SEED,
    BadInputError,
    LiveLine,
    reading_input,
    whole,
)
from selfmate.cli.terminal_game import EVENT, OTHER, PERSON, GameFile, Side, TerminalGame

if TYPE_CHECKING:
    from selfmate.rules import Board, GameRecords

GAMES = Path("runs/games")
POOL = Path("runs/pool.jsonl")
MAX_SEED = 10**6  # of seeds chosen at random


class Color(StrEnum):
    WHITE = "white"
    BLACK = "black"
    RANDOM = "random"


def play(
    player: Annotated[
        str | None,
        typer.Argument(
            metavar="[PLAYER]",
            help="As for `selfmate match`; its settings say how long it thinks.",
            show_default="the strongest net that ships",
        ),
    ] = None,
    color: Annotated[Color, typer.Option(help="Your side.")] = Color.WHITE,
    fen: Annotated[str | None, typer.Option(metavar="FEN", help="The position to start.")] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Continue the last game of a PGN file.")
    ] = None,
    pgn: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to save it.", show_default="runs/games/TIME.pgn"),
    ] = None,
    letters: Annotated[
        bool, typer.Option("--letters", help="Show letters in place of pieces.")
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, LARGEST_SEED),
            metavar="N",
            help="Same seed and moves, same answers.",
            show_default="random",
        ),
    ] = None,
) -> None:
    """Play against a player in the terminal: type moves, or help.

    A run of the mini-chess opens its own game, king and queen against king. The
    game is saved as PGN after every move.
    """
    from selfmate.players import MiniChessRunError, check_name, load_player

    if fen is not None and resume is not None:
        raise BadInputError("--fen and --resume exclude each other: a new game, or an old one")
    name = player or _default_player()
    seed = randbelow(MAX_SEED) if seed is None else seed
    try:
        with LiveLine(lambda _: f"loading {name} ..."), reading_input():
            board, side = _start(fen, resume, color)
            file = GameFile(pgn or _own_file(resume) or GAMES / _new_name())
            opponent = load_player(name)
    except BadInputError as error:
        if not isinstance(error.__cause__, MiniChessRunError):
            raise
        from selfmate.cli.endgame_play import play_one_game

        play_one_game(None, Path(check_name(name).kind), watch=False, seed=seed)
        return
    with closing(opponent):
        TerminalGame(
            opponent,
            board,
            side,
            rating=rating_text(opponent.name),
            file=file,
            seed=seed,
            letters=letters,
        ).play()


def _new_name() -> str:
    return f"{datetime.now():%Y-%m-%d-%H%M%S}.pgn"


def _default_player() -> str:
    """The strongest net that ships, as it was rated."""
    from selfmate.weights import strongest
    from selfmate.weights.card import read_card

    name = strongest()
    if name is None:
        return "teacher:depth=3"
    ratings = read_card(name).ratings
    return max(ratings, key=lambda rating: rating.elo).player if ratings else name


def _start(fen: str | None, resume: Path | None, color: Color) -> "tuple[Board, Side]":
    """The board to play on, and the person's side."""
    from selfmate.rules import Board

    board, side = Board(fen), _side(color)
    if resume is not None:
        board, side = _unfinished_game(resume, side)
    outcome = board.outcome()
    if outcome is not None:
        raise ValueError(f"that game is over ({outcome.reason.replace('_', ' ')}): start another")
    return board, side


def _side(color: Color) -> Side:
    if color is Color.RANDOM:
        return choice(("white", "black"))
    return "white" if color is Color.WHITE else "black"


def _unfinished_game(path: Path, side: Side) -> "tuple[Board, Side]":
    """The last game of a PGN file; the person has the side that the tags say, else `side`."""
    from selfmate.rules import RESULT_TEXTS, Board

    games = _games(path)[-1]
    last = len(games) - 1
    if RESULT_TEXTS[int(games.results[last])] != "*":
        raise ValueError(f"the last game of {path} is over: start another")
    board, tags = Board(games.start_fen(last)), games.tags(last)
    for move in games.uci(last):
        board.push(move)
    own = [color for color in OTHER if tags.get(color.capitalize()) == PERSON]
    return board, own[0] if own else side


def _own_file(path: Path | None) -> Path | None:
    """The file if this verb wrote it: one that holds anything else is not written over."""
    if path is None:
        return None
    events = [games.tags(game).get("Event") for games in _games(path) for game in range(len(games))]
    return path if events == [EVENT] else None


def _games(path: Path) -> "list[GameRecords]":
    from selfmate.rules import read_pgn

    found = [chunk.games for chunk in read_pgn(path, threads=1) if len(chunk.games)]
    if not found:
        raise ValueError(f"{path} holds no game that can be read")
    return found


def rating_text(player: str) -> str:
    """The rating of a full name: on a card, on the ladder or in the pool; with its scale."""
    from selfmate.arena.ladder import Ladder
    from selfmate.weights import is_model
    from selfmate.weights.card import read_card

    kind = player.partition(":")[0]
    for rated in read_card(kind).ratings if is_model(kind) else ():
        if rated.player == player and rated.low is not None and rated.high is not None:
            interval = f"{rated.low:.0f} to {rated.high:.0f}"
            return f"rated about {rated.elo:.0f} ({interval}; {rated.scale})"
    with suppress(ValueError, OSError):
        if (rating := Ladder(POOL, 1).rating(player)) is not None:
            return f"rated {rating.full_text()}"
    return "not rated yet"
