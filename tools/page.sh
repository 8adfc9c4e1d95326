#!/usr/bin/env bash
# Builds the page of the console (src/tactor/console/page) with Node.js.
#
#   tools/page.sh             builds dist/, which is kept in the repository
#   tools/page.sh check       builds it elsewhere and fails if dist/ is different
#   tools/page.sh packages    only installs the npm packages into build/page, as the lock file says
set -euo pipefail
cd "$(dirname "$0")/.."
page=src/tactor/console/page
packages=build/page

install_packages() {
  mkdir -p "$packages"
  if cmp -s "$page/package-lock.json" "$packages/installed"; then return; fi
  cp "$page/package.json" "$page/package-lock.json" "$page/.npmrc" "$packages/"
  npm --prefix "$packages" ci --silent
  cp "$page/package-lock.json" "$packages/installed"
}

case "${1:-build}" in
  build)
    install_packages
    rm -rf "$page/dist"
    node "$page/build.mjs" "$packages/node_modules" "$page/dist"
    ;;
  check)
    if grep -q '"resolved"' "$page/package-lock.json"; then
      echo "page: the lock file names a registry; .npmrc of the page leaves it out" >&2
      exit 1
    fi
    install_packages
    rm -rf "$packages/dist"
    node "$page/build.mjs" "$packages/node_modules" "$packages/dist"
    if ! diff -rq "$page/dist" "$packages/dist"; then
      echo "page: dist/ is not what the sources give: run tools/page.sh" >&2
      exit 1
    fi
    echo "page: dist/ is up to date"
    ;;
  packages) install_packages ;;
  *) echo "usage: tools/page.sh [build|check|packages]" >&2; exit 2 ;;
esac
