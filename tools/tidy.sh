#!/usr/bin/env bash
# Runs clang-tidy.
#
#   tools/tidy.sh all              every file of the host, by run-clang-tidy (slow)
#   tools/tidy.sh changed [M]      the lines changed against origin/main, or by the last commit if there is nothing else to compare with,
#                                  and uncommitted ones, by clang-tidy-diff; ends after M minutes. Tests without the static analyzer: it
#                                  takes minutes for a test, and sanitizers run the test
#
# The commands are those of the preset `asan` (clang, all targets) without a sanitizer, which leaves tests out, and without precompiled
# headers, because nothing is built here.
set -euo pipefail
cd "$(dirname "$0")/.."
scope=${1:?usage: tools/tidy.sh all|changed [M]}
minutes=${2:-100000}

# A header includes what it names. A source may rely on its own header, and a test on the header under test (and libstdc++ hides the
# chrono literals where the include cleaner cannot find them). Tests are checked for bugs, not for form or speed: ignoring, copying or
# unwrapping values on purpose is allowed there.
of_sources=-misc-include-cleaner
of_tests=-misc-include-cleaner,-misc-const-correctness,-readability-function-size,-readability-function-cognitive-complexity,-bugprone-unchecked-optional-access,-bugprone-unused-return-value,-modernize-use-designated-initializers,-cppcoreguidelines-special-member-functions,-performance-inefficient-vector-operation,-clang-analyzer-optin.performance.Padding
without_analyzer=,-clang-analyzer-*
tests='^tests/|\.test\.cpp$'
public='^src/tactor/(asio|patterns)/'  # include the public headers only
other_ports='^src/tactor/port/(cortex_m|model)/'
jobs=$(nproc)

cmake --preset asan -B build/tidy -DTACTOR_SANITIZE= -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTACTOR_UNITY=OFF >/dev/null

if [ "$scope" = all ]; then
  here=$(pwd)
  # Findings in headers of port/ show when the header itself is checked: seen from core, its <atomic> would be a banned include.
  run=(run-clang-tidy-19 -clang-tidy-binary clang-tidy-19 -quiet -p build/tidy -j "$jobs" -header-filter='src/tactor/(base|core|host|bare|testkit|patterns|asio|console)/.*')
  "${run[@]}" "-checks=$of_sources" "^$here/(src|examples)/(?!.*\.test\.cpp).*\.cpp$"
  "${run[@]}" "-checks=$of_tests" "^$here/(tests/|src/.*\.test\.cpp).*"
  # The database has no headers, so run-clang-tidy does not know them.
  git ls-files 'src/*.hpp' | grep -vE "$other_ports" | while read -r header; do
    if grep -qE "$public" <<<"$header"; then echo "--checks=$of_sources $header"; else echo "$header"; fi
  done | xargs -L 1 -P "$jobs" clang-tidy-19 --quiet -p build/tidy
  exit
fi

base=$(git merge-base HEAD origin/main 2>/dev/null || true)
if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then base=$(git rev-parse --verify -q HEAD~1 || git hash-object -t tree /dev/null); fi
changed=$(git diff --name-only --diff-filter=d "$base" -- '*.cpp' 'src/*.hpp' | python3 -c '
import json, os, sys
compiled = {os.path.relpath(entry["file"]) for entry in json.load(open("build/tidy/compile_commands.json"))}
print(*(name for name in map(str.strip, sys.stdin) if name in compiled or name.endswith(".hpp")), sep="\n")' | grep -vE "$other_ports" || true)
echo "tidy: lines of $(grep -c . <<<"$changed" || true) files"

deadline=$(($(date +%s) + minutes * 60))
failed=0
# check CHECKS FILE...: the changed lines of these files.
check() {
  local checks=$1 status=0 said left=$((deadline - $(date +%s)))
  shift
  if [ $# -eq 0 ]; then return; fi
  if [ $left -le 0 ]; then
    echo "tidy: $# files are left to \`make verify-all\`"
    return
  fi
  said=$(git diff -U0 --no-color "$base" -- "$@" |
    timeout "$left" clang-tidy-diff-19.py -clang-tidy-binary clang-tidy-19 -p1 -path build/tidy -j "$jobs" -quiet ${checks:+"-checks=$checks"} 2>&1) ||
    status=$?
  if [ $status -eq 124 ]; then echo "tidy: the time is over, the rest is left to \`make verify-all\`"; fi
  if grep -qE '(error|warning|Failed):' <<<"$said"; then failed=1; fi
  if [ $status -ne 0 ] && [ $status -ne 124 ]; then failed=1; fi
  grep -vE '^$|No relevant changes|(warnings?|errors?) generated' <<<"$said" || true
}
of() { grep -E "$1" <<<"$changed" | grep -vE "$2" || true; }
# shellcheck disable=SC2046  # one word for each file
{
  check '' $(of '\.hpp$' "$public")
  check "$of_sources" $(of "$public.*\.hpp$" '^$') $(of '\.cpp$' "$tests")
  check "$of_tests$without_analyzer" $(of "$tests" '\.hpp$')
}
exit $failed
