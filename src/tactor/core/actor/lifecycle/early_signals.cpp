// SPDX-License-Identifier: BSL-1.0
// Signals that came before anything awaited them.
#include "tactor/core/actor/lifecycle/suspension.hpp"

#include <algorithm>

namespace tactor::inline v0 {

using namespace internal;

bool early_signals::add(signal_key key) noexcept {
  const auto end = keys.begin() + count;
  if (std::find(keys.begin(), end, key) != end) return true;
  if (count < most) {
    keys[count++] = key;
    return true;
  }
  std::move(keys.begin() + 1, keys.end(), keys.begin());
  keys.back() = key;
  return false;
}

bool early_signals::take(signal_key key) noexcept {
  const auto end = keys.begin() + count;
  const auto found = std::find(keys.begin(), end, key);
  if (found == end) return false;
  std::move(found + 1, end, found);
  --count;
  return true;
}

}  // namespace tactor::inline v0
