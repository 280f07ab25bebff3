"""Fine-tuning of the transformer on somebody's games: pretraining by imitation with another
optimizer, and without its evaluation games."""

from selfmate.data.dataset import Chunk, ChunkFolder
from selfmate.encodings.records import flipped_actions_of_records, tokens_of_records
from selfmate.learners.finetuning import Hits, Plan
from selfmate.learners.searchless.config import PretrainConfig
from selfmate.learners.searchless.pretrain import Pretraining
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.optim import Optimizer
from selfmate.rules import best_places
from selfmate.runs import Json


class Finetuning(Pretraining):
    def __init__(self, config: PretrainConfig, games: ChunkFolder) -> None:
        super().__init__(config, games, evaluator=None)
        heads = list(self.net.read_out.parameters())
        self.optimizer = Optimizer.heads_first(self.net, config.max_grad_norm, heads)

    def settings(self) -> dict[str, Json]:
        return self.config.plain()

    def matches(self, chunk: Chunk) -> Hits:
        batch = tokens_of_records(chunk.stored)
        logits = TransformerEvaluator(self.net).logits(batch.tokens)
        best = best_places(logits[batch.legal.rows, batch.legal.values], batch.legal.offsets)
        played = flipped_actions_of_records(chunk.stored, chunk.moves)
        found: Hits = batch.legal.values[best] == played
        return found


def make_tuning(plan: Plan, games: ChunkFolder) -> Finetuning:
    net = {key: value for key, value in plan.config.items() if key != "kind"}
    config = PretrainConfig.model_validate(
        {
            **net,
            "data": (str(games.path),),
            "epochs": plan.epochs,
            "threads": plan.threads,
            "seed": plan.seed,
            "target": "imitation",
            "optimizer": "adam",
            "weight_decay": 0.0,
            "learning_rate": 1e-3,
            "validations_per_epoch": 4,
        }
    )
    return Finetuning(config, games)
