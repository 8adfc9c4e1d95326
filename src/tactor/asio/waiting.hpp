// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tactor::inline v0::io {

/// Private: callbacks that wait for the same thing, each with a number. Not thread-safe.
class waiting {
public:
  /// Returns: the number of `done`, which is not 0. Throws: std::bad_alloc, and `done` is destroyed.
  std::uint64_t add(byte_stream::callback done) {
    callbacks_.emplace_back(last_ + 1, std::move(done));
    return ++last_;
  }
  /// Returns: the callback with this number, which no longer waits; none if it does not wait.
  [[nodiscard]] byte_stream::callback remove(std::uint64_t number) noexcept {
    const auto found = std::ranges::find(callbacks_, number, &numbered::first);
    if (found == callbacks_.end()) return {};
    byte_stream::callback removed = std::move(found->second);
    callbacks_.erase(found);
    return removed;
  }
  [[nodiscard]] bool empty() const noexcept { return callbacks_.empty(); }
  /// Those that wait. Afterwards none waits here; numbers are not given again.
  [[nodiscard]] waiting take() noexcept {
    waiting taken;
    taken.callbacks_.swap(callbacks_);
    return taken;
  }
  /// Calls all with `said`, in the order in which they were added.
  void call(const io_result& said) {
    for (numbered& each : callbacks_)
      each.second(said);
  }

private:
  using numbered = std::pair<std::uint64_t, byte_stream::callback>;
  std::vector<numbered> callbacks_;
  std::uint64_t last_ = 0;
};

}  // namespace tactor::inline v0::io
