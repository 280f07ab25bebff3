"""Nets on their way out of the tab and into it, and what the tab says when something is wrong."""

import io
import shutil
import zipfile
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

import selfmate
from page.conftest import tab
from page.lab import RunningLab
from page.tab import games_played, probabilities, train
from selfmate.nets.config import MoveScorerConfig, read_net_config
from selfmate.runs import RunDirectory
from unit.cli.process import selfmate as command

POSITION = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
TEMPERATURE = 0.7


@pytest.fixture
def page(tab_page: Page) -> Page:
    return tab_page


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the command line."""
    folder = tmp_path_factory.mktemp("trained")
    trained = command("train", "reinforce", "--preset", "try", "--run", "run", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    return folder / "run"


def python_probabilities(run: Path) -> dict[str, float]:
    """Of all moves, by the net of a run."""
    found = RunDirectory(run).checkpoint()
    spec = read_net_config(found.card.player)
    assert isinstance(spec, MoveScorerConfig)
    net = spec.make_net()
    net.take(found.weights)
    board = selfmate.Board(POSITION)
    scores = net.scores(spec.candidates([board])).astype(np.float64) / TEMPERATURE
    shares = np.exp(scores - scores.max())
    return dict(zip(board.legal_moves(), (shares / shares.sum()).tolist(), strict=True))


def download_run(page: Page, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Download weights").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "selfmate-tab"


def load(page: Page, *files: Path | FilePayload) -> None:
    page.get_by_label("Files of a checkpoint").set_input_files(list(files))  # type: ignore[arg-type]


def expect_same(here: dict[str, float], there: dict[str, float]) -> None:
    assert len(here) == 5
    for move, probability in here.items():
        assert probability == pytest.approx(there[move], abs=1e-5)


def test_what_was_learned_goes_on_in_python(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Learning rate").fill("0.00005")  # written as 5e-05 by Python
    train(page, 100)
    run = download_run(page, tmp_path)
    expect_same(probabilities(page, POSITION), python_probabilities(run))
    recorded = RunDirectory(run)
    assert recorded.notices() == []
    assert recorded.columns()["games"].tolist() == [50, 100]
    assert recorded.status().done == 100

    match = command("match", str(run), "random", "--games", "2")
    assert match.returncode == 0, match.stderr
    uci = command("uci", str(run), typed="position startpos\ngo nodes 1\nquit\n")
    assert "bestmove" in uci.stdout
    options = ["--set", "games=10", "--set", "games_per_iteration=10"]
    loaded = command(
        "train", "reinforce", "--load", str(run), "--run", "more", *options, cwd=tmp_path
    )
    assert loaded.returncode == 0, loaded.stderr


def test_a_run_of_the_command_line_goes_on_in_the_tab(page: Page, run: Path) -> None:
    newest = run / "checkpoints" / f"{RunDirectory(run).checkpoint().card.step:08d}"
    load(page, newest / "card.json", newest / "weights.safetensors")
    expect(page.get_by_text("it was trained on 30 games before")).to_be_visible()
    expect(page.get_by_role("switch", name="Value head")).to_be_checked()
    expect_same(probabilities(page, POSITION), python_probabilities(run))
    train(page, 10)
    assert games_played(page) == 40


DROP = """async ([name, base64]) => {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const about = { dataTransfer: transfer, bubbles: true, cancelable: true };
  const event = (kind) => new DragEvent(kind, about);
  document.body.dispatchEvent(event("dragover"));
  document.body.dispatchEvent(event("drop"));
}"""


def test_a_zip_archive_of_a_run_can_be_dropped(page: Page, run: Path, tmp_path: Path) -> None:
    """A compressed one, with all its checkpoints: the newest counts."""
    archive = Path(shutil.make_archive(str(tmp_path / "run"), "zip", run.parent, "run"))
    page.evaluate(DROP, ["run.zip", b64encode(archive.read_bytes()).decode()])
    expect(page.get_by_text("it was trained on 30 games before")).to_be_visible()
    expect_same(probabilities(page, POSITION), python_probabilities(run))


def broken(run: Path, **changed: bytes) -> FilePayload:
    """An archive of the newest checkpoint, with other contents."""
    newest = run / "checkpoints" / f"{RunDirectory(run).checkpoint().card.step:08d}"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("card.json", "weights.safetensors"):
            content = changed.get(name.split(".")[0], (newest / name).read_bytes())
            archive.writestr(f"run/{name}", content)
    return {"name": "run.zip", "mimeType": "application/zip", "buffer": buffer.getvalue()}


def test_damaged_and_foreign_files_are_refused_and_nothing_is_lost(page: Page, run: Path) -> None:
    train(page, 10)
    before = probabilities(page, POSITION)
    newest = run / "checkpoints" / "00000005"
    card = (newest / "card.json").read_bytes()
    weights = (newest / "weights.safetensors").read_bytes()
    whole = broken(run)["buffer"]
    picture = Path(__file__).parents[2] / "docs" / "pictures" / "lab-train.png"
    shipped = Path(selfmate.__file__).parent / "weights" / "alphazero-tiny" / "card.json"
    cases: list[tuple[list[Path | FilePayload], str]] = [
        ([picture], "lab-train.png is no checkpoint"),
        ([{"name": "a.zip", "mimeType": "", "buffer": b"PK nothing"}], "not a zip archive"),
        ([{"name": "a.zip", "mimeType": "", "buffer": whole[:-40]}], "zip archive"),
        ([newest / "card.json"], "weights.safetensors is missing"),
        ([newest / "weights.safetensors"], "There is no card.json"),
        ([broken(run, card=b"{not JSON")], "card.json is damaged"),
        ([broken(run, weights=weights[:-1] + b"?")], "weights.safetensors is damaged"),
        ([broken(run, weights=weights[:100])], "weights.safetensors is damaged"),
        ([shipped], "net of kind se_resnet"),
        ([broken(run, card=card.replace(b"768", b"999"))], "onehot"),
    ]
    for files, sentence in cases:
        load(page, *files)
        expect(page.get_by_role("alert").filter(has_text=sentence)).to_be_visible()
    assert games_played(page) == 10
    assert probabilities(page, POSITION) == before


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("Learning rate", "0"),
        ("Learning rate", "much"),
        ("Games per Train", "2.5"),
        ("Ply limit", "-1"),
        ("Temperature in play", "11"),
    ],
)
def test_a_number_that_cannot_be_is_refused_in_words(page: Page, field: str, typed: str) -> None:
    before = page.get_by_label(field).input_value()
    page.get_by_label(field).fill(typed)
    expect(page.get_by_text("It must be a")).to_be_visible()
    page.get_by_label(field).blur()
    expect(page.get_by_label(field)).to_have_value(before)


def with_worker(page: Page, before: str) -> None:
    """The page's worker begins with other code."""

    def changed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=f"{before};{answer.text()}")

    page.route("**/worker.js", changed)
    page.reload()


def test_a_browser_without_simd_is_told(browser: Browser, site: RunningLab) -> None:
    with tab(browser, site) as page:
        with_worker(page, "WebAssembly.validate = () => false")
        expect(page.get_by_role("alert")).to_contain_text("WebAssembly")


REFUSED = 'Object.defineProperty(self, "indexedDB", {get() { throw new Error("no") }})'
FULL = """IDBObjectStore.prototype.put = () => {
  throw new DOMException("full", "QuotaExceededError") }"""


@pytest.mark.parametrize(
    ("before", "why"), [(REFUSED, "refuses"), (FULL, "is full")], ids=["refused", "full"]
)
def test_without_storage_the_tab_says_so_and_goes_on(page: Page, before: str, why: str) -> None:
    with_worker(page, before)
    train(page, 10)
    expect(page.get_by_role("status").filter(has_text="is not stored")).to_contain_text(why)
    train(page, 10)
    assert games_played(page) == 20


def test_the_second_tab_does_not_overwrite_the_first(page: Page) -> None:
    train(page, 10)
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.get_by_text("open in another tab")).to_be_visible()
    train(second, 20)
    page.reload()
    expect(page.locator(".facts")).to_contain_text("10 games played")
