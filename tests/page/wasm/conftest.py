"""The core in WebAssembly, as a page of a real browser loads it."""

import base64
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "src/selfmate/lab/page"
BUILT = ROOT / "build/wasm"


@dataclass(frozen=True)
class TabCore:
    """`core` is a Core of core.ts, and a variable of every script."""

    page: Page

    def run(self, script: str, argument: object = None) -> Any:
        """What a script of statements returns. It sees `core` and its argument, `given`."""
        return self.page.evaluate(f"given => {{ const core = window.core; {script} }}", argument)


@pytest.fixture(scope="session")
def core_script(tmp_path_factory: pytest.TempPathFactory) -> str:
    if not (BUILT / "core.wasm").exists():
        pytest.skip("there is no core for browsers: apt install emscripten node-acorn; make wasm")
    esbuild = PAGE / "node_modules/.bin/esbuild"
    if not esbuild.exists():
        pytest.skip("the page's tools are not installed: there is no Node.js")
    out = tmp_path_factory.mktemp("core") / "core.js"
    glue = f"--alias:selfmate-core={BUILT / 'core.js'}"
    options = ("--bundle", "--format=iife", "--global-name=selfmate", "--log-level=warning")
    entry = PAGE / "src/tab/core.ts"
    subprocess.run([esbuild, entry, *options, glue, f"--outfile={out}"], cwd=PAGE, check=True)
    return out.read_text("utf-8")


@pytest.fixture(scope="module")
def core(browser: Browser, core_script: str) -> Iterator[TabCore]:
    page = browser.new_page()
    page.add_script_tag(content=core_script)
    wasm = base64.b64encode((BUILT / "core.wasm").read_bytes()).decode()
    page.evaluate(
        """async text => {
          const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
          window.core = await selfmate.loadCore(bytes);
        }""",
        wasm,
    )
    yield TabCore(page)
    page.close()
