"""The games of a match as PGN."""

from collections.abc import Iterable
from typing import TextIO

from selfmate.arena.match import PlayedGame
from selfmate.rules import Board
from selfmate.rules.pgn import RESULT_TEXTS, ROSTER, movetext, tag_text


def write_match_pgn(
    games: Iterable[PlayedGame], players: tuple[str, str], file: TextIO, *, date: str, seed: int
) -> None:
    """All games, with openings, settings and how they ended in the tags, and what searches came to
    in comments."""
    for game in games:
        sans, board = [], Board(game.opening.fen)
        for move in game.moves:
            sans.append(board.san(move))
            board.push(move)
        result = RESULT_TEXTS[game.result]
        file.write(tag_text(_tags(game, players, result, date, seed)))
        comments = ("",) * len(game.opening.moves) + game.comments
        file.write("\n" + movetext(sans, result, game.opening.fen, comments) + "\n")


def _tags(
    game: PlayedGame, players: tuple[str, str], result: str, date: str, seed: int
) -> dict[str, str]:
    white, black = players if game.number % 2 == 0 else players[::-1]
    tags = ROSTER | {
        "Event": f"Selfmate match, seed {seed}",
        "Date": date,
        "Round": f"{game.number // 2 + 1}.{game.number % 2 + 1}",
        "White": white,
        "Black": black,
        "Result": result,
        "Termination": game.reason.replace("_", " "),
        "OpeningPlies": str(len(game.opening.moves)),
    }
    if game.opening.fen != Board().fen():
        tags |= {"SetUp": "1", "FEN": game.opening.fen}
    return tags
