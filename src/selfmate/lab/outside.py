"""The lab's players and files as somebody calls them who types in the folder above the runs.

Matches and ratings run as if typed there, so what the command line plays and what the lab plays go
by the same names and into the same files.
"""

from pathlib import Path

from selfmate.lab.players import RUNS, LabPlayers


class Outside:
    def __init__(self, runs: Path, players: LabPlayers) -> None:
        self._players = players
        self._runs = runs.absolute()
        self.folder = self._runs.parent

    def name(self, lab_name: str) -> str:
        """The full name of a player that can be loaded, a trained one's version in it. ValueError
        or NotThereError when it cannot."""
        player = self._players.load(lab_name)
        player.close()
        return player.name.removeprefix(f"{self.folder}/".replace("//", "/"))

    def path(self, path: Path) -> str:
        """A path below the folder, as an argument."""
        return str(path.absolute().relative_to(self.folder))

    def shown(self, full_name: str) -> str:
        """A player's full name as the lab has it."""
        for beginning in (f"{self._runs}/", f"{self._runs.name}/"):
            if full_name.startswith(beginning):
                return f"{RUNS}{full_name.removeprefix(beginning)}"
        return full_name
