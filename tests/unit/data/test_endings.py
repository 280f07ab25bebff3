"""How games ended, in the words of programs, servers and people."""

import pytest

from selfmate.data.game_filter import ENDINGS, ending_of


@pytest.mark.parametrize(
    ("termination", "ending"),
    [
        ("", "untold"),
        ("normal", "untold"),
        ("Normal", "untold"),
        ("adjudication", "adjudication"),
        ("GUI TB Mate in 30", "adjudication"),
        ("TCEC Draw Rule", "adjudication"),
        ("adjudication, SyzygyTB", "adjudication"),
        ("3-fold rep", "repetition"),
        ("Game drawn by repetition", "repetition"),
        ("adjudication, Fifty moves rule", "fifty moves"),
        ("50-move rule", "fifty moves"),
        ("insufficient material", "material"),
        ("Game drawn by agreement", "agreement"),
        ("resign", "resignation"),
        ("Timelord won by resignation", "resignation"),
    ],
)
def test_what_tags_tell(termination: str, ending: str) -> None:
    code = ending_of("unknown", termination)
    assert code is not None
    assert ENDINGS[code] == ending


@pytest.mark.parametrize(
    "termination",
    [
        "time forfeit",
        "Time forfeit",
        "time",
        "Black loses on time",
        "Game drawn by timeout vs insufficient material",
        "abandoned",
        "Abandoned",
        "unterminated, White's connection stalls",
        "stalled connection",
        "illegal move",
        "Rules infraction",
        "Chiron Stage 3 withdrawal",
        "User adjudication - GUI crash",
        "Unterminated",
        "emergency",
        "death",
    ],
)
def test_what_was_broken_off_has_no_ending(termination: str) -> None:
    assert ending_of("unknown", termination) is None
    assert ending_of("ply_limit", termination) is None


@pytest.mark.parametrize(
    ("reason", "ending"),
    [
        ("checkmate", "checkmate"),
        ("stalemate", "stalemate"),
        ("insufficient_material", "material"),
        ("fifty_moves", "fifty moves"),
        ("threefold_repetition", "repetition"),
    ],
)
def test_the_board_tells_before_the_tags(reason: str, ending: str) -> None:
    for termination in ("", "adjudication", "time forfeit"):
        code = ending_of(reason, termination)
        assert code is not None
        assert ENDINGS[code] == ending
