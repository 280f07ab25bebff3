"""What the page that learns by itself takes from the package: settings, metrics, words.

It has no server to ask; so the facts are drawn into a file which is bundled with it."""

import json
from dataclasses import asdict
from typing import Any

from selfmate.lab.game_record import DRAWS, WINS
from selfmate.lab.trainings import learner_forms
from selfmate.learners.reinforce import LEARNERS
from selfmate.learners.reinforce.config import Config
from selfmate.presets import load_preset

SETTINGS = (
    "seed",
    "encoding",
    "hidden",
    "games_per_iteration",
    "max_plies",
    "vs_random",
    "plays_mate_in_one",
    "temperature_train",
    "temperature_play",
    "learning_rate",
    "updates",
    "baseline",
    "value_weight",
    "entropy_bonus",
    "replay_iterations",
)
METRICS = (
    "score_random",
    "won_random",
    "drawn_random",
    "lost_random",
    "white_wins",
    "black_wins",
    "draws",
    "truncated_games",
    "entropy",
    "ln_legal",
    "loss",
    "value_loss",
    "plies",
    "gradient_norm",
    "kl",
    "baseline",
)
PRESETS = ("lookahead", "sparring")
BOUNDS = ("minimum", "exclusiveMinimum", "maximum")
(LEARNER,) = LEARNERS


def draw_facts() -> str:
    facts = {
        "settings": {name: _setting(name) for name in SETTINGS},
        "metrics": [_metric(name) for name in METRICS],
        "plots": LEARNER.plots,
        "key_metrics": LEARNER.key_metrics,
        "presets": {"reference": {}, **{name: _preset(name) for name in PRESETS}},
        "draws": DRAWS,
        "wins": WINS,
    }
    return json.dumps(facts, indent=1) + "\n"


def _setting(name: str) -> dict[str, Any]:
    (form,) = (form for form in learner_forms() if form["name"] == LEARNER.name)
    (setting,) = (one for one in form["settings"] if one["name"] == name)
    schema = Config.model_json_schema()["properties"][name]
    return {
        "default": setting["default"],
        "description": setting["description"],
        "allowed": setting["allowed"],
        "kind": setting["kind"],
        **{bound: schema[bound] for bound in BOUNDS if bound in schema},
    }


def _preset(name: str) -> dict[str, Any]:
    values = load_preset(f"{LEARNER.name}-{name}")
    return {setting: value for setting, value in values.items() if setting in SETTINGS}


def _metric(name: str) -> dict[str, Any]:
    found = next(found for metric in LEARNER.metrics if (found := metric.named(name)))
    return asdict(found)
