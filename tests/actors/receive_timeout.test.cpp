// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/life/receive_timeout.hpp"

#include "tactor/base/duration.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/spawning.hpp"
#include "tactor/core/dispatch/single_thread_coordinator.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/scheduler/scheduler.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/system/cooperative_loop.hpp"
#include "tactor/core/system/system_config.hpp"
#include "tactor/core/system/system_core.hpp"
#include "tactor/testkit/manual_clock.hpp"
#include "tactor/testkit/queue_dispatcher.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"
#include "tactor/testkit/simulation_memory.hpp"

#include "few_timers.hpp"
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

using may_fail = std::expected<void, failure>;
using milliseconds = std::vector<std::uint64_t>;

struct order;
struct plain {};
struct quiet;
struct silent_order;
struct riddle;
using idler_context = actor_context<order, plain, quiet, silent_order, riddle>;
using deed = std::function<may_fail(idler_context&)>;

// Tells an actor what to do.
struct order {
  deed what;
};
// Do not count, by either name of the member type.
struct quiet {
  using not_influence_receive_timeout = void;
};
struct silent_order {
  using ignored_by_receive_timeout = void;
  deed what;
};
struct riddle {
  using reply = int;
};

// Records what an actor has seen.
struct diary {
  milliseconds idle;  // when it was told
  std::vector<duration> after;
  int handled = 0;
  deed when_idle;
  deed at_start;
  deed at_end;
};

std::uint64_t ms(const context& ctx) {
  return ctx.now_ns() / 1'000'000;
}

class idler : public actor<order, plain, quiet, silent_order, riddle> {
public:
  explicit idler(diary* book) : book_(book) {}
  may_fail pre_start(context& ctx) { return book_->at_start ? book_->at_start(ctx) : may_fail{}; }
  may_fail post_stop(context& ctx) { return book_->at_end ? book_->at_end(ctx) : may_fail{}; }
  may_fail receive(context& ctx, const order& o) { return o.what(ctx); }
  may_fail receive(context& ctx, const silent_order& o) { return o.what(ctx); }
  void receive(context&, plain) { ++book_->handled; }
  void receive(context&, quiet) { ++book_->handled; }
  int receive(context&, riddle) { return ++book_->handled; }
  void receive(context&, const terminated&) { ++book_->handled; }
  may_fail receive(context& ctx, const receive_timeout& t) {
    book_->idle.push_back(ms(ctx));
    book_->after.push_back(t.after);
    return book_->when_idle ? book_->when_idle(ctx) : may_fail{};
  }

private:
  diary* book_;
};

template <class What>
deed as_deed(What what) {
  return [what](idler_context& ctx) -> may_fail {
    if constexpr (std::is_void_v<decltype(what(ctx))>) {
      what(ctx);
      return {};
    } else {
      return what(ctx);
    }
  };
}

constexpr auto timeout = 100ms;

void set(idler_context& ctx) {
  EXPECT_TRUE(ctx.set_receive_timeout<idler>(timeout));
}
may_fail fail(idler_context&) {
  return std::unexpected{failure{"no"}};
}

std::size_t blocks() {
  std::size_t sum = 0;
  for (unsigned each = 0; each < envelope_size_classes; ++each)
    sum += program_memory.envelopes.blocks_made(each);
  return sum;
}

class receive_timeout_state : public ::testing::Test {
protected:
  explicit receive_timeout_state(const system_config& config = {}) : world(seed{1}, config) {}

  idler::ref spawn(diary& of, const spawn_options& options = {}) {
    return world.spawn<idler>(options, &of);
  }
  template <class What>
  void let(const idler::ref& whom, What what) {
    (void)whom.tell(order{as_deed(what)});
    (void)world.run_to_idle();
  }
  // Also with a message that does not count.
  template <class What>
  void let_quietly(const idler::ref& whom, What what) {
    (void)whom.tell(silent_order{as_deed(what)});
    (void)world.run_to_idle();
  }
  template <class Message>
  void tell(Message message) {
    (void)who.tell(std::move(message));
    (void)world.run_to_idle();
  }
  [[nodiscard]] std::uint64_t all_dead() const { return world.metrics().all_dead_letters(); }
  diary& fresh() { return books_.emplace_back(); }

private:
  std::deque<diary> books_;  // those of actors outlive them

protected:
  diary book;
  simulation world;
  idler::ref who = spawn(book);
};

// Times.

