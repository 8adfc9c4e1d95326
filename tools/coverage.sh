#!/usr/bin/env bash
# Line and branch coverage of src/tactor by the host's tests; the report is in build/coverage/report. Fails if the core
# or the coordinator is covered less than Q4 asks for.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v gcovr >/dev/null; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  echo "install: gcovr, which turns counters into a report"
  "${as_root[@]}" apt-get -qq update
  "${as_root[@]}" apt-get -qq install -y --no-install-recommends gcovr >/dev/null
fi

cmake --preset check -B build/coverage -DCMAKE_CXX_FLAGS='--coverage -fprofile-update=atomic'
cmake --build build/coverage
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage -j "$(nproc)" -LE 'package|lint' --output-on-failure
mkdir -p build/coverage/report
gcovr --root . --object-directory build/coverage --filter 'src/tactor/' --exclude '.*\.test\.cpp' \
  --exclude-throw-branches --exclude-lines-by-pattern '.*TACTOR_ASSERT.*' \
  --txt --html-details build/coverage/report/index.html

# Q4, coordinator: every line and branch, and of the loop that uses it.
gcovr --root . --object-directory build/coverage \
  --filter 'src/tactor/core/dispatch/(ready_queue_coordinator|single_thread_coordinator|worker_executor)\.hpp' \
  --exclude-throw-branches --fail-under-line 100 --fail-under-branch 100

# Q4, core: 95 % of the lines, 85 % of the branches. Left out: assertions, branches of exceptions, and
# interrupt_delivery.cpp, which only boards run.
gcovr --root . --object-directory build/coverage --filter 'src/tactor/core/' --exclude '.*\.test\.[ch]pp' \
  --exclude '.*/interrupt_delivery\.cpp' --exclude-throw-branches --exclude-lines-by-pattern '.*TACTOR_ASSERT.*' \
  --fail-under-line 95 --fail-under-branch 85 --txt build/coverage/report/core.txt
