// SPDX-License-Identifier: BSL-1.0
// Each operation with the memory for its first n allocations only, for every n until it succeeds:
// it fails clearly, what it took comes back, and the system goes on. On one thread, so all counts
// are exact.
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/send/envelopes.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/coroutine.hpp"
#include "tactor/patterns/patterns.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>  // NOLINT(portability-restrict-system-includes): for tests
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tactor {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;
using testkit::seed;
using testkit::simulation;

constexpr std::size_t enough = std::numeric_limits<std::size_t>::max();

/// Pages of the program, until it is closed.
class closable_pages final : public page_source {
public:
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    if (closed) return nullptr;
    void* const start = ::mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    return static_cast<std::byte*>(start) + (0 - address) % alignment;
  }
  bool closed = false;
};
constinit closable_pages pages;

/// Takes all free memory, but this many blocks and cells; gives it back when it ends.
class memory_limit {
public:
  memory_limit(std::size_t blocks, std::size_t cells) {
    pages.closed = true;
    thread_record& here = this_thread();
    for (unsigned each = envelope_size_classes; each-- > 0;) {
      while (envelope* const e = program_memory.envelopes.allocate(here.envelopes, each)) {
        e->operations = &operations_of<int>;
        blocks_.push_back(e);
      }
    }
    while (cell* const c = program_memory.cells.take(here.cells))
      cells_.push_back(c);
    taken_blocks = blocks_.size();
    taken_cells = cells_.size();
    give_back(blocks, cells);
  }
  ~memory_limit() {
    give_back(enough, enough);
    pages.closed = false;
  }
  memory_limit(const memory_limit&) = delete;
  memory_limit& operator=(const memory_limit&) = delete;

  std::size_t taken_blocks = 0;
  std::size_t taken_cells = 0;

private:
  // The largest blocks were taken first: they serve smaller payloads, too.
  void give_back(std::size_t blocks, std::size_t cells) {
    thread_record& here = this_thread();
    std::size_t given = 0;
    for (; given < blocks && given < blocks_.size(); ++given)
      free_envelope(here, *blocks_[given]);
    blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(given));
    for (; cells > 0 && !cells_.empty(); --cells) {
      program_memory.cells.end_tenancy(*cells_.back());
      program_memory.cells.give_back(here.cells, *cells_.back());
      cells_.pop_back();
    }
  }
  std::vector<envelope*> blocks_;
  std::vector<cell*> cells_;
};

/// The resources in use now.
struct usage {
  std::size_t blocks = 0;
  std::size_t cells = 0;
  friend bool operator==(const usage&, const usage&) = default;
};
usage in_use() {
  std::size_t made = 0;
  for (unsigned each = 0; each < envelope_size_classes; ++each)
    made += program_memory.envelopes.blocks_made(each);
  const memory_limit all{0, 0};
  return {.blocks = made - all.taken_blocks,
          .cells = program_memory.cells.made() - all.taken_cells};
}

/// Records what happened, and how many payloads live.
struct ledger {
  int alive = 0;
  int accepted = 0;
  int handled = 0;
  int answered = 0;
  int terminated = 0;
  int restarted = 0;
  bool keeps = false;  // notes are stashed
  int steps = 0;       // of a coroutine
};

struct note {
  explicit note(ledger& in) noexcept : book(&in) { ++book->alive; }
  note(const note& other) noexcept : book(other.book) { ++book->alive; }
  note& operator=(const note&) = delete;
  ~note() { --book->alive; }
  ledger* book;
  std::array<char, 100> rest{};
};
struct twice {
  int number;
  using reply = int;
};
struct fails {};
struct act;
struct walk;
using clerk_context = actor_context<note, twice, fails, act, walk>;
struct act {
  std::function<void(clerk_context&)> what;
};
/// A coroutine that asks, sleeps, waits and awaits helpers.
struct walk {
  actor_ref<twice> other;
};

