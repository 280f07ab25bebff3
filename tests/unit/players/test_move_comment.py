import pytest

from selfmate.players import Analysis
from selfmate.players.game_tree import move_comment


@pytest.mark.parametrize(
    ("analysis", "comment"),
    [
        (Analysis(best="e2e4"), ""),
        (Analysis(best="e2e4", line=("e2e4", "e7e5"), score_pawns=-0.314), "-0.31/2"),
        (Analysis(best="e2e4", line=("e2e4",), score_pawns=9.0, mate_in=2), "+M2/1"),
        (Analysis(best="e2e4", line=("e2e4",), mate_in=-3, nodes=7), "-M3/1 7n"),
        (Analysis(best="e2e4", nodes=20, wdl=(0.5, 0.25, 0.25)), "20n wdl 500 250 250"),
    ],
)
def test_a_comment_states_only_what_is_known(analysis: Analysis, comment: str) -> None:
    assert move_comment(analysis) == comment
