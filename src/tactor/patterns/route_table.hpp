// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/actor.hpp"
#include "tactor/patterns/routing.hpp"
#include "tactor/port/port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor::inline v0::patterns {

/// What a router has done.
struct router_counts {
  std::size_t workers = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t handled = 0;  // by the workers of a pool; of a group it is not known
};

namespace internal {

/// Written by the worker, read by the router.
using counter = std::shared_ptr<port::counter>;

/// An ask that was passed on to several workers.
template <class Reply>
struct wanted_answer {
  reply_to<Reply> answer;
  std::size_t left = 0;  // so many may still answer

  /// The first answer counts; of failures the last one, when no answer can come any more.
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

/// Where messages go, and how one is chosen. Part of a router's instance.
template <class Policy, class... Messages>
class route_table {
public:
  using target = actor_ref<Messages...>;
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  explicit route_table(const Policy& how) : how_(how) {}

  /// The next `add` needs no memory.
  void reserve_next() {
    if (routes_.size() == routes_.capacity()) routes_.reserve(2 * routes_.size() + 4);
  }
  /// `most`: the most messages it can hold; its mailbox drops the rest.
  void add(const target& to, counter handled, std::uint64_t most = no_limit) {
    routes_.push_back(
        {.to = to, .load = {.number = made_++}, .handled = std::move(handled), .most = most});
  }
  /// It gets nothing more, and handles what it has.
  void retire(const actor_ref<>& whom) {
    const auto last = find(routes_, whom);
    if (last == routes_.end()) return;
    leaving_.push_back(std::move(*last));
    routes_.erase(last);
  }
  /// It has ended or was removed; it may be listed several times. Returns: false if it was not, or no
  /// longer, a target.
  bool remove(const actor_ref<>& whom) {
    const std::size_t before = routes_.size();
    for (std::vector<route>* const list : {&routes_, &leaving_}) {
      for (auto gone = find(*list, whom); gone != list->end(); gone = find(*list, whom)) {
        handled_ += handled_by(*gone);
        list->erase(gone);
      }
    }
    return routes_.size() < before;
  }
  [[nodiscard]] std::size_t size() const noexcept { return routes_.size(); }
  /// Whether `holds(target)` is true for all of them; stops at the first for which it is not.
  template <class Predicate>
  [[nodiscard]] bool all_of(Predicate holds) const {
    return std::ranges::all_of(routes_, [&](const route& each) { return holds(each.to); });
  }
  [[nodiscard]] target newest() const noexcept { return routes_.back().to; }
  [[nodiscard]] router_counts counts() const noexcept {
    router_counts sum{.workers = routes_.size(), .forwarded = forwarded_, .handled = handled_};
    for (const std::vector<route>* const list : {&routes_, &leaving_}) {
      for (const route& each : *list)
        sum.handled += handled_by(each);
    }
    return sum;
  }

  /// Sends `message` on, with its sender and the obligation to answer.
  template <class Context, class Message>
  delegated<reply_of<Message>> forward(Context& ctx, Message message) {
    if (routes_.empty()) {
      if (!std::exchange(warned_, true))
        ctx.log(log_level::warning, "a router has no worker: its messages become dead letters; "
                                    "give it a worker, or stop sending");
      return ctx.forward(target{}, std::move(message));
    }
    const std::size_t index = how_.choose(std::as_const(message), routes_.size(),
                                          [this](auto i) { return load_of(routes_[i]); });
    if (index < routes_.size()) {
      route& chosen = routes_[index];
      note(chosen);
      return ctx.forward(chosen.to, std::move(message));
    }
    if constexpr (std::is_copy_constructible_v<Message>) {
      if (index != sends_to_all) return give_up(ctx, std::move(message));
      const bool asked = is_asked(ctx);
      if constexpr (std::is_same_v<Policy, first_answer> && has_reply<Message>) {
        if (asked) return ask_all(ctx, message);
      }
      for (std::size_t i = 1; i < routes_.size(); ++i) {
        note(routes_[i]);
        if (asked) {  // an ask names no sender, and only the first one has to answer
          routes_[i].to.tell(message);
        } else {
          (void)ctx.forward(routes_[i].to, std::as_const(message));
        }
      }
      note(routes_.front());
      return ctx.forward(routes_.front().to, std::move(message));
    } else {
      return give_up(ctx, std::move(message));
    }
  }

private:
  /// Whether an ask waits for the answer to the current message.
  template <class Context>
  static bool is_asked(const Context& ctx) noexcept {
    const auto* const current = ctx.self_cell().current;
    return current != nullptr && current->from.what() == tactor::internal::origin::kind::reply_slot;
  }

  /// A policy of a user has chosen a worker that does not exist, or all for a message that cannot be copied.
  template <class Context, class Message>
  static delegated<reply_of<Message>> give_up(Context& ctx, Message message) {
    ctx.log(log_level::warning,
            "the policy of a router has returned neither the index of a worker nor "
            "sends_to_all for a message that can be copied: the message becomes a dead letter");
    return ctx.forward(target{}, std::move(message));
  }

  struct route {
    target to;
    route_load load;
    counter handled;
    std::uint64_t most = no_limit;
    std::uint64_t of_others = 0;  // handled messages that this router did not send
  };

  static auto find(std::vector<route>& in, const actor_ref<>& whom) {
    return std::find_if(in.begin(), in.end(), [&](const route& each) { return each.to == whom; });
  }
  static std::uint64_t handled_by(const route& r) noexcept {
    return r.handled == nullptr ? 0 : r.handled->value();
  }
  /// A worker may also be sent messages by others, or by itself. More than `most` outstanding: its mailbox has dropped the rest.
  static route_load load_of(route& r) noexcept {
    const std::uint64_t handled = handled_by(r) - r.of_others;
    const std::uint64_t own = std::min(handled, r.load.forwarded);
    r.of_others += handled - own;
    r.load.forwarded = own + std::min(r.load.forwarded - own, r.most);
    route_load load = r.load;
    load.handled = own;
    return load;
  }
  void note(route& r) noexcept {
    ++r.load.forwarded;
    ++forwarded_;
  }

  template <class Context, class Message>
  delegated<reply_of<Message>> ask_all(Context& ctx, const Message& message) {
    using reply = reply_of<Message>;
    auto wanted = std::make_shared<wanted_answer<reply>>();
    wanted->answer = ctx.template reply_later<reply>();
    wanted->left = routes_.size();
    const auto promised = wanted->answer.as_delegated();
    for (route& each : routes_) {
      note(each);
      ctx.ask(each.to, Message(message), how_.timeout(),
              [wanted](auto got) { wanted->take(std::move(got)); });
    }
    return promised;
  }

  Policy how_;
  std::vector<route> routes_;
  std::vector<route> leaving_;
  std::uint64_t made_ = 0;
  std::uint64_t forwarded_ = 0;
  std::uint64_t handled_ = 0;  // by workers that are gone
  bool warned_ = false;
};

}  // namespace internal
}  // namespace tactor::inline v0::patterns
