"""Nets as players: the checkpoints of a run, or the weights that ship with the package.

The card of the weights has the net's configuration, whose `kind` decides how the net is played.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from pydantic import ValidationError

from selfmate.extras import check_extra
from selfmate.nets.config import (
    MoveScorerConfig,
    NetConfig,
    QNetConfig,
    ResNetConfig,
    SparseNetConfig,
    TransformerConfig,
    read_net_config,
)
from selfmate.nets.evaluator import CoreNet, NetOf, SearchableNet
from selfmate.nets.onnx_net import OnnxMoveScorer, OnnxQNet, OnnxResNet, OnnxTransformer
from selfmate.players import (
    EXACT,
    MAX_MOVETIME_MS,
    OFF,
    PLAYERS,
    SEARCH_KEYS,
    MiniChessRunError,
    PlayerName,
    check_settings,
    integer_setting,
    number_text,
    search_settings,
    search_texts,
    temperature_setting,
    terminal_setting,
)
from selfmate.players.network import PolicyPlayer, QPlayer, ScorerPlayer
from selfmate.players.player import Limits, Player
from selfmate.players.searching import DEFAULT_SEARCH, DEFAULT_SIMULATIONS, TreePlayer, ValuePlayer
from selfmate.runs import Arrays, FileNote, Json, restore, unpack
from selfmate.searches.config import SearchConfig
from selfmate.weights import folder_of, is_model, weights_path
from selfmate.weights.calibration import read_calibration
from selfmate.weights.card import read_card

if TYPE_CHECKING:
    from selfmate.nets.move_scorer import MoveScorer
    from selfmate.nets.q_net import QNet
    from selfmate.nets.resnet import SeResNet
    from selfmate.nets.sparse_net import SparseNet
    from selfmate.nets.transformer import Transformer
    from selfmate.runs import Found

    Module = QNet | MoveScorer | SeResNet | SparseNet | Transformer

MAX_SIMULATIONS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Trained weights, and what is known about them."""

    identity: PlayerName  # the part of a player's full name that says which weights these are
    folder: str  # of the model, or the directory of the run
    sha256: str
    player: Mapping[str, Json]  # the net's configuration, as their card has it
    card: Mapping[str, Json]  # the rest of it, how they were trained
    arrays: Arrays


def make_trained(name: PlayerName) -> Player:
    """A player like `runs/dqn-1:version=best,temperature=0.1` or `alphazero-tiny:sims=100`."""
    found = find_weights(name)
    return player_of(_calibrated(name, found), found.identity, found.player, found.arrays)


def _calibrated(name: PlayerName, weights: Weights) -> PlayerName:
    """The name with the settings that make the net as strong as `elo=` says, in its place."""
    if "elo" not in name.settings:
        return name
    calibration = read_calibration(weights.folder, weights.sha256)
    if calibration is None:
        raise ValueError(
            f"player {str(name)!r} has elo=, but was not calibrated: selfmate calibrate "
            f"{weights.identity}"
        )
    if extra := name.settings.keys() - {"elo", "version"}:
        raise ValueError(f"elo= of player {str(name)!r} chooses {', '.join(sorted(extra))} itself")
    elo = integer_setting(name, "elo", calibration.lowest, calibration.highest)
    strength = calibration.strength(elo or 0)
    settings = {key: value for key, value in name.settings.items() if key != "elo"}
    if strength.simulations is not None:
        settings["sims"] = str(strength.simulations)
    return PlayerName(name.kind, settings | _temperature(strength.temperature))


def find_net(name: PlayerName) -> Weights:
    """The weights that a name means, such as `runs/az-1:version=best` or `alphazero-tiny`, which
    says nothing of how they are played."""
    if name.kind in PLAYERS:
        raise ValueError(f"{name.kind} is no net of ours: name a run or a shipped net")
    check_settings(name, () if is_model(name.kind) else ("version",))
    return find_weights(name)


def checked_net(weights: Weights) -> CoreNet[NetConfig]:
    """The net of weights; ValueError names whose they are."""
    kind = weights.identity.kind
    _kind(kind, weights.player)
    with _errors_naming(kind):
        return make_net(weights.player, weights.arrays)


