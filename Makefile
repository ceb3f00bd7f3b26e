# Every target works in a fresh clone on a machine with make and Python 3.11 or newer (with venv).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.ready-dev
BENCH_VENV := .venv-bench
BENCH_READY := $(BENCH_VENV)/.ready
PEERS := "seqeval==1.2.2" "nervaluate==1.2.1" "seqscore==0.9.0" "udtools==0.2.9" "stickler-eval==1.0.0" "anls-star==1.0.1" "scipy>=1.15" "playwright>=1.45" "pyarrow>=14"
INTEGRATIONS_VENV := .venv-integrations
INTEGRATIONS_READY := $(INTEGRATIONS_VENV)/.ready
# A pinned version keeps the environment reproducible. A build without CUDA (such as 2.13.0+cpu) also fits this version,
# and pip prefers it where the package index has one; `make TORCH=torch` takes the latest.
TORCH ?= torch==2.13.0
TOOLS := accelerate datasets evaluate ipykernel lightning nbconvert scikit-learn $(TORCH) torchmetrics transformers "hypothesis>=6.150" "pytest>=8" "pandas>=2.2.2" "polars>=1.0"
LOWEST_VENV := .venv-lowest
LOWEST := $(shell sed -n 's/^dependencies = \[\(.*\)\]/\1/p' pyproject.toml | sed 's/>=/==/g; s/,//g')
# The tests need these as well, also in their lowest versions. They use click's separate standard error, new in 8.2.
LOWEST_TOOLS := "click==8.2.0" "matplotlib==3.9" "pandas==2.2.2" "scipy==1.15" "hypothesis>=6.150" "pytest>=8" "pytest-xdist>=3.8"
RELEASE_VENV := .venv-release
# Pinned, because the bytes of a wheel depend on the versions that build it.
RELEASE_TOOLS := "build==1.6.1" "check-wheel-contents==0.6.3" "hatchling==1.33.0" "twine==7.0.0"
SITE_VENV := .venv-site
SITE_READY := $(SITE_VENV)/.ready
SPHINX := "sphinx>=9.0" "myst-parser>=5.2" "pydata-sphinx-theme>=0.23" "sphinx-copybutton>=0.5.2" "pandas>=2.2.2" "playwright>=1.45"
QUALITY_VENV := .venv-quality
QUALITY_READY := $(QUALITY_VENV)/.ready
FUZZ_READY := $(QUALITY_VENV)/.ready-fuzz
QUALITY := "coverage>=7.13" "cosmic-ray>=8.7"
# atheris has wheels for Linux and CPython 3.11 to 3.13.
FUZZER := "atheris>=3.0"
N ?= 1000
SEED ?= 0
MINUTES ?= 30
TESTS ?= tests
PYTEST := $(BIN)/python -m pytest -q
# Without cached byte code, every process of the tests compiles all modules again, which takes half of its time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-fast test-long test-integrations test-lowest coverage mutants fuzz golden check check-extras format docs site picture bench bench-shapes bench-short release-check clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /make \1@/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "%-24s%s\n", $$1, $$2 }'

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Evenhand needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $(READY)

$(DEV_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,arrow,dask,excel,plot,remote,spacy,zstd]"
	@touch $(DEV_READY)

$(BENCH_READY): pyproject.toml Makefile
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable . $(PEERS)
	@touch $(BENCH_READY)

