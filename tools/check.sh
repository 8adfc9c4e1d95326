#!/usr/bin/env bash
# The checks before a push (`make check`): fast checks first.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/format.sh check
python3 tools/check_layers.py src/tactor
python3 tools/check_pairs.py src/tactor
python3 tools/check_tests.py src/tactor tests
python3 tools/mutants.py check
python3 tools/check_links.py
python3 tools/check_names.py
python3 tools/requirements.py check
python3 tools/settings.py check
python3 tools/metrics.py check
cmake --preset dev
cmake --build --preset dev --target unit_tests
ctest --preset dev --output-junit "$PWD/build/dev/results.xml" -j "$(nproc)" -L 'unit|lint'
tools/tidy.sh changed
echo "check: all good"
