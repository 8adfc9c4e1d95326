// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/ask/pending_asks.hpp"

#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/behaviour.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/core/system/events.hpp"
#include "tactor/testkit/probe.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include "few_timers.hpp"
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

struct quote {
  std::string item;
  using reply = std::string;
};
struct divide {
  int by = 1;
  using reply = int;
};
struct fetch {
  using reply = std::unique_ptr<int>;
};
struct save {
  int what = 0;
  using reply = void;
};
struct lend {
  using reply = std::shared_ptr<int>;
};
struct note {
  int number = 0;
};

class teller : public actor<quote, divide, fetch, save> {
public:
  std::string receive(context&, const quote& q) { return q.item + "!"; }
  std::expected<int, failure> receive(context&, divide d) {
    if (d.by == 0) return std::unexpected{failure{"divided by zero", 33}};
    return 100 / d.by;
  }
  std::unique_ptr<int> receive(context&, fetch) { return std::make_unique<int>(4); }
  void receive(context&, save) {}
};

// An actor that does what the test says, when it says so.
struct run;
using job = void (*)(void* with, actor_context<run>& ctx);
struct run {
  job what = nullptr;
  void* with = nullptr;
};
class puppet : public actor<run> {
public:
  void receive(context& ctx, const run& r) { r.what(r.with, ctx); }
};
// Runs `what(ctx)` in the puppet, at once. `what` outlives the call.
template <class What>
void in(simulation& world, const actor_ref<run>& who, What what) {
  who.tell(
      run{.what = [](void* with, actor_context<run>& ctx) { (*static_cast<What*>(with))(ctx); },
          .with = &what});
  while (world.run_one()) {
  }
}

// Records what a continuation was told.
template <class Reply>
struct said {
  std::optional<std::expected<Reply, ask_error>> outcome;
  int calls = 0;

  auto keep() {
    return [this](context&, std::expected<Reply, ask_error> told) {
      outcome = std::move(told);
      ++calls;
    };
  }
  [[nodiscard]] bool failed(ask_failure why) const {
    return outcome && !*outcome && outcome->error().kind == why;
  }
};

std::size_t blocks_made() {
  std::size_t count = 0;
  for (unsigned i = 0; i < envelope_size_classes; ++i)
    count += program_memory.envelopes.blocks_made(i);
  return count;
}

// spec: A2b
// case: AK-01
TEST(ask_in_an_actor, continues_with_the_handlers_result) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  const auto client = world.spawn<puppet>("client");
  said<std::string> text;
  said<int> number;
  said<std::unique_ptr<int>> moved;
  said<void> done;
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(desk, quote{"tea"}, 1s, text.keep());
    ctx.ask<divide>(desk, 1s, number.keep(), 4);
    ctx.ask(desk, fetch{}, 1s, moved.keep());
    ctx.ask(desk, save{1}, 1s, done.keep());
    EXPECT_EQ(text.calls + number.calls + moved.calls + done.calls, 0);
  });
  EXPECT_EQ(text.outcome->value(), "tea!");
  EXPECT_EQ(number.outcome->value(), 25);
  EXPECT_EQ(*moved.outcome->value(), 4);
  EXPECT_TRUE(done.outcome->has_value());
  EXPECT_EQ(text.calls + number.calls + moved.calls + done.calls, 4);
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// spec: A2b
TEST(ask_in_an_actor, takes_a_continuation_with_and_without_context) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  const auto client = world.spawn<puppet>("client");
  int answers = 0;
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(desk, divide{1}, 1s, [&](std::expected<int, ask_error> told) { answers += *told; });
    ctx.ask(desk, divide{2}, 1s, [&](tactor::context& same, auto told) {
      answers += *told;
      EXPECT_EQ(&same, &ctx);
      EXPECT_FALSE(same.sender());
      EXPECT_FALSE(same.reply_later<int>());
      EXPECT_EQ(same.batch().runs, 1u);
    });
    ctx.ask(desk, divide{5}, 1s,
            [&](actor_context<run>& own, const std::expected<int, ask_error>& told) {
              answers += *told;
              EXPECT_EQ(own.self(), ctx.self());
            });
  });
  EXPECT_EQ(answers, 170);
}

// spec: A2b
TEST(ask_in_an_actor, leaves_a_continuation_that_has_a_name_where_it_is) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  const auto client = world.spawn<puppet>("client");
  std::string told;
  const std::string long_prefix(100, 'x');
  in(world, client, [&](context& ctx) {
    auto then = [&told, prefix = long_prefix](std::expected<std::string, ask_error> answer) {
      told += prefix + answer.value();
    };
    ctx.ask(desk, quote{"a"}, 1s, then);
    ctx.ask(desk, quote{"b"}, 1s, then);
    ctx.ask(desk, quote{"c"}, 0s, [](std::expected<std::string, ask_error>) {});
  });
  EXPECT_EQ(told, long_prefix + "a!" + long_prefix + "b!");
}

