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

namespace internal {

/// Receives the events of a diagnostics stream as they happen. For the runtime: users read a
/// `diagnostics_subscription`, so that no user code runs under the stream's lock.
class diagnostics_listener : public intrusive_list_node<diagnostics_listener> {
public:
  /// Context: the thread that caused the event, under the stream's lock: one call at a time, short,
  /// and without a call into the scheduler or the stream.
  virtual void hear(const scheduler_event& event) noexcept = 0;

  /// The kinds that it receives; set by `diagnostics::attach`. Protected by the stream's mutex.
  scheduler_event_kinds wanted_kinds = {};

protected:
  ~diagnostics_listener() = default;
};

}  // namespace internal

class diagnostics_subscription;  // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final

/// The event stream of a scheduler. Costs one relaxed load per event of a kind that no listener
/// wants. Thread safety: everything from any thread; a short lock while there are listeners.
class diagnostics {
public:
  /// Returns true if a listener wants events of this kind.
  [[nodiscard]] bool wants(scheduler_event_kind kind) const noexcept {
    // relaxed: a listener that comes now may miss this event
    return scheduler_event_kinds::from_bits(wanted_.load(relaxed)).has(kind);
  }
  [[nodiscard]] bool has_listeners() const noexcept {
    return wanted_.load(relaxed) != 0;  // relaxed: see above
  }
  /// Passes the event to the listeners that want its kind.
  void publish(const scheduler_event& event) noexcept {
    if (wants(event.kind)) publish_to_all(event);
  }

  /// From now on `listener` receives the events of these kinds. Requires: it is not attached, and
  /// is detached before it or the stream ends.
  void attach(internal::diagnostics_listener& listener,
              scheduler_event_kinds kinds = scheduler_event_kinds::all()) noexcept;
  /// Afterwards `listener` receives no more events. Requires: it is attached.
  void detach(internal::diagnostics_listener& listener) noexcept;

private:
  friend diagnostics_subscription;
  void publish_to_all(const scheduler_event& event) noexcept;

  // The kinds that the listeners want, together. Written by: attach, detach. Read by: publishers.
  // Publishes: nothing.
  port::atomic<std::uint32_t> wanted_;
  port::mutex mutex_;
  // protected by mutex_
  internal::intrusive_list<internal::diagnostics_listener> attached_;
};

/// The unread events of one reader of a diagnostics stream, in storage of its own. Events that do
/// not fit are dropped and counted; a reader never blocks the scheduler. Requires: ends before the
/// stream does.
class diagnostics_subscription final : private internal::diagnostics_listener {
public:
  /// Listens to the events of these kinds from now on. Requires: `storage` outlives the
  /// subscription.
  diagnostics_subscription(diagnostics& stream, std::span<scheduler_event> storage,
                           scheduler_event_kinds kinds = scheduler_event_kinds::all()) noexcept;
  ~diagnostics_subscription();
  diagnostics_subscription(const diagnostics_subscription&) = delete;
  diagnostics_subscription& operator=(const diagnostics_subscription&) = delete;

  /// The oldest unread event. At the position of the first dropped event, one `diagnostics_dropped`
  /// stands for all events dropped until it is read. Context: any thread.
  [[nodiscard]] std::optional<scheduler_event> try_next() noexcept;
  /// Returns true if `try_next` would return an event. Costs one relaxed load. Context: any thread.
  [[nodiscard]] bool has_unread() const noexcept {
    return has_unread_.load(relaxed);  // relaxed: a hint
  }

private:
  // Inline, like every virtual function of the core: the vtable is then emitted by the user's
  // translation unit, with that unit's RTTI setting.
  void hear(const scheduler_event& event) noexcept override {
    has_unread_.store(true, relaxed);  // relaxed: a hint
    if (unread_.push(event)) return;
    if (dropped_ == 0) before_gap_ = unread_.size();
    ++dropped_;
  }

  diagnostics& stream_;
  // protected by the stream's mutex
  internal::ring<scheduler_event> unread_;
  std::uint64_t dropped_ = 0;
  std::size_t before_gap_ = 0;  // of `unread_`, if any were dropped
  // Written by: publishers, try_next. Read by: has_unread. Publishes: nothing.
  port::atomic<bool> has_unread_;
};

}  // namespace tactor::inline v0
