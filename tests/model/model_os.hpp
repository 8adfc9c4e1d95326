// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "model_futex.hpp"

namespace tactor::model {

/// The operating system of a scenario, for sources of the host: the functions of `host/os` that
/// they call, on threads of the model (model_os.cpp). All sleepers of a scenario sleep on one word.
///
/// A sleep without a timeout, or whose time is far, ends when it is woken; one whose time is 0 has
/// timed out at once.
struct model_os {
  model_futex futex;

  static inline model_os* current = nullptr;

  void before() {
    current = this;
    futex.open();
  }
  void after() { futex.close(); }
};

}  // namespace tactor::model
