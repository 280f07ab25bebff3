# One word per job. `make demo` and `make test` set everything up themselves and, run again, only
# do what is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PAGE := src/selfmate/lab/page
CORE := CMakeLists.txt pyproject.toml constraints.txt $(shell find core $(PAGE) -name node_modules -prune -o -type f -print)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
TSC = cd $(PAGE) && node_modules/.bin/tsc --noEmit
CXX_FILES = $(shell find core tests -name '*.cpp' -o -name '*.h')

.PHONY: demo test lint bench docs page browser fuzz sanitize slow soak clean help

help:  ## what can be made
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.installed  ## see it work, from nothing
	$(BIN)/selfmate demo

test: $(VENV)/.test-tools browser  ## lint, then all tests
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

docs: $(VENV)/.test-tools  ## draw again: stub, page types and encodings that tests keep true, the pictures
	SELFMATE_UPDATE_GOLDEN=1 $(BIN)/python -m pytest tests/golden
	$(BIN)/python scripts/draw_demo.py
	$(BIN)/python scripts/draw_lab.py

page: $(VENV)/.installed  ## check and bundle the lab's page anew, also for a lab that runs
	$(TSC)
	cd $(PAGE) && node build.mjs "$$($(CURDIR)/$(BIN)/python -c 'from selfmate.lab.app import page_folder as f; print(f())')"

# The page is tested in Chromium; where it cannot be installed, those tests are skipped.
browser:
	@if ! command -v chromium && command -v apt-get && [ "$$(id -u)" = 0 ]; then \
	  apt-get update && apt-get install -y chromium; fi >/dev/null 2>&1 || true

fuzz: $(VENV)/.test-tools  ## ten million positions against python-chess, a million through the codings, Chess960
	SELFMATE_FUZZ_POSITIONS=10000000 $(BIN)/python -m pytest -n auto tests/oracle/test_rules.py
	SELFMATE_FUZZ_POSITIONS=1000000 $(BIN)/python -m pytest -n auto tests/oracle --ignore=tests/oracle/test_chess960.py
	SELFMATE_FUZZ_POSITIONS=100000 $(BIN)/python -m pytest -n auto tests/oracle/test_chess960.py

sanitize: $(VENV)/.test-tools  ## the core's tests under address and undefined-behaviour sanitizers
	tests/sanitize.sh $(BIN)/python

slow: $(VENV)/.test-tools  ## the core with other compilers, warnings as errors, and for aarch64
	tests/slow.sh $(BIN)/python

soak: $(VENV)/.test-tools  ## every learner killed at twenty random moments, and resumed
	SELFMATE_KILLS=20 $(BIN)/python -m pytest -n auto tests/contracts/test_kills.py

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
	$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.test-tools: $(VENV)/.installed
	@echo "installing what tests need ..."
	$(PIP) --no-build-isolation --editable '.[test]'
	@touch $@

$(VENV)/.bench-tools: $(VENV)/.installed
	$(PIP) --no-build-isolation --editable '.[bench]'
	@touch $@
