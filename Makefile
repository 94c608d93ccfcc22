# A thin wrapper over the CMake presets: every target first installs what is
# missing, then configures and builds. `cmake --preset dev && cmake --build
# --preset dev` does the same by hand.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DESTDIR ?=
PYTHON ?= python3

# Any value of these in the environment wins. ccache treats a clone in another
# folder as the same sources.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export CCACHE_SLOPPINESS ?= time_macros,include_file_mtime,include_file_ctime,pch_defines

# For check-asan and check-tsan: what to build and to run, all of it unless given,
# as in TARGETS='--target shard-opt' TESTS=test/Stages.
TARGETS ?=
TESTS ?=

DEMO ?= examples/nanogpt_mlp.mlir

.DEFAULT_GOAL := build
PYTHON_ENV := build/venv

.PHONY: build check check-quick check-long check-asan check-tsan check-exhaustive check-python demo bench docs \
        wheel install deps deps-minimal format clean help

help:
	@echo 'make build             the tools, the libraries and the plugin, in build/'
	@echo 'make demo              compile and run the example program on 4 virtual devices'
	@echo 'make check             build, and run the tests of at most 8 seconds each'
	@echo 'make check-long        the others: what continuous integration runs beside them'
	@echo 'make check-quick       build, and run the tests that a change is tried with'
	@echo 'make check-asan        the same under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make check-tsan        the runtime and its tests under ThreadSanitizer'
	@echo 'make check-exhaustive  all pairs and placements; long'
	@echo 'make check-python      the Python package with PyTorch and JAX, in build/venv'
	@echo 'make wheel             a wheel that needs no LLVM packages, in build/wheel/'
	@echo 'make bench             the benchmarks; ratios on the terminal, JSON in build/bench.json'
	@echo 'make docs              the site, in build/site, with the op, attribute and pass pages'
	@echo 'make install PREFIX=   an installed tree with ShardIRConfig.cmake'
	@echo 'make format            clang-format over what differs'

deps:
	@utils/install-deps.sh

deps-minimal:
	@utils/install-deps.sh --minimal

build: deps
	@utils/python-env.sh $(PYTHON_ENV) || echo 'note: without NumPy and nanobind there is no Python package in build/'
	cmake --preset dev $$($(PYTHON_ENV)/bin/python -c 'import nanobind, numpy' 2>/dev/null && \
	  echo -DSHARDIR_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON_ENV)/bin/python)
	cmake --build --preset dev -j $(JOBS)

check: build
	@$(PYTHON) utils/check-summary.py build --except=test/long.txt

check-long: build
	@$(PYTHON) utils/check-summary.py build --list=test/long.txt

check-exhaustive: build
	@SHARDIR_EXHAUSTIVE=1 $(PYTHON) utils/check-summary.py build

check-quick: build
	@$(PYTHON) utils/check-summary.py build --list=test/quick.txt

check-asan: deps
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS) $(TARGETS)
	@$(PYTHON) utils/check-summary.py build-asan $(TESTS)

check-tsan: deps
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS) $(TARGETS)
	@$(PYTHON) utils/check-summary.py build-tsan $(TESTS)

check-python: deps
	@$(PYTHON) utils/check-python.py $(PYTHON_ENV) $(TESTS)

wheel: deps
	@$(PYTHON) utils/make-wheel.py $(PYTHON_ENV) build/wheel

# Builds the tools alone, at first without GPUs; `make build` adds the rest.
demo: PRESET = $(if $(wildcard build/lib/libShardIRGpuToHost.a),dev,demo)
demo: deps-minimal
	cmake --preset $(PRESET)
	cmake --build --preset $(PRESET) -j $(JOBS) --target shard-opt shard-run shard-compile
	build/bin/shard-run $(DEMO) --verify --report=build/demo.json
	@$(PYTHON) utils/print-report.py build/demo.json

bench: build
	$(PYTHON) benchmarks/run.py --build=build --json=build/bench.json
	$(PYTHON) benchmarks/redistribution.py --build=build --json=build/redistribution.json
	$(PYTHON) benchmarks/collectives.py --build=build --json=build/collectives.json
	$(PYTHON) benchmarks/overlap.py --build=build --json=build/overlap.json
	$(PYTHON) benchmarks/propagation.py --build=build --json=build/propagation.json
	-PYTHONPATH=build/python $(PYTHON_ENV)/bin/python benchmarks/overhead.py --json=build/overhead.json
	-PYTHONPATH=build/python $(PYTHON_ENV)/bin/python benchmarks/models.py --json=build/models.json

docs: deps
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS) --target shardir-docs
	@$(PYTHON) utils/build-site.py

install: build
	DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(abspath $(PREFIX))'

format:
	@utils/format.sh

clean:
	rm -rf build build-asan build-python build-tsan
