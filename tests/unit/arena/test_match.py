"""Matches: pairs, chance, endings, forfeits, logs, SPRT."""

import io
from pathlib import Path

import chess.pgn
import pytest

from selfmate.arena.match import Match, PlayedGame
from selfmate.arena.match_log import Agreement, MatchLog
from selfmate.arena.match_pgn import write_match_pgn
from selfmate.arena.openings import Opening, read_openings, shipped_openings
from selfmate.arena.report import make_report
from selfmate.arena.run_match import MatchRun, MatchSettings
from selfmate.arena.sprt import Sprt
from selfmate.players import load_player
from selfmate.rules import Board
from unit.arena.scripted import Scripted, by_dice, first_move
from unit.players.trained_runs import make_tree_run

START = Board().fen()
OPENINGS = [Opening(START, ("e2e4", "e7e5")), Opening(START, ("d2d4",)), Opening(START)]
AGREEMENT = Agreement(players=("a", "b"), openings="x", seed=1, max_plies=9)


def game(number: int, result: int, reason: str = "checkmate", forfeit: bool = False) -> PlayedGame:
    return PlayedGame(number, OPENINGS[0], ("e2e4", f"game {number}"), result, reason, forfeit)


def play(at_once: int, games: int = 12, max_plies: int = 60) -> list[PlayedGame]:
    players = (Scripted("a", by_dice, at_once), Scripted("b", by_dice, at_once))
    match = Match(players, OPENINGS, seed=5, max_plies=max_plies)
    return sorted(match.play(range(games)), key=lambda played: played.number)


def test_games_do_not_depend_on_how_many_run_at_once() -> None:
    assert play(at_once=1) == play(at_once=5) == play(at_once=100)