class clerk : public actor<note, twice, fails, act, walk> {
public:
  explicit clerk(ledger* const& book) : book_(book) {}
  void receive(context& ctx, const note& n) {
    if (n.book->keeps && ctx.stash(n)) return;
    ++n.book->handled;
  }
  task<void> receive(context& ctx, walk w) {
    note_step(co_await doubled(ctx, w.other, 1) == 2);
    note_step((co_await ctx.sleep(1ms)).has_value());
    note_step(!co_await ctx.until(signal_key{1}, 1ms));
    co_await ctx.yield();
    note_step((co_await ctx.completes<int>([](completion<int> done) { done(7); })) == 7);
    const auto [a, b] = co_await all_of(doubled(ctx, w.other, 2), doubled(ctx, w.other, 3));
    note_step(a == 4 && b == 6);
  }
  int receive(context&, const twice& t) { return 2 * t.number; }
  std::expected<void, failure> receive(context&, fails) { return std::unexpected{failure{"so"}}; }
  void receive(context& ctx, const act& a) { a.what(ctx); }
  void receive(context&, const terminated&) { ++book_->terminated; }
  void post_restart(context&, const failure&) { ++book_->restarted; }

private:
  static task<int> doubled(tactor::context& ctx, actor_ref<twice> by, int number) {
    const auto said = co_await ctx.ask<twice>(by, 1s, number);
    co_return said.value_or(0);
  }
  void note_step(bool succeeded) { book_->steps += succeeded ? 1 : 0; }

  ledger* book_;
};

void say_nothing(const log_record& /*what*/) noexcept {}

struct bench {
  ledger book;
  simulation world{seed{1}, {.log = {.sink = say_nothing}}};
  clerk::ref first = world.spawn<clerk>({.on_failure = restart{}}, &book);
  clerk::ref second = world.spawn<clerk>({.on_failure = restart{}}, &book);
  clerk::ref narrow;  // for tests that need another one
  // Queued before memory is short: what it does is the operation.
  void let(const clerk::ref& who, std::function<void(clerk::context&)> what) {
    who.tell(act{std::move(what)});
  }
  void tell(const clerk::ref& who) {
    if (who.tell(note{book}) == tell_result::ok) ++book.accepted;
  }
  // Afterwards there is memory again: the system does what it did before.
  void expect_to_work() {
    world.run_for(1min);
    const auto fresh = world.try_spawn<clerk>("fresh", &book);
    ASSERT_TRUE(fresh.has_value());
    const int before = book.handled;
    tell(*fresh);
    const auto said = world.ask(*fresh, twice{21}, 1s).get();
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(*said, 42);
    EXPECT_EQ(book.handled, before + 1);
  }
};

struct operation {
  /// While there is memory.
  std::function<void(bench&)> prepare;
  /// With little memory. Returns: whether it succeeded.
  std::function<bool(bench&)> attempt;
  /// With memory again, after a minute: whether what happened is what was said.
  std::function<void(bench&, bool succeeded)> check;
  /// With memory again, before anything else runs.
  std::function<void(bench&)> before_work = [](bench&) {};
};

void provide_pages() {
  static const bool provided = [] {
    program_memory.pages.provide(pages);
    bench warm;  // what a first system allocates for ever
    warm.world.run_to_idle();
    return true;
  }();
  EXPECT_TRUE(provided);
}

/// Returns: whether it succeeded.
bool run_with(std::size_t blocks, std::size_t cells, const operation& each) {
  provide_pages();
  const usage before = in_use();
  bool succeeded = false;
  std::optional<bench> b{std::in_place};
  b->world.run_to_idle();
  each.prepare(*b);
  {
    const memory_limit little{blocks, cells};
    succeeded = each.attempt(*b);
    b->world.run_to_idle();
  }
  each.before_work(*b);
  b->expect_to_work();
  each.check(*b, succeeded);
  EXPECT_EQ(b->book.handled, b->book.accepted);
  EXPECT_TRUE(b->world.shutdown().complete);
  EXPECT_EQ(b->world.live(), 0u);
  const metrics_snapshot counts = b->world.metrics();
  EXPECT_EQ(counts.actors_started, counts.actors_stopped);
  EXPECT_EQ(counts.timers.scheduled_total,
            counts.timers.completed_total + counts.timers.cancelled_total +
                counts.timers.evicted_total + counts.timers.undeliverable_total);
  EXPECT_EQ(b->book.alive, 0) << "every message is destroyed once";
  b.reset();
  EXPECT_EQ(in_use(), before) << "nothing is lost";
  return succeeded;
}

