# make install         what everything else needs, into .venv
# make demo            export and simulate examples/fourbar; show verdicts, gaps and pictures
# make test            install what is needed; lint, type check, import rules, every test
# make test-fast       the same without PartCAD's sandbox and the slowest cases, in three minutes
# make test-consumers  load the exported examples in MuJoCo, Pinocchio, Drake and Newton, run what needs
#                      MuJoCo with the line of it before 4, and print what each made of each format
# make test-physx      the same in PhysX too: installs 1.1 GB under NVIDIA's licence for Omniverse
# make bench           closures and feed-forward against the papers' figures, generated code against
#                      its peers, accelerations against fifty digits, in fifteen minutes; then
#                      times of exports and of all formats

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
CONSUMERS := .venv-consumers
# Consumers that cannot be in one environment with others: extra `consumers-NAME` in `.venv-NAME`.
APART := .venv-usd .venv-newton .venv-converters $(if $(RC_PHYSX),.venv-physx)

# What MuJoCo 4 reads as MuJoCo 3 does.
MUJOCO_TESTS.venv-usd := tests/consumers/test_mujoco.py tests/consumers/test_urdf_mujoco.py

.PHONY: install demo test test-fast test-consumers test-physx lint exports bench clean

install: .venv/installed

demo: .venv/installed
	@$(BIN)/python tools/demo.py

test: lint
	@$(BIN)/pytest -q -n 2 -m "not partcad"
	@$(BIN)/pytest -q -m partcad; status=$$?; $(BIN)/python tools/pc.py stop; exit $$status

test-fast: lint
	@$(BIN)/pytest -q -n 2 -m "not partcad and not thorough"

lint: .venv/installed
	@$(BIN)/ruff check -q
	@$(BIN)/ruff format -q --check
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > build/imports.log || { cat build/imports.log; exit 1; }

exports: .venv/installed
	@$(BIN)/python tools/export_examples.py build/exports

# Runs tests in an environment, its output in build; `status` keeps that any failed.
define consume
$(1)/bin/pytest -q -rs -c tests/consumers/pytest.ini $(2) > build/$(1).log 2>&1 || status=1; \
	echo "$(1):"; grep -v "^WARNING:drake" build/$(1).log;
endef

test-consumers: exports $(CONSUMERS)/installed $(APART:=/installed)
	@rm -rf build/matrix; status=0; \
	$(call consume,$(CONSUMERS),tests/consumers/test_*.py tests/simulate \
	    tests/write/mjcf/test_mjcf.py tests/write/mjcf/test_mjcf_loops.py) \
	$(call consume,.venv,tests/consumers/validation) \
	$(foreach env,$(APART),$(call consume,$(env),tests/consumers/$(env:.venv-%=%) $(MUJOCO_TESTS$(env)))) \
	$(BIN)/python tools/matrix.py build/matrix || status=1; exit $$status

test-physx:
	@$(MAKE) test-consumers RC_PHYSX=1

bench: exports $(CONSUMERS)/installed
	@status=0; \
	for run in "$(BIN) closure" "$(CONSUMERS)/bin generated" "$(CONSUMERS)/bin dynamics" \
	    "$(BIN) feed_forward" "$(BIN) ledger" "$(CONSUMERS)/bin accuracy" "$(BIN) export" \
	    "$(BIN) formats"; do \
	    set -- $$run; $$1/python benchmarks/$$2.py || status=1; \
	done; exit $$status

.venv/installed: pyproject.toml
	@echo "Installing .venv (once, one to three minutes) ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check -e '.[dev,simulate,partcad]'
	@mkdir -p build && touch $@

$(CONSUMERS)/installed: pyproject.toml
	@echo "Installing $(CONSUMERS) (once, one to three minutes) ..."
	@$(PYTHON) -m venv $(CONSUMERS)
	@$(CONSUMERS)/bin/pip install -qq --disable-pip-version-check -e '.[consumers]'
	@touch $@

.venv-%/installed: pyproject.toml
	@echo "Installing .venv-$* (once, one to three minutes) ..."
	@$(PYTHON) -m venv .venv-$*
	@.venv-$*/bin/pip install -qq --disable-pip-version-check -e '.[consumers-$*]'
	@touch $@

clean:
	rm -rf build .venv $(CONSUMERS) .venv-usd .venv-newton .venv-converters .venv-physx .partcad
