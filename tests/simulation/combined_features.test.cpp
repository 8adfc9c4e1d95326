// SPDX-License-Identifier: BSL-1.0
// Actors that use everything at once, at random: stash, keyed timers, priorities, outboxes,
// suspensions, coroutines, asks, middleware, restarts, drains.
#include "tactor/actor.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/host.hpp"
#include "tactor/testkit.hpp"
#include "tactor/testkit/system_drive.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tactor::testkit {
namespace {

using namespace std::chrono_literals;

void ignore_records(const log_record& /*what*/) noexcept {}

struct job {
  int number = 0;
  [[nodiscard]] int priority() const noexcept { return number % 7; }
};
std::string to_string(const job& j) {
  return "#" + std::to_string(j.number);
}
struct long_job {
  int number = 0;
};
std::string to_string(const long_job& j) {
  return "#" + std::to_string(j.number);
}
struct side_job {
  int number = 0;
};
std::string to_string(const side_job& j) {
  return "#" + std::to_string(j.number);
}
struct order {
  using control_message = void;
  int number = 0;
};
std::string to_string(const order& j) {
  return "#" + std::to_string(j.number);
}
struct question {
  int number = 0;
  using reply = int;
};
std::string to_string(const question& q) {
  return "#" + std::to_string(q.number);
}
struct beat {
  using suppress_dead_letter = void;
  using not_influence_receive_timeout = void;
};

// Records what became of each message and of each ask.
struct ledger {
  explicit ledger(seed from) : random_(from) {}
  int next() {
    const std::scoped_lock lock{mutex_};
    messages.emplace_back();
    return static_cast<int>(messages.size()) - 1;
  }
  int next_ask() {
    const std::scoped_lock lock{mutex_};
    ended_asks.push_back(0);
    return static_cast<int>(ended_asks.size()) - 1;
  }
  void handle(int number) {
    const std::scoped_lock lock{mutex_};
    ++messages[static_cast<std::size_t>(number)].handled;
  }
  void lose(int number) {
    const std::scoped_lock lock{mutex_};
    ++messages[static_cast<std::size_t>(number)].dead;
  }
  void end_ask(int number) {
    const std::scoped_lock lock{mutex_};
    ++ended_asks[static_cast<std::size_t>(number)];
  }
  std::uint64_t below(std::uint64_t bound) {
    const std::scoped_lock lock{mutex_};
    return random_.below(bound);
  }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }

  struct message {
    int handled = 0;
    int dead = 0;
  };
  // Read when nothing runs any more.
  std::vector<message> messages;
  std::vector<int> ended_asks;  // called, or destroyed with the actor

private:
  std::mutex mutex_;
  random_source random_;
};

// Counts the end of a continuation: called, or destroyed without.
class end_of_ask {
public:
  end_of_ask(ledger* book, int number) : book_(book), number_(number) {}
  end_of_ask(end_of_ask&& other) noexcept
      : book_(std::exchange(other.book_, nullptr)), number_(other.number_) {}
  end_of_ask(const end_of_ask&) = delete;
  end_of_ask& operator=(const end_of_ask&) = delete;
  end_of_ask& operator=(end_of_ask&&) = delete;
  ~end_of_ask() {
    if (book_ != nullptr) book_->end_ask(number_);
  }

private:
  ledger* book_;
  int number_;
};

class moody final : public middleware {
public:
  explicit moody(ledger* book) : book_(book) {}
  invoke_decision before_invoke(const invocation&) noexcept override {
    if (book_->chance(20)) return {.what = invoke_decision::kind::drop};
    if (book_->chance(20))
      return {.what = invoke_decision::kind::hold,
              .reason = suspend_reason::rate_limit,
              .until = resume_after(10ms)};
    return {};
  }

private:
  ledger* book_;
};

struct shared_state;

class worker : public actor<job, long_job, side_job, order, question, beat> {
public:
  using may_fail = std::expected<void, failure>;
  explicit worker(shared_state* all) : all_(all) {}

  void pre_start(context& ctx);
  may_fail receive(context& ctx, const job& j);
  task<void> receive(context& ctx, long_job j);
  reentrant_task<void> receive(context& ctx, side_job j);
  void receive(context& ctx, const order& o);
  delegated<int> receive(context& ctx, const question& q);
  may_fail receive(context& ctx, beat) { return act(ctx); }
  may_fail receive(context& ctx, const receive_timeout&) { return act(ctx); }
  void receive(context&, const terminated&) {}

private:
  may_fail act(context& ctx);
  task<void> await_something(context& ctx);
  task<int> pause(context& ctx, duration length);
  task<int> ask_for(context& ctx, int number);

