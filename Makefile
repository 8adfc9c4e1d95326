# Short names for what the scripts in tools/ do.
.DEFAULT_GOAL := help
.PHONY: help run run-firmware test check bench bench-peers tidy format coverage soak mutants fresh-clone clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: ## install what is missing, build Release, run the showcase
	tools/install.sh build
	cmake --preset showcase
	cmake --build --preset showcase
	build/showcase/examples/host/showcase

run-firmware: ## build the firmware examples for a Cortex-M3 and run them in QEMU
	tools/install.sh
	cmake --preset cortex-m3
	cmake --build --preset cortex-m3 --target run_firmware

test: ## install what is missing, then every stage of tools/ci.sh
	tools/ci.sh

check: ## what to run before pushing: format, layers, pairs, mutants, requirements, links, unit tests, tidy
	tools/install.sh
	tools/check.sh

bench: ## build and run the benchmarks
	tools/install.sh bench
	benchmarks/run.py

bench-peers: ## our actors beside those of the peers, in the same run
	tools/install.sh bench
	benchmarks/run.py --only peers

tidy: ## clang-tidy on all files
	tools/tidy.sh all

format: ## format all files
	tools/format.sh

coverage: ## line and branch coverage, in build/coverage/report
	tools/coverage.sh

soak: ## the showcase at full load for ten minutes, then long random, exhaustive and fuzz runs
	tools/soak.sh

mutants: ## break the code on purpose and see that a test notices
	tools/mutants.py run --all

fresh-clone: ## prove `make run` and `make test` on a bare Debian 12 (needs root)
	tools/fresh_machine.sh

clean: ## remove everything that was built
	rm -rf build