// spec: A2b
// case: AK-02
TEST(ask_in_an_actor, of_an_empty_or_stale_reference_fails_in_a_later_turn_without_waiting) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  world.stop(desk);
  world.run_to_idle();
  const auto client = world.spawn<puppet>("client");
  for (const actor_ref<divide>& to : {actor_ref<divide>{desk}, actor_ref<divide>{}}) {
    said<int> told;
    in(world, client, [&](actor_context<run>& ctx) {
      ctx.ask(to, divide{1}, 1h, told.keep());
      EXPECT_EQ(told.calls, 0);  // not on the caller's stack
    });
    ASSERT_TRUE(told.failed(ask_failure::target_terminated));
    EXPECT_EQ(told.outcome->error().target, to);
    EXPECT_EQ(told.outcome->error().waited, duration{});
    EXPECT_EQ(told.outcome->error().message_type, identity_of<divide>.name);
  }
}

// spec: A2b
// case: AK-03
TEST(ask_in_an_actor, without_time_sends_nothing_and_is_refused_later) {
  simulation world{seed{1}};
  auto desk = world.spawn_probe<divide>("desk");
  const auto client = world.spawn<puppet>("client");
  for (const duration none : {duration{}, duration{-1s}}) {
    said<int> told;
    in(world, client, [&](actor_context<run>& ctx) {
      ctx.ask(desk.ref(), divide{1}, none, told.keep());
      EXPECT_EQ(told.calls, 0);
    });
    EXPECT_TRUE(told.failed(ask_failure::refused));
  }
  EXPECT_EQ(desk.waiting(), 0u);
}

// spec: A2b
// case: AK-04
TEST(ask_in_an_actor, without_an_answer_fails_after_its_timeout) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  said<int> told;
  in(world, client,
     [&](actor_context<run>& ctx) { ctx.ask(silent.ref(), divide{1}, 250ms, told.keep()); });
  world.run_for(240ms);
  EXPECT_EQ(told.calls, 0);
  world.run_for(10ms);
  ASSERT_TRUE(told.failed(ask_failure::timed_out));
  EXPECT_EQ(told.outcome->error().waited, duration{250ms});
  EXPECT_EQ(told.outcome->error().target, silent.ref());

  // The late answer goes nowhere, and is seen to.
  (void)silent.expect<divide>();
  silent.reply<divide>(7);
  world.run_to_idle();
  EXPECT_EQ(told.calls, 1);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
}

// spec: A2b
TEST(ask_in_an_actor, whose_answer_is_queued_when_the_timeout_passes_gets_it) {
  simulation world{seed{1}};
  auto slow = world.spawn_probe<divide>("slow");
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  said<int> answered;
  said<int> late;
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(slow.ref(), divide{1}, 250ms, answered.keep());
    ctx.ask(silent.ref(), divide{1}, 250ms, late.keep());
  });
  (void)slow.expect<divide>();
  slow.reply<divide>(5);
  world.clock().jump(1s);  // a long pause: when the client runs, both have waited too long
  world.run_to_idle();
  ASSERT_TRUE(answered.outcome.has_value());
  EXPECT_EQ(answered.outcome->value_or(0), 5);
  EXPECT_TRUE(late.failed(ask_failure::timed_out));
}

// spec: A2b I3
// case: AK-08
TEST(ask_in_an_actor, learns_at_once_that_its_target_failed_or_stopped_or_dropped_the_reply) {
  simulation world{seed{1}};
  const auto client = world.spawn<puppet>("client");
  const auto desk = world.spawn<teller>("desk");
  said<int> failed;
  said<int> stopped;
  said<int> dropped;
  const auto forgetful = world.spawn("forgetful", [](tactor::context& ctx, divide) {
    return ctx.reply_later<int>().as_delegated();
  });
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(desk, divide{0}, 1h, failed.keep());
    ctx.ask(desk, divide{1}, 1h, stopped.keep());
    ctx.ask(forgetful, divide{1}, 1h, dropped.keep());
  });
  EXPECT_TRUE(failed.failed(ask_failure::target_failed));
  EXPECT_TRUE(stopped.failed(ask_failure::target_terminated));
  EXPECT_TRUE(dropped.failed(ask_failure::no_reply));
}

