"""Matches: pairs, randomness, endings, forfeits, reports, PGN, sample games."""

import io

import chess.pgn
import pytest

from selfmate.arena.match import (
    Match,
    PlayedGame,
    PlayerDidNotStartError,
    make_report,
    play_match,
    sample_of,
    write_match_pgn,
)
from selfmate.arena.openings import Opening
from selfmate.rules import Board
from unit.arena.scripted import Scripted, by_seed, first_move

START = Board().fen()
OPENINGS = [Opening(START, ("e2e4", "e7e5")), Opening(START, ("d2d4",)), Opening(START)]
MATE_OR_STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"


def game(number: int, result: int, reason: str = "checkmate", forfeit: bool = False) -> PlayedGame:
    return PlayedGame(number, OPENINGS[0], ("e2e4", f"game {number}"), result, reason, forfeit)


def play(parallel_games: int, games: int = 12, max_plies: int = 60) -> list[PlayedGame]:
    players = (Scripted("a", by_seed, parallel_games), Scripted("b", by_seed, parallel_games))
    match = Match(players, OPENINGS, seed=5, max_plies=max_plies)
    return sorted(match.play(range(games)), key=lambda played: played.number)


def test_games_do_not_depend_on_how_many_run_in_parallel() -> None:
    assert play(parallel_games=1) == play(parallel_games=5) == play(parallel_games=100)