$(INTEGRATIONS_READY): pyproject.toml Makefile
	$(PYTHON) -m venv $(INTEGRATIONS_VENV)
	$(INTEGRATIONS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[arrow,plot,spacy]" $(TOOLS)
	@touch $(INTEGRATIONS_READY)

$(SITE_READY): pyproject.toml Makefile
	$(PYTHON) -m venv $(SITE_VENV)
	$(SITE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[plot]" $(SPHINX)
	@touch $(SITE_READY)

$(QUALITY_READY): pyproject.toml Makefile
	$(PYTHON) -m venv $(QUALITY_VENV)
	$(QUALITY_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[dev,arrow,dask,excel,plot,remote,spacy,zstd]" $(QUALITY)
	@touch $(QUALITY_READY)

$(FUZZ_READY): $(QUALITY_READY)
	$(QUALITY_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(FUZZER)
	@touch $(FUZZ_READY)

demo: $(READY)  ## score three systems on the bundled example
	@$(BIN)/evenhand demo

test: $(DEV_READY)  ## run the tests
	$(PYTEST) -m "not long and not heavy" -n auto --dist loadfile --no-loadscope-reorder

test-fast: $(DEV_READY)  ## the fast tests: half a minute on two cores, for every change
	$(PYTEST) -m "not long and not heavy and not property" --fast -n auto --dist loadfile --no-loadscope-reorder --durations 3

test-long: $(DEV_READY)  ## the slow tests, and property tests with new random examples
	$(PYTEST) -m "long or property" --hypothesis-profile=fresh -n auto --dist worksteal

test-integrations: $(INTEGRATIONS_READY)  ## the tests with datasets, evaluate, transformers, … (separate environment)
	HF_HUB_OFFLINE=1 $(INTEGRATIONS_VENV)/bin/python -m pytest -q -m heavy

test-lowest:  ## every example and the fast tests with the lowest supported versions (Python 3.11 or 3.12)
	$(PYTHON) -m venv --clear $(LOWEST_VENV)
	$(LOWEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(LOWEST) .
	for task in $$($(LOWEST_VENV)/bin/python -c 'from evenhand.tasks.registry import TASKS; print(*TASKS)'); do \
	  echo "evenhand demo --task $$task"; $(LOWEST_VENV)/bin/evenhand demo --task $$task >/dev/null || exit 1; done
	$(LOWEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(LOWEST_TOOLS) $(filter-out "click%,$(LOWEST))
	@# old versions of one package use deprecated functions of another
	$(LOWEST_VENV)/bin/python -m pytest -q -m "not long and not heavy and not property" --fast -n auto --dist loadfile -W ignore::DeprecationWarning

coverage: $(QUALITY_READY)  ## coverage of lines and branches by room; fails below the thresholds (TESTS=tests)
	rm -rf build/coverage
	$(QUALITY_VENV)/bin/coverage run -m pytest -q -m "not long and not heavy" -n auto --dist loadfile --no-loadscope-reorder $(TESTS) || touch build/coverage/failed
	@$(QUALITY_VENV)/bin/coverage combine --quiet
	@$(QUALITY_VENV)/bin/coverage json --quiet -o build/coverage/coverage.json
	@$(QUALITY_VENV)/bin/python tests/quality/rooms.py
	@test ! -e build/coverage/failed

mutants: $(QUALITY_READY)  ## change the code of the judged rooms at random and count what the tests notice (N=1000 SEED=0)
	@$(QUALITY_VENV)/bin/python tests/quality/mutants.py --number $(N) --seed $(SEED) $(if $(filter-out tests,$(TESTS)),--tests $(TESTS)) $(if $(AGAIN),--again)

fuzz: $(FUZZ_READY)  ## coverage-guided fuzzing, for some minutes per target (MINUTES=30 TARGET=name)
	@$(QUALITY_VENV)/bin/python tests/fuzz/guided.py --minutes $(MINUTES) $(if $(TARGET),--target $(TARGET))

golden: $(DEV_READY)  ## update golden files and the output shown in docs; then read the diff
	$(PYTEST) --renew-golden
	git diff --stat

check: $(DEV_READY)  ## ruff and mypy, including the public types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/public_types.py

check-extras: $(DEV_READY)  ## check that pip can install every extra on every supported Python (needs the network)
	$(BIN)/python tests/check_extras.py

format: $(DEV_READY)  ## format the code and apply ruff's fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(DEV_READY)  ## write docs/reference/definitions from the docstrings
	$(BIN)/python docs/build.py

site: $(SITE_READY)  ## build the site from docs/ in build/site/html; fails on warnings and dead links
	@$(SITE_VENV)/bin/python docs/website/build.py

picture: $(DEV_READY)  ## draw docs/report.png with chromium
	$(BIN)/python docs/picture.py

bench: $(BENCH_READY)  ## compare the speed with other tools (an hour, 3 GB of disk)
	@$(BENCH_VENV)/bin/python benchmarks/run.py

bench-shapes: $(BENCH_READY)  ## the same for one text in twenty file layouts (half an hour)
	@$(BENCH_VENV)/bin/python benchmarks/shapes.py

bench-short: $(DEV_READY)  ## a benchmark of two minutes, without other tools
	@$(BIN)/python benchmarks/run.py --short

release-check:  ## everything about a release except publishing (Python 3.11 or 3.12); TAG=v1.2.3 checks the tag
	$(PYTHON) -m venv --clear $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check $(RELEASE_TOOLS)
	$(RELEASE_VENV)/bin/python tools/release.py $(if $(TAG),--tag $(TAG))

clean:  ## remove environments and caches
	rm -rf $(VENV) $(BENCH_VENV) $(INTEGRATIONS_VENV) $(LOWEST_VENV) $(QUALITY_VENV) $(RELEASE_VENV) $(SITE_VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build
