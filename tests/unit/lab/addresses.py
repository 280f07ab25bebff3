"""Every address of the lab, read from the lab itself: what is added later is tested too."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from fastapi.routing import APIRoute, iter_route_contexts

from selfmate.lab.app import LabSettings, make_views, page_folder


@dataclass(frozen=True)
class Address:
    method: str  # empty for a WebSocket
    pattern: str
    questions: tuple[str, ...] = ()  # what may follow the question mark

    def filled(self, text: str = "x") -> str:
        """With this text, escaped by the asker, wherever something is asked for."""
        path = re.sub(r"\{[^}]*\}", lambda _: text, self.pattern)
        query = "&".join(f"{name}={text}" for name in self.questions)
        return f"{path}?{query}" if query else path

    def __str__(self) -> str:
        return f"{self.method or 'WS'} {self.pattern}"


def addresses() -> Iterator[Address]:
    settings = LabSettings(
        runs=Path("no-runs"), page=page_folder(), token="token", host="127.0.0.1", port=1
    )
    with ExitStack() as closing:
        for route in iter_route_contexts(make_views(settings, closing).routes):
            assert route.path is not None
            original = route.original_route
            asked = original.dependant.query_params if isinstance(original, APIRoute) else []
            for method in route.methods or {""}:
                yield Address(method, route.path, tuple(field.alias for field in asked))


def all_addresses() -> list[Address]:
    if not page_folder().is_dir():
        return []
    return sorted(addresses(), key=str)


PLAIN = ("../../../../etc/passwd", "/etc/passwd", "..\\..\\etc", "..", ".", "~", "a\0b", "x" * 5000)
TRAVERSALS = (
    *(quote(text, safe="") for text in PLAIN),
    *(quote(quote(text, safe=""), safe="") for text in PLAIN[:3]),
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "%c0%ae%c0%ae%c0%af",
    "%ff%fe",
    "....//....//etc/passwd",
)
