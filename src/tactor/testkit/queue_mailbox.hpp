// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/ring.hpp"
#include "tactor/core/message/envelope_sink.hpp"
#include "tactor/core/scheduler/job/timer_job.hpp"

#include <array>
#include <cstddef>

namespace tactor::inline v0::testkit {

/// A receiver of timer messages without an actor: a posted message waits until the test begins,
/// finishes or discards it, one step at a time. Context: one thread.
///
///     timer_job* const job = mailbox.take();
///     if (const auto batch = job->begin()) {          // nothing: it was cancelled while it waited
///       const auto message = job->take<ping>(*batch);
///       job->finish({});
///     }
template <std::size_t Capacity = 8>
class queue_mailbox final : public envelope_sink {
public:
  queue_mailbox() noexcept = default;
  queue_mailbox(const queue_mailbox&) = delete;
  queue_mailbox& operator=(const queue_mailbox&) = delete;
  ~queue_mailbox() = default;

  [[nodiscard]] post_result post(timer_job& message) noexcept override {
    if (closed_) return dead_letter(post_result::closed);
    if (!queue_.push(&message)) return dead_letter(post_result::refused);
    return post_result::accepted;
  }

  /// Takes the oldest message, which the caller must begin or discard. Returns: null if there is
  /// none.
  [[nodiscard]] timer_job* take() noexcept { return queue_.pop().value_or(nullptr); }

  /// Discards the oldest message, like the overflow strategy `drop_oldest`.
  void evict_oldest() noexcept {
    if (timer_job* const oldest = take()) oldest->discard(dead_letter(post_result::refused));
  }
  /// Stops the receiver: queued and later messages are dead letters.
  void close() noexcept {
    closed_ = true;
    while (timer_job* const left = take())
      left->discard(dead_letter(post_result::closed));
  }

  [[nodiscard]] std::size_t size() const noexcept { return queue_.size(); }
  [[nodiscard]] std::size_t dead_letters() const noexcept { return dead_letters_; }

private:
  post_result dead_letter(post_result why) noexcept {
    ++dead_letters_;
    return why;
  }

  std::array<timer_job*, Capacity> slots_{};
  tactor::internal::ring<timer_job*> queue_{slots_};
  std::size_t dead_letters_ = 0;
  bool closed_ = false;
};

}  // namespace tactor::inline v0::testkit
