// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "tactor/base/duration.hpp"
#include "tactor/base/exceptions.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/context.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/life/death_watch.hpp"
#include "tactor/core/message/type_identity.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/message_traits.hpp"
#include "tactor/port/port.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tactor::inline v0::testkit {

namespace panics {
inline constexpr port::panic_code expectation{
    .module = 6, .id = 8, .advice = "a probe's expectation was not met; the line above says which"};
}  // namespace panics

/// An expectation that was not met. Its text names the expected message, the message that came, and
/// the seed.
// NOLINTNEXTLINE(misc-include-cleaner): <string> has it; tests of core may not include <exception>
class unmet_expectation : public std::exception {
public:
  explicit unmet_expectation(std::string text) noexcept : text_(std::move(text)) {}
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::string text_;
};

inline namespace TACTOR_EXCEPTION_MODE {

/// Ends the test: throws where exceptions are on, panics where they are off.
[[noreturn]] inline void expectation_failed(seed from, std::string_view verb,
                                            std::string_view wanted, std::string_view came) {
  std::string text{verb};
  text.append(" ").append(wanted).append(", got ").append(came);
  text.append(" (seed ").append(std::to_string(from.value)).append(")");
#if defined(__cpp_exceptions)
  throw unmet_expectation{std::move(text)};
#else
  std::fprintf(stderr, "%s\n", text.c_str());
  port::panic(panics::expectation);
#endif
}

}  // namespace TACTOR_EXCEPTION_MODE
namespace internal {

/// A message that a probe received.
struct received_message {
  received_message(const type_identity& of, const actor_ref<>& from) noexcept
      : type(&of), sender(from) {}
  received_message(const received_message&) = delete;
  received_message& operator=(const received_message&) = delete;
  virtual ~received_message() = default;
  /// Ends the ask that the probe will not answer any more.
  virtual void abandon() noexcept {}

  const type_identity* type;
  actor_ref<> sender;
};
template <class Message>
struct received final : received_message {
  received(Message&& taken, const actor_ref<>& from, reply_to<reply_of<Message>> duty)
      : received_message(identity_of<Message>, from),
        message(std::move(taken)),
        answer(std::move(duty)) {}
  void abandon() noexcept override { answer = {}; }

  Message message;
  reply_to<reply_of<Message>> answer;
};

/// An actor that a probe watches has ended.
struct saw_end final : received_message {
  explicit saw_end(const actor_ref<>& ended) : received_message(identity_of<terminated>, ended) {}
};

/// True if the values are an answer of type `Reply`.
template <class Reply, class... Value>
inline constexpr bool answers =
    std::is_void_v<Reply> ? sizeof...(Value) == 0
                          : sizeof...(Value) == 1 && std::is_constructible_v<Reply, Value...>;
/// Gives one error for a value that is no answer to the message.
template <class Message, class Reply, bool Fits>
struct reply_check {
  static_assert(Fits,
                "reply<Message>(value): value must be of type Message::reply, which is named here "
                "as Reply; without a reply, or with void, there is no value");
};

/// The messages that a probe has received.
struct received_messages {
  std::deque<std::unique_ptr<received_message>> queue;
  std::unique_ptr<received_message> last;  // taken by the test

  /// Ends all asks that the probe has not answered. Called when it has ended.
  void abandon() noexcept {
    for (const auto& each : queue)
      each->abandon();
    if (last != nullptr) last->abandon();
  }
};

/// Asks a probe to watch an actor.
struct watch_wish {
  actor_ref<> whom;
};

/// Records its messages and leaves the answers to the test.
template <class Message>
struct probe_handler {
  std::shared_ptr<received_messages> got;

  delegated<reply_of<Message>> receive(context& ctx, Message message) {
    auto duty = ctx.reply_later<reply_of<Message>>();
    const auto promised = duty.as_delegated();
    got->queue.push_back(
        std::make_unique<received<Message>>(std::move(message), ctx.sender(), std::move(duty)));
    return promised;
  }
};

template <class... Messages>
class probe_actor : public actor<Messages..., watch_wish>, private probe_handler<Messages>... {
public:
  explicit probe_actor(const std::shared_ptr<received_messages>& given)
      : probe_handler<Messages>{given}..., got_(given) {}
  probe_actor(const probe_actor&) = delete;
  probe_actor& operator=(const probe_actor&) = delete;
  ~probe_actor() { got_->abandon(); }
  using probe_handler<Messages>::receive...;
  void receive(context& ctx, const watch_wish& wish) { (void)ctx.watch(wish.whom, *this); }
  void receive(context&, const terminated& end) {
    got_->queue.push_back(std::make_unique<saw_end>(end.who));
  }

private:
  std::shared_ptr<received_messages> got_;
};

}  // namespace internal

/// An actor that records its messages for a test. Each expectation runs the simulation, in virtual
/// time, until the message has arrived: no test ever sleeps. An expectation that is not met ends
/// the test with a text that says what came instead.
///
///     auto prices = world.spawn_probe<quote>("pricing");
///     EXPECT_EQ(prices.expect<quote>().item, "tea");
///     prices.reply<quote>(3);
///
/// A value; copies refer to one actor. When the probe is stopped, the asks that it has not answered
/// end at once. Context: the test's thread.
template <class... Messages>
class probe {
public:
  /// The virtual time for which an expectation runs the simulation.
  static constexpr std::chrono::seconds default_wait{3};

