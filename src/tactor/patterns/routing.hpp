// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::patterns {

/// The load of one worker, as its router knows it when it chooses.
struct route_load {
  std::uint64_t number = 0;     // of the worker, counted since the router began
  std::uint64_t forwarded = 0;  // to this worker; not those that were lost
  std::uint64_t handled = 0;    // by this worker; the other forwarded messages wait
};

// A policy chooses a worker for each message. Its `choose(message, count, load_of)` returns the
// index of a worker below `count`, or `sends_to_all`; `load_of(i)` returns its `route_load`.
// `count` is not 0.

/// Chooses one worker after the other: the next is the first that came after the last one chosen,
/// whatever workers have come and gone meanwhile.
class round_robin {
public:
  /// Returns: the index of the worker that gets the message.
  template <class Message, class LoadOf>
  [[nodiscard]] std::size_t choose(const Message&, std::size_t count, const LoadOf& load_of) {
    // Workers come at the end, so their order is that of their numbers, and one that goes moves
    // those behind it to the front.
    while (next_ > 0 && (next_ > count || load_of(next_ - 1).number > chosen_))
      --next_;
    if (next_ == count) next_ = 0;
    chosen_ = load_of(next_).number;
    return next_++;
  }

private:
  std::size_t next_ = 0;      // the index that is tried next
  std::uint64_t chosen_ = 0;  // the number of the last worker; unused while `next_` is 0
};

/// Chooses a pseudo-random worker, determined by the seed.
class random {
public:
  explicit random(std::uint64_t seed = 1) noexcept
      : state_(seed == zeroed ? 1 : tactor::internal::mixed_bits(seed ^ zeroed)) {}
  /// Returns: the index of the worker that gets the message.
  template <class Message, class LoadOf>
  [[nodiscard]] std::size_t choose(const Message&, std::size_t count, const LoadOf&) noexcept {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::size_t>((state_ >> 16U) % count);
  }

private:
  static constexpr std::uint64_t zeroed = 0x9E37'79B9'7F4A'7C15U;  // the seed that would give 0
  std::uint64_t state_;                                            // not 0, or it would stay 0
};

/// Chooses the worker that has the fewest messages of the router waiting, the first of several. A
/// message waits until it was handled or lost: also while it is stashed, and while its coroutine is
/// suspended.
class least_queued {
public:
  /// Returns: the index of the worker that gets the message.
  template <class Message, class LoadOf>
  [[nodiscard]] std::size_t choose(const Message&, std::size_t count,
                                   const LoadOf& load_of) const noexcept {
    std::size_t best = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 0; i < count; ++i) {
      const route_load load = load_of(i);
      const std::uint64_t waiting = load.forwarded - load.handled;
      if (waiting >= fewest) continue;
      best = i;
      fewest = waiting;
    }
    return best;
  }
};

namespace internal {

/// Gives one error for a message without a key.
template <class Message, bool HasKey>
struct key_check {
  static_assert(HasKey, "consistent_hash needs a key: give the message a function `std::uint64_t "
                        "routing_key(const Message&)` in its namespace");
};

/// True if the message has a key.
template <class Message>
concept has_key = requires(const Message& message) { std::uint64_t{routing_key(message)}; };

}  // namespace internal

/// Sends messages with equal keys to the same worker, while it lives. The key of a message is
/// `routing_key(message)`, a number, found in the namespace of the message. When a worker comes or
/// goes, only its share of the keys moves.
class consistent_hash {
public:
  /// Returns: the index of the worker that gets the message.
  template <class Message, class LoadOf>
  [[nodiscard]] std::size_t choose(const Message& message, std::size_t count,
                                   const LoadOf& load_of) const {
    constexpr bool with_key = internal::has_key<Message>;
    (void)internal::key_check<Message, with_key>{};
    std::size_t best = 0;
    if constexpr (with_key) {
      const std::uint64_t key = tactor::internal::mixed_bits(routing_key(message));
      std::uint64_t highest = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t weight =
            tactor::internal::mixed_bits(key + tactor::internal::mixed_bits(load_of(i).number + 1));
        if (i != 0 && weight <= highest) continue;
        best = i;
        highest = weight;
      }
    }
    return best;
  }
};

namespace internal {

template <class Policy, class Message>
inline constexpr bool has_key_for = !std::is_same_v<Policy, consistent_hash> || has_key<Message>;

}  // namespace internal

/// The choice of a policy to send a copy to every worker.
inline constexpr std::size_t sends_to_all = std::numeric_limits<std::size_t>::max();

/// Sends a copy to every worker. The first worker of the list answers an ask.
class broadcast {
public:
  /// Returns: the choice to send the message to all workers.
  template <class Message, class LoadOf>
  [[nodiscard]] std::size_t choose(const Message&, std::size_t, const LoadOf&) const noexcept {
    return sends_to_all;
  }
};

/// Asks every worker, and the first answer counts. When the last one has failed, or has not
/// answered within `timeout`, the asker gets the error of that one. A message without a reply goes
/// to all of them.
class first_answer {
public:
  explicit first_answer(duration timeout) noexcept : timeout_(timeout) {}
  [[nodiscard]] duration timeout() const noexcept { return timeout_; }
  /// Returns: the choice to send the message to all workers.
  template <class Message, class LoadOf>
  [[nodiscard]] std::size_t choose(const Message&, std::size_t, const LoadOf&) const noexcept {
    return sends_to_all;
  }

private:
  duration timeout_;
};

namespace internal {

/// Gives one error for a message that cannot be copied.
template <class Message, bool CanBeCopied>
struct copy_check {
  static_assert(CanBeCopied, "broadcast and first_answer send a copy to each worker: this message "
                             "cannot be copied; choose another policy");
};

/// True if the policy can send the message to all workers, or never does.
template <class Policy, class Message>
inline constexpr bool can_send_to_all =
    (!std::is_same_v<Policy, broadcast> && !std::is_same_v<Policy, first_answer>) ||
    std::is_copy_constructible_v<Message>;
template <class Policy, class Message>
inline constexpr bool can_route = has_key_for<Policy, Message> && can_send_to_all<Policy, Message>;

}  // namespace internal

}  // namespace tactor::inline v0::patterns