// spec: A2b
// case: AK-08
TEST(ask_in_an_actor, learns_that_its_target_stopped_after_it_had_taken_the_message) {
  simulation world{seed{1}};
  const auto client = world.spawn<puppet>("client");
  class slow : public actor<divide, note> {
  public:
    delegated<int> receive(context& ctx, divide) {
      duty_ = ctx.reply_later<int>();
      return duty_.as_delegated();
    }
    void receive(context& ctx, note) { ctx.stop(); }

  private:
    reply_to<int> duty_;
  };
  const actor_ref<divide, note> desk = world.spawn("desk", [] { return slow{}; });
  said<int> told;
  in(world, client, [&](actor_context<run>& ctx) { ctx.ask(desk, divide{1}, 1h, told.keep()); });
  EXPECT_EQ(told.calls, 0);
  desk.tell(note{});
  world.run_to_idle();
  EXPECT_TRUE(told.failed(ask_failure::target_terminated));
}

// spec: A2b
// case: AK-11
TEST(ask_in_an_actor, of_itself_does_not_block_it) {
  simulation world{seed{1}};
  class alone : public actor<note, divide> {
  public:
    explicit alone(std::vector<int>* log) : log_(log) {}
    void receive(context& ctx, note n) {
      ctx.ask(ctx.self(), divide{n.number}, 1s,
              [this](auto told) { log_->push_back(told.value_or(-1)); });
      log_->push_back(0);
    }
    int receive(context&, divide d) { return 100 / d.by; }

  private:
    std::vector<int>* log_;
  };
  std::vector<int> log;
  const auto self = world.spawn<alone>("alone", &log);
  self.tell(note{4});
  self.tell(note{5});
  world.run_to_idle();
  EXPECT_EQ(log, (std::vector<int>{0, 0, 25, 20}));
}

// spec: M7
TEST(ask_in_an_actor, is_continued_in_the_order_of_what_else_the_answerer_sends) {
  simulation world{seed{1}};
  std::vector<int> log;
  struct begin {};
  class client : public actor<begin, note> {
  public:
    client(const actor_ref<save>& to, std::vector<int>* into) : to_(to), log_(into) {}
    void receive(context& ctx, begin) {
      ctx.ask(to_, save{}, 1s, [this](auto) { log_->push_back(2); });
    }
    void receive(context&, note n) { log_->push_back(n.number); }

  private:
    actor_ref<save> to_;
    std::vector<int>* log_;
  };
  actor_ref<note> back;
  const auto desk = world.spawn("desk", [&back](tactor::context& ctx, save) {
    auto duty = ctx.reply_later<void>();
    back.tell(note{1});
    duty.send();
    back.tell(note{3});
    return duty.as_delegated();
  });
  const auto who = world.spawn<client>("client", actor_ref<save>{desk}, &log);
  back = who;
  who.tell(begin{});
  world.run_to_idle();
  EXPECT_EQ(log, (std::vector<int>{1, 2, 3}));
}

// case: AK-02
TEST(ask_in_an_actor, whose_slot_is_reused_never_gets_the_late_answer_of_the_previous_ask) {
  simulation world{seed{1}};
  auto slow = world.spawn_probe<divide>("slow");
  auto quick = world.spawn_probe<divide>("quick");
  const auto client = world.spawn<puppet>("client");
  said<int> first;
  said<int> second;
  in(world, client,
     [&](actor_context<run>& ctx) { ctx.ask(slow.ref(), divide{1}, 100ms, first.keep()); });
  world.run_for(100ms);
  ASSERT_TRUE(first.failed(ask_failure::timed_out));
  in(world, client,
     [&](actor_context<run>& ctx) { ctx.ask(quick.ref(), divide{2}, 100ms, second.keep()); });
  (void)slow.expect<divide>();
  slow.reply<divide>(111);
  world.run_to_idle();
  EXPECT_EQ(second.calls, 0);
  (void)quick.expect<divide>();
  quick.reply<divide>(222);
  world.run_to_idle();
  EXPECT_EQ(second.outcome->value(), 222);
  EXPECT_EQ(first.calls, 1);
}

// Two answers lie in the mailbox when the first of them is taken.
// case: AK-02
TEST(ask_in_an_actor, is_continued_once_although_two_answers_come) {
  simulation world{seed{1}};
  const auto client = world.spawn<puppet>("client");
  const auto desk = world.spawn("desk", [](tactor::context& ctx, divide) {
    auto one = ctx.reply_later<int>();
    auto two = ctx.reply_later<int>();
    one.send(1);
    two.send(2);
    return one.as_delegated();
  });
  said<int> told;
  in(world, client, [&](actor_context<run>& ctx) { ctx.ask(desk, divide{}, 1s, told.keep()); });
  EXPECT_EQ(told.calls, 1);
  EXPECT_EQ(told.outcome->value(), 1);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
}

