"""A run directory as a player: what its checkpoints hold, played as their cards say."""

from pathlib import Path

import torch
from pydantic import ValidationError

from selfmate.nets.q_net import QNet
from selfmate.players.names import PlayerName, check_settings, temperature_setting
from selfmate.players.player import Player
from selfmate.players.q_player import QPlayer, QPlayerSpec
from selfmate.runs.directory import Found, RunDirectory
from selfmate.runs.live import restore


def make_trained(name: PlayerName) -> Player:
    """A player like `runs/dqn-1:version=best,temperature=0.1`."""
    check_settings(name, ("version", "temperature"))
    temperature = temperature_setting(name)
    path = Path(name.kind)
    found = _checkpoint(path, name.settings.get("version", "last"))
    return QPlayer(_full_name(path, found.card.step, temperature), _net(path, found), temperature)


def _checkpoint(path: Path, version: str) -> Found:
    """Exactly the version asked for: a report must not show another one's games."""
    found = RunDirectory(path).checkpoint(version)
    if found.passed_over:
        raise ValueError(f"{'; '.join(found.passed_over)}; version={found.card.step} is good")
    return found


def _net(path: Path, found: Found) -> QNet:
    player = found.card.player
    if player.get("kind") == "minichess":
        raise ValueError(
            f"{path} plays the mini-chess, not chess: selfmate endgame play --run {path}"
        )
    try:
        spec = QPlayerSpec.model_validate(player)
        with torch.random.fork_rng(devices=()):  # a learner that loads an opponent goes on as ever
            net = spec.make_net()
        restore(net.arrays(), found.weights)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{path} holds no player of chess: {where}: {first['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be played: {error}") from error
    return net


def _full_name(path: Path, step: int, temperature: float) -> str:
    """With the step, for later ones are other players; with a slash, so never a kind's name."""
    settings = {"version": str(step)}
    if temperature:
        settings["temperature"] = str(temperature).removesuffix(".0")
    return str(PlayerName(str(path) if len(path.parts) > 1 else f"./{path}", settings))