/// With every number of blocks and then of cells, until the operation succeeds.
void fail_each(const operation& each) {
  constexpr std::size_t most = 40;
  std::size_t blocks = 0;
  for (bool done = false; !done && blocks < most; ++blocks) {
    SCOPED_TRACE(testing::Message() << blocks << " blocks");
    done = run_with(blocks, enough, each);
  }
  EXPECT_LT(blocks, most);
  std::size_t cells = 0;
  for (bool done = false; !done && cells < most; ++cells) {
    SCOPED_TRACE(testing::Message() << cells << " cells");
    done = run_with(enough, cells, each);
  }
  EXPECT_LT(cells, most);
}

void nothing(bench& /*b*/) {}

operation spawning(overflow_strategy rule, mailbox_order order = mailbox_order::arrival) {
  return {
      .prepare = nothing,
      .attempt =
          [rule, order](bench& b) {
            const auto made = b.world.try_spawn<clerk>(
                {.name = "third",
                 .mailbox = {.capacity = 4, .overflow = rule, .order = order},
                 .on_failure = restart{.delay = {.min = 1ms}}},
                &b.book);
            EXPECT_TRUE(made || made.error() == spawn_error::no_memory);
            return made.has_value();
          },
      .check = [](bench& b, bool succeeded) { EXPECT_EQ(b.world.live(), succeeded ? 4u : 3u); }};
}

// spec: A5
TEST(operations, spawn_without_memory) {
  fail_each(spawning(overflow_strategy::reject));
}

// spec: A5
TEST(operations, spawn_without_memory_for_the_side_queue) {
  EXPECT_FALSE(run_with(enough, enough, spawning(overflow_strategy::drop_oldest)));
}

// spec: A5 M8
TEST(operations, spawn_without_memory_for_priorities) {
  static constinit locked_queue only_one;
  program_memory.side_queues.give_back(only_one);
  EXPECT_FALSE(
      run_with(enough, enough, spawning(overflow_strategy::reject, mailbox_order::priority)));
  static constinit priority_levels its_levels;
  program_memory.levels.give_back(its_levels);
  EXPECT_TRUE(
      run_with(enough, enough, spawning(overflow_strategy::reject, mailbox_order::priority)));
  EXPECT_EQ(program_memory.side_queues.take(), &only_one) << "it is back";
  EXPECT_EQ(program_memory.levels.take(), &its_levels) << "they are back";
}

// spec: A5
TEST(operations, tell_without_memory) {
  fail_each({.prepare = nothing,
             .attempt =
                 [](bench& b) {
                   const auto said = b.first.tell(note{b.book});
                   if (said == tell_result::ok) ++b.book.accepted;
                   return said == tell_result::ok;
                 },
             .check =
                 [](bench& b, bool succeeded) {
                   EXPECT_EQ(b.world.metrics().dead_letters_for(drop_reason::no_memory),
                             succeeded ? 0u : 1u);
                 }});
}

// spec: A5
TEST(operations, ask_from_outside_without_memory) {
  fail_each({.prepare = nothing,
             .attempt =
                 [](bench& b) {
                   const auto said = b.world.ask(b.first, twice{1}, 1s).get();
                   // Without memory for the answer the ask times out; a simulation does not wait.
                   EXPECT_TRUE(said || said.error().kind == ask_failure::refused ||
                               said.error().kind == ask_failure::would_never_answer);
                   return said.has_value();
                 },
             .check = [](bench&, bool) {}});
}

// spec: A5
TEST(operations, ask_in_an_actor_without_memory) {
  fail_each({.prepare =
                 [](bench& b) {
                   b.let(b.first, [&b](clerk::context& ctx) {
                     ctx.ask(b.second, twice{1}, 1s, [&b](const auto& said) {
                       ++b.book.answered;
                       if (said) b.book.terminated = 100;  // marks the success
                     });
                   });
                 },
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   return b.book.terminated == 100;
                 },
             .check =
                 [](bench& b, bool) {
                   // Without memory for the refusal the actor fails.
                   EXPECT_EQ(b.book.answered + b.book.restarted, 1);
                 }});
}

// spec: A5 V3
TEST(operations, watch_without_memory) {
  fail_each({.prepare =
                 [](bench& b) {
                   b.let(b.first, [&b](clerk::context& ctx) {
                     const auto watched = ctx.watch(b.second, note{b.book});
                     if (watched) b.book.answered = 1;
                   });
                 },
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   b.book.accepted += b.book.answered;  // the message instead of `terminated`
                   return b.book.answered == 1 && b.world.live() == 2;
                 },
             .check =
                 [](bench& b, bool) {
                   b.world.stop(b.second);
                   b.world.run_to_idle();
                   b.world.stop(b.second);
                   b.world.run_to_idle();
                 }});
}