// spec: R1
// case: RT-01
TEST_F(receive_timeout_state, is_told_after_the_timeout_and_again_until_it_is_cancelled) {
  let(who, set);
  world.run_for(99ms);
  EXPECT_EQ(book.idle, milliseconds{});
  world.run_for(1ms);
  EXPECT_EQ(book.idle, (milliseconds{100}));
  world.run_for(250ms);
  EXPECT_EQ(book.idle, (milliseconds{100, 200, 300}));
  EXPECT_EQ(book.after, (std::vector<duration>(3, timeout)));

  let(who, [](idler_context& ctx) { ctx.cancel_receive_timeout(); });
  world.run_for(10s);
  EXPECT_EQ(book.idle.size(), 3U);
}

// spec: R1
// case: RT-04
TEST_F(receive_timeout_state, is_not_told_unless_it_is_set) {
  tell(plain{});
  world.run_for(1h);
  EXPECT_EQ(book.idle, milliseconds{});
  EXPECT_EQ(world.timers().metrics().scheduled_total, 0U);
}

class receive_timeout_with : public receive_timeout_state,
                             public ::testing::WithParamInterface<mailbox_options> {};
INSTANTIATE_TEST_SUITE_P(
    mailboxes, receive_timeout_with,
    ::testing::Values(mailbox_options{},
                      mailbox_options{.capacity = 8, .overflow = overflow_strategy::reject},
                      mailbox_options{.capacity = 8, .overflow = overflow_strategy::drop_newest},
                      mailbox_options{.capacity = 8, .overflow = overflow_strategy::drop_oldest},
                      mailbox_options{.capacity = 8, .overflow = overflow_strategy::dead_letter}));

// spec: R2
// case: RT-02
TEST_P(receive_timeout_with, is_told_so_long_after_the_last_message) {
  diary& of = fresh();
  const auto other = spawn(of, {.mailbox = GetParam()});
  let(other, set);
  for (int i = 0; i < 10; ++i) {
    world.run_for(50ms);
    (void)other.tell(plain{});
    (void)world.run_to_idle();
  }
  EXPECT_EQ(of.idle, milliseconds{});
  EXPECT_EQ(of.handled, 10);
  world.run_for(230ms);
  EXPECT_EQ(of.idle, (milliseconds{600, 700}));
}

// spec: R2
TEST_P(receive_timeout_with, counts_messages_that_come_together) {
  diary& of = fresh();
  const auto other = spawn(of, {.mailbox = GetParam()});
  let(other, set);
  world.run_for(60ms);
  for (int i = 0; i < 5; ++i)
    (void)other.tell(plain{});
  world.run_for(1s);
  EXPECT_EQ(of.handled, 5);
  EXPECT_EQ(of.idle.front(), 160U);
}

// spec: R3
// case: RT-05
TEST_P(receive_timeout_with, is_told_in_time_though_messages_come_that_do_not_count) {
  diary& of = fresh();
  const auto other = spawn(of, {.mailbox = GetParam()});
  let(other, set);
  for (int i = 0; i < 25; ++i) {
    world.run_for(10ms);
    (void)other.tell(quiet{});
    (void)world.run_to_idle();
  }
  EXPECT_EQ(of.handled, 25);
  EXPECT_EQ(of.idle, (milliseconds{100, 200}));
}

// spec: R2
TEST_P(receive_timeout_with, counts_answers) {
  diary& of = fresh();
  const auto other = spawn(of, {.mailbox = GetParam()});
  let(other, [](idler_context& ctx) {
    set(ctx);
    (void)ctx.schedule_once(60ms, ctx.self(), silent_order{as_deed([](idler_context& later) {
                              // Only the answer matters, not the message.
                              later.ask(later.self(), riddle{}, 1s,
                                        [](idler_context&, std::expected<int, ask_error>) {});
                            })});
  });
  world.run_for(190ms);
  EXPECT_EQ(of.handled, 1);
  EXPECT_EQ(of.idle, (milliseconds{160}));
}

// spec: R2
TEST_F(receive_timeout_state, counts_answers_of_others) {
  const auto other = spawn(fresh());
  let(who, [other](idler_context& ctx) {
    set(ctx);
    (void)ctx.schedule_once(60ms, ctx.self(), silent_order{as_deed([other](idler_context& later) {
                              later.ask(other, riddle{}, 1s, [](std::expected<int, ask_error>) {});
                            })});
  });
  world.run_for(190ms);
  EXPECT_EQ(book.idle, (milliseconds{160}));
}

