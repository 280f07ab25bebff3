"""What the documentation site is made of."""

import json
from pathlib import Path
from typing import Any

import pytest

import docs_site_hooks
from docs_site import notebooks
from docs_site.links import relinked
from docs_site.lists import spaced
from docs_site.reference import SETTINGS, reference_pages, table
from selfmate.cli import VERBS
from selfmate.learners.config import settings_of
from selfmate.learners.registry import LEARNERS
from selfmate.presets import presets_of


@pytest.mark.parametrize(
    ("page", "link", "expected"),
    [
        ("index.md", "how-to/train.md", "how-to/train.md"),
        ("index.md", "../CHANGELOG.md", "changelog.md"),
        ("index.md", "decisions", "decisions/index.md"),
        ("how-to/train.md", "../runs.md#resume", "../runs.md#resume"),
        ("how-to/train.md", "../../core/README.md", "../core.md"),
        ("changelog.md", "docs/how-to/train.md#settings", "how-to/train.md#settings"),
        ("core.md", "../docs/encodings.md", "encodings.md"),
        ("index.md", "https://example.org/a.md", "https://example.org/a.md"),
        ("index.md", "../src/selfmate", "../src/selfmate"),  # a strict build refuses it
    ],
)
def test_links_lead_to_the_same_page_in_the_site(page: str, link: str, expected: str) -> None:
    assert relinked(f"See [this]({link}).", page) == f"See [this]({expected})."


def test_links_in_code_are_code() -> None:
    text = "```\n[x](../CHANGELOG.md)\n```\n"
    assert relinked(text, "index.md") == text


def test_lists_of_forges_are_lists() -> None:
    text = "Words:\n- one\n  and more\n  - inner\n- two\n\nText\n\n    code\n```\n- code\n```\n"
    assert spaced(text) == (
        "Words:\n\n- one\n    and more\n    - inner\n- two\n\nText\n\n    code\n```\n- code\n```\n"
    )


def test_tables_keep_their_cells() -> None:
    made = table(("a", "b"), [("x | y", "two\nlines")])
    assert made == "| a | b |\n| --- | --- |\n| x \\| y | two lines |\n\n"


def test_the_reference_has_every_verb_setting_metric_and_preset() -> None:
    pages = reference_pages()
    for verb in VERBS:
        assert f"\n## {verb}\n" in pages["reference/verbs.md"]
    for name, learner in LEARNERS.items():
        page = pages[f"{SETTINGS}/{name}.md"]
        named = [*settings_of(learner.config_class), *(one.name for one in learner.metrics)]
        assert [one for one in named if f"\n| `{one}` |" not in page] == []
        for preset in presets_of(name):
            assert f"\n| `{preset}` |" in pages["reference/presets.md"]


def test_the_menu_fills_itself_with_what_it_does_not_name() -> None:
    nav: list[Any] = ["index.md", {"How": ["how-to/a.md", "how-to/*"]}]
    pages = ["decisions/1.md", "how-to/b.md", "how-to/deep/c.md"]
    filled = docs_site_hooks._filled(nav, pages)
    assert filled == ["index.md", {"How": ["how-to/a.md", "how-to/b.md"]}]


def test_a_notebook_is_text_code_and_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["told\n"]},
        {"output_type": "execute_result", "data": {"text/plain": ["7"]}},
        {"output_type": "display_data", "data": {"image/svg+xml": ["<svg/>"], "text/plain": "x"}},
        {"output_type": "display_data", "data": {"image/png": "UE5H\n"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {"cell_type": "code", "source": ["3 + 4"], "outputs": outputs},
    ]
    (tmp_path / "one.ipynb").write_text(json.dumps({"cells": cells}))
    monkeypatch.setattr(notebooks, "FOLDER", tmp_path)
    shown = notebooks.shown("one")
    assert shown.markdown == (
        "# Title\nwords\n\n```python\n3 + 4\n```\n\n```text\ntold\n```\n\n```text\n7\n```\n\n"
        "![output](one-1.svg)\n\n![output](one-2.png)\n"
    )
    assert shown.pictures == {"notebooks/one-1.svg": b"<svg/>", "notebooks/one-2.png": b"PNG"}
