"""What makes a run this run: its learner and every setting, the seed among them."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from selfmate.runs.config_toml import config_toml, parse_config_toml
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.files import read_plain
from selfmate.runs.json_text import canonical
from selfmate.runs.run import Json

CONFIG = "config.toml"
MOST_CONFIG_BYTES = 2**20


@dataclass(frozen=True)
class Header:
    learner: str
    config: dict[str, Json]

    def digest(self) -> str:
        """The identity of the run: a checkpoint with another one is not this run's."""
        text = canonical({"learner": self.learner, "config": self.config})
        return sha256(text.encode()).hexdigest()

    def to_toml(self) -> bytes:
        return config_toml(self.learner, self.config).encode()

    def check_same(self, mine: "Header", directory: Path) -> None:
        """`self` is what the directory holds, `mine` what shall go on there."""
        if self.learner != mine.learner:
            raise RunRefusedError(
                f"{directory} is a run of {self.learner}, not of {mine.learner}: "
                "choose another --run"
            )
        for key in mine.config | self.config:
            here, asked = _shown(self.config, key), _shown(mine.config, key)
            if here != asked:
                raise RunRefusedError(
                    f"{directory} was started with {key} = {here}, not {asked}: resume it with "
                    "the same settings, or choose another --run"
                )


def read_header(directory: Path) -> Header:
    """DamagedError when there is none that can be read."""
    learner, config = parse_config_toml(read_plain(directory / CONFIG, MOST_CONFIG_BYTES))
    return Header(learner, config)


def _shown(config: dict[str, Json], key: str) -> str:
    return canonical(config[key]) if key in config else "nothing"
