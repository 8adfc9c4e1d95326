// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/patterns/routing.hpp"
#include "tactor/patterns/worker_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor::inline v0::patterns {

/// The counts of a router.
struct router_counts {
  std::size_t workers = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t handled = 0;  // forwarded messages that a handler has taken, also if it failed
};

namespace internal {

/// An ask that was passed on to several workers.
template <class Reply>
struct wanted_answer {
  reply_to<Reply> answer;
  std::size_t left = 0;  // workers that may still answer

  /// Takes the answer or the error of one worker. The first answer counts; if all fail, the last
  /// error.
  template <class Got>
  void take(Got got) {
    --left;
    if (!got) {
      if (left == 0) answer.fail(got.error().kind);
    } else if constexpr (std::is_void_v<Reply>) {
      answer.send();
    } else {
      answer.send(*std::move(got));
    }
  }
};

/// The workers to which a router sends messages, and the policy that chooses one. Part of a
/// router's instance.
template <class Policy, class... Messages>
class route_table {
public:
  using target = actor_ref<Messages...>;
  explicit route_table(const Policy& how) : how_(how) {}

  /// Makes room, so that the next `add` needs no memory.
  void reserve_next() {
    if (routes_.size() == routes_.capacity()) routes_.reserve(2 * routes_.size() + 4);
    ended_.reserve(routes_.capacity());
  }
  void add(const target& to, owned_messages messages) {
    settle();
    reserve_next();
    routes_.insert(end(), {.to = to, .number = next_number_++, .messages = std::move(messages)});
    ++size_;
  }
  /// Removes a target, which may be listed several times. It gets nothing more; the messages that
  /// it handles are still counted. Returns: false if it was not, or no longer, a target.
  bool remove(const actor_ref<>& whom) {
    settle();
    forget_idle();
    const std::size_t before = size_;
    for (auto at = routes_.begin(); at != end();) {
      if (at->to != whom) {
        ++at;
        continue;
      }
      std::rotate(at, at + 1, end());
      --size_;
    }
    return size_ < before;
  }
  /// Removes a target that has ended, before the table is used next: many that end together take
  /// one pass. Requires: each target once.
  void remove_ended(const actor_ref<>& whom) noexcept { ended_.push_back(whom); }
  /// Removes the newest target. Returns: its reference.
  target remove_newest() noexcept { return routes_[--size_].to; }
  [[nodiscard]] std::size_t size() noexcept {
    settle();
    return size_;
  }
  /// Returns: true if `holds(target)` is true for all targets. It stops at the first for which it
  /// is not.
  template <class Predicate>
  [[nodiscard]] bool all_of(Predicate holds) {
    settle();
    return std::all_of(routes_.begin(), end(), [&](const route& each) { return holds(each.to); });
  }
  [[nodiscard]] router_counts counts() noexcept {
    settle();
    router_counts sum{.workers = size_, .forwarded = forwarded_, .handled = handled_};
    for (const route& each : routes_)
      sum.handled += each.messages->handled();
    return sum;
  }

  /// Sends `message` on, with its sender and the obligation to answer.
  template <class Context, class Message>
  delegated<reply_of<Message>> forward(Context& ctx, Message message) {
    settle();
    if (size_ == 0) {
      if (!std::exchange(warned_, true))
        ctx.log(log_level::warning, "a router has no worker: its messages become dead letters; "
                                    "give it a worker, or stop sending");
      return ctx.forward(target{}, std::move(message));
    }
    const std::size_t index =
        how_.choose(std::as_const(message), size_, [this](auto i) { return load_of(routes_[i]); });
    if (index < size_) return pass_on(ctx, routes_[index], std::move(message));
    if constexpr (std::is_copy_constructible_v<Message>) {
      if (index == sends_to_all) return pass_on_to_all(ctx, std::move(message));
    }
    return give_up(ctx, std::move(message));
  }

private:
  template <class Context>
  static tactor::internal::origin origin_of_current(const Context& ctx) noexcept {
    const auto* const current = ctx.self_cell().current;
    return current == nullptr ? tactor::internal::origin{} : current->from;
  }
  /// Returns: true if an ask waits for the answer to the current message.
  template <class Context>
  static bool is_asked(const Context& ctx) noexcept {
    return origin_of_current(ctx).what() == tactor::internal::origin::kind::reply_slot;
  }

