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

/// Receives the events of a diagnostics stream as they happen.
class diagnostics_listener : public internal::intrusive_list_node<diagnostics_listener> {
public:
  /// Context: the thread that caused the event, under the stream's lock: one call at a time, short,
  /// and without a call into the scheduler or the stream.
  virtual void hear(const scheduler_event& event) noexcept = 0;

protected:
  ~diagnostics_listener() = default;
};

/// Which events a listener is interested in.
enum class diagnostics_wish : bool { everything, warnings };

class diagnostics_subscription;  // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final

/// The event stream of a scheduler. Costs one relaxed load per event without listeners.
/// Thread safety: everything from any thread; a short lock while there are listeners.
class diagnostics {
public:
  /// Whether a listener wants all events.
  [[nodiscard]] bool observed() const noexcept {
    return full_listeners_.load(relaxed) !=
           0;  // relaxed: a listener that comes now may miss this event
  }
  /// Whether there is any listener, including for warnings only.
  [[nodiscard]] bool has_listeners() const noexcept {
    return listeners_.load(relaxed) != 0;  // relaxed: see above
  }
  /// Passes the event to all listeners, if any of them wants it.
  void publish(const scheduler_event& event) noexcept {
    if (is_warning(event.kind) ? has_listeners() : observed()) publish_to_all(event);
  }

  /// A listener for warnings may also receive other events. Requires: `listener` is not attached,
  /// and is detached, with the same `wish`, before it or the stream ends.
  void attach(diagnostics_listener& listener,
              diagnostics_wish wish = diagnostics_wish::everything) noexcept;
  /// Afterwards `listener` receives no more events. Requires: it is attached.
  void detach(diagnostics_listener& listener,
              diagnostics_wish wish = diagnostics_wish::everything) noexcept;

private:
  friend diagnostics_subscription;
  void publish_to_all(const scheduler_event& event) noexcept;

  // Written by: attach, detach. Read by: publishers. Publishes: nothing.
  port::atomic<std::uint32_t> listeners_;
  port::atomic<std::uint32_t> full_listeners_;  // the listeners that want everything
  port::mutex mutex_;
  // protected by mutex_
  internal::intrusive_list<diagnostics_listener> attached_;
};

/// The unread events of one reader of a diagnostics stream, in storage of its own. Events that do
/// not fit are dropped and counted; a reader never blocks the scheduler. Requires: ends before the
/// stream does.
class diagnostics_subscription final : private diagnostics_listener {
public:
  using wants = diagnostics_wish;

  /// Listens to `stream` from now on. Requires: `storage` outlives the subscription.
  diagnostics_subscription(diagnostics& stream, std::span<scheduler_event> storage,
                           wants what = wants::everything) noexcept;
  ~diagnostics_subscription();
  diagnostics_subscription(const diagnostics_subscription&) = delete;
  diagnostics_subscription& operator=(const diagnostics_subscription&) = delete;

  /// The oldest unread event. At the position of the first dropped event, one `diagnostics_dropped`
  /// stands for all events dropped until it is read. Context: any thread.
  [[nodiscard]] std::optional<scheduler_event> try_next() noexcept;

private:
  // Inline, like every virtual function of the core: the vtable is then emitted by the user's
  // translation unit, with that unit's RTTI setting.
  void hear(const scheduler_event& event) noexcept override {
    const bool wanted = wants_ == wants::everything || is_warning(event.kind);
    if (!wanted || unread_.push(event)) return;
    if (dropped_ == 0) before_gap_ = unread_.size();
    ++dropped_;
  }

  diagnostics& stream_;
  wants wants_;
  // protected by the stream's mutex
  internal::ring<scheduler_event> unread_;
  std::uint64_t dropped_ = 0;
  std::size_t before_gap_ = 0;  // of `unread_`, if any were dropped
};

}  // namespace tactor::inline v0