// spec: A2b
TEST(ask_in_an_actor, many_end_in_the_order_of_their_deadlines) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  constexpr std::array lengths{500, 100, 300, 100, 900, 200, 50, 700, 50, 600};
  std::vector<std::pair<std::int64_t, int>> ends;
  in(world, client, [&](actor_context<run>& ctx) {
    for (const int ms : lengths) {
      ctx.ask(silent.ref(), divide{}, std::chrono::milliseconds{ms}, [&ends, ms](auto told) {
        ASSERT_EQ(told.error().kind, ask_failure::timed_out);
        ends.emplace_back(told.error().waited.nanoseconds() / 1'000'000, ms);
      });
    }
  });
  world.run_for(1s);
  ASSERT_EQ(ends.size(), lengths.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(ends[i].first, ends[i].second);  // each when its own time is over
    EXPECT_GE(ends[i].second, ends[i == 0 ? 0 : i - 1].second);
  }
}

// spec: D3
TEST(ask_in_an_actor, many_that_time_out_together_let_messages_through) {
  simulation world{seed{1}};
  const auto target = world.spawn<teller>("silent");
  ASSERT_TRUE(world.suspend(target).has_value());
  const auto asker = world.spawn<puppet>("asker");
  int ended = 0;
  int ended_before = 0;
  auto note_how_many = [&](actor_context<run>&) { ended_before = ended; };
  const run message{
      .what = [](void* with,
                 actor_context<run>& ctx) { (*static_cast<decltype(note_how_many)*>(with))(ctx); },
      .with = &note_how_many};
  in(world, asker, [&](actor_context<run>& ctx) {
    for (int i = 0; i < 1000; ++i)
      ctx.ask(target, divide{1}, 1s, [&](std::expected<int, ask_error> told) {
        EXPECT_EQ(told.error().kind, ask_failure::timed_out);
        if (++ended == 1) asker.tell(message);
      });
  });
  world.run_for(2s);
  EXPECT_EQ(ended, 1000);
  EXPECT_GT(ended_before, 0);
  EXPECT_LE(ended_before, 100);
}

// spec: R5c
// case: AK-04
TEST(ask_in_an_actor, takes_one_timer_for_all_asks_and_none_when_all_are_answered) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  const auto client = world.spawn<puppet>("client");
  const auto timers = [&] { return world.timers().metrics().scheduled_total; };
  const auto before = timers();
  int answers = 0;
  in(world, client, [&](actor_context<run>& ctx) {
    for (int i = 0; i < 1000; ++i)
      ctx.ask(desk, divide{1}, 1s, [&](auto told) { answers += told.has_value(); });
  });
  EXPECT_EQ(answers, 1000);
  EXPECT_EQ(timers() - before, 1u);
  world.run_for(10s);  // it fires for nothing, and that is all
  EXPECT_EQ(timers() - before, 1u);
  EXPECT_FALSE(world.timers().next_deadline().has_value());
}

// spec: A2b
TEST(ask_in_an_actor, that_times_out_sooner_is_handled_before_earlier_asks) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  said<int> patient;
  said<int> hasty;
  in(world, client,
     [&](actor_context<run>& ctx) { ctx.ask(silent.ref(), divide{1}, 10s, patient.keep()); });
  in(world, client,
     [&](actor_context<run>& ctx) { ctx.ask(silent.ref(), divide{2}, 100ms, hasty.keep()); });
  world.run_for(100ms);
  EXPECT_TRUE(hasty.failed(ask_failure::timed_out));
  EXPECT_EQ(patient.calls, 0);
  world.run_for(10s);
  EXPECT_TRUE(patient.failed(ask_failure::timed_out));
  EXPECT_EQ(patient.outcome->error().waited, duration{10s});
}

// spec: A2b
TEST(ask_in_an_actor, may_wait_for_longer_than_a_timer_can) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  said<int> told;
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(silent.ref(), divide{1}, std::chrono::hours{24 * 365 * 100}, told.keep());
  });
  world.run_for(std::chrono::hours{24 * 365});
  EXPECT_EQ(told.calls, 0);
  (void)silent.expect<divide>();
  silent.reply<divide>(3);
  world.run_to_idle();
  EXPECT_EQ(told.outcome->value(), 3);
}