  shared_state* all_;
  std::vector<reply_to<int>> owed_;
};

struct shared_state {
  explicit shared_state(seed from) : book(from) {}

  ledger book;
  moody mood{&book};
  middleware* const moods[1] = {&mood};
  const middleware_chain chain{moods};
  std::mutex mutex;
  std::vector<worker::ref> workers;          // protected by mutex
  std::vector<completion<int>> completions;  // protected by mutex
  bool counts_only = false;       // late results would be counted among the answers that came late
  std::atomic<int> budget = 400;  // so many messages are sent by actors

  worker::ref some() {
    const std::uint64_t any = book.below(1'000'000);
    const std::scoped_lock lock{mutex};
    return workers[any % workers.size()];
  }
  /// While there are not too many.
  template <class Spawner>
  void spawn_one(Spawner& by) {
    const spawn_options how = options();
    const std::scoped_lock lock{mutex};
    if (workers.size() < 20) workers.push_back(by.template spawn<worker>(how, this));
  }
  std::vector<worker::ref> all() {
    const std::scoped_lock lock{mutex};
    return workers;
  }
  void complete() {
    std::vector<completion<int>> now;
    {
      const std::scoped_lock lock{mutex};
      now = std::exchange(completions, {});
    }
    for (completion<int>& done : now)
      if (book.chance(2)) done(5);
  }
  spawn_options options() {
    static constexpr mailbox_options boxes[] = {
        mailbox_presets::unbounded,
        mailbox_presets::bounded(3),
        mailbox_presets::newest_only,
        {.capacity = 2, .overflow = overflow_strategy::block_producer, .push_timeout_ms = 1},
        mailbox_presets::prioritized,
        {.capacity = 3,
         .overflow = overflow_strategy::drop_oldest,
         .order = mailbox_order::priority},
        {.capacity = 2,
         .overflow = overflow_strategy::block_producer,
         .push_timeout_ms = 1,
         .order = mailbox_order::priority},
        {.capacity = 3, .overflow = overflow_strategy::drop_newest},
    };
    const supervision rules[] = {
        directive::resume, directive::stop, restart{},
        restart{.max_restarts = 3, .within = 1s, .delay = backoff{.min = 10ms, .max = 40ms}}};
    return {.mailbox = boxes[book.below(std::size(boxes))],
            .on_failure = rules[book.below(std::size(rules))],
            .middleware = book.chance(3) ? &chain : nullptr};
  }
  void send(const worker::ref& to) {
    const int number = book.next();
    switch (book.below(8)) {
    case 0:
      to.tell(long_job{number});
      break;
    case 2:
      to.tell(side_job{number});
      break;
    case 1:
      to.tell(order{number});
      break;
    default:
      to.tell(job{number});
      break;
    }
  }
};

void worker::pre_start(context& ctx) {
  if (all_->book.chance(3)) (void)ctx.set_receive_timeout(20ms, *this);
  if (all_->book.chance(3)) (void)ctx.start_timer("beat", every(30ms), beat{});
  if (all_->book.chance(3)) (void)ctx.start_timer("pause", spaced(20ms), beat{});
  if (all_->book.chance(4)) (void)ctx.set_stash_capacity(2);
}

worker::may_fail worker::receive(context& ctx, const job& j) {
  if (all_->book.chance(5) && ctx.stash(j)) return {};
  all_->book.handle(j.number);
  return act(ctx);
}

task<int> worker::pause(context& ctx, duration length) {
  co_await ctx.sleep(length);
  co_return 1;
}
task<int> worker::ask_for(context& ctx, int number) {
  const question asked{number};
  const auto answer = co_await ctx.ask(actor_ref<question>{all_->some()}, asked, 25ms);
  co_return answer ? *answer : 0;
}

task<void> worker::await_something(context& ctx) {
  switch (all_->book.below(9)) {
  case 0:
    co_await ctx.sleep(15ms);
    break;
  case 1:
    co_await ctx.yield();
    break;
  case 2:
    (void)co_await ask_for(ctx, all_->book.next());
    break;
  case 3:
    (void)co_await first_of(pause(ctx, 10ms), ask_for(ctx, all_->book.next()));
    break;
  case 4:
    (void)co_await all_of(pause(ctx, 10ms), ask_for(ctx, all_->book.next()), pause(ctx, 20ms));
    break;
  case 5:
    (void)co_await ctx.until(signal_key{7}, 20ms);
    break;
  case 6:
    if (all_->counts_only) break;
    (void)co_await ctx.completes<int>(15ms, [this](completion<int> done) {
      if (all_->book.chance(2)) return;
      const std::scoped_lock lock{all_->mutex};
      all_->completions.push_back(std::move(done));
    });
    break;
  case 7:
    if (all_->book.chance(3)) co_await ctx.fail("in a coroutine");
    break;
  default:
    break;
  }
}

