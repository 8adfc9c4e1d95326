#!/usr/bin/env bash
# Runs doxygen over the public headers, as they are installed; anything it warns about is an error.
#
#   tools/docs.sh [BUILD_FOLDER]      default: build/release, which must be built
set -euo pipefail
cd "$(dirname "$0")/.."

export TACTOR_HEADERS=build/docs/public/include
rm -rf build/docs
mkdir -p build/docs
cmake --install "${1:-build/release}" --prefix build/docs/public >/dev/null
doxygen docs/Doxyfile

# Need no words: data members, aliases, constructors, operators, min and max, queries without arguments. What port/ offers is
# described by the concepts in port.hpp.
in='of (class|struct) tactor::'
needs_no_words="\((variable|typedef|friend)\) $in"
needs_no_words+="|Member (operator|min\(\)|max\(\)|[a-z_]+\(\) const).* $in"
needs_no_words+="|Member ([a-z_]+)\(.* of (class|struct) [a-z_:]*::\3 "
needs_no_words+="|$in:?port::(atomic|cell|mutex|counter) "
if grep -vE "($needs_no_words).*is not documented" build/docs/warnings.txt; then
  echo "docs: doxygen complains" >&2
  exit 1
fi
echo "docs: every public name is documented"
