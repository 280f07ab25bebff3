"""The page's types are those of the server."""

from pathlib import Path

from golden.golden import check_golden
from golden.page_types import draw_types

TYPES = Path(__file__).parents[2] / "src" / "selfmate" / "lab" / "page" / "src" / "types.ts"


def test_the_pages_types_are_current() -> None:
    check_golden(TYPES, draw_types())
