"""The notebooks run, and what is stored with them is what they show. `make docs` stores it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient")
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "notebooks"
MAX_BYTES = 250_000  # of a notebook with its outputs
TIMEOUT_S = 300


def executed(path: Path, folder: Path) -> Any:
    """The notebook as it is after running all its cells in an empty folder."""
    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        resources={"metadata": {"path": folder}},
        coalesce_streams=True,  # however the kernel's messages were cut
    )
    client.execute()
    return notebook


def plain(notebook: Any) -> Any:
    """Without what differs from run to run: when cells ran, on which Python, and what was said on
    standard error."""
    for cell in notebook.cells:
        cell.metadata = {}
        if "outputs" in cell:
            cell.outputs = [out for out in cell.outputs if out.get("name") != "stderr"]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def kinds(notebook: Any) -> list[list[list[str]]]:
    """For each cell the kinds of its outputs. Their values may differ between processors."""
    return [
        [sorted(output.get("data", [output["output_type"]])) for output in cell.get("outputs", [])]
        for cell in notebook["cells"]
    ]


@pytest.mark.filterwarnings("default")  # those of the Jupyter packages
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_and_show_what_is_stored(path: Path, tmp_path: Path) -> None:
    notebook = plain(executed(path, tmp_path))
    if os.environ.get("SELFMATE_UPDATE_GOLDEN"):
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
    stored = json.loads(path.read_text("utf-8"))
    assert kinds(stored) == kinds(notebook), f"{path.name} is out of date: run `make docs`"
    assert path.stat().st_size < MAX_BYTES


def test_there_are_three_notebooks() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {
        "rules_and_encodings",
        "search_and_analysis",
        "train_plot_play",
    }
