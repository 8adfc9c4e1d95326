// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/assert.hpp"
#include "tactor/base/treap.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/message/envelope.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/core/send/send.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/port/port.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactor::inline v0 {

namespace internal {
struct subscription;
struct subscription_by_actor;
struct subscription_by_type;

/// An event of the runtime: `dead_letter`, `actor_failed`, ….
template <class Event>
concept runtime_event = requires { typename Event::runtime_event; };
}  // namespace internal

/// Events by type: a publisher does not know the subscribers. Subscribers are actors, and get a
/// copy as an ordinary message. A copy that a subscriber's mailbox refuses is counted
/// (`events.refused_total`) and is no dead letter: dead letters are events themselves. A publisher
/// never waits, also for a mailbox where senders wait for capacity.
/// Thread safety: every function from any thread. Nothing is sent or copied under the lock.
/// Costs: O(log n) for each subscription, and for each subscriber of a published event.
class event_stream {
public:
  constexpr event_stream() noexcept = default;
  event_stream(const event_stream&) = delete;
  event_stream& operator=(const event_stream&) = delete;
  ~event_stream();

  /// From now on `who` gets every `Event`. Ends automatically when the actor stops. Returns: false,
  /// and nothing changes, if it is subscribed already, if it has stopped or refers to no actor, or
  /// if there is no memory.
  template <class Event, class... Messages>
  bool subscribe(const actor_ref<Messages...>& who) {
    (void)internal::message_check<actor_ref<Messages...>, Event,
                                  internal::is_among<Event, Messages...>>{};
    if constexpr (internal::runtime_event<Event>)
      TACTOR_ASSERT(internal::program_features().reports, panics::reports_left_out);
    return add(identity_of<Event>, who);
  }
  /// Ends a subscription. Returns: false if there was none.
  template <class Event>
  bool unsubscribe(const actor_ref<>& who) {
    return remove(&identity_of<Event>, who) > 0;
  }
  /// Ends all subscriptions of an actor. Returns: the number of them.
  std::size_t unsubscribe_all(const actor_ref<>& who) noexcept { return remove(nullptr, who); }

  /// Sends a copy of `event` to all that have subscribed to its type before, in the order of their
  /// subscriptions. Returns: the number of those that accepted it.
  template <class Event>
  std::size_t publish(const Event& event) {
    if (has_no_subscriber()) return 0;
    return publish(identity_of<Event>, &event, deliver<Event>);
  }

  [[nodiscard]] bool has_no_subscriber() const noexcept {
    return size_.load(relaxed) == 0;  // relaxed: a concurrent subscriber may miss this event
  }
  /// Returns: the number of copies that a mailbox refused.
  [[nodiscard]] std::uint32_t refused() const noexcept {
    return refused_.load(relaxed);  // relaxed: statistic only
  }

private:
  using deliver_function = tell_result (*)(const actor_ref<>& to, const void* event);

  template <class Event>
  static tell_result deliver(const actor_ref<>& to, const void* event) {
    internal::thread_record& here = internal::this_thread();
    internal::envelope* const e = internal::enclose<Event>(here, *static_cast<const Event*>(event));
    if (e == nullptr) return tell_result::full;
    e->from = here.sender;
    const tell_result result = offer(here, to.slot(), to.generation(), *e).result;
    if (result != tell_result::ok) discard_envelope(here, *e);
    return result;
  }

  bool add(const type_identity& type, const actor_ref<>& who) noexcept;
  std::size_t remove(const type_identity* type, const actor_ref<>& who) noexcept;
  internal::subscription* take_out(const type_identity* type, const actor_ref<>& who) noexcept;
  [[nodiscard]] internal::subscription* find(const type_identity* type,
                                             const actor_ref<>& who) const noexcept;
  [[nodiscard]] internal::subscription* next_of(const type_identity& type,
                                                std::uint64_t seen) const noexcept;
  struct progress {
    std::uint64_t seen = 0;   // the number of the last subscription that was sent to
    std::uint64_t until = 0;  // the number of the last one to send to; 0: not known yet
  };
  std::size_t next_some(const type_identity& type, progress& of,
                        std::span<actor_ref<>> some) noexcept;
  std::size_t publish(const type_identity& type, const void* event, deliver_function send_copy);

  [[no_unique_address]] port::mutex mutex_;
  // protected by mutex_
  internal::treap<internal::subscription, internal::subscription_by_actor> by_actor_;
  internal::treap<internal::subscription, internal::subscription_by_type> by_type_;
  std::uint64_t given_ = 0;
  // Written by: add, remove. Read by: publish. Publishes: nothing.
  port::atomic<std::uint32_t> size_;
  // Written by: publish. Read by: any. Publishes: nothing.
  port::atomic<std::uint32_t> refused_;
};

}  // namespace tactor::inline v0
