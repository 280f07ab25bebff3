"""Notebooks as pages of the site: text, code, and the outputs that are stored with them."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from docs_site.links import ROOT

FOLDER = ROOT / "notebooks"
SVG, PNG, HTML, TEXT = "image/svg+xml", "image/png", "text/html", "text/plain"
SUFFIXES = {SVG: ".svg", PNG: ".png"}


@dataclass(frozen=True)
class Shown:
    """A notebook as Markdown, and its pictures by their paths in the site."""

    markdown: str
    pictures: dict[str, bytes]


def notebook_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def shown(name: str) -> Shown:
    """The page `notebooks/NAME.md` of the site."""
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text("utf-8"))
    pictures: dict[str, bytes] = {}
    parts = [part for cell in notebook["cells"] for part in _cell(cell, name, pictures)]
    return Shown("\n\n".join(parts) + "\n", pictures)


def _cell(cell: dict[str, Any], name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    source = "".join(cell["source"]).strip()
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield from _output(output, name, pictures)


def _output(output: dict[str, Any], name: str, pictures: dict[str, bytes]) -> Iterator[str]:
    """The richest form of an output that a page can show."""
    if output["output_type"] == "stream":
        yield _as_text("".join(output["text"]))
        return
    data = output.get("data", {})
    for kind, suffix in SUFFIXES.items():
        if kind in data:
            content = "".join(data[kind])
            picture = f"{name}-{len(pictures) + 1}{suffix}"
            pictures[f"notebooks/{picture}"] = (
                content.encode() if kind == SVG else base64.b64decode(content)
            )
            yield f"![output]({picture})"
            return
    if HTML in data:
        yield f'<div class="output">{"".join(data[HTML])}</div>'
    elif TEXT in data:
        yield _as_text("".join(data[TEXT]))


def _as_text(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
