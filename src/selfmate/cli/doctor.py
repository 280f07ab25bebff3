"""`selfmate doctor`: checks the installation."""

import json
import os
import platform
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from selfmate.cli.console import JobFailedError, escape
from selfmate.extras import EXTRAS, has_extra, install_command

CPU_BUILDS = "https://download.pytorch.org/whl/cpu"


@dataclass(frozen=True)
class Finding:
    name: str
    found: str | None  # version, path or amount; None if missing
    needed: bool
    use: str  # what it is for, and how to install it


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the installation, and list what Selfmate finds on this machine."""
    findings = [*_machine(), *_own_parts(), *_extras(), *_optional_parts()]
    broken = [finding.name for finding in findings if finding.needed and not finding.found]
    if as_json:
        report = {"ok": not broken, "findings": [asdict(f) for f in findings]}
        print(json.dumps(report | {"advice": [_torch_advice()]}))
    else:
        _print_table(findings)
        print(_torch_advice())
    if broken:
        raise JobFailedError(f"required parts are broken: {', '.join(broken)}")


def _machine() -> list[Finding]:
    from selfmate.rules import available_cores

    return [
        Finding("python", platform.python_version(), True, "runs everything"),
        Finding("cores", str(available_cores()), True, "shared by games and nets"),
        Finding("memory", _memory(), False, "for replay buffers and batches"),
    ]


def _memory() -> str | None:
    """None where the system does not say, as Windows."""
    try:
        memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return f"{memory_bytes / 2**30:.0f} GiB"


def _own_parts() -> list[Finding]:
    from importlib.metadata import version

    return [
        Finding("selfmate", version("selfmate"), True, "this package"),
        Finding("rule book", _check_rules(), True, "the C++ core, checked with perft"),
        Finding("numpy", version("numpy"), True, "batches of games as arrays"),
        Finding("torch", _torch(), False, "nets while they are trained; the core plays them"),
    ]


def _torch() -> str | None:
    """Version and build; not imported, which takes seconds. The CUDA build needs NVIDIA's packages,
    which pip installs with it."""
    from importlib.metadata import distributions

    found = _torch_version() if has_extra("train") else None
    names = (str(distribution.metadata["Name"]) for distribution in distributions())
    build = "CUDA" if any(name.lower().startswith("nvidia-") for name in names) else "CPU"
    return found and f"{found}, {build} build"


def _torch_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch").partition("+")[0]
    except PackageNotFoundError:
        return None


def _torch_advice() -> str:
    """With the version, because pip would replace another one by the CUDA build of the pinned."""
    found = _torch_version()
    torch = f"torch=={found}" if found else "torch"
    return (
        "On Linux pip takes the CUDA build of PyTorch, which brings gigabytes of libraries for "
        "graphics cards.\nIf you have no such card, install the CPU build before selfmate[train]:\n"
        f"  pip install {torch} --index-url {CPU_BUILDS}"
    )


def _check_rules() -> str | None:
    from selfmate.rules import Board
    from selfmate.rules.perft import PERFT_POSITIONS

    if all(Board(p.fen).perft(4) == p.nodes[3] for p in PERFT_POSITIONS):
        return "right in six positions"
    return None


def _extras() -> list[Finding]:
    return [
        Finding(f"extra {name}", _versions(name), False, f"{extra.use}; {install_command(name)}")
        for name, extra in EXTRAS.items()
    ]


def _versions(extra: str) -> str | None:
    """Of its packages; None if one is missing."""
    from importlib.metadata import version

    if not has_extra(extra):
        return None
    return ", ".join(f"{name} {version(name)}" for name in EXTRAS[extra].packages)


def _optional_parts() -> list[Finding]:
    from importlib.util import find_spec

    from selfmate.lab.app import is_built, page_folder
    from selfmate.players.engine import find_program

    return [
        Finding(
            "the lab's page",
            "built" if is_built(page_folder()) else None,
            False,
            "for selfmate lab; install Node.js (20 or newer), then Selfmate again",
        ),
        Finding(
            "stockfish",
            find_program("stockfish"),
            False,
            "opponent stockfish:skill=..., used by bench rules; Debian: apt install stockfish",
        ),
        Finding(
            "pgn-extract",
            find_program("pgn-extract"),
            False,
            "used by bench pgn; Debian: apt install pgn-extract",
        ),
        Finding(
            "open_spiel",
            "installed" if find_spec("pyspiel") else None,
            False,
            "used by bench rules; pip install 'selfmate[bench]'",
        ),
    ]


def _print_table(findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="What Selfmate finds on this machine", title_justify="left")
    for column in ("", "part", "found", "purpose"):
        table.add_column(column)
    for finding in findings:
        missing = "[red]broken[/]" if finding.needed else "[yellow]missing[/]"
        mark = "[green]ok[/]" if finding.found else "[red]!![/]" if finding.needed else "--"
        table.add_row(mark, finding.name, finding.found or missing, escape(finding.use))
    Console().print(table)