def make_module(weights: Weights) -> "Module":
    """The net of weights in torch; ValueError names whose they are, or how torch is installed."""
    check_extra("train")
    import torch

    config = checked_net(weights).config
    # New nets draw random weights; a caller with a seed of its own must not notice.
    with torch.random.fork_rng(devices=()):
        module = config.make_net()
    with _errors_naming(weights.identity.kind):
        restore(module.arrays(), weights.arrays)
    return module


def find_weights(name: PlayerName) -> Weights:
    """The weights of a model, or of one checkpoint of a run."""
    if is_model(name.kind):
        card = read_card(name.kind)
        note = FileNote(card.weights_bytes, card.weights_sha256)
        arrays = _in_32_bits(unpack(Path(weights_path(name.kind)), note))
        return Weights(
            identity=PlayerName(name.kind),
            folder=folder_of(name.kind),
            sha256=card.weights_sha256,
            player=card.player,
            card=card.model_dump(mode="json"),
            arrays=arrays,
        )
    path = Path(name.kind)
    found = _checkpoint(path, name.settings.get("version", "last"))
    # With the step, because later checkpoints are other players; with a slash, because a name
    # without one may be a kind of player.
    kind = str(path) if len(path.parts) > 1 else f"./{path}"
    identity = PlayerName(kind, {"version": str(found.card.step)})
    return Weights(
        identity=identity,
        folder=name.kind,
        sha256=found.card.weights.sha256,
        player=found.card.player,
        card={
            "learner": found.card.header.learner,
            "step": found.card.step,
            "settings": found.card.header.config,
        },
        arrays=found.weights,
    )


def _in_32_bits(arrays: Arrays) -> Arrays:
    """Models may be stored in 16 bits; every net computes in 32."""
    return {
        name: array.astype(np.float32) if array.dtype == np.float16 else array
        for name, array in arrays.items()
    }


def player_of(
    name: PlayerName, identity: PlayerName, card: Mapping[str, Json], weights: Arrays
) -> Player:
    """The player of weights, with the settings of its name. `identity` is the part of the full name
    that says which weights they are; `card` is what their card says of the player."""
    options = _options(name, identity, card)
    with _errors_naming(name.kind):
        return options.player(full_name(name, identity, card), make_net(card, weights))


def full_name(name: PlayerName, identity: PlayerName, card: Mapping[str, Json]) -> str:
    """The full name of the player that `player_of` makes."""
    settings = _options(name, identity, card).settings()
    return str(PlayerName(identity.kind, {**identity.settings, **settings}))


def _options(name: PlayerName, identity: PlayerName, card: Mapping[str, Json]) -> "PlayOptions":
    play_options = PLAY_OPTIONS[_kind(name.kind, card)]
    check_settings(name, (*identity.settings, *play_options.keys))
    return play_options.read(name)


def make_net(card: Mapping[str, Json], weights: Arrays) -> CoreNet[NetConfig]:
    """The net that a card describes, with these weights. ValueError when there are too few of them;
    names and shapes are checked by whoever computes the net."""
    config = read_net_config(card)
    # A forged card may describe a net that fits into no memory.
    there_are = sum(array.size for array in weights.values())
    if config.least_weights > there_are:
        raise ValueError(
            f"its card describes a net of at least {config.least_weights:,} weights, but there are "
            f"{there_are:,}"
        )
    return CoreNet(config, weights)