// spec: A5
TEST(operations, schedule_without_memory) {
  fail_each({.prepare = nothing,
             .attempt =
                 [](bench& b) {
                   const auto timer = b.world.schedule_once(1s, b.first, note{b.book});
                   if (timer) ++b.book.accepted;
                   return timer.has_value();
                 },
             .check = [](bench&, bool) {}});
}

// spec: A5
TEST(operations, suspend_without_memory) {
  fail_each({.prepare =
                 [](bench& b) {
                   b.let(b.first, [&b](clerk::context& ctx) {
                     if (ctx.suspend(suspend_reason::rate_limit, resume_after(1ms)))
                       b.book.answered = 1;
                   });
                   b.tell(b.first);  // handled at once, or after the suspension
                 },
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   return b.book.answered == 1 && b.book.handled == 0;
                 },
             .check = [](bench&, bool) {}});
}

// spec: A5
TEST(operations, restart_without_memory) {
  fail_each({.prepare = [](bench& b) { b.first.tell(fails{}); },
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   return b.book.restarted == 1;
                 },
             .check = [](bench& b, bool) { EXPECT_LE(b.book.restarted, 1); }});
}

// spec: A5
TEST(operations, stash_without_memory) {
  fail_each({.prepare =
                 [](bench& b) {
                   b.book.keeps = true;
                   b.tell(b.first);
                   b.tell(b.first);
                 },
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   return b.book.handled == 0;  // what finds no place is handled at once
                 },
             .check =
                 [](bench& b, bool) {
                   b.book.keeps = false;
                   b.let(b.first, [](clerk::context& ctx) { (void)ctx.unstash_all(); });
                   b.world.run_to_idle();
                 },
             .before_work = [](bench& b) { b.book.keeps = false; }});
}

// spec: A5
TEST(operations, timers_by_key_without_memory) {
  fail_each({.prepare =
                 [](bench& b) {
                   b.let(b.first, [&b](clerk::context& ctx) {
                     for (const char* const key : {"one", "two"})
                       if (ctx.start_timer(key, after(1ms), note{b.book})) ++b.book.accepted;
                   });
                 },
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   return b.book.accepted == 2;
                 },
             .check = [](bench&, bool) {}});
}

/// Three messages to a mailbox for one, whose actor is suspended: two wait in an outbox.
void fill_narrow(bench& b) {
  b.narrow = b.world.spawn<clerk>(
      {.mailbox = {.capacity = 1, .overflow = overflow_strategy::block_producer}}, &b.book);
  b.let(b.first, [&b, to = b.narrow](clerk::context&) {
    for (int i = 0; i < 3; ++i)
      b.tell(to);
  });
  EXPECT_TRUE(b.world.suspend(b.narrow).has_value());
}
void resume_narrow(bench& b) {
  EXPECT_TRUE(b.world.resume(b.narrow).has_value());
  b.world.run_to_idle();
}

// spec: A5 M4b
TEST(operations, send_to_a_full_mailbox_without_memory) {
  provide_pages();
  {
    bench warm;  // each of the queues that mailboxes share is allocated once, for ever
    std::array<clerk::ref, 32> all;
    for (clerk::ref& each : all) {
      fill_narrow(warm);
      each = warm.narrow;
    }
    warm.world.run_to_idle();
    for (const clerk::ref& each : all)
      EXPECT_TRUE(warm.world.resume(each).has_value());
    warm.world.run_to_idle();
    EXPECT_EQ(warm.book.handled, 96);
  }
  fail_each({.prepare = fill_narrow,
             .attempt =
                 [](bench& b) {
                   b.world.run_to_idle();
                   return b.book.accepted == 3;
                 },
             .check = [](bench&, bool) {},
             .before_work = resume_narrow});
}

// spec: A5
TEST(operations, coroutine_without_memory) {
  provide_pages();
  {
    bench warm;  // blocks that are as large as its frames are made
    warm.first.tell(walk{warm.second});
    warm.world.run_for(1s);
    EXPECT_EQ(warm.book.steps, 5);
  }
  fail_each({.prepare = [](bench& b) { b.first.tell(walk{b.second}); },
             .attempt =
                 [](bench& b) {
                   b.world.run_for(1s);
                   return b.book.steps == 5;
                 },
             .check = [](bench& b, bool) { EXPECT_LE(b.book.restarted, 1); }});
}

