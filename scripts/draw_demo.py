"""Draws docs/pictures/demo.svg: what `selfmate demo` shows. Run by `make docs`."""

import io
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import rich.console

from selfmate.cli.demo import demo

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "demo.svg"
# rich's own frame, without its web fonts: the picture must not fetch anything.
FRAME = """<svg viewBox="0 0 {width} {height}" xml:space="preserve" \
xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; \
line-height: {line_height}px; white-space: pre; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
<rect fill="#16181d" x="1" y="1" width="{width}" height="{height}" rx="8"/>
<g transform="translate({terminal_x}, 20)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main() -> None:
    """Runs the demo in a temporary folder and records the terminal."""
    console = rich.console.Console(
        record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False
    )
    drawing = patch.object(rich.console, "Console", lambda **_: console)
    with TemporaryDirectory() as folder, chdir(folder), drawing:
        demo(seed=1, out=Path("runs/demo"))
    text = console.export_svg(title="", code_format=FRAME, unique_id="demo")
    PICTURE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
