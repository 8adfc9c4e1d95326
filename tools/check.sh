#!/usr/bin/env bash
# The checks before a push (`make check`): fast checks first.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/format.sh check
cmake --preset check
ctest --preset check -j "$(nproc)" -L lint
cmake --build --preset check --target unit_tests
ctest --preset check --output-junit "$PWD/build/check/results.xml" -j "$(nproc)" -L unit
tools/tidy.sh changed
echo "check: all good"
