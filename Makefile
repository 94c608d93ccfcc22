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

DEMO ?= examples/nanogpt_mlp.mlir

.DEFAULT_GOAL := build
.PHONY: build check check-asan check-tsan check-exhaustive demo bench docs \
        install deps deps-minimal format clean help

help:
	@echo 'make build             the tools, the libraries and the plugin, in build/'
	@echo 'make demo              compile and run the example program on 4 virtual devices'
	@echo 'make check             build and run every test'
	@echo 'make check-asan        the same under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make check-tsan        the runtime and its tests under ThreadSanitizer'
	@echo 'make check-exhaustive  all pairs and placements; long'
	@echo 'make bench             the benchmarks; ratios on the terminal, JSON in build/bench.json'
	@echo 'make docs              the op, attribute and pass pages, in build/docs'
	@echo 'make install PREFIX=   an installed tree with ShardIRConfig.cmake'
	@echo 'make format            clang-format over what differs'

deps:
	@utils/install-deps.sh

deps-minimal:
	@utils/install-deps.sh --minimal

build: deps
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS)

check: build
	@$(PYTHON) utils/check-summary.py build

check-exhaustive: build
	@SHARDIR_EXHAUSTIVE=1 $(PYTHON) utils/check-summary.py build

check-asan: deps
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	@$(PYTHON) utils/check-summary.py build-asan

check-tsan: deps
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	@$(PYTHON) utils/check-summary.py build-tsan

# Builds only what one program needs to be compiled and run.
demo: deps-minimal
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS) --target shard-run shard-compile
	build/bin/shard-run $(DEMO) --verify --report=build/demo.json
	@$(PYTHON) utils/print-report.py build/demo.json

bench: build
	$(PYTHON) benchmarks/run.py --build=build --json=build/bench.json
	$(PYTHON) benchmarks/redistribution.py --build=build --json=build/redistribution.json
	$(PYTHON) benchmarks/collectives.py --build=build --json=build/collectives.json
	$(PYTHON) benchmarks/propagation.py --build=build --json=build/propagation.json

docs: deps
	cmake --preset dev
	cmake --build --preset dev -j $(JOBS) --target shardir-docs

install: build
	DESTDIR='$(DESTDIR)' cmake --install build --prefix '$(abspath $(PREFIX))'

format:
	@utils/format.sh

clean:
	rm -rf build build-asan build-tsan
