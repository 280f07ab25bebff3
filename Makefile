# One word per job. `make demo` and `make test` set everything up themselves and, run again, only
# do what is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := src/selfmate/lab/page
CORE := CMakeLists.txt pyproject.toml constraints.txt $(shell find core $(PAGE) -name node_modules -prune -o -type f -print)
TFJS := benchmarks/selfmate_benchmarks/peers/tfjs
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
TSC = cd $(PAGE) && node_modules/.bin/tsc --noEmit
CXX_FILES = $(shell find core tests -name '*.cpp' -o -name '*.h')

.PHONY: demo test lint bench docs docs-site page site wasm browser fuzz sanitize slow soak clean help

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.installed  ## see it work, from nothing
	$(BIN)/selfmate demo

test: $(VENV)/.test-tools browser site docs-site  ## lint, then all tests
	@$(MAKE) --no-print-directory lint
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.test-tools  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	@if [ -e $(PAGE)/node_modules/.bin/tsc ]; then $(TSC); else echo "no Node.js: the page is not checked"; fi

bench: $(VENV)/.bench-tools  ## speed beside our peers
	$(BIN)/selfmate bench

docs: $(VENV)/.test-tools site  ## draw again: stub, page types, encodings and notebooks that tests keep true, the pictures
	SELFMATE_UPDATE_GOLDEN=1 $(BIN)/python -m pytest tests/golden
	$(BIN)/python scripts/draw_demo.py
	$(BIN)/python scripts/draw_lab.py
	$(BIN)/python scripts/draw_tab.py

# Strict: a dead link, or a page that is in no menu, is an error.
docs-site: $(VENV)/.test-tools  ## the documentation as a site, in build/docs-site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

page: $(VENV)/.installed  ## check and bundle the lab's page anew, also for a lab that runs
	$(TSC)
	cd $(PAGE) && node build.mjs "$$($(CURDIR)/$(BIN)/python -c 'from selfmate.lab.app import page_folder as f; print(f())')"

site: $(VENV)/.installed wasm  ## Selfmate in a tab: a static page that learns by itself, in site
	@if [ -e build/wasm/core.wasm ] && [ -e $(PAGE)/node_modules ]; then \
	  node $(PAGE)/build.mjs site build/wasm; else echo "no Emscripten or no Node.js: no site"; fi

# Debian's Emscripten looks for its packages of Node.js only where NODE_PATH says.
wasm: $(VENV)/.tools browser  ## the core for browsers, by Emscripten, in build/wasm
	@if command -v emcmake >/dev/null; then export NODE_PATH=/usr/share/nodejs && \
	  emcmake $(BIN)/cmake -S core/wasm -B build/wasm -G Ninja -DCMAKE_BUILD_TYPE=Release \
	    -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja >/dev/null && $(BIN)/cmake --build build/wasm; \
	else echo "no Emscripten: the core is not built for browsers"; fi

# The page is tested in Chromium, and the core for browsers needs Emscripten; where they cannot be
# installed, those tests are skipped.
browser:
	@if ! { command -v chromium && command -v emcmake; } && command -v apt-get && [ "$$(id -u)" = 0 ]; \
	  then apt-get update && apt-get install -y chromium emscripten node-acorn; \
	  fi >/dev/null 2>&1 || true

fuzz: $(VENV)/.test-tools  ## ten million positions against python-chess, a million through the codings, Chess960
	SELFMATE_FUZZ_POSITIONS=10000000 $(BIN)/python -m pytest -n auto tests/oracle/test_rules.py
	SELFMATE_FUZZ_POSITIONS=1000000 $(BIN)/python -m pytest -n auto tests/oracle --ignore=tests/oracle/test_chess960.py
	SELFMATE_FUZZ_POSITIONS=100000 $(BIN)/python -m pytest -n auto tests/oracle/test_chess960.py

sanitize: $(VENV)/.test-tools  ## the core's tests under address and undefined-behaviour sanitizers
	tests/sanitize.sh $(BIN)/python

slow: $(VENV)/.test-tools site  ## the core with other compilers, warnings as errors, and for aarch64; long trainings, also in a tab
	tests/slow.sh $(BIN)/python
	SELFMATE_SLOW=1 $(BIN)/python -m pytest -n auto tests/learning
	SELFMATE_TAB_GAMES=10000 SELFMATE_TAB_MINUTES=5 $(BIN)/python -m pytest tests/page/test_tab.py -k "memory or minutes"

soak: $(VENV)/.test-tools  ## every learner killed at twenty random moments, and resumed; fifty cycles on a cluster
	SELFMATE_KILLS=20 $(BIN)/python -m pytest -n auto tests/contracts/test_kills.py
	SELFMATE_RAY_SOAK=1 $(BIN)/python -m pytest tests/cluster

clean:  ## forget the build and the environment
	rm -rf $(VENV) build

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.tools: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP) scikit-build-core nanobind setuptools cmake ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(CORE)
	@echo "building the core and installing (a minute the first time) ..."
	$(PIP) --no-build-isolation --editable '.[train]'
	@touch $@

$(VENV)/.test-tools: $(VENV)/.installed
	@echo "installing what tests need ..."
	$(PIP) --no-build-isolation --editable '.[test]'
	@touch $@

$(VENV)/.bench-tools: $(VENV)/.installed $(TFJS)/package-lock.json
	$(PIP) --no-build-isolation --editable '.[bench]'
	@if command -v npm >/dev/null; then npm ci --prefix $(TFJS) --ignore-scripts --no-audit --no-fund --loglevel=error; \
	else echo "no Node.js: the tab is not raced with TensorFlow.js"; fi
	@touch $@
