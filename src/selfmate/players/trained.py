"""Nets as players: the checkpoints of a run, or what ships, played as their cards say."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import torch
from pydantic import ValidationError

from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.q_net import QNet
from selfmate.nets.se_resnet import SeResNet
from selfmate.nets.transformer import Transformer
from selfmate.players.manner import SETTINGS as MANNER_SETTINGS
from selfmate.players.manner import Manner
from selfmate.players.names import (
    PlayerName,
    check_settings,
    number_text,
    temperature_setting,
    whole_setting,
)
from selfmate.players.player import Player
from selfmate.players.policy_player import PolicyPlayer
from selfmate.players.policy_spec import TransformerSpec
from selfmate.players.q_player import QPlayer, QPlayerSpec
from selfmate.players.scorer_player import ScorerPlayer, ScorerSpec
from selfmate.players.tree_spec import SeResNetSpec
from selfmate.runs.card import FileNote
from selfmate.runs.directory import Found, RunDirectory
from selfmate.runs.live import restore
from selfmate.runs.run import Arrays, Json
from selfmate.runs.tensors import unpack
from selfmate.weights import weights_path
from selfmate.weights.card import read_card

# What a card may say of its player, by kind, and the settings that such a player has.
Spec = QPlayerSpec | ScorerSpec | SeResNetSpec | TransformerSpec
KINDS: Mapping[str, tuple[type[Spec], tuple[str, ...]]] = {
    "q_net": (QPlayerSpec, ("temperature",)),
    "move_scorer": (ScorerSpec, ("temperature", "lookahead")),
    "se_resnet": (SeResNetSpec, (*MANNER_SETTINGS, "temperature")),
    "transformer": (TransformerSpec, ("temperature", "mask")),
}
Net = TypeVar("Net", QNet, MoveScorer, SeResNet, Transformer)


def make_trained(name: PlayerName) -> Player:
    """A player like `runs/dqn-1:version=best,temperature=0.1`."""
    path = Path(name.kind)
    found = _checkpoint(path, name.settings.get("version", "last"))
    # With the step, for later ones are other players; with a slash, so never a kind's name.
    kind = str(path) if len(path.parts) > 1 else f"./{path}"
    of_run = PlayerName(kind, {"version": str(found.card.step)})
    return player_of(name, of_run, found.card.player, found.weights)


def make_shipped(name: PlayerName) -> Player:
    """A player like `alphazero-tiny:sims=100`, of the weights in the package."""
    weights = shipped_weights(name.kind)
    return player_of(name, PlayerName(name.kind), read_card(name.kind).player, weights)


def shipped_weights(name: str) -> Arrays:
    """Those in the package, if they are what the card says."""
    card = read_card(name)
    note = FileNote(card.weights_bytes, card.weights_sha256)
    return unpack(Path(weights_path(name)), note)


def player_of(
    name: PlayerName, identity: PlayerName, player: Mapping[str, Json], weights: Arrays
) -> Player:
    """The player of weights, played as their card and the settings of its name say."""
    kind = _kind(name.kind, player)
    check_settings(name, (*identity.settings, *KINDS[kind][1]))
    temperature = temperature_setting(name)
    lookahead, mask = whole_setting(name, "lookahead", 0, 1), whole_setting(name, "mask", 0, 1)
    how = Manner.of(name)
    settings = how.settings() if kind == "se_resnet" else {}
    if mask == 0:
        settings = {"mask": "0"}
    full_name = _full_name(identity, settings, temperature, lookahead)
    # A learner that loads an opponent goes on as ever: making a net rolls dice.
    with _told_of(name.kind), torch.random.fork_rng(devices=()):
        spec = KINDS[kind][0].model_validate(player)
        if isinstance(spec, SeResNetSpec):
            return how.player(full_name, _filled(spec.make_net(), weights), temperature)
        if isinstance(spec, TransformerSpec):
            policy = _filled(spec.make_net(), weights)
            return PolicyPlayer(full_name, policy, temperature, masked=mask != 0)
        if isinstance(spec, ScorerSpec):
            scorer = _filled(spec.make_net(), weights)
            return ScorerPlayer(full_name, spec, scorer, temperature, bool(lookahead))
        return QPlayer(full_name, _filled(spec.make_net(), weights), temperature)


def _checkpoint(path: Path, version: str) -> Found:
    """Exactly the version asked for: a report must not show another one's games."""
    found = RunDirectory(path).checkpoint(version)
    if found.passed_over:
        raise ValueError(f"{'; '.join(found.passed_over)}; version={found.card.step} is good")
    return found


def _kind(path: str, player: Mapping[str, Json]) -> str:
    kind = player.get("kind")
    if kind == "minichess":
        raise ValueError(
            f"{path} plays the mini-chess, not chess: selfmate endgame play --run {path}"
        )
    if kind not in KINDS:
        there_are = ", ".join(KINDS)
        raise ValueError(f"{path} holds no player of chess: kind: {kind!r} is none of {there_are}")
    return str(kind)


def _filled(net: Net, weights: Arrays) -> Net:
    restore(net.arrays(), weights)
    return net


@contextmanager
def _told_of(path: str) -> Iterator[None]:
    """What is wrong with a card or its weights, said of the run."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{path} holds no player of chess: {where}: {first['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be played: {error}") from error


def _full_name(
    identity: PlayerName, manner: Mapping[str, str], temperature: float, lookahead: int | None
) -> str:
    settings = {**identity.settings, **manner}
    if temperature:
        settings["temperature"] = number_text(temperature)
    if lookahead:
        settings["lookahead"] = str(lookahead)
    return str(PlayerName(identity.kind, settings))
