// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <cstddef>
#include <deque>
#include <mutex>

namespace showcase {

/// A mailbox of bounded size: what an actor will have, without the actor.
class inbox final : public tactor::envelope_sink {
public:
  static constexpr std::size_t capacity = 16;

  [[nodiscard]] tactor::post_result post(tactor::timer_job& message) noexcept override {
    const std::scoped_lock lock{mutex_};
    if (waiting_.size() == capacity) return tactor::post_result::refused;
    waiting_.push_back(&message);
    return tactor::post_result::accepted;
  }

  /// The oldest message, the caller's to begin; null if there is none.
  [[nodiscard]] tactor::timer_job* take() {
    const std::scoped_lock lock{mutex_};
    if (waiting_.empty()) return nullptr;
    tactor::timer_job* const oldest = waiting_.front();
    waiting_.pop_front();
    return oldest;
  }

private:
  std::mutex mutex_;
  // protected by mutex_
  std::deque<tactor::timer_job*> waiting_;
};

}  // namespace showcase
