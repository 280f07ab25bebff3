"""Runs with weights by chance, quickly made, to be played with."""

from collections.abc import Mapping
from pathlib import Path

import torch
from pydantic import BaseModel

from selfmate.nets.config import (
    MoveScorerConfig,
    QNetConfig,
    ResNetConfig,
    SparseNetConfig,
    TransformerConfig,
)
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.q_net import QNet
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse_net import SparseNet
from selfmate.nets.transformer import Transformer
from selfmate.runs.card import Header
from selfmate.runs.checkpoint import Policy
from selfmate.runs.run import Arrays, Json, SavedState, copied, restore
from selfmate.runs.session import Session, open_run

TINY = QNetConfig(hidden=(16, 8), dueling=True)
TINY_SCORER = MoveScorerConfig(encoding="onehot768", hidden=(16, 8), value_head=True)
TINY_TREE = ResNetConfig(blocks=1, filters=8, attention_blocks=1)
TINY_SPARSE = SparseNetConfig(accumulator=32, policy_width=32)
TINY_TRANSFORMER = TransformerConfig(width=16, blocks=1, heads=2)
POLICY = Policy(checkpoint_every=1, keep_last=9, keep_every=0)


def seeded_net(spec: QNetConfig, seed: int) -> QNet:
    torch.manual_seed(seed)
    return spec.make_net()


class Weights:
    """A state of a run that is a net and nothing else."""

    def __init__(self, net: QNet | MoveScorer | SeResNet | SparseNet | Transformer) -> None:
        self.net = net

    def save(self) -> SavedState:
        return SavedState(weights=copied(self.net.arrays()), rest={}, facts={})

    def load(self, saved: SavedState) -> None:
        self.load_weights(saved.weights)

    def load_weights(self, weights: Arrays) -> None:
        restore(self.net.arrays(), weights)


def make_run(
    directory: Path, player: Mapping[str, Json] | None = None, scores: tuple[float, ...] = (1, 3, 2)
) -> None:
    """A checkpoint a step: that of step n holds the net of seed n; scores say which is the best."""
    state = Weights(seeded_net(TINY, 0))
    with open_run(directory, Header("dqn", {"seed": 1}), POLICY, Session()) as run:
        spec = TINY.model_dump(mode="json") if player is None else player
        for step in run.steps(state, total=len(scores), unit="cycles", player=spec):
            state.net.take(seeded_net(TINY, step.number).arrays())
            step.record({}, scores[step.number - 1])


def make_scorer_run(directory: Path) -> None:
    torch.manual_seed(0)
    _make_one_step(directory, "reinforce", Weights(TINY_SCORER.make_net()), TINY_SCORER)


def make_sparse_run(directory: Path) -> None:
    torch.manual_seed(0)
    net = TINY_SPARSE.make_net()
    with torch.no_grad():  # those of an untrained net hardly say anything
        for weights in (*net.moves.parameters(), *net.value[-1].parameters()):
            weights.uniform_(-1, 1)
    _make_one_step(directory, "alphazero", Weights(net), TINY_SPARSE)


def make_transformer_run(directory: Path) -> None:
    torch.manual_seed(0)
    net = TINY_TRANSFORMER.make_net()
    _make_one_step(directory, "searchless", Weights(net), TINY_TRANSFORMER)


def opinionated_net(spec: ResNetConfig = TINY_TREE, seed: int = 0) -> SeResNet:
    """By chance, and with heads that say something: those of an untrained net hardly do."""
    torch.manual_seed(seed)
    net = spec.make_net()
    with torch.no_grad():
        net.policy.weight.normal_(std=1.0)
        net.value.out.weight.normal_(std=0.3)
    return net


def make_untrained_tree_run(directory: Path) -> None:
    """Its policy is nearly uniform."""
    torch.manual_seed(0)
    _make_one_step(directory, "alphazero", Weights(TINY_TREE.make_net()), TINY_TREE)


def make_tree_run(directory: Path) -> None:
    _make_one_step(directory, "alphazero", Weights(opinionated_net()), TINY_TREE)


def _make_one_step(directory: Path, learner: str, state: Weights, spec: BaseModel) -> None:
    with open_run(directory, Header(learner, {"seed": 1}), POLICY, Session()) as run:
        player = spec.model_dump(mode="json")
        for step in run.steps(state, total=1, unit="steps", player=player):
            step.record({}, 1.0)
