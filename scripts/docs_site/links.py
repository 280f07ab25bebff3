"""Pages of the site that are files outside of docs, and links that lead to them.

On a forge all links are relative paths in the repository. In the site every page is below docs, so
a link that leaves docs becomes a link to the page that its target has in the site.
"""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[2]
DOCS = "docs/"
# Files outside of docs, and where they are in the site. README is for those who have no site.
OUTSIDE: Mapping[str, str] = MappingProxyType(
    {
        "CHANGELOG.md": "changelog.md",
        "CONTRIBUTING.md": "contributing.md",
        "core/README.md": "core.md",
    }
)
TARGETS: Mapping[str, str] = MappingProxyType(
    {**OUTSIDE, "README.md": "index.md", "docs/decisions": "decisions/index.md"}
)
LINK = re.compile(r"(\]\()([^)\s#]+)([^)\s]*\))")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def repository_path(page: str) -> str:
    """The file that a page of the site is made of, from the root of the repository."""
    return next((path for path, found in OUTSIDE.items() if found == page), f"{DOCS}{page}")


def relinked(markdown: str, page: str) -> str:
    """The text of a page with its links as the site needs them. Code stays as it is."""
    parts = FENCE.split(markdown)
    parts[::2] = [LINK.sub(lambda found: _relinked(found, page), part) for part in parts[::2]]
    return "".join(parts)


def _relinked(found: re.Match[str], page: str) -> str:
    target = found[2]
    if "://" in target or target.startswith("mailto:"):
        return found[0]
    folder = posixpath.dirname(repository_path(page))
    path = posixpath.normpath(posixpath.join(folder, target))
    there = TARGETS.get(path, path.removeprefix(DOCS) if path.startswith(DOCS) else None)
    if there is None:  # strict builds refuse it
        return found[0]
    return f"{found[1]}{posixpath.relpath(there, posixpath.dirname(page) or '.')}{found[3]}"
