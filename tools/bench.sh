#!/usr/bin/env bash
# Builds the benchmarks (Release) and runs each of them; arguments go to Google Benchmark.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset bench
cmake --build --preset bench
while IFS= read -r program; do
  echo "bench: ${program##*/}"
  "$program" "$@"
done < <(find build/bench/benchmarks -type f -executable ! -path '*/CMakeFiles/*' ! -name '*.so*' | sort)
