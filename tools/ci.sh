#!/usr/bin/env bash
# The stages of a test run, one after the other; stops at the first that fails.
#
#   tools/ci.sh               all stages
#   tools/ci.sh STAGE...      only these
set -euo pipefail
cd "$(dirname "$0")/.."

# stage:budget in minutes on two cores
stages=(install:3 release:8 asan:8 tsan:4 model:4 mutants:2 targets:6 lint:4 package:4 requirements:1)
jobs=${TACTOR_JOBS:-$(nproc)}

build_and_test() {
  local preset=$1
  shift
  rm -f "build/$preset/results.xml"
  cmake --preset "$preset"
  cmake --build --preset "$preset" -j "$jobs"
  ctest --preset "$preset" --output-junit "$PWD/build/$preset/results.xml" -j "$jobs" "$@"
}

stage_install() { tools/install.sh; }
stage_release() { build_and_test release -LE 'package|example|lint'; }
stage_asan() { build_and_test asan -LE lint; }
# Only what has threads; the other tests would be the same, but slower.
stage_tsan() {
  rm -f build/tsan/results.xml
  cmake --preset tsan
  cmake --build --preset tsan -j "$jobs" --target tests/stress/all tests/realtime/all src/tactor/host/all src/tactor/console/all
  ctest --preset tsan --output-junit "$PWD/build/tsan/results.xml" -j "$jobs" -R '^(stress|realtime|host|console)\.'
}
stage_model() { build_and_test model; }
# One minute: first the mutants of changed files, then others in an order that the commit id decides. The stages before
# have run the tests on the unbroken code. Fails for a survivor that touches the change and was caught once before
# (tests/mutants/confirmed.txt); other survivors are reported.
stage_mutants() { python3 tools/mutants.py run --changed --rotate --seconds 60 --tests-passed --confirmed; }
stage_targets() {
  local target
  for target in cortex-m0 cortex-m3 cortex-m33; do build_and_test "$target"; done
}
stage_lint() {
  tools/format.sh check
  rm -f build/release/results-lint.xml
  cmake --preset release
  ctest --preset release --output-junit "$PWD/build/release/results-lint.xml" -j "$jobs" -L lint
  tools/tidy.sh changed 2
}
stage_package() {  # consumers, examples, self-contained headers, documentation
  rm -f build/release/results-package.xml
  cmake --preset release
  cmake --build --preset release -j "$jobs"
  python3 tools/check_headers.py build/release
  ctest --preset release --output-junit "$PWD/build/release/results-package.xml" -j "$jobs" -L 'package|example'
  tools/docs.sh build/release
}
stage_requirements() {
  python3 tools/requirements.py generate
  python3 tools/requirements.py check --results build/{release,asan,tsan,model,cortex-m0,cortex-m3,cortex-m33}/results*.xml
}

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

wanted=("$@")
for name in "${wanted[@]}"; do
  if [[ " ${stages[*]}" != *" $name:"* ]]; then
    echo "ci: no stage is called $name; there are: ${stages[*]%:*}" >&2
    exit 2
  fi
done
trap report EXIT
for entry in "${stages[@]}"; do
  name=${entry%:*} budget=${entry#*:}
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then continue; fi
  printf '\n=== %s\n' "$name"
  start=$SECONDS cpu_start=$(cpu_seconds)
  set +e
  (set -e; "stage_$name")
  status=$?
  set -e
  took=$((SECONDS - start))
  cpu=$(($(cpu_seconds) - cpu_start))
  spent=$(in_minutes $took)
  line=$(printf '%-14s %8s %8s %8s' "$name" "$spent" "$(in_minutes $cpu)" "$budget:00")
  if [ $took -gt $((budget * 60)) ]; then line+="  over budget"; fi
  if [ $status -ne 0 ]; then line+="  FAILED"; fi
  times+=("$line")
  echo "=== $name took $spent"
  if [ $status -ne 0 ]; then
    echo "=== stage $name failed" >&2
    exit 1
  fi
done