def test_a_pair_shares_its_opening() -> None:
    for played in play(parallel_games=4):
        assert played.opening == OPENINGS[played.number // 2 % 3]
        assert played.moves[: len(played.opening.moves)] == played.opening.moves


def test_colours_are_swapped_within_a_pair() -> None:
    def forfeit_as_white(board: Board, seed: int) -> str:
        return "!white gives up" if board.turn == "white" else by_seed(board, seed)

    players = (Scripted("a", forfeit_as_white), Scripted("b", by_seed))
    games = sorted(Match(players, [OPENINGS[0]], 1, 4).play(range(2)), key=lambda g: g.number)
    assert [(g.result, g.reason, g.forfeit, g.points_of_a) for g in games] == [
        (-1, "white gives up", True, 0.0),
        (0, "ply_limit", False, 0.5),
    ]


def test_a_forfeit_loses_the_game_and_the_match_continues() -> None:
    players = (Scripted("a", by_seed), Scripted("b", lambda *_: "!illegal_move: e2e5"))
    report = make_report(list(Match(players, OPENINGS, 1).play(range(6))))
    assert (report.wins, report.losses, report.forfeits, report.illegal_moves) == (6, 0, 6, 6)
    assert (report.elo, report.elo_high) == (None, None)
    assert report.elo_low is not None
    assert report.ends == {"forfeit": 6}
    assert report.forfeit_reasons == {"illegal_move: e2e5": 6}


def test_a_lasting_lead_is_adjudicated_only_if_asked_for() -> None:
    queen_up = [Opening("4k3/8/8/8/8/8/8/3QK3 w - - 0 1")]

    def shuffle(board: Board, seed: int) -> str:
        kings = [move for move in board.legal_moves() if move[:2] in ("e1", "e2", "f1", "f2")]
        return kings[0] if board.turn == "white" and kings else by_seed(board, seed)

    players = (Scripted("a", shuffle), Scripted("b", shuffle))
    short = list(Match(players, queen_up, 1, 20, adjudicate_pawns=5).play(range(2)))
    assert [(g.result, g.reason, len(g.moves)) for g in short] == [(1, "adjudication", 6)] * 2
    long = list(Match(players, queen_up, 1, 20).play(range(2)))
    assert "adjudication" not in {g.reason for g in long}


def test_the_report_counts_repeated_games_of_deterministic_players() -> None:
    players = (Scripted("a", first_move), Scripted("b", first_move))
    report = make_report(list(Match(players, [Opening(START)], 1, 20).play(range(10))))
    assert (report.games, report.distinct_games) == (10, 1)
    assert report.ply_limit_games == report.draws == 10


def test_report_counts_by_hand() -> None:
    # Pair 0: A wins both; pair 1: A loses with White, draws with Black; game 4 has no partner.
    games = [game(0, 1), game(1, -1), game(2, -1), game(3, 0, "stalemate"), game(4, 1)]
    report = make_report(games)
    assert (report.wins, report.draws, report.losses) == (3, 1, 1)
    assert report.pentanomial == (0, 1, 0, 0, 1)
    assert report.score == pytest.approx(3.5 / 5)
    assert report.ends == {"checkmate": 4, "stalemate": 1}
    assert report.mean_plies == 2


def test_an_empty_report_is_even() -> None:
    report = make_report([])
    assert (report.games, report.score, report.elo, report.los) == (0, 0.5, None, 0.5)


def test_pgn_has_moves_players_and_termination() -> None:
    games = play(parallel_games=4, games=6)
    file = io.StringIO()
    write_match_pgn(games, ("a", "b"), file, date="2026.01.01", seed=5)
    file.seek(0)
    for played in games:
        read = chess.pgn.read_game(file)
        assert read is not None
        assert not read.errors
        assert tuple(move.uci() for move in read.mainline_moves()) == played.moves
        white = "a" if played.number % 2 == 0 else "b"
        assert read.headers["White"] == white
        assert read.headers["Termination"] == played.reason.replace("_", " ")


def test_a_match_in_memory_is_the_report_of_its_games() -> None:
    a, b = Scripted("a", by_seed), Scripted("b", lambda *_: "!gives up")
    report = play_match(a, b, games=6, seed=2, max_plies=30)
    assert (report.games, report.wins, report.forfeits) == (6, 6, 6)
    assert play_match(a, a, games=6, max_plies=30) == play_match(a, a, games=6, max_plies=30)
    other = play_match(a, a, games=6, seed=2, max_plies=30)
    assert other != play_match(a, a, games=6, seed=1, max_plies=30)


@pytest.mark.parametrize(
    ("start", "moves", "result", "reason"),
    [
        (None, "e2e4", "*", "ply_limit"),
        (None, "f2f3 e7e5 g2g4 d8h4", "0-1", "checkmate"),
        (MATE_OR_STALEMATE, "f7g7", "1-0", "checkmate"),
        (MATE_OR_STALEMATE, "f7e8", "1-0", "checkmate"),
        (MATE_OR_STALEMATE, "f7c7", "*", "ply_limit"),
        ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "f5f7", "1/2-1/2", "stalemate"),
    ],
)
def test_a_sample_game_says_how_it_ended(
    start: str | None, moves: str, result: str, reason: str
) -> None:
    board = Board(start)
    for move in moves.split():
        board.push(move)
    sample = sample_of(board, "one", "two")
    assert (sample.start, sample.moves) == (Board(start).fen(), tuple(moves.split()))
    assert (sample.result, sample.reason) == (result, reason)
    assert (sample.white, sample.black) == ("one", "two")


def test_a_player_that_never_starts_plays_no_match() -> None:
    absent = Scripted("absent", lambda *_: "!did_not_start: it ended with code 1")
    match = Match((Scripted("a", by_seed), absent), OPENINGS, 1)
    with pytest.raises(PlayerDidNotStartError, match="absent did not start: it ended with code 1"):
        list(match.play(range(4)))


def test_a_player_that_fails_to_start_once_more_loses_that_game() -> None:
    starts = iter([True] * 4)

    def flaky(board: Board, seed: int) -> str:
        return by_seed(board, seed) if next(starts, False) else "!did_not_start: no memory"

    match = Match((Scripted("a", by_seed), Scripted("flaky", flaky)), OPENINGS, 1)
    assert make_report(list(match.play(range(4)))).forfeit_reasons == {
        "did_not_start: no memory": 4
    }
