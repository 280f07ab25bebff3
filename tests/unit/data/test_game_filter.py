"""Which games are kept, and why the others are not."""

import io
from dataclasses import replace

import pytest

from selfmate.data.game_filter import ENDINGS, GameFilter, time_control_of
from selfmate.rules import GameRecords, read_pgn

FOUR_PLIES = "1. e4 e5 2. Nf3 Nc6"
FILTER = GameFilter(skip_plies=3)


def records_of(moves: str = FOUR_PLIES, result: str = "1-0", **tags: str) -> GameRecords:
    fields = {"White": "A", "WhiteElo": "2200", "BlackElo": "2300", "Result": result} | tags
    lines = [f'[{name} "{value}"]' for name, value in fields.items() if value]
    text = "\n".join([*lines, "", f"{moves} {result}", ""])
    (piece,) = read_pgn(io.BytesIO(text.encode()))
    return piece.games


def fault(records: GameRecords, game_filter: GameFilter = FILTER) -> str:
    """Why the one game is left out, or nothing."""
    result = game_filter.apply(records)
    assert len(result.games) + len(result.rejected) == len(records) == 1
    return result.rejected[0].reason if result.rejected else ""


def test_a_good_game_is_kept_with_its_ending() -> None:
    for tags, ending in (({}, "untold"), ({"Termination": "adjudication"}, "adjudication")):
        result = FILTER.apply(records_of(**tags))
        assert result.games.tolist() == [0]
        assert [ENDINGS[code] for code in result.endings.tolist()] == [ending]


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        ({"WhiteElo": "2199"}, "low rating"),
        ({"BlackElo": "2199"}, "low rating"),
        ({"WhiteElo": ""}, "no rating"),
        ({"BlackElo": "?"}, "no rating"),
        ({"WhiteElo": "", "BlackElo": "1800"}, "low rating"),
        ({"result": "*"}, "no result"),
        ({"moves": "1. e4 e5 2. Nf3"}, "too short"),
        ({"Termination": "time forfeit"}, "broken off"),
        ({"Termination": "adjudication", "TerminationDetails": "White stalls"}, "broken off"),
        ({"SetUp": "1", "FEN": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
          "moves": "1. e4 Kd7 2. e5 Kc6 3. e6 Kd6"}, "other start"),
        ({"Variant": "Chess960"}, "other start"),
    ],
)  # fmt: skip
def test_why_a_game_is_left_out(tags: dict[str, str], reason: str) -> None:
    assert fault(records_of(**tags)) == reason


def test_any_start_is_taken_if_asked_for_but_not_chess960() -> None:
    endgame = {"SetUp": "1", "FEN": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"}
    records = records_of(**endgame, moves="1. e4 Kd7 2. e5 Kc6 3. e6 Kd6")
    assert fault(records, replace(FILTER, any_start=True)) == ""
    chess960 = records_of(Variant="Chess960")
    assert fault(chess960, replace(FILTER, any_start=True)) == "other start"


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("60+0", "bullet"), ("120+1", "bullet"), ("179", "bullet"), ("180+0", "blitz"),
        ("300+3", "blitz"), ("480+0", "rapid"), ("900+10", "rapid"), ("1500+0", "classical"),
        ("40/7200:3600", "classical"), ("40/60:20+1", "bullet"), ("-", "correspondence"),
        ("?", None), ("", None), ("*180", None), ("180+", None), ("blitz", None),
    ],
)  # fmt: skip
def test_time_controls_are_classed_as_on_lichess(tag: str, name: str | None) -> None:
    assert time_control_of(tag) == name


def test_only_games_of_the_time_controls_asked_for_are_kept() -> None:
    slow = replace(FILTER, time_controls=frozenset({"rapid", "classical"}))
    tags = ("600+5", "1800+0", "180+2", "?", "")
    reasons = [fault(records_of(TimeControl=tag), slow) for tag in tags]
    assert reasons == ["", "", *["other time control"] * 3]
    assert not any(fault(records_of(TimeControl=tag)) for tag in tags)


def test_the_usual_start_may_be_spelled_out() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert not fault(records_of(SetUp="1", FEN=fen, Variant="Standard"))


def test_ratings_matter_as_much_as_asked_for() -> None:
    unrated, weak = records_of(WhiteElo=""), records_of(WhiteElo="900")
    weak_and_unrated = records_of(WhiteElo="900", BlackElo="")
    also = replace(FILTER, unrated=True)
    everybody = replace(FILTER, least_elo=0)
    assert [fault(games, also) for games in (unrated, weak)] == ["", "low rating"]
    assert [fault(games, everybody) for games in (unrated, weak, weak_and_unrated)] == ["", "", ""]


def test_a_mate_counts_whatever_the_tags_say() -> None:
    mate = "1. f3 e5 2. g4 Qh4#"
    assert not fault(records_of(mate, "0-1", Termination="time forfeit"))
