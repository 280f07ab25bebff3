"""The drawings in docs/encodings.md are what the encoders write today."""

import re
from pathlib import Path

from golden.encoding_drawings import DRAWINGS
from golden.golden import check_golden
from selfmate.encodings import ACTION_ENCODINGS, ENCODINGS, MOVE136, ActionEncoding, Encoding

PAGE = Path(__file__).parents[2] / "docs" / "encodings.md"
DRAWN = re.compile(r"(<!-- drawn: (\w+) -->\n```text\n).*?(```\n<!-- end -->)", re.DOTALL)


def redrawn(page: str) -> str:
    def draw(match: re.Match[str]) -> str:
        lines = DRAWINGS[match[2]]()
        return match[1] + "".join(f"{line}\n" for line in lines) + match[3]

    return DRAWN.sub(draw, page)


def test_drawings_are_up_to_date() -> None:
    check_golden(PAGE, redrawn(PAGE.read_text(encoding="utf-8")))


def test_every_layout_is_drawn_once() -> None:
    names = [match[2] for match in DRAWN.finditer(PAGE.read_text(encoding="utf-8"))]
    assert sorted(names) == sorted([*ENCODINGS, *ACTION_ENCODINGS, MOVE136.name])


def test_the_page_names_every_version() -> None:
    page = PAGE.read_text(encoding="utf-8")
    layouts: list[Encoding | ActionEncoding] = [
        *ENCODINGS.values(),
        *ACTION_ENCODINGS.values(),
        MOVE136,
    ]
    for layout in layouts:
        assert f"`{layout.name}` | {layout.version} |" in page