def test_a_pair_shares_its_opening() -> None:
    for played in play(at_once=4):
        assert played.opening == OPENINGS[played.number // 2 % 3]
        assert played.moves[: len(played.opening.moves)] == played.opening.moves


def test_colours_are_swapped_within_a_pair() -> None:
    def forfeit_as_white(board: Board, dice: int) -> str:
        return "!white gives up" if board.turn == "white" else by_dice(board, dice)

    players = (Scripted("a", forfeit_as_white), Scripted("b", by_dice))
    games = sorted(Match(players, [OPENINGS[0]], 1, 4).play(range(2)), key=lambda g: g.number)
    assert [(g.result, g.reason, g.forfeit, g.points_of_a) for g in games] == [
        (-1, "white gives up", True, 0.0),
        (0, "ply_limit", False, 0.5),
    ]


def test_who_forfeits_loses_and_the_match_goes_on() -> None:
    players = (Scripted("a", by_dice), Scripted("b", lambda *_: "!illegal_move: e2e5"))
    report = make_report(list(Match(players, OPENINGS, 1).play(range(6))))
    assert (report.wins, report.losses, report.forfeits, report.illegal_moves) == (6, 0, 6, 6)
    assert (report.elo, report.elo_high) == (None, None)
    assert report.elo_low is not None
    assert report.ends == {"forfeit": 6}
    assert report.forfeit_reasons == {"illegal_move: e2e5": 6}


def test_a_lasting_lead_is_adjudicated_only_on_demand() -> None:
    queen_up = [Opening("4k3/8/8/8/8/8/8/3QK3 w - - 0 1")]

    def shuffle(board: Board, dice: int) -> str:
        kings = [move for move in board.legal_moves() if move[:2] in ("e1", "e2", "f1", "f2")]
        return kings[0] if board.turn == "white" and kings else by_dice(board, dice)

    players = (Scripted("a", shuffle), Scripted("b", shuffle))
    short = list(Match(players, queen_up, 1, 20, adjudicate_pawns=5).play(range(2)))
    assert [(g.result, g.reason, len(g.moves)) for g in short] == [(1, "adjudication", 6)] * 2
    long = list(Match(players, queen_up, 1, 20).play(range(2)))
    assert "adjudication" not in {g.reason for g in long}


def test_deterministic_players_repeat_themselves_and_the_report_says_so() -> None:
    players = (Scripted("a", first_move), Scripted("b", first_move))
    report = make_report(list(Match(players, [Opening(START)], 1, 20).play(range(10))))
    assert (report.games, report.distinct_games) == (10, 1)
    assert report.ply_limit_games == report.draws == 10


def test_report_counts_by_hand() -> None:
    # Pair 0: A wins both; pair 1: A loses with White, draws with Black; game 4 stands alone.
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


def make_run(
    folder: Path, games: int, *, resume: bool = False, sprt: Sprt | None = None
) -> MatchRun:
    players = (Scripted("a", by_dice), Scripted("b", by_dice))
    settings = MatchSettings(games=games, seed=3, max_plies=30)
    return MatchRun(players, settings, folder, resume)


def test_an_interrupted_match_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = make_run(tmp_path / "whole", 20)
    whole.play(lambda: None)

    class InterruptionError(Exception):
        pass

    def interrupt() -> None:
        if len(broken.log.games) == 7:
            raise InterruptionError

    broken = make_run(tmp_path / "broken", 20)
    with pytest.raises(InterruptionError):
        broken.play(interrupt)
    resumed = make_run(tmp_path / "broken", 20, resume=True)
    assert len(resumed.log.games) == 7
    resumed.play(lambda: None)
    assert resumed.games() == whole.games()


def test_a_match_can_be_extended(tmp_path: Path) -> None:
    make_run(tmp_path, 6).play(lambda: None)
    longer, fresh = make_run(tmp_path, 10, resume=True), make_run(tmp_path / "fresh", 10)
    played = 0

    def count() -> None:
        nonlocal played
        played += 1

    longer.play(count)
    fresh.play(lambda: None)
    assert played == 4
    assert longer.games() == fresh.games()


def test_without_resume_the_log_starts_anew(tmp_path: Path) -> None:
    make_run(tmp_path, 4).play(lambda: None)
    anew = make_run(tmp_path, 4)
    assert anew.log.games == {}
    anew.log.close()


def test_sprt_stops_a_match_at_a_pair(tmp_path: Path) -> None:
    players = (Scripted("a", by_dice, 7), Scripted("b", lambda *_: "!gone", 7))
    settings = MatchSettings(games=1000, seed=3, sprt=Sprt(0, 400))
    run = MatchRun(players, settings, tmp_path, resume=False)
    run.play(lambda: None)
    report = run.report()
    assert report.sprt is not None
    assert report.sprt.verdict == "H1"
    assert report.games % 2 == 0
    assert report.games < 40
    assert "H1 accepted" in report.sprt.sentence()


def test_a_torn_last_line_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = MatchLog(path, AGREEMENT, resume=False)
    log.add(game(0, 1))
    log.add(game(1, 0))
    log.close()
    path.write_bytes(path.read_bytes()[:-10])
    log = MatchLog(path, AGREEMENT, resume=True)
    assert log.games == {0: game(0, 1)}
    log.add(game(1, -1))
    log.close()
    again = MatchLog(path, AGREEMENT, resume=True)
    assert again.games == {0: game(0, 1), 1: game(1, -1)}
    again.close()


def test_a_damaged_or_foreign_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    MatchLog(path, AGREEMENT, resume=False).close()
    other = Agreement(players=("a", "c"), openings="x", seed=1, max_plies=9)
    with pytest.raises(ValueError, match="is the log of another match"):
        MatchLog(path, other, resume=True)
    path.write_bytes(path.read_bytes() + b'{"number": 0}\n')
    with pytest.raises(ValueError, match="line 2 is damaged"):
        MatchLog(path, AGREEMENT, resume=True)


def test_what_a_search_came_to_is_kept_with_the_game(tmp_path: Path) -> None:
    make_tree_run(tmp_path / "net")
    players = (load_player(f"{tmp_path}/net:sims=4"), load_player("random"))
    (played,) = Match(players, OPENINGS, seed=1, max_plies=6).play([0])
    assert [bool(comment) for comment in played.comments] == [True, False] * 3
    log = MatchLog(tmp_path / "log.jsonl", AGREEMENT, resume=False)
    log.add(played)
    log.close()
    log = MatchLog(tmp_path / "log.jsonl", AGREEMENT, resume=True)
    assert log.games == {0: played}
    log.close()
    file = io.StringIO()
    write_match_pgn([played], ("a", "b"), file, date="2026.01.01", seed=1)
    file.seek(0)
    read = chess.pgn.read_game(file)
    assert read is not None
    said = [node.comment for node in read.mainline()]
    assert said == ["", "", *played.comments]


def test_pgn_tells_the_whole_story() -> None:
    games = play(at_once=4, games=6)
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


def test_shipped_openings_are_varied_and_playable() -> None:
    openings = shipped_openings()
    assert len(openings) == 500
    assert all(6 <= len(opening.moves) <= 8 for opening in openings)
    ends = {opening.board().fen().rsplit(" ", 2)[0] for opening in openings}
    assert len(ends) == 500
    assert len({opening.moves[:6] for opening in openings}) == 500
    assert len({opening.moves[0] for opening in openings}) >= 8


def test_openings_from_files(tmp_path: Path) -> None:
    epd = tmp_path / "some.epd"
    epd.write_text(f'4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "x";\n# note\n{START}\n')
    assert [opening.fen for opening in read_openings(epd)] == [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        START,
    ]
    pgn = tmp_path / "some.pgn"
    pgn.write_text("1. e4 e5 *\n\n1. d4 *\n")
    assert [o.moves for o in read_openings(pgn)] == [("e2e4", "e7e5"), ("d2d4",)]


@pytest.mark.parametrize(
    ("name", "text", "cause"),
    [
        ("a.epd", "nonsense\n", "line 1: bad FEN"),
        ("a.epd", "\n\n", "holds no opening"),
        ("a.epd", "7k/5Q2/6K1/8/8/8/8/8 b - -\n", "line 1: the opening ends the game"),
        ("a.pgn", "1. e4 e6 2. Ke3 *\n", "line 1: illegal move"),
        ("a.pgn", "", "holds no opening"),
    ],
)
def test_bad_opening_files_are_refused(tmp_path: Path, name: str, text: str, cause: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=cause):
        read_openings(path)
