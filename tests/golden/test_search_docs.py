"""The table of search settings in docs/players.md is that of the package."""

import re
from pathlib import Path

from golden.golden import check_golden
from selfmate.players import SEARCH_KEYS, number_text
from selfmate.searches.numbers import NUMBERS

PAGE = Path(__file__).parents[2] / "docs" / "players.md"
DRAWN = re.compile(r"(<!-- drawn: search settings -->\n).*?(<!-- end -->)", re.DOTALL)


def drawn_table() -> str:
    lines = ["| setting | default | UCI option | meaning |", "|---|---|---|---|"]
    for key, name in SEARCH_KEYS.items():
        default, low, high, uci, description = NUMBERS[name]
        values = f"`{key}={low:.10g}..{high:.10g}`"
        lines.append(f"| {values} | {number_text(+default)} | {uci} | {description} |")
    return "".join(f"{line}\n" for line in lines)


def test_the_table_of_search_settings_is_current() -> None:
    page = PAGE.read_text("utf-8")
    assert len(DRAWN.findall(page)) == 1
    check_golden(PAGE, DRAWN.sub(lambda match: match[1] + drawn_table() + match[2], page))