class PlayOptions(Protocol):
    """How the nets of one kind are played, as the settings of a player's name say."""

    keys: ClassVar[tuple[str, ...]]  # the settings that such a player has

    @classmethod
    def read(cls, name: PlayerName) -> Self:
        """ValueError when a setting has no such value, or two exclude each other."""

    def settings(self) -> dict[str, str]:
        """The settings that the full name states: loading it makes the same player again."""

    def player(self, full_name: str, net: Any) -> Player:
        """The player of a net of this kind."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The settings of a tree search with any net, and what it knows of endings without one."""

    keys: ClassVar[tuple[str, ...]] = ("sims", "movetime", "terminal", *SEARCH_KEYS)
    simulations: int  # 0: it does not search
    movetime_ms: int | None
    search: SearchConfig
    exact_endings: bool

    @classmethod
    def read(cls, name: PlayerName, default_simulations: int) -> Self:
        simulations = integer_setting(name, "sims", 0, MAX_SIMULATIONS)
        movetime_ms = integer_setting(name, "movetime", 1, MAX_MOVETIME_MS)
        if simulations is not None and movetime_ms is not None:
            raise ValueError(f"player {str(name)!r} has two limits; give sims or movetime")
        if simulations is None:
            simulations = default_simulations if movetime_ms is None else MAX_SIMULATIONS
        for key in name.settings:
            if not simulations and key in SEARCH_KEYS:
                raise ValueError(f"player {str(name)!r} does not search: {key}= is of no use")
        exact_endings = terminal_setting(name)
        if simulations and not exact_endings:
            raise ValueError(
                f"player {str(name)!r} tries moves out and sees what they end: terminal=off needs "
                "sims=0"
            )
        return cls(
            simulations=simulations,
            movetime_ms=movetime_ms,
            search=DEFAULT_SEARCH.model_copy(update=search_settings(name)),
            exact_endings=exact_endings,
        )

    def settings(self, temperature: float) -> dict[str, str]:
        """With the player's temperature. Who does not search states what it knows of endings."""
        if not self.simulations:
            return _temperature(temperature) | _terminal(self.exact_endings)
        settings = (
            {"sims": str(self.simulations)}
            if self.movetime_ms is None
            else {"movetime": str(self.movetime_ms)}
        )
        return settings | search_texts(self.search.model_dump()) | _temperature(temperature)

    def player(self, full_name: str, net: SearchableNet, temperature: float) -> TreePlayer:
        return TreePlayer(
            full_name,
            net,
            simulations=self.simulations,
            temperature=temperature,
            search=self.search,
            limits=Limits(time_ms=self.movetime_ms),
            exact_endings=self.exact_endings,
        )


@dataclass(frozen=True, kw_only=True)
class QNetOptions:
    """The legal move of the highest value, or one drawn by value; or by tree search."""

    keys: ClassVar[tuple[str, ...]] = ("temperature", *SearchOptions.keys)
    temperature: float
    search: SearchOptions

    @classmethod
    def read(cls, name: PlayerName) -> Self:
        return cls(temperature=temperature_setting(name), search=SearchOptions.read(name, 0))

    def settings(self) -> dict[str, str]:
        return self.search.settings(self.temperature)

    def player(self, full_name: str, net: CoreNet[QNetConfig] | OnnxQNet) -> Player:
        if self.search.simulations:
            return self.search.player(full_name, net, self.temperature)
        exact_endings = self.search.exact_endings
        return QPlayer(full_name, net, self.temperature, exact_endings=exact_endings)


@dataclass(frozen=True, kw_only=True)
class MoveScorerOptions:
    """The legal move of the highest score, with or without looking one ply ahead; or by tree
    search, with a value head."""

    keys: ClassVar[tuple[str, ...]] = ("temperature", "lookahead", *SearchOptions.keys)
    temperature: float
    lookahead: bool
    search: SearchOptions

    @classmethod
    def read(cls, name: PlayerName) -> Self:
        search = SearchOptions.read(name, 0)
        lookahead = integer_setting(name, "lookahead", 0, 1) == 1
        if lookahead and search.simulations:
            raise ValueError(f"player {str(name)!r} searches: lookahead= is of no use")
        return cls(temperature=temperature_setting(name), lookahead=lookahead, search=search)

    def settings(self) -> dict[str, str]:
        lookahead = {"lookahead": "1"} if self.lookahead else {}
        return self.search.settings(self.temperature) | lookahead

    def player(self, full_name: str, net: CoreNet[MoveScorerConfig] | OnnxMoveScorer) -> Player:
        if self.search.simulations:
            return self.search.player(full_name, net, self.temperature)
        return ScorerPlayer(
            full_name,
            net.config,
            net,
            self.temperature,
            self.lookahead,
            exact_endings=self.search.exact_endings,
        )


@dataclass(frozen=True, kw_only=True)
class TransformerOptions:
    """The likeliest move, among the legal ones or among all."""

    keys: ClassVar[tuple[str, ...]] = ("temperature", "mask", "terminal")
    temperature: float
    masked: bool
    exact_endings: bool

    @classmethod
    def read(cls, name: PlayerName) -> Self:
        masked = integer_setting(name, "mask", 0, 1) != 0
        exact_endings = terminal_setting(name, default=masked)
        if exact_endings and not masked:
            raise ValueError(
                f"player {str(name)!r} has no mask, so it knows no rules: terminal=exact needs "
                "mask=1"
            )
        return cls(
            temperature=temperature_setting(name), masked=masked, exact_endings=exact_endings
        )

    def settings(self) -> dict[str, str]:
        mask = {} if self.masked else {"mask": "0"}
        return mask | _temperature(self.temperature) | _terminal(self.exact_endings)

    def player(self, full_name: str, net: CoreNet[TransformerConfig] | OnnxTransformer) -> Player:
        return PolicyPlayer(
            full_name,
            net,
            self.temperature,
            masked=self.masked,
            exact_endings=self.exact_endings,
        )


