"""Phase 1 from the page: games are imported, a net that ships is trained on them; runs compared."""

import re
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from page.conftest import PATIENCE_MS
from page.lab import RunningLab, require_page, running_lab
from page.test_train import state_of, train_view
from unit.lab.test_datasets import game_text
from unit.lab.test_trainings import make_run


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLab]:
    require_page()
    folder = tmp_path_factory.mktemp("lab")
    (folder / "games").mkdir()
    (folder / "games" / "club.pgn").write_text("".join(map(game_text, range(60))))
    with running_lab(folder, "--data", str(folder / "games")) as lab:
        yield lab


def test_games_are_imported_and_a_shipped_net_is_trained_on_them(
    page: Page, lab: RunningLab
) -> None:
    view = train_view(page)
    view.get_by_text("Import games", exact=True).click()
    view.get_by_label("games/club.pgn").check()
    view.get_by_label("name of the dataset").first.fill("club")
    view.get_by_role("button", name="Import", exact=True).click()
    datasets = view.get_by_role("list", name="Datasets")
    expect(datasets).to_contain_text("runs/datasets/club", timeout=3 * PATIENCE_MS)
    page.get_by_role("radio", name="pretrain-alphazero", exact=True).check()
    page.get_by_label("Preset").select_option("try")
    view.get_by_role("button", name=re.compile("^Train")).click()
    assert page.get_by_label("learns from").evaluate("one => one.validity.valueMissing")
    assert not (lab.runs / "pretrain-alphazero-try-1").exists()  # it has nothing to learn from
    page.get_by_label("learns from").select_option("club")
    page.get_by_label("starts with the net of").select_option("alphazero-tiny")
    view.get_by_role("button", name=re.compile("^Train")).click()
    expect(view.get_by_role("heading", name="pretrain-alphazero-try-1")).to_be_visible()
    expect(state_of(page)).to_have_text("running", timeout=3 * PATIENCE_MS)
    config = tomllib.loads((lab.runs / "pretrain-alphazero-try-1" / "config.toml").read_text())
    assert (config["config"]["load"], config["config"]["blocks"]) == ("alphazero-tiny", 4)
    expect(view.get_by_text(re.compile("[1-9][0-9]* of .* positions")).first).to_be_visible()
    expect(view.get_by_role("region", name="A game it played")).to_have_count(0)  # it plays none


def test_three_runs_in_one_chart_and_one_downloaded(page: Page, lab: RunningLab) -> None:
    for name in ("first", "second", "third"):
        make_run(lab.runs / name, steps=4)
    view = train_view(page)
    expect(view.get_by_role("link", name=re.compile("^third"))).to_be_in_viewport()
    page.evaluate("location.hash = '#/train?compare=first,second'")
    comparison = view.get_by_role("region", name="Comparison")
    comparison.get_by_label("third", exact=True).check()
    legend = comparison.locator(".u-legend")
    for name in ("first", "second", "third"):
        expect(legend).to_contain_text(name)
    expect(page).to_have_url(re.compile("compare=first%2Csecond%2Cthird"))
    comparison.get_by_label("Smoothing").fill("0.5")
    comparison.get_by_label("Log scale").check()
    comparison.locator(".u-over").hover()
    expect(comparison.locator(".tooltip")).to_contain_text("third:")
    page.evaluate("location.hash = '#/train?run=first'")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "first.zip"
    names = zipfile.ZipFile(Path(download.value.path())).namelist()
    assert "first/metrics.jsonl" in names