// spec: R2
TEST_P(receive_timeout_with, does_not_count_an_answer_whose_continuation_fails) {
  const auto hardy = spawn(book, {.mailbox = GetParam(), .on_failure = directive::resume});
  const auto other = spawn(fresh());
  let(hardy, [other](idler_context& ctx) {
    set(ctx);
    (void)ctx.schedule_once(60ms, ctx.self(), silent_order{as_deed([other](idler_context& later) {
                              later.ask(other, riddle{}, 1s,
                                        [](std::expected<int, ask_error>) -> may_fail {
                                          return std::unexpected{failure{"no"}};
                                        });
                            })});
  });
  world.run_for(110ms);
  EXPECT_EQ(world.metrics().failures, 1U);
  EXPECT_EQ(book.idle, (milliseconds{100}));
}

// spec: R2
TEST_F(receive_timeout_state, counts_timer_messages) {
  let(who, [](idler_context& ctx) {
    set(ctx);
    (void)ctx.schedule_once(50ms, ctx.self(), plain{});
    (void)ctx.schedule_once(70ms, ctx.self(), quiet{});
  });
  world.run_for(200ms);
  EXPECT_EQ(book.handled, 2);
  EXPECT_EQ(book.idle, (milliseconds{150}));
}

// spec: R3
// case: RT-17
TEST_F(receive_timeout_state, does_not_count_what_the_runtime_does) {
  idler::ref child;
  let(who, [&](idler_context& ctx) {
    child = ctx.spawn<idler>(spawn_options{}, &fresh());
    set(ctx);
  });
  world.run_for(30ms);
  world.stop(child);  // the last one
  (void)world.signal(who, signal_key{7});
  world.run_for(30ms);
  EXPECT_EQ(world.live(), 1U);
  world.run_for(60ms);
  EXPECT_EQ(book.idle, (milliseconds{100}));
}

class watching_idler : public actor<plain> {
public:
  watching_idler(diary* book, actor_ref<> whom) : book_(book), whom_(whom) {}
  void pre_start(context& ctx) {
    (void)ctx.watch(whom_, *this);
    (void)ctx.set_receive_timeout(timeout, *this);
  }
  void receive(context&, plain) {}
  void receive(context&, const terminated&) { ++book_->handled; }
  void receive(context& ctx, const receive_timeout&) { book_->idle.push_back(ms(ctx)); }

private:
  diary* book_;
  actor_ref<> whom_;
};

// spec: R3
TEST_F(receive_timeout_state, does_not_count_a_termination) {
  diary& of = fresh();
  (void)world.spawn<watching_idler>(spawn_options{}, &of, actor_ref<>{who});
  world.run_for(50ms);
  world.stop(who);
  world.run_for(60ms);
  EXPECT_EQ(of.handled, 1);
  EXPECT_EQ(of.idle, (milliseconds{100}));
}

// spec: R2
TEST_F(receive_timeout_state, counts_what_it_says_itself) {
  let(who, set);
  world.run_for(50ms);
  let_quietly(who, [](idler_context& ctx) { ctx.notify_activity(); });
  world.run_for(120ms);
  EXPECT_EQ(book.idle, (milliseconds{150}));
}

// Setting and cancelling.

// spec: R1
// case: RT-03
TEST_F(receive_timeout_state, can_be_cancelled_in_its_handler) {
  book.when_idle = [](idler_context& ctx) -> may_fail {
    ctx.cancel_receive_timeout();
    return {};
  };
  let(who, set);
  world.run_for(1s);
  EXPECT_EQ(book.idle, (milliseconds{100}));
  tell(plain{});
  world.run_for(1s);
  EXPECT_EQ(book.idle.size(), 1U);
}

// spec: R1
TEST_F(receive_timeout_state, can_be_set_again_in_its_handler) {
  book.when_idle = [](idler_context& ctx) -> may_fail {
    EXPECT_TRUE(ctx.set_receive_timeout<idler>(50ms));
    return {};
  };
  let(who, set);
  world.run_for(220ms);
  EXPECT_EQ(book.idle, (milliseconds{100, 150, 200}));
  EXPECT_EQ(book.after, (std::vector<duration>{100ms, 50ms, 50ms}));
}

