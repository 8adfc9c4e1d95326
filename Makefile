# Short names for what the scripts in tools/ do.
.DEFAULT_GOAL := help
.PHONY: help run run-firmware test verify verify-all lint bench bench-peers format soak fresh-clone clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: ## install what is missing, build the showcase, run it
	tools/install.sh build
	cmake --preset showcase
	cmake --build --preset showcase
	build/showcase/examples/host/showcase

run-firmware: ## build the firmware examples for a Cortex-M3 and run them in QEMU
	tools/install.sh verify
	cmake --preset cortex-m3
	cmake --build --preset cortex-m3 --target run_firmware

test: ## install what is missing, build Release, run unit tests, whole systems, properties, examples
	tools/ci.sh test

verify: ## after make test: whether a change may land: sanitizers, models, boards, lint, figures and more
	tools/ci.sh verify

verify-all: ## everything else, for hours; the results go to docs/verify-all.md
	tools/ci.sh verify-all

lint: ## format, checkers, and clang-tidy on what you changed
	tools/install.sh verify
	tools/ci.sh lint

bench: ## build and run the benchmarks
	tools/install.sh bench
	benchmarks/run.py

bench-peers: ## our actors beside those of the peers, in the same run
	tools/install.sh bench
	benchmarks/run.py --only peers

format: ## format all files
	tools/format.sh

soak: ## everything at once and the showcase at full load, ten minutes each, then long random, exhaustive and fuzz runs
	tools/soak.sh

fresh-clone: ## prove `make run` and `make test` on a bare Debian 12 (needs root)
	tools/fresh_machine.sh

clean: ## remove everything that was built
	rm -rf build