  /// Drops a message for which a policy of a user has chosen a worker that does not exist, or all
  /// workers although it cannot be copied.
  template <class Context, class Message>
  static delegated<reply_of<Message>> give_up(Context& ctx, Message message) {
    ctx.log(log_level::warning,
            "the policy of a router has returned neither the index of a worker nor "
            "sends_to_all for a message that can be copied: the message becomes a dead letter");
    return ctx.forward(target{}, std::move(message));
  }

  struct route {
    target to;
    std::uint64_t number = 0;
    owned_messages messages;
  };

  /// Returns: the end of the targets. Behind it are removed targets that have messages left, or had
  /// some lately.
  [[nodiscard]] auto end() noexcept { return routes_.begin() + static_cast<std::ptrdiff_t>(size_); }
  /// Removes those that have ended.
  void settle() noexcept {
    if (ended_.empty()) return;
    forget_idle();
    const auto earlier = [](const actor_ref<>& a, const actor_ref<>& b) {
      const bool one_slot = a.slot() == b.slot();
      return one_slot ? a.generation() < b.generation() : std::less<>{}(a.slot(), b.slot());
    };
    std::sort(ended_.begin(), ended_.end(), earlier);
    const auto stays = [&](const route& each) {
      const auto at = std::lower_bound(ended_.begin(), ended_.end(), each.to, earlier);
      return at == ended_.end() || *at != each.to;
    };
    std::size_t kept = 0;  // in their order; that of the others does not matter
    for (std::size_t i = 0; i < size_; ++i)
      if (stays(routes_[i])) std::swap(routes_[kept++], routes_[i]);
    size_ = kept;
    ended_.clear();
  }
  void forget_idle() noexcept {
    const auto idle = std::remove_if(end(), routes_.end(), [this](const route& each) {
      if (each.messages->waiting() != 0) return false;
      handled_ += each.messages->handled();
      return true;
    });
    routes_.erase(idle, routes_.end());
  }
  static route_load load_of(const route& r) noexcept {
    const std::uint64_t handled = r.messages->handled();
    return {.number = r.number, .forwarded = handled + r.messages->waiting(), .handled = handled};
  }
  template <class Message>
  void send(route& to, tactor::internal::origin from, Message&& message) {
    ++forwarded_;
    tactor::internal::send_followed(to.to, from, std::forward<Message>(message), *to.messages);
  }
  template <class Context, class Message>
  delegated<reply_of<Message>> pass_on(Context& ctx, route& to, Message message) {
    send(to, origin_of_current(ctx), std::move(message));
    return delegated<reply_of<Message>>::made();
  }

  template <class Context, class Message>
  delegated<reply_of<Message>> pass_on_to_all(Context& ctx, Message message) {
    const bool asked = is_asked(ctx);
    if constexpr (std::is_same_v<Policy, first_answer> && has_reply<Message>) {
      if (asked) return ask_all(ctx, message);
    }
    // An ask names no sender, and only the first one has to answer.
    const tactor::internal::origin from = asked ? ctx.as_sender() : origin_of_current(ctx);
    for (std::size_t i = 1; i < size_; ++i)
      send(routes_[i], from, std::as_const(message));
    return pass_on(ctx, routes_.front(), std::move(message));
  }

  template <class Context, class Message>
  delegated<reply_of<Message>> ask_all(Context& ctx, const Message& message) {
    using reply = reply_of<Message>;
    auto wanted = std::make_shared<wanted_answer<reply>>();
    wanted->answer = ctx.template reply_later<reply>();
    wanted->left = size_;
    const auto promised = wanted->answer.as_delegated();
    for (std::size_t i = 0; i < size_; ++i) {
      const route& each = routes_[i];
      ++forwarded_;
      tactor::internal::ask_from<tactor::internal::followed_message<Message>, Context>(
          ctx.self_cell(), each.to, how_.timeout(),
          [wanted](auto got) { wanted->take(std::move(got)); }, message, *each.messages);
    }
    return promised;
  }

  Policy how_;
  std::vector<route> routes_;
  std::size_t size_ = 0;  // the number of targets, at the front
  // Targets that have ended and are still counted in `size_`. It has room for all targets.
  std::vector<actor_ref<>> ended_;
  std::uint64_t next_number_ = 0;
  std::uint64_t forwarded_ = 0;
  std::uint64_t handled_ = 0;  // by targets that have left `routes_`
  bool warned_ = false;
};

}  // namespace internal
}  // namespace tactor::inline v0::patterns
