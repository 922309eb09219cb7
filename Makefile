# Everything a developer or a CI machine does here is a target of this file; `make help` lists them.
# Needed: make, and a python3 >= 3.11 with venv. `make setup PYTHON=python3.12` picks another Python.

PYTHON ?= python3
ARGS   ?=
# `make test` has a process for each core; a part that is named by its path begins sooner in one.
WORKERS = $(if $(findstring tests/,$(ARGS)),,-n logical --maxprocesses 8 --dist worksteal)

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
QUIET := --disable-pip-version-check --quiet
PIP   := $(BIN)/python -m pip $(QUIET)

DOCUMENTS := openapi/openapi.json openapi/bot.yaml

TYPED := baohuang.api baohuang.engine baohuang.learn baohuang.scheduler baohuang.migrations
UV_COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--no-emit-find-links --python-version 3.11 --custom-compile-command 'make lock'

.DEFAULT_GOAL := help
.PHONY: help setup demo test foreign lint openapi-lint typing openapi clients clients-test migrate bench soak lock build clean

help:  ## Show this list
	@echo 'Baohuang Arena. Usage: make TARGET [ARGS="…"] [PYTHON=python3.12]'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP)  ## Install the locked dependencies and the project itself into .venv
	@echo 'Ready: $(BIN)/baohuang'

$(STAMP): requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"Python 3.11 or newer is needed, {sys.executable} is {sys.version.split()[0]}")'
	@test -x $(BIN)/python || { echo 'Creating $(VENV)'; $(PYTHON) -m venv $(VENV); }
	@echo 'Installing the locked dependencies (a minute the first time)'
	@$(PIP) install --require-hashes -r requirements-dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP)  ## Play a whole tournament with five sample bots, then keep serving (ARGS=--once: end)
	@$(BIN)/baohuang demo $(ARGS)

test: $(STAMP)  ## Run the tests on all cores (ARGS is passed to pytest; a path in it: on one)
	@$(BIN)/python -m pytest $(WORKERS) $(ARGS)

foreign: $(VENV)/.browser .ci/webhooks/node_modules/.installed .ci/pages/node_modules/.installed  ## Run the tests that need node, npm, perl and Chromium: starter agents, the npm library for signatures, the pages
	@$(BIN)/python -m pytest -m foreign tests/examples tests/api/remote tests/api/pages tests/browser $(ARGS)

$(VENV)/.browser: requirements-browser.txt $(STAMP)
	@$(PIP) install --require-hashes -r requirements-browser.txt
	@touch $@

lint: $(STAMP)  ## Check style, format and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

openapi-lint: .ci/openapi/node_modules/.installed  ## Check the OpenAPI documents with Spectral and Redocly (needs npm)
	.ci/openapi/node_modules/.bin/spectral lint --fail-severity=hint --ruleset .ci/openapi/spectral.yaml $(DOCUMENTS)
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true .ci/openapi/node_modules/.bin/redocly lint --config .ci/openapi/redocly.yaml $(DOCUMENTS)

.ci/%/node_modules/.installed: .ci/%/package-lock.json
	@command -v npm >/dev/null || { echo 'npm is missing: install it (Debian: npm and nodejs); .ci/run does'; exit 1; }
	@npm ci --prefix .ci/$* --no-audit --no-fund --loglevel=error
	@touch $@

typing: $(STAMP)  ## Check the types (mypy --strict)
	@mkdir -p build/typing && ln -sfn ../.. build/typing/baohuang
	$(BIN)/mypy $(TYPED:%=-p %)

openapi: $(STAMP)  ## Write openapi/openapi.json from the code
	@$(BIN)/baohuang openapi --output openapi/openapi.json $(ARGS)

clients: $(STAMP) .ci/clients/node_modules/.installed  ## Make the Python and the TypeScript client from openapi.json in build/clients (needs npm)
	@rm -rf build/clients
	@PYTHON=$(BIN)/python .ci/clients/make python build/clients/python
	@.ci/clients/make typescript build/clients/typescript

clients-test: clients  ## Play a whole tournament through each client (needs npm and node)
	@$(BIN)/python -m pytest -m "foreign or not foreign" tests/clients $(ARGS)

migrate: $(STAMP)  ## Bring the database of DATABASE_URL up to date
	@$(BIN)/baohuang db upgrade $(ARGS)

bench: build/bench/.installed  ## Measure, side by side with peer libraries in an environment of their own
	@build/bench/bin/baohuang bench $(ARGS)

build/bench/.installed: requirements-bench.txt pyproject.toml
	@test -x build/bench/bin/python || $(PYTHON) -m venv build/bench
	@echo 'Installing the peers into build/bench'
	@build/bench/bin/python -m pip $(QUIET) install --require-hashes -r requirements-bench.txt
	@build/bench/bin/python -m pip $(QUIET) install --no-deps --editable .
	@touch $@

soak: $(STAMP)  ## Play for a long time and watch memory, faults and leases
	@$(BIN)/python -m pytest -m soak $(ARGS)

lock:  ## Resolve the dependencies of pyproject.toml anew into requirements*.txt (ARGS=--upgrade: newest)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install 'uv>=0.9'
	$(UV_COMPILE) pyproject.toml --all-extras --output-file requirements-dev.txt $(ARGS)
	$(UV_COMPILE) pyproject.toml --constraints requirements-dev.txt --output-file requirements.txt
	$(UV_COMPILE) pyproject.toml --constraints requirements-dev.txt --group peers --output-file requirements-bench.txt
	$(UV_COMPILE) --constraints requirements-dev.txt --group browser --output-file requirements-browser.txt

build: $(STAMP)  ## Build the wheel into dist/
	@rm -rf dist
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

clean:  ## Remove everything that was made here, .venv too
	@rm -rf $(VENV) .ci/*/node_modules build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
