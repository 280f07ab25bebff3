"""What `pip install .` leaves behind works far from the checkout."""

import json
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ("index.html", "page.js", "page.css", "icon.svg")


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
    parts = ["presets/demo.toml", "py.typed", "_core.pyi", "cli/demo.py"]
    assert {f"selfmate/{part}" for part in parts} <= set(names)
    suites = ["__init__.py", "rules.py", "peers/mcts.py"]
    assert {f"selfmate_benchmarks/{suite}" for suite in suites} <= set(names)
    folders = {name.split("/")[0] for name in names}
    assert {name for name in folders if "dist-info" not in name} == {
        "selfmate",
        "selfmate_benchmarks",
    }
    assert sum(name.startswith("selfmate/_core.cpython") for name in names) == 1


def test_the_wheel_holds_the_page_and_not_what_it_is_made_of(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert not any(name.startswith("selfmate/lab/page/") for name in names)
    assert not any("node_modules" in name for name in names)
    built = {f"selfmate/lab/static/{name}" for name in PAGE}
    if shutil.which("npm") and shutil.which("node"):
        assert {name for name in names if name.startswith("selfmate/lab/static/")} == built


def test_without_node_all_else_is_installed(tmp_path: Path) -> None:
    for name in ("build.cmake", "package-lock.json"):
        shutil.copy(ROOT / "src" / "selfmate" / "lab" / "page" / name, tmp_path)
    cmake = [sys.executable, "-m", "cmake", "-D", "NPM=false", "-D", "NODE=false"]
    done = subprocess.run(
        [*cmake, "-D", f"OUT={tmp_path}/out", "-P", str(tmp_path / "build.cmake")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "could not be built" in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_is_shared_as_source_can_build_the_page(tmp_path: Path) -> None:
    making = f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", making], cwd=ROOT, capture_output=True, check=True)
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    page = "src/selfmate/lab/page"
    parts = ("package.json", "package-lock.json", "build.mjs", "build.cmake", "src/main.tsx")
    assert {f"{page}/{part}" for part in parts} <= names
    assert not any("node_modules" in name or "lab/static/" in name for name in names)


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
    where = (
        "import selfmate, selfmate._core as c, selfmate_benchmarks as b; "
        "print(selfmate.__file__, c.__file__, b.__file__)"
    )
    shown = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    assert shown.stdout.count(str(tmp_path)) == 3
