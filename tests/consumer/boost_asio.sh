#!/usr/bin/env bash
# Builds the component asio on Boost.Asio (TACTOR_ASIO_BOOST) and runs its unit tests.
#
#   tests/consumer/boost_asio.sh FOLDER      everything is made in FOLDER
set -euo pipefail
work=${1:?usage: tests/consumer/boost_asio.sh FOLDER}
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$work"

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
# Not optimised, with the flags of run.sh: so ccache has compiled the library, or will have.
cmake -G Ninja -S "$source" -B "$work" "${launcher[@]}" -DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE= \
  -DTACTOR_UNITY=ON -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DTACTOR_BUILD_COMMAND=OFF -DTACTOR_BUILD_EXAMPLES=OFF \
  -DTACTOR_ASIO_BOOST=ON >/dev/null
cmake --build "$work" --target src/tactor/asio/all
ctest --test-dir "$work" -R '^asio\.' --no-tests=error --output-on-failure

symbols=$(nm -C "$(find "$work" -name 'libtactor_asio.*')")
grep -q 'boost::asio::io_context' <<<"$symbols" || { echo "the component asio does not use Boost.Asio" >&2; exit 1; }
if grep -qE '(^|[^:])\basio::io_context' <<<"$symbols"; then echo "the component asio uses standalone Asio, too" >&2; exit 1; fi
