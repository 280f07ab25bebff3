"""Pages made of what the package says about itself: verbs, settings, metrics, presets, the API."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import typer

import selfmate
from selfmate.cli import GROUPS, VERBS, make_app
from selfmate.learners.config import in_words, settings_of
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS
from selfmate.presets import about_preset, load_preset, presets_of

SETTINGS = "reference/settings"  # the folder of a page for each learner
# What the functions of the API return and take.
RESULTS = (
    "selfmate.api.LoadedPlayer",
    "selfmate.api.LoadedNet",
    "selfmate.api.SearchResults",
    "selfmate.api.Analysis",
    "selfmate.api.Evaluations",
    "selfmate.api.MatchReport",
    "selfmate.api.Rating",
    "selfmate.api.RunDirectory",
    "selfmate.api.Progress",
    "selfmate.rules.pgn.PgnChunk",
)
ENVIRONMENTS = (
    "selfmate.envs.chess_env.ChessEnv",
    "selfmate.envs.minichess_env.MiniChessEnv",
    "selfmate.envs.vector.ChessVectorEnv",
)
MARK = "\b\n"  # before a paragraph of a help text that must not be wrapped


def reference_pages() -> dict[str, str]:
    """Markdown by the page's path in the site."""
    pages = {
        "reference/api.md": api_page(),
        "reference/verbs.md": verbs_page(),
        "reference/presets.md": presets_page(),
    }
    settings = {f"{SETTINGS}/{name}.md": settings_page(one) for name, one in LEARNERS.items()}
    return pages | settings


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; text in cells is escaped where it would end them."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    return f"`{text}`" if text else ""


# The API


def api_page() -> str:
    parts = [
        "# The Python API\n\n",
        "Everything in the first two sections is one import away: `import selfmate`. Values are in",
        " the view that their names say. [Use Selfmate from Python](../how-to/python.md)",
        " introduces it.\n\n",
    ]
    for title, names in (("Chess", selfmate._CHESS), ("Engines", selfmate._ENGINES)):
        parts += [f"## {title}\n\n", *(_member(f"selfmate.{name}") for name in names)]
    parts += ["## What they return\n\n", *map(_member, RESULTS)]
    parts += ["## Encodings\n\n", _member("selfmate.encodings")]
    parts += ["## Environments\n\n", *map(_member, ENVIRONMENTS)]
    return "".join(parts)


def _member(path: str) -> str:
    """What mkdocstrings replaces by the docstring and members of a name."""
    return f"::: {path}\n    options:\n      heading_level: 3\n\n"


# Verbs


def verbs_page() -> str:
    """What `--help` says of every verb."""
    parts = [
        "# Verbs\n\n",
        "`selfmate VERB --help` says the same in the terminal. Exit code 0 means done, 1 that the",
        " job failed, 2 bad input.\n\n",
        table(
            ("verb", "what it does"),
            ((f"[`{verb}`](#{verb})", about) for verb, about in VERBS.items()),
        ),
    ]
    return "".join([*parts, *map(_verb, VERBS)])


def _verb(verb: str) -> str:
    app: Any = typer.main.get_command(make_app(verb))
    command = app.commands[verb]
    described = _command(command, verb)
    if verb in GROUPS:
        subs = (_command(sub, f"{verb} {name}", 3) for name, sub in command.commands.items())
        return described + "".join(subs)
    return described


def _command(command: Any, words: str, level: int = 2) -> str:
    context = typer.Context(command, info_name=f"selfmate {words}")
    usage = " ".join([f"selfmate {words}", *command.collect_usage_pieces(context)])
    rows = [record for one in command.params if (record := one.get_help_record(context))]
    shown = [(code(name), _escaped(text)) for name, text in rows]
    return f"{'#' * level} {words}\n\n{_prose(command.help or '')}\n\n```\n{usage}\n```\n\n" + (
        table(("option", "meaning"), shown) if shown else ""
    )


def _prose(text: str) -> str:
    """The docstring of a verb; Click's mark for text that must not be wrapped makes code of it."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(
        f"```\n{part.removeprefix(MARK)}\n```" if part.startswith(MARK) else _escaped(part)
        for part in paragraphs
    )


def _escaped(text: str) -> str:
    """Help texts are no Markdown: brackets in them are no links. Backticks are code in both."""
    return re.sub(r"([\[\]<])", r"\\\1", text)


# Settings, metrics, presets


def settings_page(learner: Learner) -> str:
    rows = [
        (code(one.name), code(in_words(one.default)), one.allowed, one.description)
        for one in settings_of(learner.config_class).values()
    ]
    metrics = [
        (code(one.name), one.title, one.meaning, one.unit, one.better or "")
        for one in learner.metrics
    ]
    return "".join(
        [
            f"# Settings of {learner.name}\n\n`selfmate {learner.command}`: {learner.summary}.\n\n",
            "Set one with `--set NAME=VALUE`, or in a file with `--config`.\n\n## Settings\n\n",
            table(("setting", "default", "allowed", "meaning"), rows),
            "## Metrics\n\n" if metrics else "",
            table(("metric", "title", "meaning", "unit", "better"), metrics) if metrics else "",
        ]
    )


def presets_page() -> str:
    parts = [
        "# Presets\n\n",
        "Settings that ship, for `--preset`. Times are for two cores. A preset sets what its table",
        " names; everything else has its default.\n\n",
    ]
    for learner in LEARNERS.values():
        if presets_of(learner.name):
            parts += [f"## {learner.name}\n\n", *_presets(learner)]
    return "".join(parts)


def _presets(learner: Learner) -> Iterator[str]:
    names = presets_of(learner.name)
    yield table(("preset", "takes", "what it does"), (_about(learner.name, n) for n in names))
    given = {name: load_preset(f"{learner.name}-{name}") for name in names}
    keys = list(dict.fromkeys(key for settings in given.values() for key in settings))
    defaults = settings_of(learner.config_class)
    yield table(
        ("setting", "default", *map(code, names)),
        (
            (
                f"`{key}`",
                code(in_words(defaults[key].default)),
                *(code(in_words(given[name][key])) if key in given[name] else "" for name in names),
            )
            for key in keys
        ),
    )


def _about(learner: str, preset: str) -> tuple[str, str, str]:
    takes, _, about = about_preset(f"{learner}-{preset}").partition(": ")
    return code(preset), takes, about
