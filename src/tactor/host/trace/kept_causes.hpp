// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/core/actor/cell/trace_recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <unordered_map>

namespace tactor::inline v0::internal {

/// What was put aside in a trace, and its cause. What is put aside again, or something else under the same key,
/// replaces what was known, so that nothing has to be removed.
///
/// Thread safety: everything from any thread.
class kept_causes {
public:
  /// `most`: how many are kept.
  explicit kept_causes(std::size_t most) noexcept : most_(most) {}

  /// `what` was put aside. Without a cause, or without memory for it, it begins a trace of its own.
  void set(trace_key what, const trace_cause& why) noexcept {
    try {
      const std::scoped_lock lock{mutex_};
      if (why.span == 0 || causes_.size() >= most_) {
        causes_.erase(what.value);
      } else {
        causes_[what.value] = why;
      }
    } catch (const std::exception&) {
      return;
    }
  }
  /// Its cause, with span 0 if there is none.
  [[nodiscard]] trace_cause of(trace_key what) const noexcept {
    if (what == trace_key{}) return {};
    const std::scoped_lock lock{mutex_};
    const auto found = causes_.find(what.value);
    return found == causes_.end() ? trace_cause{} : found->second;
  }

private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  // protected by mutex_
  std::unordered_map<std::uint64_t, trace_cause> causes_;
};

}  // namespace tactor::inline v0::internal