// spec: R1
// case: RT-03
TEST_F(receive_timeout_state, refuses_what_is_no_time_and_nothing_changes) {
  const auto expect_refused = [](idler_context& ctx) {
    for (const duration wrong : {duration{0ms}, duration{-1ms}, duration::min(), duration::max()}) {
      const auto refused = ctx.set_receive_timeout<idler>(wrong);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error(), scheduler_error::invalid_delay);
    }
  };
  let(who, expect_refused);
  world.run_for(1s);
  EXPECT_EQ(book.idle, milliseconds{}) << "it was not set";

  let(who, set);
  world.run_for(50ms);
  let_quietly(who, expect_refused);
  world.run_for(60ms);
  EXPECT_EQ(book.idle, (milliseconds{1100})) << "it stays as it was";
  EXPECT_EQ(book.after, (std::vector<duration>{timeout}));
}

// spec: R3
// case: RT-08
TEST_F(receive_timeout_state, is_set_and_cancelled_at_once_in_a_handler_that_does_not_count) {
  let_quietly(who, set);
  world.run_for(120ms);
  EXPECT_EQ(book.idle, (milliseconds{100}));
  let_quietly(who, [](idler_context& ctx) { ctx.cancel_receive_timeout(); });
  world.run_for(1s);
  EXPECT_EQ(book.idle, (milliseconds{100}));
  let_quietly(who, set);
  world.run_for(120ms);
  EXPECT_EQ(book.idle, (milliseconds{100, 1220}));
}

// spec: R2
// case: RT-13
TEST_F(receive_timeout_state, starts_again_when_it_is_set_again) {
  let(who, set);
  world.run_for(60ms);
  let_quietly(who, set);
  world.run_for(120ms);
  EXPECT_EQ(book.idle, (milliseconds{160}));
}

// spec: R2
TEST_F(receive_timeout_state, can_be_made_shorter_and_longer) {
  let(who, set);
  world.run_for(10ms);
  let_quietly(who, [](idler_context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout<idler>(20ms)); });
  world.run_for(20ms);
  EXPECT_EQ(book.idle, (milliseconds{30}));
  let_quietly(who, [](idler_context& ctx) { EXPECT_TRUE(ctx.set_receive_timeout<idler>(300ms)); });
  world.run_for(299ms);
  EXPECT_EQ(book.idle, (milliseconds{30}));
  world.run_for(1ms);
  EXPECT_EQ(book.idle, (milliseconds{30, 330}));
}

// spec: R1
TEST_F(receive_timeout_state, can_be_set_in_a_hook) {
  diary& of = fresh();
  of.at_start = as_deed(set);
  of.at_end = as_deed(set);
  const auto other = spawn(of);
  world.run_for(120ms);
  EXPECT_EQ(of.idle, (milliseconds{100}));
  world.stop(other);
  world.run_for(1s);
  EXPECT_EQ(of.idle, (milliseconds{100}));
  EXPECT_EQ(world.timers().metrics().active_total, 0U);
}

// The end of it.

// spec: R4
// case: RT-11
TEST_F(receive_timeout_state, ends_with_the_actor) {
  let(who, [](idler_context& ctx) {
    set(ctx);
    ctx.stop();
  });
  EXPECT_EQ(world.timers().metrics().active_total, 0U);
  // The next one in that slot has nothing of it.
  diary& of_next = fresh();
  const auto next = spawn(of_next);
  ASSERT_EQ(next.slot(), who.slot());
  world.run_for(1s);
  EXPECT_EQ(book.idle, milliseconds{});
  EXPECT_EQ(of_next.idle, milliseconds{});
  EXPECT_EQ(all_dead() + world.metrics().dead_letters_suppressed, 0U);
}

// spec: R4
TEST_F(receive_timeout_state, is_not_told_while_it_stops) {
  diary& of_child = fresh();
  let(who, [&](idler_context& ctx) {
    set(ctx);
    (void)ctx.spawn<idler>(spawn_options{}, &of_child);
  });
  world.run_for(90ms);
  world.stop(who);
  world.run_for(1s);
  EXPECT_EQ(book.idle, milliseconds{});
  EXPECT_EQ(world.live(), 0U);
  EXPECT_EQ(all_dead() + world.metrics().dead_letters_suppressed, 0U);
}

