# `make demo` and `make test` work on a fresh machine with Python 3.11+ (with venv) and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.ready-dev
BENCH_VENV := .venv-bench
BENCH_READY := $(BENCH_VENV)/.ready
PEERS := "seqeval==1.2.2" "nervaluate==1.2.1" "seqscore==0.9.0" "udtools==0.2.9" "playwright>=1.45" "pyarrow>=14"

.PHONY: help demo test test-long check format docs picture bench bench-short clean

help:
	@echo "make demo       set everything up and score the bundled example"
	@echo "make test       set everything up and run the tests"
	@echo "make test-long  the tests that take minutes, and property tests with fresh random examples"
	@echo "make check      ruff and mypy"
	@echo "make docs       docs/definitions.md from the docstrings"
	@echo "make picture    docs/report.png, with chromium"
	@echo "make bench      speed, side by side with other tools (half an hour, 3 GB of disk)"
	@echo "make bench-short  the same in two minutes, without other tools"

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Evenhand needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $(READY)

$(DEV_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,arrow,dask,plot,remote,spacy,zstd]"
	@touch $(DEV_READY)

$(BENCH_READY): pyproject.toml Makefile
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable . $(PEERS)
	@touch $(BENCH_READY)

demo: $(READY)
	@$(BIN)/evenhand demo

test: $(DEV_READY)
	$(BIN)/python -m pytest -q -m "not long" -n auto --dist loadfile

test-long: $(DEV_READY)
	$(BIN)/python -m pytest -q -m "long or property" --hypothesis-profile=fresh -n auto --dist worksteal

check: $(DEV_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV_READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(DEV_READY)
	$(BIN)/python docs/build.py

picture: $(DEV_READY)
	$(BIN)/python docs/picture.py

bench: $(BENCH_READY)
	@$(BENCH_VENV)/bin/python benchmarks/run.py

bench-short: $(DEV_READY)
	@$(BIN)/python benchmarks/run.py --short

clean:
	rm -rf $(VENV) $(BENCH_VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build
