"""Data of topics as the page receives it."""

import json
from typing import Any

from pydantic_core import to_json

from selfmate.lab.topics import Topic


def data_of(topic: Topic) -> Any:
    return json.loads(to_json(topic.data()))
