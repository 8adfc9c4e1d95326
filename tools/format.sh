#!/usr/bin/env bash
# Formats every C++ file of the repository; with `check` only lists the files that differ.
#
#   tools/format.sh [check]
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
if [ "${1:-}" = check ]; then mode=(--dry-run --Werror); fi

git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.h' |
  while IFS= read -r -d '' file; do if [ -f "$file" ]; then printf '%s\0' "$file"; fi; done |
  xargs -0 -r -n 16 -P "$(nproc)" clang-format-19 "${mode[@]}"
echo "format: ${1:-done}"
