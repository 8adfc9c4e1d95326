#!/usr/bin/env bash
# Line and branch coverage of src/tactor by the host's tests; the report is in build/coverage/report. Fails if the core
# or the host's coordinator is covered less than Q4 asks for.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install.sh verify-all
# By g++: gcovr reads what its gcov wrote, and knows which branches are those of exceptions. (Of clang, which `check` has, it reads nothing.)
cmake --preset dev -B build/coverage -DTACTOR_UNITY=ON -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_CXX_FLAGS='--coverage -fprofile-update=atomic'
cmake --build build/coverage
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage -j "$(nproc)" -LE '^(package|lint|measure|compile)$' --output-on-failure
mkdir -p build/coverage/report
gcovr --root . --object-directory build/coverage --filter 'src/tactor/' --exclude '.*\.test\.cpp' \
  --exclude-throw-branches --exclude-lines-by-pattern '.*TACTOR_ASSERT.*' \
  --txt --html-details build/coverage/report/index.html

# Q4: 95 % of the lines and 85 % of the branches, of the core and of the host's coordinator. Left out: assertions, branches of exceptions,
# and interrupt_delivery.cpp, which only boards run.
for part in 'src/tactor/core/' 'src/tactor/host/workers/'; do
  gcovr --root . --object-directory build/coverage --filter "$part" --exclude '.*\.test\.[ch]pp' \
    --exclude '.*/interrupt_delivery\.cpp' --exclude-throw-branches --exclude-lines-by-pattern '.*TACTOR_ASSERT.*' \
    --fail-under-line 95 --fail-under-branch 85 --txt "build/coverage/report/$(basename "$part").txt"
done
