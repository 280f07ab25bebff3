"""Analyses as `info` lines."""

import pytest

from selfmate.players import Analysis
from selfmate.uci.commands import centipawns, info_lines

NAN = float("nan")


@pytest.mark.parametrize(
    ("analysis", "line"),
    [
        (Analysis(best="e2e4"), "info time 20 pv e2e4"),
        (Analysis(best="e2e4", line=("e2e4", "e7e5")), "info time 20 pv e2e4 e7e5"),
        (Analysis(best="e2e4", depth=3, nodes=9), "info depth 3 nodes 9 nps 439 time 20 pv e2e4"),
        (
            Analysis(best="e2e4", nodes=50, kept_nodes=41, hashfull=7, tbhits=3),
            "info nodes 50 nps 439 hashfull 7 tbhits 3 time 20 pv e2e4",
        ),
        (Analysis(best="e2e4", nodes=50, kept_nodes=50), "info nodes 50 time 20 pv e2e4"),
        (Analysis(best="e2e4", score_pawns=-1.234), "info score cp -123 time 20 pv e2e4"),
        (Analysis(best="e2e4", score_pawns=9, mate_in=-2), "info score mate -2 time 20 pv e2e4"),
        (
            Analysis(best="e2e4", wdl=(0.5, 0.25, 0.25)),
            "info score cp 37 wdl 500 250 250 time 20 pv e2e4",
        ),
        (Analysis(best="e2e4", wdl=(NAN, NAN, NAN), score_pawns=NAN), "info time 20 pv e2e4"),
    ],
)
def test_info_lines(analysis: Analysis, line: str) -> None:
    assert info_lines(analysis, 20.5, show_wdl=True, multi_pv=1)[0] == line


def test_wdl_is_shown_only_if_asked_for() -> None:
    analysis = Analysis(best="e2e4", wdl=(0.0, 1.0, 0.0))
    assert info_lines(analysis, 0.0, show_wdl=False, multi_pv=1) == [
        "info score cp 0 time 0 pv e2e4"
    ]


@pytest.mark.parametrize("win", [0.0, 0.0004, 0.1115, 0.3335, 0.5, 0.9996, 1.0])
def test_wdl_adds_up_to_1000(win: float) -> None:
    analysis = Analysis(best="e2e4", wdl=(win, 0.0, 1.0 - win))
    (line,) = info_lines(analysis, 0.0, show_wdl=True, multi_pv=1)
    shares = [int(word) for word in line.split("wdl ")[1].split()[:3]]
    assert min(shares) >= 0
    assert sum(shares) == 1000


def test_centipawns_are_odd_and_increasing() -> None:
    scores = [centipawns(value / 10) for value in range(-12, 13)]
    assert scores == sorted(scores)
    assert scores == [-score for score in reversed(scores)]
    assert centipawns(1.0) > 10_000
