"""Fine-tuning of AlphaZero's net on somebody's games: pretraining with another optimizer."""

from collections.abc import Mapping

from selfmate.data.dataset import Chunk, ChunkFolder
from selfmate.data.examples import ACTION_ENCODING, Examples
from selfmate.encodings.records import actions_of, legal_of, planes_of
from selfmate.learners.alphazero.config import PretrainConfig
from selfmate.learners.alphazero.pretrain import Pretraining
from selfmate.learners.finetuning import Hits, Plan, played_moves
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.optim import Optimizer
from selfmate.rules import best_places
from selfmate.runs import Json, Step, Stopwatch


class Finetuning(Pretraining):
    def __init__(self, config: PretrainConfig, games: ChunkFolder) -> None:
        super().__init__(config, [games])
        heads = list(self.net.policy.parameters())
        self.optimizer = Optimizer.heads_first(self.net, config.max_grad_norm, heads)

    def settings(self) -> dict[str, Json]:
        return self.config.plain()

    def learn(self, step: Step, watch: Stopwatch) -> dict[str, float]:
        return self.train(step, watch)

    def matches(self, chunk: Chunk) -> Hits:
        _, logits = make_evaluator(self.net)(planes_of(chunk.stored))
        legal = legal_of(ACTION_ENCODING, chunk.stored)
        best = best_places(logits[legal.rows, legal.values], legal.offsets)
        found: Hits = legal.values[best] == actions_of(ACTION_ENCODING, chunk.stored, chunk.moves)
        return found

    def _examples(self, parts: Mapping[int, Chunk]) -> Examples:
        return super()._examples({number: played_moves(chunk) for number, chunk in parts.items()})


def make_tuning(plan: Plan, games: ChunkFolder) -> Finetuning:
    """The value head learns the results of the games meanwhile, so that a search can still use
    it."""
    net = {key: value for key, value in plan.config.items() if key != "kind"}
    config = PretrainConfig.model_validate(
        {
            **net,
            "data": (str(games.path),),
            "epochs": plan.epochs,
            "threads": plan.threads,
            "seed": plan.seed,
            "batch_size": 256,
            "gradient_accumulation": 1,
            "learning_rate": 1e-3,
            "schedule": "cosine",
            "weight_decay": 0.0,
            "value_weight": 1.0,
            "entropy_bonus": 0.0,
            "validations_per_epoch": 4,
        }
    )
    return Finetuning(config, games)