task<void> worker::receive(context& ctx, long_job j) {
  all_->book.handle(j.number);
  co_await await_something(ctx);
  (void)act(ctx);
  co_await await_something(ctx);
}

reentrant_task<void> worker::receive(context& ctx, side_job j) {
  all_->book.handle(j.number);
  co_await await_something(ctx);
  (void)act(ctx);
}

void worker::receive(context& ctx, const order& o) {
  all_->book.handle(o.number);
  if (all_->book.chance(2)) (void)ctx.unstash_all();
}

delegated<int> worker::receive(context& ctx, const question& q) {
  all_->book.handle(q.number);
  auto answer = ctx.reply_later<int>();
  const auto promised = answer.as_delegated();
  if (all_->book.chance(3)) {
    owed_.push_back(std::move(answer));
  } else if (!all_->book.chance(4)) {
    answer.send(q.number);
  }
  return promised;
}

worker::may_fail worker::act(context& ctx) {
  for (reply_to<int>& each : owed_)
    each.send(1);
  owed_.clear();
  for (std::uint64_t sends = all_->book.below(4); sends > 0 && all_->budget-- > 0; --sends)
    all_->send(all_->some());
  switch (all_->book.below(24)) {
  case 0:
    return std::unexpected{failure{"at random"}};
  case 1:
    ctx.stop();
    break;
  case 2:
    ctx.drain();
    break;
  case 3:
    (void)ctx.suspend(suspend_reason::user_defined, resume_after(20ms));
    break;
  case 4:
    (void)ctx.suspend(suspend_reason::await_external, when_capacity(all_->some()));
    break;
  case 5:
  case 6:
    (void)ctx.unstash_all();
    break;
  case 7:
    (void)ctx.start_timer("beat", after(10ms), beat{});
    break;
  case 8:
    (void)ctx.cancel_timer("beat");
    break;
  case 9:
    (void)ctx.watch(all_->some(), *this);
    break;
  case 10:
  case 11: {
    const question asked{all_->book.next()};
    ctx.ask(all_->some(), asked, 30ms,
            [end = end_of_ask{&all_->book, all_->book.next_ask()}](const auto&) {});
    break;
  }
  case 12:
    all_->spawn_one(ctx);
    break;
  case 13:
    ctx.stop(all_->some());
    break;
  case 14:
    (void)ctx.suspend(all_->some(), suspend_reason::rate_limit, resume_after(10ms));
    break;
  default:
    break;
  }
  return {};
}

/// Reads the number of a dead letter.
void note_lost(ledger& in, const dead_letter& each) {
  const std::string text{each.message.view()};
  const std::size_t at = text.rfind('#');
  if (at != std::string::npos) in.lose(std::atoi(text.c_str() + at + 1));
}

template <class System>
void disturb(System& world, shared_state& all) {
  if (all.book.chance(40)) world.drain(all.some());
  if (all.book.chance(40)) world.stop(all.some());
  if (all.book.chance(20)) (void)world.suspend(all.some());
  if (all.book.chance(10)) (void)world.resume(all.some());
  if (all.book.chance(10)) (void)world.signal(all.some(), signal_key{7});
}

/// Requires: nothing runs any more.
void expect_each_once(const ledger& book, const scheduler_metrics& jobs) {
  for (std::size_t i = 0; i < book.messages.size(); ++i)
    EXPECT_EQ(book.messages[i].handled + book.messages[i].dead, 1)
        << "message " << i << " was handled " << book.messages[i].handled << " times, and is "
        << book.messages[i].dead << " dead letters";
  for (std::size_t i = 0; i < book.ended_asks.size(); ++i)
    EXPECT_EQ(book.ended_asks[i], 1) << "ask " << i;
  EXPECT_EQ(jobs.active_total, 0u);
  EXPECT_EQ(jobs.scheduled_total, jobs.completed_total + jobs.cancelled_total + jobs.evicted_total +
                                      jobs.undeliverable_total);
}

