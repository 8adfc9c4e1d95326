// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/diagnostics.hpp"

#include <utility>

namespace tactor::inline v0 {
namespace {

class lock_guard {
public:
  explicit lock_guard(port::mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~lock_guard() { mutex_.unlock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

private:
  port::mutex& mutex_;
};

}  // namespace

diagnostics_subscription::diagnostics_subscription(diagnostics& stream,
                                                   std::span<scheduler_event> room,
                                                   wants what) noexcept
    : stream_(stream), wants_(what), unread_(room) {
  const lock_guard locked{stream_.mutex_};
  stream_.subscriptions_.push_back(*this);
  stream_.listeners_.fetch_add(1, relaxed);  // relaxed: the mutex orders the list
}

diagnostics_subscription::~diagnostics_subscription() {
  const lock_guard locked{stream_.mutex_};
  stream_.subscriptions_.erase(*this);
  stream_.listeners_.fetch_sub(1, relaxed);  // relaxed: the mutex orders the list
}

std::optional<scheduler_event> diagnostics_subscription::poll() noexcept {
  const lock_guard locked{stream_.mutex_};
  if (dropped_ > 0) {
    return scheduler_event{.kind = scheduler_event_kind::diagnostics_dropped,
                           .value = std::exchange(dropped_, 0)};
  }
  return unread_.pop();
}

void diagnostics::publish_to_all(const scheduler_event& event) noexcept {
  const lock_guard locked{mutex_};
  for (diagnostics_subscription* each = subscriptions_.front(); each != nullptr;
       each = subscriptions_.next(*each)) {
    const bool wanted =
        each->wants_ == diagnostics_subscription::wants::everything || is_warning(event.kind);
    if (wanted && !each->unread_.push(event)) ++each->dropped_;
  }
}

}  // namespace tactor::inline v0
