#!/usr/bin/env bash
# Makes the reference, build/docs/html, from the public headers as they are installed; a public name without a comment is an error.
#
#   tools/docs.sh [BUILD_FOLDER]      default: build/release, which must be configured
set -euo pipefail
cd "$(dirname "$0")/.."

export TACTOR_HEADERS=build/docs/public/include
rm -rf build/docs
mkdir -p build/docs
cmake --install "${1:-build/release}" --component headers --prefix build/docs/public >/dev/null
doxygen docs/Doxyfile

# Need no documentation: data members, aliases, constructors, operators, min and max, queries without arguments. The concepts in
# port.hpp document port/.
in='of (class|struct) (tactor::|actor< )'
# A template that derives from its own specialisation, actor_ref<>, is none of its relations.
complaints=$(sed -E \
  -e '/potential recursive class relation between class tactor::actor_ref /d' \
  -e "/\((variable|typedef|friend)\) $in/d" \
  -e "/Member (operator|min\(\)|max\(\)|[a-z_]+\(\) const).* $in/d" \
  -e '/Member ([a-z_]+)\(.* of (class|struct) ([a-z_]+::)+\1 /d' \
  -e '/Member (memory_order|relaxed|acquire|release|acq_rel|seq_cst) .* of namespace tactor::port /d' \
  -e "/${in}port::(basic_atomic|plain|mutex|counter) /d" \
  build/docs/warnings.txt)
if [ -n "$complaints" ]; then
  echo "$complaints"
  echo "docs: doxygen complains" >&2
  exit 1
fi
echo "docs: every public name is documented"
