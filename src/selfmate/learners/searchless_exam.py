"""What a net that plays without search is asked again and again: what it knows of the rules, how it
plays with and without a mask, what puzzles it solves, whether it wins what is won."""

from contextlib import closing

from selfmate.arena.conversion import PIECES, convert
from selfmate.arena.evaluation import Evaluation, figures_of
from selfmate.arena.match import Match
from selfmate.arena.openings import shipped_openings, shuffled
from selfmate.arena.report import make_report
from selfmate.data.held_out import HeldOut
from selfmate.learners.legality import measure
from selfmate.learners.puzzle_exam import PuzzleExam, open_puzzles
from selfmate.learners.searchless_net import NetConfig
from selfmate.nets.transformer import Transformer
from selfmate.players import load_player
from selfmate.players.policy_player import PolicyPlayer

RUNGS = ("random", "greedy")


class Exam:
    def __init__(self, config: NetConfig, asked: HeldOut, puzzles: PuzzleExam) -> None:
        self.config, self.asked, self.puzzles = config, asked, puzzles
        self.evaluation = Evaluation(
            opponents=RUNGS, games=config.evaluation_games, seed=config.seed
        )

    def figures(self, net: Transformer) -> dict[str, float]:
        player = PolicyPlayer("learner", net)
        return {
            **measure(net, self.asked),
            **figures_of(self.evaluation.reports(player)),
            "score_random_unmasked": self._unmasked_score(net),
            **self.puzzles.figures(player),
            **self._conversions(player),
        }

    def _unmasked_score(self, net: Transformer) -> float:
        """Against the random mover; who chooses an illegal move has lost."""
        twin = PolicyPlayer("unmasked", net, masked=False)
        with closing(load_player("random")) as opponent:
            openings = shuffled(shipped_openings(), self.config.seed)
            match = Match((twin, opponent), openings, self.config.seed)
            return make_report(list(match.play(range(self.config.evaluation_games)))).score

    def _conversions(self, player: PolicyPlayer) -> dict[str, float]:
        figures = dict[str, float]()
        for piece in PIECES:
            found = convert(player, piece, games=self.config.conversions, seed=self.config.seed)
            figures[f"converted_{piece}"] = found.share
            if found.moves is not None and found.exact_moves is not None:
                figures[f"moves_{piece}"] = found.moves
                figures[f"exact_moves_{piece}"] = found.exact_moves
        return figures


def open_exam(config: NetConfig, asked: HeldOut) -> Exam:
    return Exam(config, asked, open_puzzles(config.puzzles))