// spec: A2b
TEST(ask_in_an_actor, that_stops_ends_its_continuations_without_calling_them) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  auto held = std::make_shared<int>(1);
  int calls = 0;
  in(world, client, [&](actor_context<run>& ctx) {
    for (int i = 0; i < 10; ++i)
      ctx.ask(silent.ref(), divide{1}, 1s, [held, &calls](auto) { ++calls; });
  });
  EXPECT_EQ(held.use_count(), 11);
  world.stop(client);
  world.run_to_idle();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(world.live(), 1u);
  EXPECT_FALSE(world.timers().next_deadline().has_value());
  for (int i = 0; i < 10; ++i) {
    (void)silent.expect<divide>();
    silent.reply<divide>(1);
  }
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 10u);
  EXPECT_EQ(calls, 0);
}

// spec: A2b
TEST(ask_in_an_actor, that_stops_with_answers_in_its_mailbox_leaves_nothing_behind) {
  simulation world{seed{1}};
  auto held = std::make_shared<int>(1);
  auto lender = world.spawn_probe<lend>("lender");
  const auto client = world.spawn<puppet>("client");
  int calls = 0;
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(lender.ref(), lend{}, 1s, [held, &calls](auto) { ++calls; });
  });
  (void)lender.expect<lend>();
  lender.reply<lend>(held);
  client.tell(run{});  // behind the answer: not handled any more
  world.stop(client);
  world.run_to_idle();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
}

// spec: A2b
TEST(ask_in_an_actor, ends_well_when_both_sides_stop) {
  for (std::uint64_t s = 1; s <= 50; ++s) {
    simulation world{seed{s}};
    const auto desk = world.spawn<teller>("desk");
    const auto client = world.spawn<puppet>("client");
    auto held = std::make_shared<int>(1);
    auto what = [&](actor_context<run>& ctx) {
      for (int i = 0; i < 20; ++i)
        ctx.ask(desk, divide{1}, 1s, [held](auto) {});
    };
    client.tell(
        run{.what = [](void* with,
                       actor_context<run>& ctx) { (*static_cast<decltype(what)*>(with))(ctx); },
            .with = &what});
    world.run_one();
    world.stop(desk);
    world.run_one();
    world.stop(client);
    world.run_to_idle();
    EXPECT_EQ(world.live(), 0u);
    EXPECT_EQ(held.use_count(), 1) << "seed " << s;
    EXPECT_FALSE(world.timers().next_deadline().has_value());
  }
}

// spec: A2b
TEST(ask_in_an_actor, may_ask_again_in_its_continuation) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  class chain : public actor<note> {
  public:
    chain(const actor_ref<divide>& desk, int* rounds) : desk_(desk), rounds_(rounds) {}
    void receive(context& ctx, note n) { ask(ctx, n.number); }

  private:
    void ask(context& ctx, int left) {
      if (left == 0) return;
      ctx.ask(desk_, divide{1}, 1s, [this, left](context& again, auto) {
        ++*rounds_;
        ask(again, left - 1);
      });
    }
    actor_ref<divide> desk_;
    int* rounds_;
  };
  int rounds = 0;
  const auto who = world.spawn<chain>("chain", actor_ref<divide>{desk}, &rounds);
  who.tell(note{1000});
  world.run_to_idle();
  EXPECT_EQ(rounds, 1000);
}

// spec: A2b
TEST(ask_in_an_actor, may_ask_again_after_its_timeout) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  std::vector<std::int64_t> at;
  const auto retry = [&](actor_context<run>& ctx, auto& again, int left) -> void {
    ctx.ask(silent.ref(), divide{1}, 100ms, [&, left](actor_context<run>& own, auto told) {
      at.push_back(told.error().waited.nanoseconds() / 1'000'000);
      if (left > 0) again(own, again, left - 1);
    });
  };
  in(world, client, [&](actor_context<run>& ctx) { retry(ctx, retry, 4); });
  world.run_for(10s);
  EXPECT_EQ(at, (std::vector<std::int64_t>{100, 100, 100, 100, 100}));
  EXPECT_FALSE(world.timers().next_deadline().has_value());
}

