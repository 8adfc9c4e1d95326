#!/usr/bin/env bash
# Installs the Debian packages that a command needs, and prints the purpose of each.
#
#   tools/install.sh build      for `make run`: what a Release build and the showcase need
#   tools/install.sh test       for `make test`
#   tools/install.sh verify     for `make verify`
#   tools/install.sh bench      for `make bench` and `make bench-peers`
#   tools/install.sh verify-all for `make verify-all`
#
# Works as root and as a user with sudo. Does nothing when everything is installed.
set -euo pipefail

build_packages=(
  "g++:the reference compiler"
  "cmake:configures the build"
  "ninja-build:runs the build"
  "ccache:makes the second build of the same source instant"
  "libboost1.81-dev:Boost.Beast, HTTP of the console and of the command tactor; Boost.Asio, for the component asio"
)
test_packages=(
  "python3:the checkers in tools/"
  "libgtest-dev:GoogleTest, the unit-test framework"
  "librapidcheck-dev:RapidCheck, property tests"
  "libasio-dev:Asio, for the component asio"
  "libcli11-dev:CLI11, arguments of the command tactor"
  "nlohmann-json3-dev:JSON, for the command tactor"
)
verify_packages=(
  "relacy-dev:Relacy, the model checker behind port/model"
  "clang-19:sanitizers and fuzzing"
  "libclang-rt-19-dev:the sanitizers' and libFuzzer's run-time libraries"
  "lld-19:links programs with sanitizers in a third of the time"
  "llvm-19:llvm-symbolizer, so that a sanitizer's report has line numbers"
  "clang-format-19:the formatter"
  "clang-tidy-19:the linter"
  "gcc-arm-none-eabi:the compiler for Cortex-M"
  "libnewlib-dev:C headers for Cortex-M"
  "libstdc++-arm-none-eabi-dev:C++ headers for Cortex-M"
  "qemu-system-arm:runs the Cortex-M images"
  "valgrind:callgrind counts instructions, which no neighbour disturbs"
  "prometheus:promtool, which checks the text for Prometheus and the alert rules; and the server that scrapes the showcase in a test"
  "pkg-config:one of the three ways in which the consumer tests find tactor"
  "doxygen:checks that every public name is documented"
  "nodejs:builds the page of the console again and runs its test"
  "chromium:the browser of that test"
  "fonts-inter:the font of its pictures"
)
# Node.js of other origin than Debian has npm in it, and refuses Debian's.
command -v npm >/dev/null || verify_packages+=("npm:installs what the page is made of, as its lock file says")
bench_packages=(
  "libbenchmark-dev:Google Benchmark"
  "libuv1-dev:libuv, whose timers ours are compared with"
  "libevent-dev:libevent, likewise"
  "libcaf-dev:CAF, whose actors ours are compared with"
  "erlang-base:Erlang, likewise"
)

wanted=("${build_packages[@]}")
case "${1:-}" in
  build) ;;
  test) wanted+=("${test_packages[@]}") ;;
  verify) wanted+=("${test_packages[@]}" "${verify_packages[@]}") ;;
  bench) wanted+=("${test_packages[@]}" "${verify_packages[@]}" "${bench_packages[@]}") ;;
  verify-all) wanted+=("${test_packages[@]}" "${verify_packages[@]}" "gcovr:turns counters into a report of coverage") ;;
  *) echo "usage: tools/install.sh build|test|verify|verify-all|bench" >&2; exit 2 ;;
esac

missing=()
for entry in "${wanted[@]}"; do
  package=${entry%%:*}
  if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
    missing+=("$package")
    printf 'install: %-28s %s\n' "$package" "${entry#*:}"
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "install: nothing is missing"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install: not root and no sudo: install the packages above by hand" >&2; exit 1; }
  as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
apt=("${as_root[@]}" apt-get -o DPkg::Lock::Timeout=500 -qq)
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
echo "install: done"