  probe(simulation& world, std::string_view name)
      : world_(&world), got_(std::make_shared<internal::received_messages>()) {
    const auto actor = world.spawn<internal::probe_actor<Messages...>>(name, got_);
    ref_ = actor;
    wishes_ = actor;
  }

  /// The reference to give to other actors.
  [[nodiscard]] actor_ref<Messages...> ref() const noexcept { return ref_; }

  /// Takes the next message, which must be a `Message`.
  template <class Message>
  Message expect(duration within = default_wait) {
    static_assert(tactor::internal::is_among<Message, Messages...>,
                  "this probe does not take that message");
    if (!wait(within)) fail("expected", identity_of<Message>.name, "nothing");
    return take<Message>("expected");
  }
  /// Takes the next message that is a `Message` and for which `wanted(message)` is true; drops
  /// earlier messages.
  template <class Message, class Wanted>
  Message fish(Wanted wanted, duration within = default_wait) {
    const bool has_come = world_->run_until(
        [&] {
          while (!got_->queue.empty()) {
            if (const auto* const each = front<Message>(); each != nullptr && wanted(each->message))
              return true;
            drop_front();
          }
          return false;
        },
        within);
    if (!has_come) fail("fished for", identity_of<Message>.name, "none that was wanted");
    return take<Message>("fished for");
  }
  /// Watches an actor: the probe is notified when it ends, or at once if it is gone; see
  /// `expect_terminated`.
  void watch(const actor_ref<>& whom) const { wishes_.tell(internal::watch_wish{whom}); }
  /// Takes the next message, which must be the notification that `whom`, which the probe watches,
  /// has ended.
  void expect_terminated(const actor_ref<>& whom, duration within = default_wait) {
    constexpr std::string_view name = identity_of<terminated>.name;
    if (!wait(within)) fail("expected", name, "nothing");
    const internal::received_message& oldest = *got_->queue.front();
    if (*oldest.type != identity_of<terminated>) fail("expected", name, oldest.type->name);
    if (oldest.sender != whom) fail("expected", name, "that of another actor");
    drop_front();
  }
  /// Lets `length` pass; no message must come.
  void expect_no_message(duration length = std::chrono::milliseconds{100}) {
    if (got_->queue.empty()) world_->run_for(length);
    if (!got_->queue.empty()) fail("expected", "no message", got_->queue.front()->type->name);
  }

  /// Answers the message that `expect` or `fish` took last, if it was an ask.
  template <class Message, class... Value>
  void reply(Value&&... value) {
    constexpr bool fits = internal::answers<reply_of<Message>, Value...>;
    (void)internal::reply_check<Message, reply_of<Message>, fits>{};
    auto* const last = got_->last != nullptr && *got_->last->type == identity_of<Message>
                           ? static_cast<internal::received<Message>*>(got_->last.get())
                           : nullptr;
    if (last == nullptr)
      fail("reply to", identity_of<Message>.name,
           "another message, or none, as the one taken last");
    if constexpr (fits) last->answer.send(std::forward<Value>(value)...);
  }
  /// Returns: the sender of the message that was taken last; no actor if it came from outside.
  [[nodiscard]] actor_ref<> sender() const noexcept {
    return got_->last == nullptr ? actor_ref<>{} : got_->last->sender;
  }
  /// Returns: the number of messages that have arrived and were not taken.
  [[nodiscard]] std::size_t waiting() const noexcept { return got_->queue.size(); }

private:
  bool wait(duration within) {
    return world_->run_until([&] { return !got_->queue.empty(); }, within);
  }
  template <class Message>
  [[nodiscard]] internal::received<Message>* front() const noexcept {
    internal::received_message& oldest = *got_->queue.front();
    return *oldest.type == identity_of<Message> ? static_cast<internal::received<Message>*>(&oldest)
                                                : nullptr;
  }
  void drop_front() {
    got_->last = std::move(got_->queue.front());
    got_->queue.pop_front();
  }
  template <class Message>
  Message take(std::string_view verb) {
    internal::received<Message>* const oldest = front<Message>();
    if (oldest == nullptr) fail(verb, identity_of<Message>.name, got_->queue.front()->type->name);
    drop_front();
    return std::move(oldest->message);
  }
  [[noreturn]] void fail(std::string_view verb, std::string_view wanted, std::string_view came) {
    expectation_failed(world_->seeded_with(), verb, wanted, came);
  }

  simulation* world_;
  std::shared_ptr<internal::received_messages> got_;
  actor_ref<Messages...> ref_;
  actor_ref<internal::watch_wish> wishes_;  // the probe's actor, too
};

template <class... Messages>
probe<Messages...> simulation::spawn_probe(std::string_view name) {
  return probe<Messages...>{*this, name};
}

}  // namespace tactor::inline v0::testkit
