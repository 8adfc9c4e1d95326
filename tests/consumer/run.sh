#!/usr/bin/env bash
# Uses tactor in one of the ways in which others do: from an install tree by find_package or by pkg-config, from source by
# add_subdirectory, as a shared library, or in two plug-ins.
#
#   tests/consumer/run.sh BUILD_FOLDER WAY      a host preset whose libraries are built; everything is made in BUILD_FOLDER/consumer/WAY
set -euo pipefail
usage="usage: tests/consumer/run.sh BUILD_FOLDER find_package|pkg_config|add_subdirectory|shared_library|plug_ins"
build=$(cd "${1:?$usage}" && pwd)
way=${2:?$usage}
cd "$(dirname "$0")"
work=$build/consumer/$way
rm -rf "$work"
mkdir -p "$work"

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
configure() { cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ "${launcher[@]}" "$@"; }

# Prints the output of a command that must fail and say why.
must_fail_saying() {
  local reason=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "this must fail: $*" >&2
    return 1
  fi
  grep -qE "$reason" <<<"$output" || { printf 'fails, but not because of "%s":\n%s\n' "$reason" "$output" >&2; return 1; }
}

install_tree() {
  echo "consumer: install, then move the tree: it must not contain its old path"
  cmake --install "$build" --prefix "$work/first" >/dev/null
  mv "$work/first" "$work/tree"
  if grep -rF -e "$work/first" -e "$build" --include='*.cmake' --include='*.pc' "$work/tree"; then exit 1; fi
}

use_find_package() {
  install_tree
  echo "consumer: find_package"
  configure -S find_package -B "$work/find_package" -DCMAKE_PREFIX_PATH="$work/tree" >/dev/null
  cmake --build "$work/find_package"
  "$work/find_package/consumer"
  if [ -x "$work/find_package/consumer_asio" ]; then "$work/find_package/consumer_asio"; fi
  if [ -x "$work/find_package/consumer_console" ]; then "$work/find_package/consumer_console"; fi

  echo "consumer: find_package refuses another version and an unknown component"
  must_fail_saying 'compatible with requested version "99"|not .*version 99|version "99"' \
    configure -S find_package -B "$work/version" -DCMAKE_PREFIX_PATH="$work/tree" -DWANTED_VERSION=99
  must_fail_saying "no component 'warp'" \
    configure -S find_package -B "$work/component" -DCMAKE_PREFIX_PATH="$work/tree" '-DWANTED_COMPONENTS=host;warp'
}

use_pkg_config() {
  install_tree
  echo "consumer: pkg-config"
  PKG_CONFIG_PATH=$(dirname "$(find "$work/tree" -name tactor.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # the flags are several words
  g++ -std=c++23 -O2 program.cpp $(pkg-config --cflags --libs tactor) -o "$work/by_pkg_config"
  "$work/by_pkg_config"

  echo "consumer: tests, by pkg-config, with the consumer's own -fsanitize=undefined"
  # shellcheck disable=SC2046  # the flags are several words
  g++ -std=c++23 -fsanitize=undefined -fno-sanitize-recover=all tests_of_program.cpp $(pkg-config --cflags --libs tactor-testkit) \
    -o "$work/tests_by_pkg_config"
  "$work/tests_by_pkg_config"
}

# Not optimised, and with equal flags: so ccache compiles the library once for all ways.
unoptimised=(-DCMAKE_CXX_FLAGS_RELEASE= -DTACTOR_UNITY=ON -DCMAKE_POSITION_INDEPENDENT_CODE=ON)

use_add_subdirectory() {
  echo "consumer: add_subdirectory"
  configure -S add_subdirectory -B "$work/add_subdirectory" "${unoptimised[@]}" >/dev/null
  cmake --build "$work/add_subdirectory" --target consumer
  "$work/add_subdirectory/consumer"
}

modules() {
  configure -S modules -B "$work/$1" "${unoptimised[@]}" -DBUILD_SHARED_LIBS="$2" >/dev/null
  cmake --build "$work/$1"
}
loads() {
  local said
  said=$("$work/$1/loader" "$work/$1/first.so" "$work/$1/second.so")
  [ "$said" = "$2" ] || { printf 'the plug-ins say:\n%s\nbut should say:\n%s\n' "$said" "$2" >&2; return 1; }
}

use_shared_library() {
  echo "consumer: two plug-ins with the shared library"
  modules shared ON
  loads shared $'works\nworks'
  others=$(find "$work/shared/tactor" -name 'lib*.so' -exec nm -D --defined-only {} + | awk 'NF == 3 { print $3 }' |
    grep -vE '^(_ZNK?|_ZT.N|_ZGVN)6tactor2v0|^tactor_used_copy$' || true)
  [ -z "$others" ] || { printf 'the shared libraries export more than tactor:\n%s\n' "$others" >&2; exit 1; }

  echo "consumer: find_package and pkg-config with the shared library"
  cmake --install "$work/shared" --prefix "$work/shared_tree" >/dev/null
  configure -S find_package -B "$work/find_shared" -DCMAKE_PREFIX_PATH="$work/shared_tree" >/dev/null
  cmake --build "$work/find_shared"
  "$work/find_shared/consumer"
  PKG_CONFIG_PATH=$(dirname "$(find "$work/shared_tree" -name tactor.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046  # the flags are several words
  g++ -std=c++23 -O2 program.cpp $(pkg-config --cflags --libs tactor) -o "$work/by_pkg_config_shared"
  LD_LIBRARY_PATH=$(pkg-config --variable=libdir tactor) "$work/by_pkg_config_shared"
}

use_plug_ins() {
  echo "consumer: the second of two plug-ins, each with the static library, is refused"
  modules static OFF
  loads static $'works\nthe number of copies of tactor in this process'
}

"use_$way"
echo "consumer: done"
