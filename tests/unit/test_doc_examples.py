"""Python examples in README and docs run, and say what they say."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from selfmate.players import check_name
from selfmate.players.onnx_export import export_onnx
from selfmate.players.trained import find_net

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/how-to/environments.md", "docs/how-to/python.md")
EXPORT = "docs/how-to/export.md"


def examples(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


def run_example(code: str, names: dict[str, Any]) -> None:
    """Executes statement by statement. Where an expression has a comment that is a literal, its
    value must be that literal."""
    for statement in ast.parse(code).body:
        source = ast.get_source_segment(code, statement) or ""
        if not isinstance(statement, ast.Expr):
            exec(source, names)
            continue
        value = eval(source, names)
        comment = code.splitlines()[(statement.end_lineno or 1) - 1].rpartition("  # ")[2]
        try:
            expected = ast.literal_eval(comment)
        except (ValueError, SyntaxError):
            continue
        assert value == expected, source


def test_the_example_of_an_exported_net_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_onnx(find_net(check_name("alphazero-tiny")), tmp_path / "az.onnx")
    test_examples_run(EXPORT, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = examples(page)
    assert found
    names: dict[str, Any] = {}
    for code in found:
        run_example(code, names)
