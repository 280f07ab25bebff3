"""The description of an analysis for the page."""

from selfmate.lab.opponent import describe_analysis
from selfmate.players import Analysis
from selfmate.rules import Board


def test_a_search_has_visits_and_wdl() -> None:
    analysis = Analysis(
        best="e2e4",
        wdl=(0.5, 0.25, 0.25),
        policy={"a2a3": 0.25, "e2e4": 0.75},
        visits={"a2a3": 25, "e2e4": 75},
    )
    told = describe_analysis(Board(), analysis)
    assert told["wdl"] == (0.5, 0.25, 0.25)
    assert [(one["san"], one["visits"]) for one in told["considered"]] == [("e4", 75), ("a3", 25)]


def test_visits_are_none_without_a_search() -> None:
    told = describe_analysis(Board(), Analysis(best="e2e4", policy={"e2e4": 1.0}))
    assert [one["visits"] for one in told["considered"]] == [None]
