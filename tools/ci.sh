#!/usr/bin/env bash
# The stages of `make test`, `make verify` and `make verify-all`, one after the other, with their budgets.
#
#   tools/ci.sh test                    for who cloned the repository: build, unit tests, whole systems, properties, examples
#   tools/ci.sh verify                  with `test` before it: whether a change may land; stops at the first stage that fails
#   tools/ci.sh verify-all [STAGE...]   everything else, or only these of its stages; docs/verify-all.md keeps the results
#   tools/ci.sh STAGE...                any stages
#
# What does not fit into `verify` takes turns: the id of the commit decides which stage of `in_turn` and which package run.
set -euo pipefail
cd "$(dirname "$0")/.."

# stage=budget, in minutes on two idle cores without a cache. tests/tools/test_ci.py adds them up: `test` has 8 minutes, with `verify` 30.
test=(install_test=0:30 release=6:20)
verify=(install=0:45 lint=1:15 measure=3:30 asan=4:45 tsan=2:45 model=3:30 mutants=1:00 boards=3:15 package=0:45 in_turn=1:30 requirements=0:10)
verify_all=(install_all=1:00 in_turn_all=4:00 packages=5:00 compile_cost=2:00 stress=2:00 tidy=30:00 dev=15:00 all_mutants=120:00 coverage=20:00
  soak=90:00)
in_turn=(cortex_m33 headers reference)
packages=(find_package pkg_config add_subdirectory shared_library plug_ins boost_asio)

