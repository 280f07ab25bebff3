"""Lists as forges read them, for Python-Markdown, which wants an empty line before a list and four
spaces for each level."""

import re
from collections.abc import Iterator

ITEM = re.compile(r" *([-*]|\d+\.) ")
FENCE = "```"


def spaced(markdown: str) -> str:
    """The same text with lists that both kinds of readers see. Code stays as it is."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    is_code, is_list, before = False, False, ""
    for line in lines:
        if line.startswith(FENCE):
            is_code = not is_code
        if is_code or line.startswith(FENCE):
            is_list = False
        elif ITEM.match(line):
            if not is_list and before.strip():
                yield ""
            is_list = True
        elif line and not line.startswith(" ") and not before.strip():
            is_list = False  # a paragraph behind an empty line
        yield _indented(line) if is_list else line
        before = line


def _indented(line: str) -> str:
    """Two spaces a level become four."""
    spaces = len(line) - len(line.lstrip(" "))
    return " " * spaces + line