// spec: R4
TEST_F(receive_timeout_state, ends_with_a_restart) {
  const auto hardy = spawn(book, {.on_failure = restart{}});
  let(hardy, set);
  world.run_for(50ms);
  let(hardy, fail);
  world.run_for(1s);
  EXPECT_EQ(book.idle, milliseconds{});
  EXPECT_EQ(world.metrics().restarts, 1U);
  EXPECT_EQ(all_dead() + world.metrics().dead_letters_suppressed, 0U);
}

// spec: R4
// case: RT-10
TEST_F(receive_timeout_state, works_for_the_instance_after_a_restart) {
  diary& of = fresh();
  of.at_start = as_deed(set);
  const auto hardy = spawn(of, {.on_failure = restart{}});
  world.run_for(50ms);
  let(hardy, fail);
  EXPECT_EQ(world.metrics().restarts, 1U);
  world.run_for(120ms);
  EXPECT_EQ(of.idle, (milliseconds{150}));
}

// spec: R4
TEST_F(receive_timeout_state, set_while_the_old_instance_ends_is_nothing_to_the_fresh_one) {
  diary& of = fresh();
  of.at_end = as_deed(set);
  const auto hardy = spawn(of, {.on_failure = restart{.delay = {.min = 500ms, .max = 500ms}}});
  let(hardy, fail);
  world.run_for(2s);
  EXPECT_EQ(world.metrics().restarts, 1U);
  EXPECT_EQ(of.idle, milliseconds{});
}

// Failures and suspensions.

// spec: R2
// case: RT-12
TEST_P(receive_timeout_with, keeps_its_deadline_when_a_handler_fails_and_the_actor_goes_on) {
  diary& of = fresh();
  const auto hardy = spawn(of, {.mailbox = GetParam(), .on_failure = directive::resume});
  let(hardy, set);
  world.run_for(60ms);
  let(hardy, fail);
  EXPECT_EQ(world.metrics().resumes, 1U);
  world.run_for(60ms);
  EXPECT_EQ(of.idle, (milliseconds{100}));
}

// spec: R2
TEST_F(receive_timeout_state, counts_what_was_handled_before_the_failure) {
  const auto hardy = spawn(book, {.on_failure = directive::resume});
  let(hardy, set);
  world.run_for(60ms);
  (void)hardy.tell(plain{});
  (void)hardy.tell(order{as_deed(fail)});
  world.run_for(120ms);
  EXPECT_EQ(book.idle, (milliseconds{160}));
}

// spec: R1
TEST_F(receive_timeout_state, is_supervised_when_its_handler_fails) {
  const auto hardy = spawn(book, {.on_failure = directive::resume});
  book.when_idle = fail;
  let(hardy, set);
  world.run_for(220ms);
  EXPECT_EQ(book.idle, (milliseconds{100, 200}));
  EXPECT_EQ(world.metrics().failures, 2U);
}

// spec: P1
TEST_P(receive_timeout_with, is_paused_while_the_actor_is_suspended_and_starts_again_afterwards) {
  diary& of = fresh();
  const auto other = spawn(of, {.mailbox = GetParam()});
  let(other, set);
  world.run_for(90ms);
  (void)world.suspend(other);
  (void)other.tell(quiet{});
  world.run_for(910ms);
  EXPECT_EQ(of.idle, milliseconds{});
  EXPECT_EQ(of.handled, 0);
  (void)world.resume(other);
  world.run_for(99ms);
  EXPECT_EQ(of.idle, milliseconds{});
  EXPECT_EQ(of.handled, 1);
  world.run_for(1ms);
  EXPECT_EQ(of.idle, (milliseconds{1100}));
}

// spec: P1
TEST_F(receive_timeout_state, that_is_set_by_an_actor_that_suspends_itself_begins_when_it_goes_on) {
  let(who, [](idler_context& ctx) {
    EXPECT_TRUE(ctx.suspend(suspend_reason::rate_limit, resume_after(500ms)));
    set(ctx);
  });
  world.run_for(590ms);
  EXPECT_EQ(book.idle, milliseconds{});
  world.run_for(10ms);
  EXPECT_EQ(book.idle, (milliseconds{600}));
}

// spec: P1
TEST_F(receive_timeout_state, that_is_set_before_the_actor_suspends_itself_begins_when_it_goes_on) {
  let(who, [](idler_context& ctx) {
    set(ctx);
    EXPECT_TRUE(ctx.suspend(suspend_reason::rate_limit, resume_after(500ms)));
  });
  world.run_for(620ms);
  EXPECT_EQ(book.idle, (milliseconds{600}));
}

