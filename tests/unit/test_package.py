"""What `pip install .` leaves behind works far from the checkout."""

import json
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["-C", f"build-dir={folder}/build", "-w", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_all_that_is_needed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    parts = ["presets/demo.toml", "py.typed", "_core.pyi", "bench/rules.py", "cli/demo.py"]
    assert {f"selfmate/{part}" for part in parts} <= set(names)
    assert sum(name.startswith("selfmate/_core.cpython") for name in names) == 1


def test_an_installed_package_works_elsewhere(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    target = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target]
    subprocess.run([*pip, str(wheel)], check=True)
    # The dependencies are borrowed; appended, so that the checkout itself cannot be found first.
    borrowed = f"import sys; sys.path.append({sysconfig.get_path('purelib')!r})\n"
    (Path(target) / "borrowed.pth").write_text(borrowed, "utf-8")
    run = subprocess.run(
        [python, "-m", "selfmate", "doctor", "--json"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert json.loads(run.stdout)["ok"]
    where = "import selfmate, selfmate._core as c; print(selfmate.__file__, c.__file__)"
    shown = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    assert shown.stdout.count(str(tmp_path)) == 2
