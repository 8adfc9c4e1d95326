#!/usr/bin/env bash
# Runs clang-tidy.
#
#   tools/tidy.sh all              every file (slow)
#   tools/tidy.sh changed [M]      the files changed against origin/main, or by the last commit if there is nothing else
#                                  to compare with, and uncommitted ones; files not begun after M minutes are left out.
#                                  Tests without the static analyzer: it takes minutes for a test, and sanitizers run the test
#
# Checks the host's files: those in the compile commands of preset `asan` (clang, all targets), and headers of src/.
# The commands are those of a build without precompiled headers, because nothing is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
scope=${1:?usage: tools/tidy.sh all|changed [M]}
minutes=${2:-100000}

base_commit() {
  local head base
  head=$(git rev-parse --verify -q HEAD) || return 0
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$head" ]; then base=$(git rev-parse --verify -q HEAD~1 || true); fi
  echo "$base"
}

candidates() {
  local base
  base=$(base_commit)
  if [ "$scope" = all ] || [ -z "$base" ]; then
    git ls-files --cached --others --exclude-standard
  else
    git diff --name-only --diff-filter=d "$base"
    git ls-files --others --exclude-standard
  fi
}

cmake --preset asan -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTACTOR_UNITY=OFF >/dev/null
mapfile -t files < <(candidates | sort -u | python3 -c '
import json, os, sys
compiled = {os.path.relpath(entry["file"]) for entry in json.load(open("build/tidy/compile_commands.json"))}
other_ports = ("src/tactor/port/cortex_m/", "src/tactor/port/model/")
# If only some files are checked, tests come last: they take longest, and are checked for bugs only.
for file in sorted(map(str.strip, sys.stdin), key=lambda name: (name.startswith("tests/") or ".test." in name, name)):
    header = file.startswith("src/") and file.endswith(".hpp") and not file.startswith(other_ports)
    if os.path.exists(file) and (file in compiled or header):
        print(file)')

echo "tidy: ${#files[@]} files"
# Findings in headers of port/ show when the header itself is checked: seen from core, its <atomic> would be a banned include.
headers='src/tactor/(base|core|host|bare|testkit|patterns|asio|console)/.*'
# A header includes what it names. A source may rely on its own header, and a test on the header under test (and libstdc++
# hides the chrono literals where the include cleaner cannot find them). Tests are checked for bugs, not for form or speed:
# ignoring, copying or unwrapping values on purpose is allowed there.
check_file() {
  local checks=()
  if [ "$(date +%s)" -ge "$deadline" ]; then
    echo "tidy: $1 is left to \`make tidy\`"
    return
  fi
  case $1 in
    tests/* | *.test.cpp)
      checks=(--checks=-misc-include-cleaner,-misc-const-correctness,-readability-function-size,-readability-function-cognitive-complexity,-bugprone-unchecked-optional-access,-bugprone-unused-return-value,-modernize-use-designated-initializers,-cppcoreguidelines-special-member-functions,-performance-inefficient-vector-operation,-clang-analyzer-optin.performance.Padding$without_analyzer) ;;
    src/tactor/asio/* | src/tactor/patterns/*) checks=(--checks=-misc-include-cleaner) ;;  # they include the public headers only
    *.cpp) checks=(--checks=-misc-include-cleaner) ;;
  esac
  clang-tidy-19 --quiet -p build/tidy --header-filter="$headers" "${checks[@]}" "$1"
}
export -f check_file
deadline=$(($(date +%s) + minutes * 60))
without_analyzer=
if [ "$scope" = changed ]; then without_analyzer=,-clang-analyzer-*; fi
export headers deadline without_analyzer
if [ ${#files[@]} -gt 0 ]; then
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'check_file "$0"' \
    2> >(grep -vE '(warnings?|errors?) generated' >&2)
fi
