// SPDX-License-Identifier: BSL-1.0
// A module that has a copy of the library of its own; only_copy.test.cpp loads two.
#include "tactor/host/os/only_copy.hpp"

extern "C" bool module_is_only_copy() {
  static const int here = 0;
  return tactor::internal::is_only_copy(&here);
}
