// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/scheduler/report/diagnostics.hpp"

#include "tactor/base/lock_guard.hpp"

#include <utility>

namespace tactor::inline v0 {

using namespace internal;

void diagnostics::attach(diagnostics_listener& listener, scheduler_event_kinds kinds) noexcept {
  const lock_guard locked{mutex_};
  // Never empty: a stream with a listener is in use.
  listener.wanted_kinds = kinds | scheduler_event_kind::diagnostics_dropped;
  attached_.push_back(listener);
  wanted_.fetch_or(listener.wanted_kinds.bits(), relaxed);  // relaxed: the mutex orders the list
}

void diagnostics::detach(diagnostics_listener& listener) noexcept {
  const lock_guard locked{mutex_};
  attached_.erase(listener);
  scheduler_event_kinds left;
  for (diagnostics_listener* each = attached_.front(); each != nullptr;
       each = attached_.next(*each))
    left = left | each->wanted_kinds;
  wanted_.store(left.bits(), relaxed);  // relaxed: the mutex orders the list
}

void diagnostics::publish_to_all(const scheduler_event& event) noexcept {
  const lock_guard locked{mutex_};
  for (diagnostics_listener* each = attached_.front(); each != nullptr;
       each = attached_.next(*each))
    if (each->wanted_kinds.has(event.kind)) each->hear(event);
}

diagnostics_subscription::diagnostics_subscription(diagnostics& stream,
                                                   std::span<scheduler_event> storage,
                                                   scheduler_event_kinds kinds) noexcept
    : stream_(stream), unread_(storage) {
  stream_.attach(*this, kinds);
}

diagnostics_subscription::~diagnostics_subscription() {
  stream_.detach(*this);
}

std::optional<scheduler_event> diagnostics_subscription::try_next() noexcept {
  const lock_guard locked{stream_.mutex_};
  if (dropped_ > 0) {
    if (before_gap_ == 0) {
      return scheduler_event{.kind = scheduler_event_kind::diagnostics_dropped,
                             .value = std::exchange(dropped_, 0)};
    }
    --before_gap_;
  }
  const auto oldest = unread_.pop();
  if (!oldest) has_unread_.store(false, relaxed);  // relaxed: a hint
  return oldest;
}

}  // namespace tactor::inline v0
