"""All verbs: help, output and bad input."""

import json
import re
import subprocess
import sys
from pathlib import Path

import chess.pgn
import pytest

import selfmate as package
from selfmate.presets import preset_names
from unit.cli.process import selfmate

VERBS = (
    "demo",
    "collect",
    "import",
    "finetune",
    "train",
    "presets",
    "runs",
    "inspect",
    "endgame",
    "play",
    "match",
    "rate",
    "strength",
    "calibrate",
    "puzzles",
    "uci",
    "export",
    "perft",
    "bench",
    "doctor",
)
HEAVY = ("torch", "numpy", "chess", "h5py", "pydantic", "safetensors", "selfmate._core")


def test_version() -> None:
    run = selfmate("--version")
    assert (run.returncode, run.stdout) == (0, f"selfmate {package.__version__}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_names_every_verb(arguments: list[str]) -> None:
    run = selfmate(*arguments)
    assert run.returncode == 0
    assert all(verb in run.stdout for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_help_text(verb: str) -> None:
    run = selfmate(verb, "--help")
    assert run.returncode == 0
    assert "Usage: selfmate " + verb in run.stdout


def test_help_loads_nothing_heavy() -> None:
    program = f"""
import sys
sys.argv = ["selfmate", "--help"]
from selfmate.cli import main
try:
    main()
except SystemExit:
    pass
print([m for m in {HEAVY} if m in sys.modules])
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines()[-1] == "[]"


def test_perft_counts() -> None:
    run = selfmate("perft", "4")
    assert run.returncode == 0
    assert run.stdout.startswith("197,281 nodes in ")


def test_perft_of_chess960() -> None:
    start = json.loads(selfmate("perft", "4", "--chess960", "0", "--json").stdout)
    assert (start["nodes"], start["fen"].split()[0][:8]) == (201_143, "bbqnnrkr")
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    assert json.loads(selfmate("perft", "4", "--fen", fen, "--json").stdout)["nodes"] == 326_672


def test_perft_json_with_divide() -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"  # python-chess counts 1,197 as well
    report = json.loads(selfmate("perft", "3", "--fen", fen, "--divide", "--json").stdout)
    assert (report["fen"], report["depth"], report["nodes"]) == (fen, 3, 1_197)
    assert sum(report["divide"].values()) == report["nodes"]
    assert report["divide"]["e1g1"] > 0
    assert report["nodes_per_s"] > 0


@pytest.mark.parametrize(("depth", "nodes"), [("0", 1), ("1", 20), ("2", 400)])
def test_perft_of_small_depths(depth: str, nodes: int) -> None:
    assert json.loads(selfmate("perft", depth, "--json").stdout)["nodes"] == nodes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense'."),
        (["perft"], "Missing argument"),
        (["perft", "many"], "'many' is not a whole number from 0 to 20"),
        (["perft", "1", "--chess960", "960"], "'960' is not a whole number from 0 to 959"),
        (["perft", "1", "--chess960", "1", "--fen", "x"], "with --fen or with --chess960, not bo"),
        (["perft", "-1"], "No such option: -1"),
        (["perft", "21"], "'21' is not a whole number from 0 to 20"),
        (["perft", "2", "--fen", "x"], "bad FEN 'x': it has 1 field, allowed are 4 to 6"),
        (["bench", "speed"], "no benchmark suite 'speed'; there are: rules, teacher, endgame, dqn"),
        (
            ["demo", "--seed", "x"],
            "Invalid value for '--seed': 'x' is not a whole number from 0 to",
        ),
        (["demo", "--out", "/dev/null/x"], "Not a directory: '/dev/null/x'"),
        (["doctor", "now"], "Got unexpected extra argument(s) (now)"),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments: list[str], message: str) -> None:
    run = selfmate(*arguments)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("selfmate: ")
    assert message in run.stderr


def test_doctor_finds_the_rules_right() -> None:
    run = selfmate("doctor", "--json")
    assert run.returncode == 0
    report = json.loads(run.stdout)
    found = {finding["name"]: finding["found"] for finding in report["findings"]}
    assert report["ok"]
    assert found["rule book"] == "right in six positions"
    assert found["selfmate"] == package.__version__
    assert selfmate("doctor").returncode == 0


def test_doctor_says_which_pytorch_it_is_and_how_to_have_the_small_one() -> None:
    report = json.loads(selfmate("doctor", "--json").stdout)
    (torch,) = (finding for finding in report["findings"] if finding["name"] == "torch")
    assert torch["found"].endswith((", CPU build", ", CUDA build"))
    shown = selfmate("doctor").stdout
    version = torch["found"].partition(",")[0]
    command = f"pip install torch=={version} --index-url https://download.pytorch.org/whl/cpu"
    for text in (shown, report["advice"][0]):
        assert "gigabytes" in text
        assert command in text


def test_the_demo_makes_a_player_and_saves_its_games(tmp_path: Path) -> None:
    run = selfmate("demo", "--quick", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    games = 0
    with (tmp_path / "runs" / "demo" / "match.pgn").open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            games += 1
    assert games == 6 * 10 + 5 * 2
    match = selfmate("match", "runs/demo", "random", "--games", "4", "--json", cwd=tmp_path)
    assert match.returncode == 0, match.stderr
    assert json.loads(match.stdout)["illegal_moves"] == 0
    uci = selfmate("uci", "runs/demo", cwd=tmp_path, typed="position startpos\ngo\nquit\n")
    assert "bestmove " in uci.stdout
    listed = json.loads(selfmate("runs", "--json", cwd=tmp_path).stdout)["runs"]
    assert [(one["run"], one["state"]) for one in listed] == [
        ("runs/demo", "finished"),
        ("runs/demo-imitation", "finished"),
        ("runs/demo-swift", "finished"),
    ]
    swift = (tmp_path / "runs" / "demo-swift" / "match.pgn").read_text("utf-8")
    assert swift.count("[Result ") == 2 * 2
    assert "of learning it is worth" in run.stdout
    assert "With its search it is worth" in run.stdout
    assert "Next: python -m selfmate play runs/demo:sims=400 to play" in run.stdout
    assert "python -m selfmate lab to play, train" in run.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [("config.toml", "is a run, but not of a demo"), ("mine", "holds files but no run")],
)
def test_the_demo_replaces_nothing_but_a_demo(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    run = selfmate("demo", "--quick", "--out", str(tmp_path))
    assert run.returncode == 2
    assert message in run.stderr
    assert (tmp_path / name).exists()


def test_presets_say_how_long_they_take() -> None:
    listed = json.loads(selfmate("presets", "--json").stdout)["presets"]
    names = {(preset["command"], preset["preset"]) for preset in listed}
    assert len(names) == len(preset_names()) - 1  # all but the demo's
    assert ("pretrain alphazero", "tiny") in names
    unit = r"(s|min|h|weeks)( per million positions)?(, estimated)?(; for GPUs)?"
    for preset in listed:
        assert re.fullmatch(rf"Seconds|Open end, .*|About [\d.]+ {unit}", preset["takes"]), preset
        assert preset["about"].endswith(".")
    table = selfmate("presets", "dqn")
    assert "imitation-bootstrap" in table.stdout
    assert max(map(len, table.stdout.splitlines())) <= 80
    assert "alphazero" not in table.stdout
    refused = selfmate("presets", "nobody")
    assert refused.returncode == 2
    assert "no learner 'nobody'; there are: sarsa, ddqn, dqn" in refused.stderr