void run(seed from) {
  shared_state all{seed{from.value + 77}};
  simulation world{from, {.dispatch = {.throughput = 3}, .log = {.sink = ignore_records}}};
  const auto reader =
      world.spawn("reader", [&](context&, const dead_letter& each) { note_lost(all.book, each); });
  ASSERT_TRUE(world.events().subscribe<dead_letter>(reader));
  (void)world.run_to_idle();
  for (int i = 0; i < 6; ++i)
    all.spawn_one(world);
  for (int step = 0; step < 120; ++step) {
    all.send(all.some());
    if (all.book.chance(3)) (void)world.run_one();
    if (all.book.chance(5)) world.run_for(10ms);
    disturb(world, all);
    if (all.book.chance(4)) all.complete();
  }
  world.run_for(300ms);
  all.budget = 0;
  for (const worker::ref& each : all.all())
    (void)world.resume(each);
  world.run_for(1s);
  for (const worker::ref& each : all.all())
    all.book.chance(2) ? world.stop(each) : world.drain(each);
  world.run_for(2s);
  for (const worker::ref& each : all.all())
    world.stop(each);
  (void)world.run_to_idle();

  EXPECT_EQ(world.live(), 1u) << "the reader";
  expect_each_once(all.book, world.timers().metrics());
  const metrics_snapshot sums = world.metrics();
  EXPECT_EQ(sums.actors_started, sums.actors_stopped + 1);
  EXPECT_EQ(sums.waiting(), 0u);
}

// spec: A2a A2d A2e M4d M8 P4 K2a
TEST(actors_that_use_everything, lose_and_duplicate_nothing_whatever_the_seed) {
  const char* const wanted = std::getenv("TACTOR_SEEDS");
  const std::uint64_t last = wanted == nullptr ? 2000 : std::strtoull(wanted, nullptr, 10);
  for (std::uint64_t i = 0; i <= last; ++i) {
    run(seed{i});
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << i;
  }
}

// In a shutdown the actors end in any order, and only the sums are left.
// spec: A5 D4
TEST(actors_that_use_everything, lose_nothing_in_a_shutdown) {
  for (std::uint64_t i = 0; i <= 500; ++i) {
    shared_state all{seed{i}};
    all.counts_only = true;
    simulation world{seed{i}, {.dispatch = {.throughput = 3}, .log = {.sink = ignore_records}}};
    for (int each = 0; each < 6; ++each)
      all.spawn_one(world);
    for (int step = 0; step < 60; ++step) {
      all.send(all.some());
      if (all.book.chance(5)) world.run_for(10ms);
      disturb(world, all);
    }
    (void)world.shutdown(100ms);
    EXPECT_EQ(world.live(), 0u);
    const metrics_snapshot sums = world.metrics();
    std::uint64_t handled = 0;
    for (const ledger::message& each : all.book.messages) {
      EXPECT_LE(each.handled, 1);
      handled += static_cast<std::uint64_t>(each.handled);
    }
    const std::uint64_t lost = sums.all_dead_letters() - sums.dead_letters_suppressed -
                               sums.dead_letters_for(drop_reason::late_answer);
    EXPECT_EQ(handled + lost, all.book.messages.size());
    for (const int each : all.book.ended_asks)
      EXPECT_EQ(each, 1);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << i;
  }
}

// spec: A2a A2d A2e M4d M8 P4 K3
TEST(actors_that_use_everything, lose_and_duplicate_nothing_on_threads) {
  for (std::uint64_t i = 0; i < 20; ++i) {
    shared_state all{seed{i}};
    actor_system system{
        {.workers = 3, .dispatch = {.throughput = 3}, .log = {.sink = ignore_records}}};
    const auto reader = system.spawn(
        "reader", [&](context&, const dead_letter& each) { note_lost(all.book, each); });
    ASSERT_TRUE(system.events().subscribe<dead_letter>(reader));
    for (int each = 0; each < 6; ++each)
      all.spawn_one(system);
    {
      std::vector<std::jthread> senders;
      for (int each = 0; each < 3; ++each)
        senders.emplace_back([&] {
          for (int step = 0; step < 100; ++step) {
            all.send(all.some());
            disturb(system, all);
            if (all.book.chance(4)) all.complete();
          }
        });
    }
    all.budget = 0;
    // A worker may spawn another until it has ended.
    while (system.live() > 1) {
      for (const worker::ref& each : all.all())
        system.stop(each);
      std::this_thread::yield();
    }
    testkit::system_steps::settle(system);
    expect_each_once(all.book, system.timers().metrics());
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << i;
  }
}

}  // namespace
}  // namespace tactor::testkit