// spec: A2b
TEST(ask_in_an_actor, may_stop_it_in_a_continuation) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  int calls = 0;
  auto held = std::make_shared<int>(1);
  in(world, client, [&](actor_context<run>& ctx) {
    for (int i = 0; i < 3; ++i)
      ctx.ask(desk, divide{1}, 1s, [&, held](tactor::context& own, auto) {
        ++calls;
        own.stop();
      });
    ctx.ask(silent.ref(), divide{1}, 1s, [&, held](auto) { ++calls; });
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(world.live(), 2u);
}

// spec: A1 A2b
TEST(ask_in_an_actor, may_become_another_behaviour_in_a_continuation) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  using door = behaviour<note, divide>;
  std::vector<int> log;
  const auto unlocked = [&log]() -> door {
    return {[&log](tactor::context&, note n) { log.push_back(10 * n.number); },
            [](tactor::context&, divide) { return 1; }};
  };
  const auto gate =
      world.spawn("gate", door{[&log, &desk, unlocked](door::context& ctx, note n) {
                                 log.push_back(n.number);
                                 ctx.ask(desk, divide{1}, 1s, [unlocked](door::context& own, auto) {
                                   own.become(unlocked());
                                 });
                               },
                               [](tactor::context&, divide) { return 0; }});
  gate.tell(note{1});
  world.run_to_idle();
  gate.tell(note{2});
  world.run_to_idle();
  EXPECT_EQ(log, (std::vector<int>{1, 20}));
}

// spec: A2b I3
TEST(ask_in_an_actor, whose_continuation_fails_fails) {
  for (int how = 0; how < 3; ++how) {
    simulation world{seed{1}};
    const auto desk = world.spawn<teller>("desk");
    auto silent = world.spawn_probe<divide>("silent");
    std::vector<std::string> failures;
    const auto watcher = world.spawn("watcher", [&](tactor::context&, const actor_failed& each) {
      failures.emplace_back(each.why.text());
    });
    ASSERT_TRUE(world.events().subscribe<actor_failed>(watcher));
    const auto client = world.spawn<puppet>("client");
    int others = 0;
    in(world, client, [&](actor_context<run>& ctx) {
      if (how == 0) {
        ctx.ask(desk, divide{1}, 1s, [](auto) { throw std::runtime_error{"bad"}; });
      } else if (how == 1) {
        ctx.ask(desk, divide{1}, 1s,
                [](std::expected<int, ask_error>) -> std::expected<void, failure> {
                  return std::unexpected{failure{"bad"}};
                });
      } else {
        ctx.ask(silent.ref(), divide{1}, 10ms, [](auto) { throw std::runtime_error{"bad"}; });
      }
      ctx.ask(silent.ref(), divide{1}, 10ms, [&](auto) { ++others; });
    });
    world.run_for(20ms);
    EXPECT_EQ(failures, (std::vector<std::string>{"bad"}));
    EXPECT_EQ(others, 0);
    EXPECT_EQ(world.live(), 3u);
  }
}

// spec: A2b
TEST(ask_in_an_actor, keeps_a_continuation_of_any_size_and_alignment) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  const auto client = world.spawn<puppet>("client");
  struct alignas(64) wide {
    std::uint64_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  };
  std::uint64_t sum = 0;
  const auto ask_with = [&]<class Captured>(actor_context<run>& ctx, Captured captured) {
    ctx.ask(desk, divide{1}, 1s, [captured, &sum](auto) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&captured) % alignof(Captured), 0u);
      for (const auto each : captured.values)
        sum += each;
    });
  };
  struct {
    std::uint64_t values[2] = {1, 1};
  } small;
  struct {
    std::uint64_t values[6] = {1, 1, 1, 1, 1, 1};
  } middle;
  struct {
    std::uint64_t values[1000] = {1};
  } large;
  for (int i = 0; i < 3; ++i) {
    in(world, client, [&](actor_context<run>& ctx) {
      ask_with(ctx, small);
      ask_with(ctx, middle);
      ask_with(ctx, large);
      ask_with(ctx, wide{});
    });
  }
  EXPECT_EQ(sum, 3u * (2 + 6 + 1 + 36));
}

// spec: A2b
TEST(ask_in_an_actor, is_answered_past_the_limits_of_its_own_mailbox) {
  for (const overflow_strategy rule :
       {overflow_strategy::drop_newest, overflow_strategy::drop_oldest,
        overflow_strategy::dead_letter}) {
    simulation world{seed{1}};
    auto slow = world.spawn_probe<divide>("slow");
    auto silent = world.spawn_probe<divide>("silent");
    const auto client =
        world.spawn<puppet>({.name = "client", .mailbox = {.capacity = 2, .overflow = rule}});
    said<int> answered;
    said<int> late;
    in(world, client, [&](actor_context<run>& ctx) {
      ctx.ask(slow.ref(), divide{1}, 1s, answered.keep());
      ctx.ask(silent.ref(), divide{1}, 100ms, late.keep());
    });
    (void)slow.expect<divide>();
    int runs = 0;
    const run count{.what = [](void* with, actor_context<run>&) { ++*static_cast<int*>(with); },
                    .with = &runs};
    client.tell(count);
    client.tell(count);
    slow.reply<divide>(5);  // its mailbox is full
    EXPECT_TRUE(world.timers().next_deadline().has_value());
    world.clock().jump(200ms);
    world.run_to_idle();
    EXPECT_EQ(answered.outcome->value(), 5);
    EXPECT_EQ(runs, 2);
    world.run_for(200ms);
    EXPECT_TRUE(late.failed(ask_failure::timed_out));
    EXPECT_EQ(world.metrics().all_dead_letters(), 0u);

    // And the permits are counted as before.
    runs = 0;
    for (int i = 0; i < 5; ++i)
      client.tell(count);
    world.run_to_idle();
    EXPECT_EQ(runs, 2);
  }
}

