"""What a tab can follow: things that change by themselves, each with a name like `run:dqn-1`."""

import logging
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from selfmate.lab.errors import OURS, NotThereError, words_of

LOG = logging.getLogger(__name__)
Find = Callable[[str], "Topic"]


class Topic(Protocol):
    """Both may block, and may be called from several threads at once."""

    def version(self) -> Hashable:
        """Cheap to ask for; another one whenever `data` has changed."""

    def data(self) -> Any:
        """All there is to show, as JSON."""


class Topics:
    """Kinds of topics, and how one is found by what follows the colon of its name."""

    def __init__(self) -> None:
        self._kinds: dict[str, Find] = {}

    def add(self, kind: str, find: Find) -> None:
        """`find` is given an empty text for a topic that is its kind alone, such as `runs`."""
        self._kinds[kind] = find

    def find(self, name: str) -> Topic:
        """ValueError or NotThereError when there is none."""
        kind, _, rest = name.partition(":")
        if kind not in self._kinds:
            raise ValueError(f"there is no topic {name[:80]!r}")
        return self._kinds[kind](rest)


class Follower:
    """What one tab follows, and what it has seen of it."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._seen: dict[str, Hashable] = {}

    def follow(self, names: list[str]) -> None:
        """These and no others; what was followed already is not sent again."""
        self._seen = {name: self._seen.get(name) for name in names}

    def news(self) -> dict[str, Any]:
        """What has changed, by topic."""
        found = {}
        for name, seen in list(self._seen.items()):
            version, data = self._look(name, seen)
            if version != seen and name in self._seen:
                self._seen[name] = version
                found[name] = data
        return found

    def _look(self, name: str, seen: Hashable) -> tuple[Hashable, Any]:
        """One topic that fails does not silence the others."""
        try:
            topic = self._topics.find(name)
            version = ("there", topic.version())
            return version, topic.data() if version != seen else None
        except (ValueError, NotThereError, OSError) as error:
            said = words_of(error)
            return ("error", said), {"error": said}
        except Exception as error:
            failed = ("failed", repr(error))
            if failed != seen:
                LOG.exception("the topic %r failed", name)
            return failed, {"error": OURS}