// spec: P1
TEST_F(receive_timeout_state, whose_handler_suspends_the_actor_begins_when_it_goes_on) {
  book.when_idle = as_deed([](idler_context& ctx) {
    EXPECT_TRUE(ctx.suspend(suspend_reason::rate_limit, resume_after(500ms)));
  });
  let(who, set);
  world.run_for(690ms);
  EXPECT_EQ(book.idle, (milliseconds{100}));
  world.run_for(10ms);
  EXPECT_EQ(book.idle, (milliseconds{100, 700}));
}

// spec: P1
TEST_F(receive_timeout_state, can_be_cancelled_and_set_while_the_actor_suspends_itself) {
  let(who, set);
  let(who, [](idler_context& ctx) {
    EXPECT_TRUE(ctx.suspend(suspend_reason::rate_limit, resume_after(500ms)));
    ctx.cancel_receive_timeout();
  });
  world.run_for(2s);
  EXPECT_EQ(book.idle, milliseconds{});
}

// spec: P1
TEST_F(receive_timeout_state, of_a_child_whose_parent_has_failed_starts_again_when_that_is_over) {
  const auto parent =
      spawn(book, {.on_failure = restart{.delay = {.min = 1s, .max = 1s}, .keep_children = true}});
  diary& of_child = fresh();
  of_child.at_start = as_deed(set);
  let(parent, [&](idler_context& ctx) { (void)ctx.spawn<idler>(spawn_options{}, &of_child); });
  world.run_for(50ms);
  let(parent, fail);
  world.run_for(1s);
  EXPECT_EQ(of_child.idle, milliseconds{});
  world.run_for(95ms);
  EXPECT_EQ(of_child.idle, milliseconds{}) << "no time has passed for it meanwhile";
  world.run_for(35ms);
  ASSERT_EQ(of_child.idle.size(), 1U);
  EXPECT_GE(of_child.idle[0], 1150U);
  EXPECT_LE(of_child.idle[0], 1170U);
}

// spec: R1
TEST_F(receive_timeout_state, is_a_dead_letter_of_a_behaviour_without_a_handler) {
  using mute = behaviour<plain>;
  const auto careless = world.spawn("careless", mute{[](mute::context& ctx, plain) {
                                      EXPECT_TRUE(ctx.set_receive_timeout(timeout));
                                    }});
  careless.tell(plain{});
  world.run_for(110ms);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::unhandled), 1U);
}

// spec: R1
TEST_F(receive_timeout_state, of_many_actors_is_each_ones_own) {
  constexpr std::size_t many = 2000;
  std::vector<diary*> books;
  for (std::size_t i = 0; i < many; ++i) {
    diary& of = fresh();
    books.push_back(&of);
    const auto length = std::chrono::milliseconds{10 * (1 + i % 50)};
    of.at_start =
        as_deed([length](idler_context& ctx) { (void)ctx.set_receive_timeout<idler>(length); });
    (void)spawn(of);
  }
  world.run_for(1s);
  for (std::size_t i = 0; i < many; ++i) {
    const std::uint64_t length = 10 * (1 + i % 50);
    ASSERT_EQ(books[i]->idle.size(), 1000 / length);
    for (std::size_t k = 0; k < books[i]->idle.size(); ++k)
      ASSERT_EQ(books[i]->idle[k], (k + 1) * length);
  }
}

// Its cost.

