"""What the form of a new training is drawn from."""

import json
import subprocess
import sys

import pytest

from selfmate.lab.trainings import learner_forms
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS

FORMS = {form["name"]: form for form in learner_forms()}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=lambda learner: learner.name)
def test_every_learner_has_a_form(learner: Learner) -> None:
    form = FORMS[learner.name]
    names = [setting["name"] for setting in form["settings"]]
    assert names == list(learner.config_class.model_fields)
    assert set(form["main_settings"]) <= set(names)
    assert form["iteration"] in ("", *names)
    assert form["here"] == (learner.verb in ("train", "pretrain"))
    for preset in form["presets"]:
        assert preset["values"].keys() <= set(names)
        assert preset["about"] or preset["name"] == "default"
    json.dumps(form, allow_nan=False)


def test_a_press_on_train_is_fifty_games_of_reinforce() -> None:
    form = FORMS["reinforce"]
    defaults = {setting["name"]: setting["default"] for setting in form["settings"]}
    assert (defaults[form["iteration"]], form["unit"]) == (50, "games")


def test_forms_need_no_torch() -> None:
    """It takes seconds to load, and the page waits for its forms."""
    program = (
        "import sys; from selfmate.lab.trainings import learner_forms; "
        "learner_forms(); print('torch' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"
