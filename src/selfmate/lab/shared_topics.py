"""Topics by name that are made when somebody asks, and are the same for every tab."""

import threading
from collections.abc import Callable

from selfmate.lab.topics import Topic

MOST = 32


class SharedTopics:
    """`check` refuses names that there are not; those nobody asked for lately are forgotten."""

    def __init__(self, make: Callable[[str], Topic], check: Callable[[str], None]) -> None:
        self._make, self._check = make, check
        self._topics: dict[str, Topic] = {}
        self._lock = threading.Lock()

    def find(self, name: str) -> Topic:
        self._check(name)
        with self._lock:
            topic = self._topics.pop(name, None) or self._make(name)
            self._topics[name] = topic  # to the end of the line
            while len(self._topics) > MOST:
                del self._topics[next(iter(self._topics))]
            return topic