// spec: R2
TEST_P(receive_timeout_with, touches_no_timer_and_no_memory_for_a_message) {
  diary& of = fresh();
  const auto other = spawn(of, {.mailbox = GetParam()});
  let(other, set);
  const auto some_messages = [&](int many) {
    for (int i = 0; i < many; ++i) {
      (void)other.tell(plain{});
      (void)other.tell(quiet{});
      (void)world.run_to_idle();
    }
  };
  some_messages(100);
  const std::size_t before = blocks();
  const auto timers_before = world.timers().metrics();
  some_messages(10'000);
  EXPECT_EQ(world.timers().metrics().scheduled_total, timers_before.scheduled_total);
  EXPECT_EQ(world.timers().metrics().cancelled_total, timers_before.cancelled_total);
  EXPECT_EQ(blocks(), before);
}

// spec: R2
TEST_F(receive_timeout_state, costs_a_timer_for_each_timeout_however_many_messages_come) {
  let(who, set);
  for (int i = 0; i < 1000; ++i) {
    world.run_for(10ms);
    for (int k = 0; k < 10; ++k)
      (void)who.tell(plain{});
  }
  EXPECT_EQ(book.idle, milliseconds{});
  // Ten seconds are a hundred timeouts.
  EXPECT_LE(world.timers().metrics().scheduled_total, 112U);
}

// spec: R4
TEST_F(receive_timeout_state, leaves_no_memory_and_no_timer_behind) {
  const auto one_life = [&] {
    diary& of = book;
    const auto other = spawn(of, {.on_failure = restart{}});
    let(other, set);
    let(other, fail);
    let(other, set);
    (void)world.suspend(other);
    (void)world.run_to_idle();
    world.stop(other);
    world.run_for(10ms);
  };
  for (int i = 0; i < 300; ++i)
    one_life();
  const std::size_t before = blocks();
  for (int i = 0; i < 1000; ++i)
    one_life();
  EXPECT_EQ(blocks(), before);
  EXPECT_EQ(world.timers().metrics().active_total, 0U);
}

// Step by step: timers are polled while the actor is in its handler.

class counting_clock final : public monotonic_clock {
public:
  explicit counting_clock(clock_kind kind) noexcept : kind_(kind) {}

  [[nodiscard]] timer_instant now() const noexcept override {
    ++reads;
    return inner.now();
  }
  [[nodiscard]] clock_kind kind() const noexcept override { return kind_; }

  testkit::manual_clock inner;
  mutable std::uint64_t reads = 0;

private:
  clock_kind kind_;
};

class by_hand final : public spawning<by_hand>, private timer_poller {
public:
  explicit by_hand(const system_config& config = {}, clock_kind kind = clock_kind::deterministic)
      : clock(kind),
        storage_(config.scheduler),
        timers_(config.scheduler, storage_.parts(clock, dispatcher_, *this)),
        core_((testkit::provide_heap_memory(), config),
              {.clock = clock, .timers = &timers_, .coordinator = coordinator_}),
        loop_(core_, coordinator_) {}
  by_hand(const by_hand&) = delete;
  by_hand& operator=(const by_hand&) = delete;
  ~by_hand() {
    core_.begin_stop();
    run();
    EXPECT_TRUE(core_.now_in() == system_core::phase::stopped);
    (void)timers_.close();
  }
  void wait(duration length) {
    clock.inner.advance(length);
    (void)timers_.poll();
  }
  void run() { (void)loop_.run_ready(); }
  [[nodiscard]] std::expected<actor_ref<>, spawn_error>
  spawn_cell(const spawn_request& wanted) const noexcept {
    return core_.spawn(wanted, nullptr);
  }
  [[nodiscard]] system_core& core() const noexcept { return core_; }
  [[nodiscard]] scheduler& timers() const noexcept { return timers_; }

  counting_clock clock;

private:
  void poll_now() noexcept override { (void)timers_.poll(); }

  testkit::queue_dispatcher dispatcher_;
  testkit::timer_storage storage_;
  single_thread_coordinator coordinator_;
  mutable scheduler timers_;
  mutable system_core core_;
  cooperative_loop<single_thread_coordinator> loop_;
};

class receive_timeout_by_hand : public ::testing::Test {
protected:
  template <class What>
  void let(What what) {
    (void)who.tell(order{as_deed(what)});
    world.run();
  }
  diary book;
  by_hand world;
  idler::ref who = world.spawn<idler>("who", &book);
};

// spec: R4
TEST_F(receive_timeout_by_hand, is_not_told_when_it_is_cancelled_with_the_timeout_queued) {
  let(set);
  let([&](idler_context& ctx) {
    world.wait(200ms);
    ctx.cancel_receive_timeout();
  });
  EXPECT_EQ(book.idle, milliseconds{});
}

// spec: R4
TEST_F(receive_timeout_by_hand, is_not_told_when_it_is_set_again_with_the_timeout_queued) {
  let(set);
  (void)who.tell(silent_order{as_deed([&](idler_context& ctx) {
    world.wait(200ms);
    set(ctx);
  })});
  world.run();
  EXPECT_EQ(book.idle, milliseconds{});
  world.wait(100ms);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{300}));
}

// spec: R4
TEST_F(receive_timeout_by_hand, is_not_told_when_a_message_is_handled_with_the_timeout_queued) {
  let(set);
  let([&](idler_context&) { world.wait(200ms); });
  EXPECT_EQ(book.idle, milliseconds{});
  world.wait(100ms);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{300}));
}

