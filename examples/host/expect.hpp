// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>

// The examples check what they say: a program ends with 1 if something does not hold.

inline int failures = 0;

/// Prints a claim, and whether it holds.
inline void expect(bool holds, const char* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) ++failures;
}