@dataclass(frozen=True, kw_only=True)
class TreeOptions:
    """By tree search, by the policy alone (no simulations), or by the value one ply ahead."""

    keys: ClassVar[tuple[str, ...]] = ("by", "temperature", *SearchOptions.keys)
    default_simulations: ClassVar[int] = DEFAULT_SIMULATIONS
    temperature: float
    by_value: bool
    search: SearchOptions

    @classmethod
    def read(cls, name: PlayerName) -> Self:
        by = name.settings.get("by")
        if by not in (None, "value"):
            raise ValueError(f"by={by} of player {str(name)!r} is not value; else leave it out")
        for key in ("sims", "movetime", *SEARCH_KEYS):
            if by and key in name.settings:
                raise ValueError(
                    f"player {str(name)!r} plays by value and does not search: {key}= is of no use"
                )
        return cls(
            temperature=temperature_setting(name),
            by_value=by == "value",
            search=SearchOptions.read(name, cls.default_simulations),
        )

    def settings(self) -> dict[str, str]:
        if self.by_value:
            return {"by": "value"} | _temperature(self.temperature)
        policy_alone = {} if self.search.simulations else {"sims": "0"}
        return policy_alone | self.search.settings(self.temperature)

    def player(
        self, full_name: str, net: NetOf[ResNetConfig] | NetOf[SparseNetConfig] | OnnxResNet
    ) -> Player:
        if self.by_value:
            return ValuePlayer(full_name, net, self.temperature)
        return self.search.player(full_name, net, self.temperature)


class SparseNetOptions(TreeOptions):
    """The same; it searches more, in less time."""

    default_simulations: ClassVar[int] = 2000


# The registry: the kind of a net, as in selfmate.nets.config, -> how it is played.
PLAY_OPTIONS: Mapping[str, type[PlayOptions]] = MappingProxyType(
    {
        "q_net": QNetOptions,
        "move_scorer": MoveScorerOptions,
        "se_resnet": TreeOptions,
        "sparse_net": SparseNetOptions,
        "transformer": TransformerOptions,
    }
)


def _temperature(temperature: float) -> dict[str, str]:
    return {"temperature": number_text(temperature)} if temperature else {}


def _terminal(exact_endings: bool) -> dict[str, str]:
    return {"terminal": EXACT if exact_endings else OFF}


def _checkpoint(path: Path, version: str) -> "Found":
    """Exactly the version that was asked for: another one's games must not be reported as its."""
    from selfmate.runs import RunDirectory

    found = RunDirectory(path).checkpoint(version)
    if found.passed_over:
        raise ValueError(f"{'; '.join(found.passed_over)}; version={found.card.step} is good")
    return found


def _kind(path: str, card: Mapping[str, Json]) -> str:
    kind = card.get("kind")
    if not isinstance(kind, str):
        raise ValueError(f"{path} holds no player of chess: kind: {kind!r} is not a text")
    if kind == "minichess":
        raise MiniChessRunError(f"{path} plays the mini-chess, not chess: selfmate play {path}")
    if kind not in PLAY_OPTIONS:
        there_are = ", ".join(PLAY_OPTIONS)
        raise ValueError(f"{path} holds no player of chess: kind: {kind!r} is none of {there_are}")
    return kind


@contextmanager
def _errors_naming(path: str) -> Iterator[None]:
    """Adds the path to errors in a card or its weights."""
    try:
        yield
    except ValidationError as error:
        first = error.errors()[0]
        where = "".join(f"{part}: " for part in first["loc"])
        message = first.get("ctx", {}).get("error", first["msg"])
        raise ValueError(f"{path} holds no player of chess: {where}{message}") from None
    except ValueError as error:
        raise ValueError(f"{path} cannot be played: {error}") from error
