# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
COMPILED := $(foreach kind,pyx pxd h map,$(wildcard sspsim/*/*.$(kind) sspsim/*/*/*.$(kind))) setup.py pyproject.toml

.PHONY: run test lint examples bench screenshots clean

run: .venv/installed examples
	$(BIN)/sspsim run examples/build/Math003.ssp --step 0.1
	$(BIN)/sspsim plot Math003.results

test: .venv/installed-dev examples
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadfile

lint: .venv/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

examples: .venv/installed
	$(BIN)/python examples/build.py

bench: .venv/installed-dev examples
	for benchmark in benchmarks/[a-z]*.py; do $(BIN)/python $$benchmark || exit 1; done

screenshots: .venv/installed-dev examples
	$(BIN)/python docs/screenshots.py

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/installed: .venv/bin/python $(COMPILED)
	$(BIN)/python -m pip install --quiet --editable .
	$(BIN)/python -m compileall -q sspsim  # as other installations do, so that every start is quick
	touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --group dev  # not '.[dev]', which would compile again
	touch $@

clean:
	rm -rf .venv build examples/build *.egg-info *.results sspsim/*/*.so sspsim/*/*/*.so
