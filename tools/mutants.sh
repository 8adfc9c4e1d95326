#!/usr/bin/env bash
# Proves that the tests notice: applies each tests/mutants/*.patch to a copy of the tree, and expects a test to fail.
#
# A patch may say in its head which preset and which tests (a regular expression) must catch it, for example
#   preset: model
#   tests: model.mpsc_queue
# Default: preset dev, all unit tests.
set -euo pipefail
cd "$(dirname "$0")/.."

field() { sed -n "/^---/q;s/^$1: *//p" "$2" | head -n 1; }

export GIT_CEILING_DIRECTORIES=$PWD/build/mutants  # so that git apply works on the copy
tree=build/mutants/tree log=build/mutants/log.txt
survivors=()
shopt -s nullglob
for patch in tests/mutants/*.patch; do
  preset=$(field preset "$patch") tests=$(field tests "$patch")
  preset=${preset:-dev}
  rm -rf "$tree/src" "$tree/tests"
  mkdir -p "$tree"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from - -c | tar -x -C "$tree"
  git -C "$tree" apply <"$patch"
  if ! (cd "$tree" && cmake --preset "$preset" && cmake --build --preset "$preset") >$log 2>&1; then
    tail -n 20 $log
    echo "mutants: $patch does not build" >&2
    exit 1
  fi
  (cd "$tree" && ctest --preset "$preset" -R "${tests:-.}" -LE 'package|lint' --stop-on-failure) >$log 2>&1 || true
  if grep -q 'tests failed out of' $log; then
    echo "mutants: $patch caught"
  else
    echo "mutants: $patch SURVIVED"
    survivors+=("$patch")
  fi
done
if [ ${#survivors[@]} -gt 0 ]; then
  echo "mutants: not caught: ${survivors[*]}" >&2
  exit 1
fi
