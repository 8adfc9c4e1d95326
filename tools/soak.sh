#!/usr/bin/env bash
# The long form of the random and exhaustive tests, and of the showcase; TACTOR_SOAK_SECONDS for the showcase, for everything at
# once, and for each fuzz target (default 600). `tools/soak.sh showcase` runs only the showcase, `tools/soak.sh everything` only the
# test in which everything happens at once, whose accounts are exact once a second.
# Tests with a longer form check TACTOR_SOAK; RapidCheck's properties run 100 times as many cases.
set -euo pipefail
cd "$(dirname "$0")/.."

export TACTOR_SOAK=1 RC_PARAMS="max_success=10000 ${RC_PARAMS:-}"
export TACTOR_SOAK_SECONDS=${TACTOR_SOAK_SECONDS:-600}
seconds=$TACTOR_SOAK_SECONDS
cmake --preset release
if [ "${1:-}" != showcase ]; then
  cmake --build --preset release --target stress_tests
  ctest --preset release -R '^stress\.everything$' --verbose
fi
if [ "${1:-}" = everything ]; then exit; fi
# At full load, while clients hang, a reader is slow, a disk is full and the process is stopped for a while.
cmake --build --preset release --target showcase tactor_program
python3 examples/host/soak_showcase.py build/release/examples/host/showcase build/release/src/tactor/command/tactor "$seconds"
if [ "${1:-}" = showcase ]; then exit; fi
for preset in asan tsan model; do
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --preset "$preset" -j "$(nproc)" -LE '^(package|lint|fuzz|measure)$' --timeout 3600 --no-tests=ignore
done
# Ten million timers: without a sanitizer, whose memory would count.
cmake --build --preset release --target test_host_scheduler_memory
ctest --preset release -R '^host\.scheduler_memory$' --timeout 3600
while IFS= read -r fuzzer; do
  echo "soak: $fuzzer for $seconds s"
  mkdir -p "build/corpus/${fuzzer##*/}"
  "$fuzzer" -max_total_time="$seconds" -print_final_stats=1 "build/corpus/${fuzzer##*/}"
done < <(find build/asan -type f -executable -path '*fuzz*' ! -name '*.so*' | sort)
echo "soak: done"
