"""What a tab can follow: things that change by themselves, each with a name like `run:dqn-1`."""

from collections.abc import Callable, Hashable
from typing import Any, Protocol

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
        """ValueError or LookupError when there is none."""
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
            try:
                topic = self._topics.find(name)
                version: Hashable = ("there", topic.version())
                data = topic.data() if version != seen else None
            except (ValueError, LookupError, OSError) as error:
                version, data = ("error", str(error)), {"error": str(error)}
            if version != seen and name in self._seen:
                self._seen[name] = version
                found[name] = data
        return found