// spec: A5
TEST(operations, message_by_priority_without_memory) {
  static constinit locked_queue its_queue;
  static constinit priority_levels its_levels;
  program_memory.side_queues.give_back(its_queue);
  program_memory.levels.give_back(its_levels);
  fail_each({.prepare =
                 [](bench& b) {
                   b.narrow = b.world.spawn<clerk>(
                       {.name = "by priority", .mailbox = {.order = mailbox_order::priority}},
                       &b.book);
                   b.world.run_to_idle();
                 },
             .attempt =
                 [](bench& b) {
                   b.tell(b.narrow);
                   return b.book.accepted == 1;
                 },
             .check = [](bench&, bool) {}});
  EXPECT_EQ(program_memory.side_queues.take(), &its_queue) << "it is back";
  EXPECT_EQ(program_memory.levels.take(), &its_levels) << "they are back";
}

struct leave {};
class leaver : public actor<leave> {
public:
  void receive(context& ctx, leave) { ctx.stop(); }
};

template <class Router>
std::size_t workers_of(bench& b, const Router& router) {
  const auto said = b.world.ask(router, patterns::count_routed{}, 1s).get();
  return said ? said->workers : 0;
}

// spec: A5
TEST(operations, replace_a_worker_of_a_pool_without_memory) {
  using router = decltype(patterns::spawn_pool<leaver>(std::declval<simulation&>(), {},
                                                       patterns::round_robin{}));
  router pool;
  fail_each({.prepare =
                 [&pool](bench& b) {
                   pool = patterns::spawn_pool<leaver>(b.world, {.name = "pool", .workers = 2},
                                                       patterns::round_robin{});
                   EXPECT_EQ(workers_of(b, pool), 2u);
                   EXPECT_EQ(pool.tell(leave{}), tell_result::ok);
                   b.world.run_to_idle();
                   EXPECT_EQ(workers_of(b, pool), 1u);
                 },
             .attempt =
                 [](bench& b) {
                   b.world.run_for(1s);
                   return b.world.live() == 5;
                 },
             .check =
                 [&pool](bench& b, bool) {
                   (void)workers_of(
                       b, pool);  // without memory for a timer, the next message starts one
                   b.world.run_for(1s);
                   EXPECT_EQ(workers_of(b, pool), 2u);
                   for (int i = 0; i < 2; ++i)
                     EXPECT_EQ(pool.tell(leave{}), tell_result::ok);
                   b.world.run_for(1s);
                   EXPECT_EQ(workers_of(b, pool), 2u);
                   EXPECT_EQ(b.world.live(), 6u) << "both workers, and what there was before";
                 }});
}

// spec: A5
TEST(operations, add_a_member_to_a_group_without_memory) {
  using router = decltype(patterns::spawn_group(
      std::declval<simulation&>(), "", patterns::round_robin{}, std::vector<leaver::ref>{}));
  router group;
  leaver::ref member;
  fail_each({.prepare =
                 [&](bench& b) {
                   member = b.world.spawn<leaver>("member");
                   group = patterns::spawn_group(b.world, "group", patterns::round_robin{},
                                                 std::vector<leaver::ref>{});
                   b.world.run_to_idle();
                   EXPECT_EQ(group.tell(patterns::add_member<leave>{member}), tell_result::ok);
                 },
             .attempt =
                 [&](bench& b) {
                   b.world.run_to_idle();
                   return true;
                 },
             .check =
                 [&](bench& b, bool) {
                   EXPECT_EQ(workers_of(b, group), 1u);
                   b.world.stop(member);
                   b.world.run_to_idle();
                   EXPECT_EQ(workers_of(b, group), 0u);
                 }});
}

// spec: A5
TEST(operations, shutdown_needs_no_memory) {
  provide_pages();
  const usage before = in_use();
  std::optional<bench> b{std::in_place};
  for (int i = 0; i < 10; ++i)
    b->tell(b->first);
  {
    const memory_limit none{0, 0};
    const shutdown_report report = b->world.shutdown();
    EXPECT_TRUE(report.complete);
    EXPECT_EQ(report.left, 0u);
    EXPECT_EQ(b->book.handled, 10);
    EXPECT_EQ(b->book.alive, 0);
  }
  b.reset();
  EXPECT_EQ(in_use(), before);
}

}  // namespace
}  // namespace tactor
