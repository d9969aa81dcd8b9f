# make demo            export and simulate examples/fourbar, show verdicts, gaps and pictures
# make test            install what is needed; lint, type check, import rules, every test
# make test-fast       the same without PartCAD's sandbox
# make test-consumers  load the exported examples in MuJoCo, Pinocchio and Drake
# make bench           the timings, each against a peer in the same run

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
CONSUMERS := .venv-consumers
EXAMPLES := $(notdir $(wildcard examples/*))

# PartCAD's home, sandbox and caches stay in one folder of the checkout. Moving HOME hides pip's
# own configuration, so that is handed on.
STATE := $(CURDIR)/.partcad
PC_ENV := HOME=$(STATE)/home PC_INTERNAL_STATE_DIR=$(STATE)/state PC_TELEMETRY_TYPE=none \
	PC_PYTHON_SANDBOX=venv PC_OFFLINE=1 \
	PIP_CONFIG_FILE=$(firstword $(PIP_CONFIG_FILE) $(wildcard $(HOME)/.config/pip/pip.conf) $(wildcard $(HOME)/.pip/pip.conf)) \
	PATH=$(CURDIR)/$(BIN):$(PATH)

.PHONY: demo test test-fast test-consumers lint exports bench clean

demo: $(VENV)/installed
	@mkdir -p $(STATE)/home $(STATE)/state
	@$(PC_ENV) $(BIN)/python tools/demo.py; status=$$?; $(PC_ENV) pc daemon stop --all >/dev/null 2>&1; exit $$status

test: lint
	@mkdir -p $(STATE)/home $(STATE)/state
	@$(PC_ENV) $(BIN)/pytest -q; status=$$?; $(PC_ENV) pc daemon stop --all >/dev/null 2>&1; exit $$status

test-fast: lint
	@$(BIN)/pytest -q -m "not partcad"

lint: $(VENV)/installed
	@$(BIN)/ruff check -q
	@$(BIN)/ruff format -q --check
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > build/imports.log || { cat build/imports.log; exit 1; }

exports: $(VENV)/installed
	@mkdir -p $(STATE)/home $(STATE)/state
	@$(PC_ENV) $(BIN)/python tools/export_examples.py build/exports; status=$$?; $(PC_ENV) pc daemon stop --all >/dev/null 2>&1; exit $$status

test-consumers: exports $(CONSUMERS)/installed
	@RC_EXPORTS=$(CURDIR)/build/exports $(CONSUMERS)/bin/pytest -q tests/consumers

bench: $(VENV)/installed
	@$(PC_ENV) $(BIN)/python benchmarks/export.py; status=$$?; $(PC_ENV) pc daemon stop --all >/dev/null 2>&1; exit $$status

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[dev,simulate,partcad]'
	@mkdir -p build && touch $@

$(CONSUMERS)/installed: pyproject.toml
	@$(PYTHON) -m venv $(CONSUMERS)
	@$(CONSUMERS)/bin/pip install -q --disable-pip-version-check -e '.[consumers]'
	@touch $@

clean:
	rm -rf build $(VENV) $(CONSUMERS) .partcad
