#!/usr/bin/env bash
# The checks before a push (`make check`): fast checks first.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/format.sh check
cmake --preset dev
ctest --preset dev -j "$(nproc)" -L lint
cmake --build --preset dev --target unit_tests
ctest --preset dev --output-junit "$PWD/build/dev/results.xml" -j "$(nproc)" -L unit
tools/tidy.sh changed
echo "check: all good"
