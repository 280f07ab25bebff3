"""The core in a browser: rules and REINFORCE in Chromium, beside the native core on one thread and
the same learner in JavaScript, with chess.js and TensorFlow.js on its WebAssembly backend."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import selfmate._core as core
from selfmate.learners.reinforce.config import Config
from selfmate_benchmarks import Go, Results, has_module, median_ratio, rates_by_round

if TYPE_CHECKING:
    from playwright.sync_api import Page

BUILT = Path(__file__).parents[2] / "build/wasm"  # by `make wasm`
TFJS = Path(__file__).parent / "peers" / "tfjs"
PACKAGES = TFJS / "node_modules"  # by `make bench`
TFJS_SCRIPTS = (
    PACKAGES / "@tensorflow/tfjs/dist/tf.min.js",
    PACKAGES / "@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js",
    TFJS / "reinforce.js",
)
TFJS_WASM = PACKAGES / "@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm"
CHESS_JS = PACKAGES / "chess.js/dist/esm/chess.js"
ROUNDS = 7
TFJS_ROUNDS, TFJS_GAMES = 3, 10  # it takes its time
PERFT_DEPTH, PERFT_NODES = 5, 4_865_609
PERFTS = 4  # per round
GAMES = 50
OPTIONS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
LOAD = """async ({ script, wasm, settings }) => {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: create } = await import(url);
  const wasmBinary = Uint8Array.from(atob(wasm), letter => letter.charCodeAt(0));
  window.core = await create({ wasmBinary, locateFile: name => name });
  window.learner = new core.Learner(settings);
}"""
LOAD_TFJS = """async ({ chess, wasm }) => {
  const url = URL.createObjectURL(new Blob([chess], { type: "text/javascript" }));
  const { Chess } = await import(url);
  const backend = `data:application/wasm;base64,${wasm}`;
  tf.wasm.setWasmPaths({
    "tfjs-backend-wasm.wasm": backend,
    "tfjs-backend-wasm-simd.wasm": backend,
    "tfjs-backend-wasm-threaded-simd.wasm": backend,
  });
  if (!await tf.setBackend("wasm")) throw new Error("no WebAssembly backend");
  window.tfjs = peer(tf, Chess);
}"""
PERFT = "([fen, depth, times]) => { for (let i = 0; i < times; ++i) core.perft(fen, depth); }"
ITERATE = "games => { learner.beginIteration(games); while (!learner.advance(1e9).done); }"


@contextmanager
def loaded_page() -> Iterator["Page | None"]:
    """A page of Chromium with the core and a learner; None if something for it is missing."""
    chromium = shutil.which("chromium")
    if chromium is None or not has_module("playwright") or not (BUILT / "core.wasm").exists():
        yield None
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        page = browser.new_page()
        settings = Config.model_validate({}).model_dump(mode="json")
        wasm = base64.b64encode((BUILT / "core.wasm").read_bytes()).decode()
        script = (BUILT / "core.js").read_text("utf-8")
        page.evaluate(LOAD, {"script": script, "wasm": wasm, "settings": settings})
        yield page
        browser.close()


def run() -> Results:
    with loaded_page() as page:
        return _rules(page) | _learning(page) | _beside_tfjs(page)


def _rules(page: "Page | None") -> Results:
    board = core.Board()

    def native() -> float:
        for _ in range(PERFTS):
            board.perft(PERFT_DEPTH)
        return PERFTS * PERFT_NODES

    def in_tab() -> float:
        assert page is not None
        page.evaluate(PERFT, [board.fen(), PERFT_DEPTH, PERFTS])
        return PERFTS * PERFT_NODES

    return _compared("perft_nodes_per_s", native, in_tab if page else None)


def _learning(page: "Page | None") -> Results:
    learner = core.Reinforce()

    def native() -> float:
        learner.iterate(GAMES)
        return GAMES

    def in_tab() -> float:
        assert page is not None
        page.evaluate(ITERATE, GAMES)
        return GAMES

    return _compared("reinforce_games_per_s", native, in_tab if page else None)


def _beside_tfjs(page: "Page | None") -> Results:
    key = "tab_reinforce_games_per_s_x_vs_tfjs"
    if page is None or not TFJS_WASM.exists():
        return {key: None}
    for script in TFJS_SCRIPTS:
        page.add_script_tag(path=script)
    wasm = base64.b64encode(TFJS_WASM.read_bytes()).decode()
    page.evaluate(LOAD_TFJS, {"chess": CHESS_JS.read_text("utf-8"), "wasm": wasm})

    def in_tab() -> float:
        page.evaluate(ITERATE, GAMES)
        return GAMES

    def by_tfjs() -> float:
        page.evaluate("games => tfjs.iterate(games)", TFJS_GAMES)
        return TFJS_GAMES

    rates = rates_by_round({"tab": in_tab, "tfjs": by_tfjs}, TFJS_ROUNDS)
    return {
        "tfjs_reinforce_games_per_s": max(rates["tfjs"]),
        key: median_ratio(rates["tab"], rates["tfjs"]),
    }


def _compared(unit: str, native: Go, in_tab: Go | None) -> Results:
    rates = rates_by_round({"native": native, "tab": in_tab}, ROUNDS)
    return {
        f"native_{unit}": max(rates["native"]),
        f"tab_{unit}": max(rates["tab"], default=None),
        f"tab_{unit}_x_vs_native": (
            median_ratio(rates["tab"], rates["native"]) if rates["tab"] else None
        ),
    }
