// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/asio/byte_stream.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tactor::inline v0::io {

/// Private: callbacks that wait for the same thing, each with a number. Not thread-safe.
class waiting {
public:
  /// Adds a callback. Returns: its number, which is not 0. Throws: std::bad_alloc, and `done` is
  /// destroyed.
  std::uint64_t add(byte_stream::callback done) {
    callbacks_.emplace_back(last_ + 1, std::move(done));
    return ++last_;
  }
  /// Removes a callback. Returns: the callback with this number; none if it does not wait.
  [[nodiscard]] byte_stream::callback remove(std::uint64_t number) noexcept {
    const auto entry = std::ranges::find(callbacks_, number, &numbered::first);
    if (entry == callbacks_.end()) return {};
    byte_stream::callback removed = std::move(entry->second);
    callbacks_.erase(entry);
    return removed;
  }
  [[nodiscard]] bool empty() const noexcept { return callbacks_.empty(); }
  /// Removes all callbacks. Their numbers are not given again. Returns: the callbacks.
  [[nodiscard]] waiting take() noexcept {
    waiting taken;
    taken.callbacks_.swap(callbacks_);
    return taken;
  }
  /// Calls all with `outcome`, in the order in which they were added.
  void call(const io_result& outcome) {
    for (numbered& each : callbacks_)
      each.second(outcome);
  }

private:
  using numbered = std::pair<std::uint64_t, byte_stream::callback>;
  std::vector<numbered> callbacks_;
  std::uint64_t last_ = 0;
};

/// Private: calls callbacks when it is destroyed. It is declared before a lock, so that the lock is
/// released first.
class notices {
public:
  notices() = default;
  notices(const notices&) = delete;
  notices& operator=(const notices&) = delete;
  ~notices() {
    for (std::size_t i = 0; i < count_; ++i)
      callbacks_[i](outcomes_[i]);
    flushed_.call(flush_outcome_);
  }
  /// Takes the callback `whom`, to call it with `outcome`. An empty one is ignored. Requires: at
  /// most two, one that reads and one that finishes.
  void add(byte_stream::callback& whom, const io_result& outcome) {
    if (!whom) return;
    outcomes_[count_] = outcome;
    callbacks_[count_++] = std::exchange(whom, {});
  }
  /// Takes all callbacks that wait for a flush, to call them with `outcome`.
  void add_all(waiting& whom, const io_result& outcome) {
    if (whom.empty()) return;
    flushed_ = whom.take();
    flush_outcome_ = outcome;
  }

private:
  std::array<byte_stream::callback, 2> callbacks_;
  std::array<io_result, 2> outcomes_;
  std::size_t count_ = 0;
  waiting flushed_;
  io_result flush_outcome_;
};

}  // namespace tactor::inline v0::io
