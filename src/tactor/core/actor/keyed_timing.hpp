// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/scheduling.hpp"
#include "tactor/core/cell/thread_record.hpp"
#include "tactor/core/features.hpp"
#include "tactor/core/life/own_timers.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/scheduler/report/job_kind.hpp"
#include "tactor/core/scheduler/schedule_options.hpp"

#include <concepts>
#include <cstdint>
#include <expected>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0 {

/// Names a timer of an actor: a number, an enumerator or a text.
class timer_key {
public:
  /// Makes a key; equal keys name one timer. A text is remembered by a hash of 64 bits.
  template <class Key>
    requires(!std::same_as<std::remove_cvref_t<Key>, timer_key>)
  // NOLINTNEXTLINE(google-explicit-constructor): users name a key
  constexpr timer_key(const Key& key) noexcept {
    constexpr bool is_number =
        (std::integral<Key> && !std::same_as<Key, bool>) || std::is_enum_v<Key>;
    constexpr bool is_text = std::convertible_to<const Key&, std::string_view>;
    constexpr bool is_key = is_number || is_text;
    static_assert(is_key, "the key of a timer is a number, an enumerator or a text");
    if constexpr (is_number) {
      value_ = static_cast<std::uint64_t>(key);
    } else if constexpr (is_text) {
      take(key);
    }
  }
  /// For the runtime.
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }
  /// Returns: the beginning of the text, for observers; nothing if the key is a number.
  [[nodiscard]] constexpr const internal::timer_key_text& text() const noexcept { return text_; }

private:
  constexpr void take(std::string_view text) noexcept {
    internal::name_hash hash;
    for (const char each : text) {
      hash.add(static_cast<unsigned char>(each));
      text_.add(each);
    }
    value_ = hash.value();
  }

  std::uint64_t value_ = 0;
  internal::timer_key_text text_;
};

/// The time at which a keyed timer fires: see `after`.
struct timer_after {
  duration delay;
};
/// See `every`.
struct timer_every {
  duration interval;
  missed missed_runs = missed::fold;
};
/// See `spaced`.
struct timer_spaced {
  duration delay;
};
/// Fires once, after `delay`.
[[nodiscard]] constexpr timer_after after(duration delay) noexcept {
  return {.delay = delay};
}
/// Fires every `interval`, at a fixed rate; `missed_runs` says what becomes of runs that were
/// missed.
[[nodiscard]] constexpr timer_every every(duration interval,
                                          missed missed_runs = missed::fold) noexcept {
  return {.interval = interval, .missed_runs = missed_runs};
}
/// Fires after `delay`, and again `delay` after each message was handled.
[[nodiscard]] constexpr timer_spaced spaced(duration delay) noexcept {
  return {.delay = delay};
}

namespace internal {

/// Gives one error for a timer that does not say when it fires.
template <class When>
struct when_check {
  static_assert(std::is_void_v<When>,
                "say when the timer fires: tactor::after(1s) for once, "
                "tactor::every(1s) or tactor::spaced(1s) for again and again");
};

}  // namespace internal

/// Timers of an actor to itself, by key: `Self` is the actor's typed context.
///
///     ctx.start_timer("poll", tactor::every(1s), poll{});
///
/// Each has a place outside of the mailbox's capacity: no overflow strategy refuses or evicts its
/// message. They are cancelled when the actor restarts or stops, before its hooks run. Context: the
/// actor's own handlers and hooks.
template <class Self>
class keyed_timing {
public:
  /// Sends `message` to this actor once. It takes the place of the key's timer, if there is one:
  /// none of its messages is handled any more, also none that is queued. If it is refused, the
  /// key's timer stays.
  template <class Message>
  std::expected<void, scheduler_error> start_timer(timer_key key, timer_after when,
                                                   Message message) {
    return start<Message>(key, {.mode = job_mode::once, .first = when.delay, .period = {}},
                          std::move(message), once_options{});
  }
  /// Starts a timer at a fixed rate. `message` is copied for each run, or made by a factory that
  /// takes an `execution_batch`; `ctx.batch()` says how many runs it stands for.
  template <class Message>
  std::expected<void, scheduler_error> start_timer(timer_key key, timer_every when,
                                                   Message message) {
    return start<typename internal::sent_by<Message>::type>(
        key, {.mode = job_mode::fixed_rate, .first = when.interval, .period = when.interval},
        std::move(message), periodic_options{.missed_runs = when.missed_runs});
  }
  /// Starts a timer with a fixed delay.
  template <class Message>
  std::expected<void, scheduler_error> start_timer(timer_key key, timer_spaced when,
                                                   Message message) {
    return start<typename internal::sent_by<Message>::type>(
        key, {.mode = job_mode::fixed_delay, .first = when.delay, .period = when.delay},
        std::move(message), periodic_options{});
  }
  /// Gives one error if `When` is no time.
  template <class When, class Message>
    requires(!std::convertible_to<When, timer_after> && !std::convertible_to<When, timer_every> &&
             !std::convertible_to<When, timer_spaced>)
  std::expected<void, scheduler_error> start_timer(const timer_key&, const When&, const Message&) {
    (void)internal::when_check<When>{};
    return {};
  }
  /// Cancels the timer of a key: none of its messages is handled any more, except those that the
  /// actor has stashed. Returns: false if there was none, or if it was over.
  bool cancel_timer(timer_key key) noexcept {
    return internal::cancel_keyed_timer(self().own_cell(), key.value());
  }
  /// Cancels all timers that were started by key.
  void cancel_timers() noexcept {
    internal::end_keyed_timers(internal::this_thread(), self().own_cell());
  }
  /// Returns: true if the timer of a key will send a message, or has sent a message whose handler
  /// has not begun.
  [[nodiscard]] bool is_timer_active(timer_key key) const noexcept {
    return internal::is_keyed_timer_active(self().own_cell(), key.value());
  }

protected:
  keyed_timing() = default;
  ~keyed_timing() = default;

private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  template <class Sent, class Given, class Options>
  std::expected<void, scheduler_error> start(timer_key key, const timer_times& when, Given&& given,
                                             Options options) {
    if (internal::program_features().timers == nullptr)
      return std::unexpected{scheduler_error::capacity_exceeded};
    scheduler& timers = self().timers();
    internal::keyed_timer* const of_key = internal::timer_of_key(
        internal::this_thread(), self().self_cell(), key.value(), key.text());
    if (of_key == nullptr) return timers.refuse_without_memory(when);
    auto started = internal::schedule_in_envelope<Sent>(
        timers, when, self().self(), self().as_sender(), internal::timer_place::keyed,
        std::forward<Given>(given), options);
    if (!started) return std::unexpected{started.error()};
    internal::replace(*of_key, *started,
                      when.mode == job_mode::once ? internal::repetition::once
                                                  : internal::repetition::periodic);
    return {};
  }
};

}  // namespace tactor::inline v0
