"""How a net with a policy and a value is played: by searching, by its policy or by its value."""

from dataclasses import dataclass

from selfmate.nets.se_resnet import SeResNet
from selfmate.players.names import (
    USUAL_C_PUCT,
    PlayerName,
    c_puct_setting,
    number_text,
    whole_setting,
)
from selfmate.players.player import Player
from selfmate.players.tree_player import DEFAULT_SIMULATIONS, TreePlayer
from selfmate.players.value_player import ValuePlayer

SETTINGS = ("sims", "cpuct", "by")
MOST_SIMULATIONS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Manner:
    by_value: bool
    simulations: int  # 0: the policy alone
    c_puct: float

    @staticmethod
    def of(name: PlayerName) -> "Manner":
        """As the settings say; ValueError when they cannot be had, or not together."""
        by = name.settings.get("by")
        if by not in (None, "value"):
            raise ValueError(f"by={by} of player {str(name)!r} is not value; else leave it out")
        for key in ("sims", "cpuct"):
            if by and key in name.settings:
                raise ValueError(
                    f"player {str(name)!r} plays by value and does not search: {key}= is of no use"
                )
        simulations = whole_setting(name, "sims", 0, MOST_SIMULATIONS)
        return Manner(
            by_value=by == "value",
            simulations=DEFAULT_SIMULATIONS if simulations is None else simulations,
            c_puct=c_puct_setting(name),
        )

    def settings(self) -> dict[str, str]:
        """As a full name has them: how it is played is always said."""
        if self.by_value:
            return {"by": "value"}
        settings = {"sims": str(self.simulations)}
        if self.c_puct != USUAL_C_PUCT:
            settings["cpuct"] = number_text(self.c_puct)
        return settings

    def player(self, full_name: str, net: SeResNet, temperature: float) -> Player:
        if self.by_value:
            return ValuePlayer(full_name, net, temperature)
        return TreePlayer(
            full_name,
            net,
            simulations=self.simulations,
            temperature=temperature,
            c_puct=self.c_puct,
        )
