#!/usr/bin/env bash
# Uses tactor as others do: from an install tree by find_package and by pkg-config, and from source by add_subdirectory.
#
#   tests/consumer/run.sh BUILD_FOLDER      a built host preset; everything is made in BUILD_FOLDER/consumer
set -euo pipefail
build=$(cd "${1:?usage: tests/consumer/run.sh BUILD_FOLDER}" && pwd)
cd "$(dirname "$0")"
work=$build/consumer
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

echo "consumer: install, then move the tree: it must not contain its old path"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/tree"
if grep -rF -e "$work/first" -e "$build" --include='*.cmake' --include='*.pc' "$work/tree"; then exit 1; fi

echo "consumer: find_package"
configure -S find_package -B "$work/find_package" -DCMAKE_PREFIX_PATH="$work/tree" >/dev/null
cmake --build "$work/find_package"
"$work/find_package/consumer"

echo "consumer: find_package refuses another version and an unknown component"
must_fail_saying 'compatible with requested version "99"|not .*version 99|version "99"' \
  configure -S find_package -B "$work/version" -DCMAKE_PREFIX_PATH="$work/tree" -DWANTED_VERSION=99
must_fail_saying "no component 'warp'" \
  configure -S find_package -B "$work/component" -DCMAKE_PREFIX_PATH="$work/tree" '-DWANTED_COMPONENTS=host;warp'

echo "consumer: pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$work/tree" -name tactor.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # the flags are several words
g++ -std=c++23 -O2 program.cpp $(pkg-config --cflags --libs tactor) -o "$work/by_pkg_config"
"$work/by_pkg_config"

echo "consumer: add_subdirectory"
configure -S add_subdirectory -B "$work/add_subdirectory" >/dev/null
cmake --build "$work/add_subdirectory" --target consumer
"$work/add_subdirectory/consumer"

echo "consumer: done"
