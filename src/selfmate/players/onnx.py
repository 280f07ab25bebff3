"""The player `onnx:path=FILE`: a net in an ONNX file."""

from pathlib import Path

from selfmate.nets.onnx_net import open_onnx
from selfmate.players import PlayerName, check_settings
from selfmate.players.player import Player
from selfmate.players.trained import PLAY_OPTIONS


def make_onnx(name: PlayerName) -> Player:
    """A player like `onnx:path=net.onnx,sims=100`, with the settings of a run of its kind."""
    path = name.settings.get("path")
    if path is None:
        raise ValueError(f"player {str(name)!r} needs a file: onnx:path=FILE")
    kind, net = open_onnx(Path(path))
    play_options = PLAY_OPTIONS[kind]
    check_settings(name, ("path", *play_options.keys))
    options = play_options.read(name)
    full_name = PlayerName(name.kind, {"path": path, **options.settings()})
    return options.player(str(full_name), net)
