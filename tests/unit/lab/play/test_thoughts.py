"""What the page is told of a thought."""

from selfmate.lab.play.thoughts import describe_thought
from selfmate.players import Thought
from selfmate.rules import Board


def test_a_search_tells_its_visits_and_chances() -> None:
    thought = Thought(
        best="e2e4",
        wdl=(0.5, 0.25, 0.25),
        policy={"a2a3": 0.25, "e2e4": 0.75},
        visits={"a2a3": 25, "e2e4": 75},
    )
    told = describe_thought(Board(), thought)
    assert told["wdl"] == (0.5, 0.25, 0.25)
    assert [(one["san"], one["visits"]) for one in told["considered"]] == [("e4", 75), ("a3", 25)]


def test_who_does_not_count_tells_none() -> None:
    told = describe_thought(Board(), Thought(best="e2e4", policy={"e2e4": 1.0}))
    assert [one["visits"] for one in told["considered"]] == [None]
