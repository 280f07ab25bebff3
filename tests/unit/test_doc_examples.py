"""Python examples in README and docs run, and say what they say; commands are those there are.

A block marked `python` runs, one marked `py` is a part of something larger and is only shown. A
block marked `sh` runs in a shell; other commands are checked against the options of their verb.
Links lead to files that exist.
"""

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from selfmate.cli import GROUPS, VERBS, make_app
from selfmate.players import check_name
from selfmate.players.onnx_export import export_onnx
from selfmate.players.trained import find_net

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    if "decisions" not in path.parts  # they tell how it was
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^(?:\.venv/bin/)?selfmate (?!\W)(.*)$", re.MULTILINE)
ENDS_COMMAND = ("#", "|", ">", "2>", "&&", ";", "&")


def blocks(page: str, kind: str) -> list[str]:
    text = (ROOT / page).read_text("utf-8")
    return [found[2] for found in BLOCK.finditer(text) if found[1] == kind]


def with_blocks(kind: str) -> list[str]:
    return [page for page in PAGES if blocks(page, kind)]


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


def make_onnx(folder: Path) -> None:
    export_onnx(find_net(check_name("alphazero-tiny")), folder / "az.onnx")


def make_games(folder: Path) -> None:
    """A compressed PGN file, as the page about reading games has it."""
    import io

    import zstandard

    import selfmate

    file = io.StringIO()
    selfmate.write_pgn(selfmate.random_games(3, seed=1, max_plies=40), file)
    (folder / "games.pgn.zst").write_bytes(zstandard.compress(file.getvalue().encode()))


def make_mini_run(folder: Path) -> None:
    import selfmate

    selfmate.train("ddqn", preset="try", run=folder / "runs" / "ddqn-default-1")


def make_chunks(folder: Path) -> None:
    from unit.data.imported import import_random_games

    (folder / "data").mkdir()
    import_random_games(folder / "data" / "masters")


def make_labels(folder: Path) -> None:
    from unit.cli.process import selfmate

    (folder / "data").mkdir()
    out = str(folder / "data" / "teacher.ndjson.zst")
    assert selfmate("collect", "--games", "2", "--depth", "1", "--out", out).returncode == 0


# What the examples of a page find in their folder.
FOUND = {
    "docs/how-to/collect.md": make_labels,
    "docs/how-to/export.md": make_onnx,
    "docs/how-to/read-games.md": make_games,
    "docs/how-to/import.md": make_chunks,
    "docs/runs.md": make_mini_run,
}


@pytest.mark.parametrize("page", with_blocks("python"))
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in FOUND:
        FOUND[page](tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code in blocks(page, "python"):
        run_example(code, names)


@pytest.mark.parametrize("page", with_blocks("sh"))
def test_shell_examples_run(page: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for code in blocks(page, "sh"):
        done = subprocess.run(
            ["sh", "-eu", "-c", code], cwd=tmp_path, env=os.environ | {"PATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{code}\n{done.stderr}"


def commands(page: str) -> Iterator[list[str]]:
    """The words after `selfmate` of all commands in blocks of shell input."""
    for kind in ("", "sh"):
        for text in blocks(page, kind):
            for found in COMMAND.finditer(text.replace("\\\n", " ")):
                words = shlex.split(found[1], comments=True)
                ends = [place for place, word in enumerate(words) if word in ENDS_COMMAND]
                yield words[: min(ends, default=len(words))]


@cache
def command_of(verb: str) -> Any:
    app: Any = typer.main.get_command(make_app(verb))
    return app.commands[verb]


def check_command(words: list[str]) -> None:
    """Raises what the command line would say about a verb or an option that there is not."""
    verb, *rest = words
    if verb.startswith("--"):
        return
    command = command_of(verb)
    if verb in GROUPS and rest and rest[0] in command.commands:
        command, rest = command.commands[rest[0]], rest[1:]
    context = typer.Context(command, info_name=verb)
    command.make_parser(context).parse_args(list(rest))


@pytest.mark.parametrize("page", PAGES)
def test_commands_have_the_verbs_and_options_that_there_are(page: str) -> None:
    for words in commands(page):
        if words and "..." not in words and words[0] != "VERB":
            assert words[0] in VERBS or words[0].startswith("--"), words
            check_command(words)


def linked_files(page: Path) -> Iterator[Path]:
    text = BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", text):
        if "://" not in target:
            yield page.parent / target


@pytest.mark.parametrize(
    "page", [*PAGES, "CONTRIBUTING.md", "CHANGELOG.md", "core/README.md", "examples/**/README.md"]
)
def test_links_of_plain_markdown_lead_to_files(page: str) -> None:
    for path in ROOT.glob(page):
        for target in linked_files(path):
            assert target.exists(), f"{path.name}: {target}"