TEST(ask_in_an_actor, ten_thousand_leave_no_memory_behind) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  struct large {
    std::uint64_t words[10] = {};
  };
  const auto round = [&] {
    in(world, client, [&](actor_context<run>& ctx) {
      ctx.ask(desk, divide{1}, 1s, [](auto) {});
      ctx.ask(desk, quote{"a text that is too long for the string itself"}, 1s,
              [held = std::string(40, 'x')](auto) {});
      ctx.ask(desk, save{}, 1s, [held = large{}](auto) { EXPECT_EQ(held.words[9], 0u); });
      ctx.ask(silent.ref(), divide{1}, 10ms, [](auto) {});
    });
    world.run_for(10ms);
    (void)silent.expect<divide>();
  };
  for (int i = 0; i < 100; ++i)
    round();
  const std::size_t blocks = blocks_made();
  const std::uint32_t slots = program_memory.asks.made();
  for (int i = 0; i < 2500; ++i)
    round();
  EXPECT_EQ(blocks_made(), blocks);
  EXPECT_EQ(program_memory.asks.made(), slots);
}

// spec: A2b
TEST(ask_in_an_actor, may_be_asked_in_its_hooks) {
  simulation world{seed{1}};
  struct asks_in_hooks : actor<note> {
    asks_in_hooks(const actor_ref<divide>& desk, std::shared_ptr<std::vector<int>> log)
        : desk_(desk), log_(std::move(log)) {}
    void pre_start(context& ctx) {
      ctx.ask(desk_, divide{4}, 1s, [this](auto told) { log_->push_back(*told); });
    }
    void receive(context& ctx, note) { ctx.stop(); }
    void post_stop(context& ctx) {
      ctx.ask(desk_, divide{5}, 1s, [log = log_](auto told) { log->push_back(*told); });
    }
    actor_ref<divide> desk_;
    std::shared_ptr<std::vector<int>> log_;
  };
  const auto desk = world.spawn<teller>("desk");
  auto log = std::make_shared<std::vector<int>>();
  const auto who = world.spawn<asks_in_hooks>("who", actor_ref<divide>{desk}, log);
  world.run_to_idle();
  who.tell(note{});
  world.run_to_idle();
  EXPECT_EQ(*log, (std::vector<int>{25}));
  EXPECT_EQ(log.use_count(), 1);
  EXPECT_EQ(world.metrics().dead_letters_for(drop_reason::late_answer), 1u);
}

// spec: A2b
TEST(ask_in_an_actor, of_a_draining_actor_is_refused_and_a_draining_asker_ends) {
  simulation world{seed{1}};
  auto silent = world.spawn_probe<divide>("silent");
  const auto client = world.spawn<puppet>("client");
  auto held = std::make_shared<int>(1);
  in(world, client,
     [&](actor_context<run>& ctx) { ctx.ask(silent.ref(), divide{1}, 1h, [held](auto) {}); });
  world.drain(client);
  world.run_to_idle();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(world.live(), 1u);
}

// spec: A2b
TEST(ask_in_an_actor, of_a_forwarded_message_is_answered_by_the_holder_of_the_reply_to) {
  simulation world{seed{1}};
  const auto desk = world.spawn<teller>("desk");
  const auto front = world.spawn(
      "front", [&desk](tactor::context& ctx, divide d) { return ctx.forward(desk, d); });
  const auto client = world.spawn<puppet>("client");
  said<int> told;
  in(world, client, [&](actor_context<run>& ctx) { ctx.ask(front, divide{4}, 1s, told.keep()); });
  EXPECT_EQ(told.outcome->value(), 25);
}

// Answers when it is told to, in any order.
class later_teller : public actor<divide, note> {
public:
  delegated<int> receive(context& ctx, divide d) {
    kept_.emplace(d.by, ctx.reply_later<int>());
    return kept_.at(d.by).as_delegated();
  }
  void receive(context&, note n) {
    const auto found = kept_.find(n.number);
    if (found == kept_.end()) return;
    std::move(found->second).send(n.number);
    kept_.erase(found);
  }

private:
  std::map<int, reply_to<int>> kept_;
};

