"""The extension's stub is what the extension says of itself."""

import subprocess
import sys
from pathlib import Path

from golden.golden import check_golden

STUB = Path(__file__).parents[2] / "src" / "selfmate" / "_core.pyi"


def test_the_stub_is_current(tmp_path: Path) -> None:
    made = tmp_path / "_core.pyi"
    command = [
        sys.executable,
        "-m",
        "nanobind.stubgen",
        "-q",
        "-m",
        "selfmate._core",
        "-o",
        str(made),
    ]
    subprocess.run(command, check=True)
    check_golden(STUB, made.read_text("utf-8"))