jobs=${TACTOR_JOBS:-$(nproc)}
commit=$(git rev-parse --verify -q HEAD || echo 0)
# One of the arguments, by the commit's id.
by_commit() { shift $((16#${commit:0:7} % $#)); echo "$1"; }

configure_and_build() {
  local preset=$1
  shift
  cmake --preset "$preset"
  cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}
# run_tests PRESET STAGE [CTEST_OPTION...]: the results, which `requirements` reads, stay until the stage runs again.
run_tests() {
  local preset=$1 results=$PWD/build/$1/results-$2.xml
  shift 2
  rm -f "$results"
  ctest --preset "$preset" --output-junit "$results" -j "$jobs" "$@"
}

stage_install_test() { tools/install.sh test; }
stage_install() { tools/install.sh verify; }
stage_install_all() { tools/install.sh verify-all; }

stage_release() {
  configure_and_build release unit_tests tests/simulation/all tests/embedded/all examples/host/all tactor_program
  run_tests release release -L '^(unit|sim|embedded|example)$'
  python3 tools/requirements.py check
}

# ---- verify

stage_lint() {
  tools/format.sh check
  cmake --preset release
  run_tests release lint -L '^lint$'
  tools/tidy.sh changed 1
}
stage_measure() {  # also what only a compiler or a browser can say
  configure_and_build release tests/realtime/all tests/instructions/all tests/page/all unit_tests examples/host/all tactor_program
  run_tests release measure -L '^(measure|compile|page)$'
}
# Lint, figures and examples are the same with a sanitizer.
stage_asan() {
  configure_and_build asan unit_tests tests/simulation/all tests/embedded/all tests/stress/all tests/realtime/all tests/fuzz/all
  run_tests asan asan -LE '^(lint|measure|example)$'
}
# Only what has threads.
stage_tsan() {
  configure_and_build tsan tests/stress/all tests/realtime/all src/tactor/host/all src/tactor/console/all
  run_tests tsan tsan -R '^(stress|realtime|host|console)\.' -LE '^measure$'
}
stage_model() {
  configure_and_build model
  run_tests model model
}
# First the mutants of changed files, then others in an order that the commit's id decides, until the time is over. `model` has run the
# scenarios on the unbroken code. Fails for a survivor that touches the change and was caught once before
# (tests/mutants/confirmed.txt); other survivors are reported.
stage_mutants() { python3 tools/mutants.py run --changed --rotate --seconds 60 --tests-passed --confirmed; }
board() {
  configure_and_build "$1"
  run_tests "$1" board
}
stage_boards() {
  board cortex-m0
  board cortex-m3
}
stage_package() { package "$(by_commit "${packages[@]}")"; }
package() {
  configure_and_build release src/tactor/all tactor_program
  run_tests release "package_$1" -R "^package\.$1\$"
}
stage_in_turn() {
  local name
  name=$(by_commit "${in_turn[@]}")
  echo "=== in turn: $name"
  "stage_$name"
}
stage_cortex_m33() { board cortex-m33; }
# Each header compiles by itself.
stage_headers() { configure_and_build check all_verify_interface_header_sets; }
stage_reference() {
  cmake --preset release
  tools/docs.sh
}
# What ran here before, also in an earlier run; docs/verify-all.md has what ran elsewhere.
stage_requirements() {
  if [ ! -f build/release/results-release.xml ]; then
    echo "requirements: run \`make test\` first" >&2
    return 1
  fi
  python3 tools/requirements.py generate
  python3 tools/requirements.py check --results build/*/results-*.xml
}

# ---- verify-all

stage_in_turn_all() {
  local name
  for name in "${in_turn[@]}"; do "stage_$name"; done
}
stage_packages() {
  local name
  for name in "${packages[@]}"; do package "$name"; done
}
stage_compile_cost() {
  cmake --preset release
  run_tests release compile_cost -L '^compile_cost$' -j 1
}
stage_stress() {  # as users compile it; asan and tsan run the same in `verify`
  configure_and_build release tests/stress/all
  run_tests release stress -L '^stress$'
}
stage_tidy() { tools/tidy.sh all; }
stage_dev() {  # g++ without optimisation, each source alone
  configure_and_build dev
  run_tests dev dev -LE '^(lint|measure|package)$'
}
stage_all_mutants() { python3 tools/mutants.py run --all; }
stage_coverage() { tools/coverage.sh; }
stage_soak() { tools/soak.sh; }

# ---- the run

known=" $(declare -F | sed -n 's/^declare -f stage_//p' | tr '\n' ' ')"
budgets=("${test[@]}" "${verify[@]}" "${verify_all[@]}")
keeps_going=
case "${1:-}" in
  test) wanted=("${test[@]%=*}") ;;
  verify) wanted=("${verify[@]%=*}") ;;
  verify-all)
    keeps_going=yes
    wanted=("${@:2}")
    if [ ${#wanted[@]} -eq 0 ]; then wanted=("${verify_all[@]%=*}"); fi
    ;;
  *) wanted=("$@") ;;
esac
if [ ${#wanted[@]} -eq 0 ]; then wanted=(none); fi
for name in "${wanted[@]}"; do
  if [[ "$known" != *" $name "* ]]; then
    echo "ci: no stage is called $name; there are: test verify verify-all$known" >&2
    exit 2
  fi
done

report() {
  local line
  printf '\n%-14s %8s %8s %8s\n' stage time cpu budget
  for line in "${times[@]}"; do echo "$line"; done
}
times=()

# Seconds of processor time that the children of this script have taken.
cpu_seconds() {
  local stat
  read -ra stat </proc/$$/stat
  echo $(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}
in_minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }
# The tests of these stages run nowhere else.
keep() {
  local results=()
  case $1 in
    packages) results=(build/release/results-package_*.xml) ;;
    compile_cost) results=(build/release/results-compile_cost.xml) ;;
  esac
  python3 tools/kept_results.py "$@" "${results[@]}"
}
budget_of() {
  local entry
  for entry in "${budgets[@]}"; do
    if [ "${entry%=*}" = "$1" ]; then echo "${entry#*=}" && return; fi
  done
}

trap report EXIT
failed=0
for name in "${wanted[@]}"; do
  printf '\n=== %s\n' "$name"
  start=$SECONDS cpu_start=$(cpu_seconds) budget=$(budget_of "$name")
  set +e
  (set -e; "stage_$name")
  status=$?
  set -e
  took=$((SECONDS - start))
  cpu=$(($(cpu_seconds) - cpu_start))
  line=$(printf '%-14s %8s %8s' "$name" "$(in_minutes $took)" "$(in_minutes $cpu)")
  if [ -n "$budget" ]; then
    line+=$(printf ' %8s' "$budget")
    if [ $took -gt $((${budget%:*} * 60 + 10#${budget#*:})) ]; then line+="  over budget"; fi
  fi
  if [ $status -ne 0 ]; then line+="  FAILED"; fi
  times+=("$line")
  echo "=== $name took $(in_minutes $took)"
  if [ -n "$keeps_going" ]; then keep "$name" "$status" "$took"; fi
  if [ $status -ne 0 ]; then
    echo "=== stage $name failed" >&2
    failed=1
    if [ -z "$keeps_going" ]; then break; fi
  fi
done
exit $failed
