"""What the Train view asks the server: the learners with their forms, and trainings to steer."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from selfmate.lab.train.trainings import Order, Trainings, Units
from selfmate.learners import LEARNERS, Learner
from selfmate.learners.config import DEFAULT
from selfmate.learners.settings import settings_of
from selfmate.presets import about_preset, load_preset, presets_of


class Sitting(BaseModel):
    """How far to go on."""

    model_config = ConfigDict(extra="forbid")

    pause_after: Units | None = None


def train_routes(trainings: Trainings) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/learners")
    def learners() -> list[dict[str, Any]]:
        return learner_forms()

    @router.post("/trainings")
    def start(order: Order) -> dict[str, str]:
        return {"name": trainings.start(order)}

    @router.post("/trainings/{name}/pause")
    def pause(name: str) -> dict[str, str]:
        trainings.pause(name)
        return {"name": name}

    @router.post("/trainings/{name}/stop")
    def stop(name: str) -> dict[str, str]:
        trainings.stop(name)
        return {"name": name}

    @router.post("/trainings/{name}/resume")
    def resume(name: str, sitting: Sitting) -> dict[str, str]:
        trainings.resume(name, sitting.pause_after)
        return {"name": name}

    @router.delete("/runs/{name}")
    def delete(name: str) -> dict[str, str]:
        trainings.delete(name)
        return {"name": name}

    return router


@cache
def learner_forms() -> list[dict[str, Any]]:
    """Of all learners; nothing in them changes."""
    return [_form(learner) for learner in LEARNERS.values()]


def _form(learner: Learner) -> dict[str, Any]:
    """A learner that needs a file is started on the command line; its runs show here all the
    same."""
    return {
        "name": learner.name,
        "summary": learner.summary,
        "unit": learner.unit,
        "command": f"selfmate {learner.command}",
        "here": learner.verb == "train",
        "presets": list(_presets(learner.name)),
        "settings": [asdict(one) for one in settings_of(learner.config_class).values()],
        "main_settings": learner.main_settings,
        "click": learner.click,
        "plots": learner.plots,
        "headlines": learner.headlines,
    }


def _presets(learner: str) -> Iterator[dict[str, Any]]:
    yield {"name": DEFAULT, "about": "", "values": {}}
    for name in presets_of(learner):
        full = f"{learner}-{name}"
        yield {"name": name, "about": about_preset(full), "values": load_preset(full)}
