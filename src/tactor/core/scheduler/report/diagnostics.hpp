// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/intrusive_list.hpp"
#include "tactor/base/ring.hpp"
#include "tactor/core/scheduler/report/scheduler_event.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tactor::inline v0 {

/// Hears the events of a diagnostics stream as they happen.
class diagnostics_listener : public internal::intrusive_list_node<diagnostics_listener> {
public:
  /// Context: whoever caused the event, under the stream's lock: one call at a time, short, and
  /// without a call into the scheduler or the stream.
  virtual void hear(const scheduler_event& event) noexcept = 0;

protected:
  ~diagnostics_listener() = default;
};

/// Which events a listener is interested in.
enum class diagnostics_wish : bool { everything, warnings };

class diagnostics_subscription;  // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final

/// The stream of a scheduler's events. Costs one relaxed load per event while nobody listens to it.
/// Thread safety: everything from any thread; a short lock while somebody listens.
class diagnostics {
public:
  /// Whether somebody listens to everything.
  [[nodiscard]] bool observed() const noexcept {
    return keen_.load(relaxed) != 0;  // relaxed: a listener that comes now may miss this event
  }
  /// Whether somebody listens, be it to warnings alone.
  [[nodiscard]] bool has_listeners() const noexcept {
    return listeners_.load(relaxed) != 0;  // relaxed: as above
  }
  /// Tells all listeners, if there are any to whom it is of interest.
  void publish(const scheduler_event& event) noexcept {
    if (is_warning(event.kind) ? has_listeners() : observed()) publish_to_all(event);
  }

  /// One who wishes for warnings may hear other events, too. Requires: `listener` is not attached,
  /// and is detached, with the same wish, before it or the stream ends.
  void attach(diagnostics_listener& listener,
              diagnostics_wish wish = diagnostics_wish::everything) noexcept;
  /// Afterwards `listener` hears nothing any more. Requires: it is attached.
  void detach(diagnostics_listener& listener,
              diagnostics_wish wish = diagnostics_wish::everything) noexcept;

private:
  friend diagnostics_subscription;
  void publish_to_all(const scheduler_event& event) noexcept;

  // Written by: listeners that come and go. Read by: publishers. Publishes: nothing.
  port::atomic<std::uint32_t> listeners_;
  port::atomic<std::uint32_t> keen_;  // of these, those who wish for everything
  port::mutex mutex_;
  // protected by mutex_
  internal::intrusive_list<diagnostics_listener> attached_;
};

/// What one reader of a diagnostics stream has not read yet, in room of its own. What does not fit
/// is dropped and counted; nobody ever waits for a reader. Requires: ends before the stream does.
class diagnostics_subscription final : private diagnostics_listener {
public:
  using wants = diagnostics_wish;

  /// Listens to `stream` from now on. Requires: `room` outlives the subscription.
  diagnostics_subscription(diagnostics& stream, std::span<scheduler_event> room,
                           wants what = wants::everything) noexcept;
  ~diagnostics_subscription();
  diagnostics_subscription(const diagnostics_subscription&) = delete;
  diagnostics_subscription& operator=(const diagnostics_subscription&) = delete;

  /// The oldest event not yet read. Where the first was dropped, a `diagnostics_dropped` stands for
  /// all that have been until it is read. Context: any thread.
  [[nodiscard]] std::optional<scheduler_event> try_next() noexcept;

private:
  // Inline, as every virtual function of the core: its vtable is then made by whoever uses it, with
  // or without RTTI as that unit is.
  void hear(const scheduler_event& event) noexcept override {
    const bool wanted = wants_ == wants::everything || is_warning(event.kind);
    if (!wanted || unread_.push(event)) return;
    if (dropped_ == 0) before_the_gap_ = unread_.size();
    ++dropped_;
  }

  diagnostics& stream_;
  wants wants_;
  // protected by the stream's mutex
  internal::ring<scheduler_event> unread_;
  std::uint64_t dropped_ = 0;
  std::size_t before_the_gap_ = 0;  // of `unread_`, if any were dropped
};

}  // namespace tactor::inline v0