// spec: R4
TEST_F(receive_timeout_by_hand, is_not_told_when_the_actor_stops_with_the_timeout_queued) {
  let(set);
  let([&](idler_context& ctx) {
    world.wait(200ms);
    ctx.stop();
  });
  EXPECT_EQ(book.idle, milliseconds{});
  EXPECT_EQ(world.core().metrics().all_dead_letters(), 0U);
  EXPECT_EQ(world.core().metrics().dead_letters_suppressed, 0U);
}

// spec: R2
TEST_F(receive_timeout_by_hand, is_told_late_once_and_not_for_each_timeout_that_has_passed) {
  let(set);
  world.wait(1s);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{1000}));
  world.wait(100ms);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{1000, 1100}));
}

// spec: R1
TEST_F(receive_timeout_by_hand, is_told_again_so_long_after_its_handler_has_ended) {
  book.when_idle = as_deed([&](idler_context&) { world.wait(250ms); });
  let(set);
  world.wait(100ms);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{100}));
  world.wait(90ms);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{100}));
  world.wait(10ms);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{100, 450}));
}

// spec: R2
TEST_F(receive_timeout_by_hand, is_not_repeated_after_a_handler_that_cancels_it_or_stops) {
  book.when_idle = as_deed([&](idler_context& ctx) { ctx.cancel_receive_timeout(); });
  let(set);
  world.wait(100ms);
  world.run();
  world.wait(1s);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{100}));

  book.when_idle = as_deed([&](idler_context& ctx) { ctx.stop(); });
  let(set);
  world.wait(100ms);
  world.run();
  world.wait(1s);
  world.run();
  EXPECT_EQ(book.idle, (milliseconds{100, 1200}));
  EXPECT_EQ(world.timers().metrics().active_total, 0U);
}

// spec: R2
TEST_F(receive_timeout_by_hand, reads_the_clock_once_in_a_turn) {
  const auto reads_of_a_turn = [&](int messages, bool counting) {
    for (int i = 0; i < messages; ++i) {
      if (counting) {
        (void)who.tell(plain{});
      } else {
        (void)who.tell(quiet{});
      }
    }
    const std::uint64_t before = world.clock.reads;
    world.run();
    return world.clock.reads - before;
  };
  world.run();
  const std::uint64_t without = reads_of_a_turn(1, true);
  EXPECT_EQ(reads_of_a_turn(100, true), without);
  let(set);
  EXPECT_EQ(reads_of_a_turn(1, true), without + 1);
  EXPECT_EQ(reads_of_a_turn(100, true), without + 1);
  EXPECT_EQ(reads_of_a_turn(100, false), without) << "nothing to write down";
}

// spec: R2
TEST(receive_timeout_of_real_time, does_not_make_the_turn_of_one_message_measure_its_slice) {
  diary book;
  by_hand world{{}, clock_kind::realtime};
  const idler::ref who = world.spawn<idler>("who", &book);
  (void)who.tell(order{as_deed(set)});
  world.run();
  (void)who.tell(plain{});

  const std::uint64_t before = world.clock.reads;
  world.run();
  EXPECT_EQ(world.clock.reads - before, 1u) << "the end of the activity";
}

// spec: R1
TEST(receive_timeout_without_memory, is_refused_and_nothing_changes) {
  system_config few;
  few.scheduler.system_quota = 2;
  diary book;
  diary of_other;
  simulation world{seed{1}, few};
  const auto who = world.spawn<idler>("who", &book);
  const auto other = world.spawn<idler>("other", &of_other);
  const auto let = [&](const idler::ref& whom, auto what) {
    (void)whom.tell(silent_order{as_deed(what)});
    (void)world.run_to_idle();
  };
  const few_timers one{world.timers(), 1};
  let(who, set);
  let(other, [](idler_context& ctx) {
    const auto refused = ctx.set_receive_timeout<idler>(timeout);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), scheduler_error::capacity_exceeded);
  });
  // Shorter: there is no timer for that. What is set stays.
  let(who, [](idler_context& ctx) { EXPECT_FALSE(ctx.set_receive_timeout<idler>(50ms)); });
  world.run_for(110ms);
  EXPECT_EQ(of_other.idle, milliseconds{});
  EXPECT_EQ(book.idle, (milliseconds{100}));
  EXPECT_EQ(book.after, (std::vector<duration>{timeout}));
}

}  // namespace
}  // namespace tactor
