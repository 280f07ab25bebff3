"""Hooks of MkDocs for the documentation site (`mkdocs.yml`): pages that are generated, files from
outside of docs, and a navigation that fills itself."""

import posixpath
import re
from functools import cache
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs_site.links import OUTSIDE, ROOT, relinked
from docs_site.lists import spaced
from docs_site.notebooks import notebook_names, shown
from docs_site.reference import reference_pages

DECISIONS = "decisions"
REST = "/*"  # in the navigation: all pages of a folder that it does not name
ASSETS = (
    ROOT / "src" / "selfmate" / "lab" / "page" / "icon.svg",
    ROOT / "scripts" / "docs_site" / "site.css",
    ROOT / "scripts" / "docs_site" / "iframe-worker.js",
)


@cache
def generated() -> dict[str, str | bytes]:
    """Everything that is in the site but not in docs, by its path in the site."""
    found: dict[str, str | bytes] = dict(reference_pages())
    found |= {page: (ROOT / path).read_text("utf-8") for path, page in OUTSIDE.items()}
    found[f"{DECISIONS}/index.md"] = decisions_page()
    found |= {f"assets/{path.name}": path.read_bytes() for path in ASSETS}
    for name in notebook_names():
        notebook = shown(name)
        found |= {f"notebooks/{name}.md": notebook.markdown, **notebook.pictures}
    return found


def decisions_page() -> str:
    lines = ["# Decisions\n", "Why Selfmate is as it is, one page each.\n"]
    for path in sorted((ROOT / "docs" / DECISIONS).glob("*.md")):
        title = path.read_text("utf-8").partition("\n")[0].lstrip("# ")
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines) + "\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fills in what the navigation leaves open."""
    assert config.nav is not None  # mkdocs.yml has one
    named = set(_pages_of(config.nav))
    on_disk = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    pages = sorted((on_disk | generated().keys()) - named)
    config.nav = _filled(config.nav, [page for page in pages if page.endswith(".md")])
    return config


def _pages_of(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    children = entry.values() if isinstance(entry, dict) else entry
    return [page for child in children for page in _pages_of(child)]


def _filled(entries: list[Any], pages: list[str]) -> list[Any]:
    filled: list[Any] = []
    for entry in entries:
        if isinstance(entry, str) and entry.endswith(REST):
            folder = entry.removesuffix(REST)
            filled += [page for page in pages if posixpath.dirname(page) == folder]
        elif isinstance(entry, dict):
            ((title, child),) = entry.items()
            filled.append({title: child if isinstance(child, str) else _filled(child, pages)})
        else:
            filled.append(entry)
    return filled


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path, content in generated().items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if page.is_homepage:
        page.meta["hide"] = ["navigation", "toc"]
    return spaced(_without_comments(relinked(markdown, page.file.src_uri)))


def _without_comments(markdown: str) -> str:
    """Marks like `<!-- drawn: ... -->` are for the tests that keep drawings current."""
    return re.sub(r"^<!-- (drawn: [\w ]+|end) -->\n", "\n", markdown, flags=re.MULTILINE)
