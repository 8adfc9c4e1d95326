// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/ring.hpp"
#include "tactor/core/scheduler/scheduler_event.hpp"
#include "tactor/port/port.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace tactor::inline v0 {

class diagnostics;

/// What one listener of a diagnostics stream has not read yet, in room of its own. What does not
/// fit is dropped and counted; nobody ever waits for a listener. Requires: ends before the stream
/// does.
class diagnostics_subscription : public intrusive_list_node<diagnostics_subscription> {
public:
  enum class wants : bool { everything, warnings };

  /// Listens to `stream` from now on. Requires: `room` outlives the subscription.
  diagnostics_subscription(diagnostics& stream, std::span<scheduler_event> room,
                           wants what = wants::everything) noexcept;
  ~diagnostics_subscription();
  diagnostics_subscription(const diagnostics_subscription&) = delete;
  diagnostics_subscription& operator=(const diagnostics_subscription&) = delete;

  /// The oldest event not yet read. Where some were dropped, a `diagnostics_dropped` says so first.
  /// Context: any thread.
  [[nodiscard]] std::optional<scheduler_event> poll() noexcept;

private:
  friend diagnostics;

  diagnostics& stream_;
  wants wants_;
  // protected by the stream's mutex
  ring<scheduler_event> unread_;
  std::uint64_t dropped_ = 0;
};

/// The stream of a scheduler's events. Costs one relaxed load per event while nobody listens.
/// Thread safety: everything from any thread; a short lock while somebody listens.
class diagnostics {
public:
  [[nodiscard]] bool observed() const noexcept {
    return listeners_.load(relaxed) != 0;  // relaxed: a listener that comes now may miss this event
  }
  void publish(const scheduler_event& event) noexcept {
    if (observed()) publish_to_all(event);
  }

private:
  friend diagnostics_subscription;
  void publish_to_all(const scheduler_event& event) noexcept;

  // Written by: subscriptions that come and go. Read by: publishers. Publishes: nothing.
  port::atomic<std::uint32_t> listeners_;
  port::mutex mutex_;
  // protected by mutex_
  intrusive_list<diagnostics_subscription> subscriptions_;
};

}  // namespace tactor::inline v0
