#!/usr/bin/env bash
# Checks that the built page is up to date, then runs it in a browser. Exit status 77: this machine cannot.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(node --print 'process.versions.node.split(".")[0]')" -lt 20 ]; then
  echo "page: skipped, the browser's driver needs Node.js 20"
  exit 77
fi
if ! tools/page.sh packages; then
  echo "page: skipped, the npm packages cannot be had"
  exit 77
fi
tools/page.sh check
exec node --test --test-concurrency=2 tests/page/*.test.mjs