// spec: A2b
TEST(ask_in_an_actor, times_out_in_the_order_of_timeouts_and_then_of_asks_whatever_is_answered) {
  for (unsigned round = 1; round <= 20; ++round) {
    std::mt19937 chance{round};
    simulation world{seed{1}};
    const auto desk = world.spawn<later_teller>("desk");
    const auto client = world.spawn<puppet>("client");
    struct asked {
      int number;
      std::uint64_t due_ms;
    };
    const auto by_deadline = [](const asked& each) { return std::pair{each.due_ms, each.number}; };
    std::vector<asked> open;
    std::vector<int> expected;
    std::vector<int> ended;
    std::uint64_t now_ms = 0;
    for (int number = 1; number <= 300; ++number) {
      const std::uint64_t timeout_ms = 10 * (1 + chance() % 40);
      in(world, client, [&](actor_context<run>& ctx) {
        ctx.ask(desk, divide{number}, std::chrono::milliseconds{timeout_ms},
                [&ended, number](auto told) {
                  if (!told) ended.push_back(number);
                });
      });
      open.push_back({.number = number, .due_ms = now_ms + timeout_ms});
      if (chance() % 3 == 0) {  // one of them is answered
        const std::size_t which = chance() % open.size();
        desk.tell(note{open[which].number});
        while (world.run_one()) {
        }
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
      }
      if (chance() % 4 != 0) continue;
      world.run_for(10ms);
      now_ms += 10;
      std::ranges::sort(open, {}, by_deadline);
      while (!open.empty() && open.front().due_ms <= now_ms) {
        expected.push_back(open.front().number);
        open.erase(open.begin());
      }
      std::ranges::sort(open, {}, &asked::number);
      ASSERT_EQ(ended, expected) << "round " << round << " ask " << number;
    }
    world.run_for(1s);
    std::ranges::sort(open, {}, by_deadline);
    for (const asked& each : open)
      expected.push_back(each.number);
    EXPECT_EQ(ended, expected);
  }
}

TEST(ask_in_an_actor, without_memory_for_a_timer_is_refused_later) {
  simulation world{seed{1}, {.scheduler = {.system_quota = 1}}};
  const auto desk = world.spawn<teller>("desk");
  const auto client = world.spawn<puppet>("client");
  const few_timers none{world.timers(), 0};
  said<int> told;
  in(world, client, [&](actor_context<run>& ctx) {
    ctx.ask(desk, divide{1}, 1s, told.keep());
    EXPECT_EQ(told.calls, 0);
  });
  ASSERT_TRUE(told.failed(ask_failure::refused));
  EXPECT_EQ(told.outcome->error().message_type, identity_of<divide>.name);
  EXPECT_EQ(told.outcome->error().target, desk);
}

// Suspends itself, or fails, in the first continuation.
class stops_after_one : public actor<note> {
public:
  stops_after_one(actor_ref<divide> to, bool fails, std::vector<int>* got)
      : to_(to), fails_(fails), got_(got) {}
  void receive(context& ctx, const note&) {
    for (int each = 1; each <= 3; ++each) {
      ctx.ask(to_, divide{each}, 10s,
              [this, each](context& own, auto) -> std::expected<void, failure> {
                got_->push_back(each);
                if (each > 1) return {};
                if (fails_) return std::unexpected{failure{"no"}};
                (void)own.suspend();
                return {};
              });
    }
  }

private:
  actor_ref<divide> to_;
  bool fails_;
  std::vector<int>* got_;
};

// spec: P1 I3
TEST(ask_in_an_actor, is_not_continued_while_its_actor_is_suspended_whatever_its_mailbox) {
  for (const overflow_strategy rule : {overflow_strategy::reject, overflow_strategy::drop_oldest}) {
    for (const bool fails : {false, true}) {
      std::vector<int> got;
      simulation world{seed{1}};
      const auto to = world.spawn("divider", [](context&, const divide& d) { return d.by; });
      const auto who = world.spawn<stops_after_one>(
          {.name = "asker", .mailbox = {.capacity = 8, .overflow = rule}, .on_failure = restart{}},
          to, fails, &got);
      who.tell(note{});
      (void)world.run_to_idle();
      EXPECT_EQ(got, std::vector<int>{1});
      world.resume(who);
      (void)world.run_to_idle();
      EXPECT_EQ(got.size(), fails ? 1U : 3U);
    }
  }
}

}  // namespace
}  // namespace tactor
