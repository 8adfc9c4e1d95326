// SPDX-License-Identifier: BSL-1.0
#include "tactor/patterns/router.hpp"

#include "tactor/testkit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactor::patterns {
namespace {

using namespace std::chrono_literals;
using testkit::simulation;

struct work {
  int number = 0;
};
std::uint64_t routing_key(const work& w) {
  return static_cast<std::uint64_t>(w.number);
}
struct who_are_you {
  using reply = int;
};
std::uint64_t routing_key(const who_are_you&) {
  return 0;
}
struct stop_now {};
std::uint64_t routing_key(const stop_now&) {
  return 0;
}

// What the workers of a test have done.
struct board {
  std::vector<std::pair<actor_ref<>, int>> done;
  std::vector<actor_ref<>> senders;
  int made = 0;
  int timeouts = 0;
  bool nobody_knows = false;
};

class labourer : public actor<work, who_are_you, stop_now> {
public:
  explicit labourer(board* log) : log_(log), number_(++log->made) {}
  void pre_start(context& ctx) { (void)ctx.set_receive_timeout(1h, *this); }
  std::expected<void, failure> receive(context& ctx, const work& w) {
    if (w.number < 0) return std::unexpected{failure{"no"}};
    log_->done.emplace_back(ctx.self(), w.number);
    log_->senders.push_back(ctx.sender());
    return {};
  }
  std::expected<int, failure> receive(context&, who_are_you) {
    if (log_->nobody_knows) return std::unexpected{failure{"nobody knows"}};
    return number_;
  }
  void receive(context& ctx, stop_now) { ctx.stop(); }
  void receive(context&, const receive_timeout&) { ++log_->timeouts; }

private:
  board* log_;
  int number_;
};

class router : public ::testing::Test {
protected:
  template <class Policy>
  auto pool(const Policy& how, std::size_t workers = 3) {
    return spawn_pool<labourer>(world, {.name = "pool", .workers = workers}, how, &log);
  }
  template <class Ref>
  void tell(const Ref& to, int count) {
    for (int each = 0; each < count; ++each)
      to.tell(work{each});
    (void)world.run_to_idle();
  }
  template <class Ref>
  router_counts counts(const Ref& of) {
    return *world.ask(of, count_routed{}, 1s).get();
  }

  board log;
  simulation world;
};

struct by_slot {
  bool operator()(const actor_ref<>& a, const actor_ref<>& b) const noexcept {
    return a.index().slot < b.index().slot;
  }
};
using shares = std::map<actor_ref<>, int, by_slot>;
shares shares_of(const board& log) {
  shares sums;
  for (const auto& [who, number] : log.done)
    ++sums[who];
  return sums;
}

// spec: A7
TEST_F(router, sends_to_one_worker_after_the_other) {
  const auto to = pool(round_robin{});
  tell(to, 9);
  const shares sums = shares_of(log);
  ASSERT_EQ(sums.size(), 3U);
  for (const auto& [who, number] : sums)
    EXPECT_EQ(number, 3);
}

// spec: A7
TEST_F(router, sends_to_a_random_worker_that_the_seed_determines) {
  std::vector<int> first;
  for (int round = 0; round < 2; ++round) {
    board own;
    simulation other;
    const auto to = spawn_pool<labourer>(other, {.workers = 4}, random{7}, &own);
    for (int each = 0; each < 200; ++each)
      to.tell(work{each});
    (void)other.run_to_idle();
    std::vector<int> sums;
    for (const auto& [who, number] : shares_of(own)) {
      EXPECT_GT(number, 20);
      sums.push_back(number);
    }
    EXPECT_EQ(sums.size(), 4U);
    std::sort(sums.begin(), sums.end());
    if (round == 1) {
      EXPECT_EQ(sums, first);
    }
    first = sums;
  }
}

// spec: A7
TEST(routing, neighbouring_seeds_give_different_sequences) {
  const auto sequence = [](std::uint64_t seed) {
    random how{seed};
    std::vector<std::size_t> chosen(64);
    for (std::size_t& each : chosen)
      each = how.choose(0, 4, 0);
    return chosen;
  };
  for (const std::uint64_t seed : {0U, 1U, 2U, 6U, 7U, 1000U})
    EXPECT_NE(sequence(seed), sequence(seed + 1)) << seed;
  const std::vector<std::size_t> first(64, sequence(0x9E37'79B9'7F4A'7C15U).front());
  EXPECT_NE(sequence(0x9E37'79B9'7F4A'7C15U), first) << "its state is 0 for ever";
}

// spec: A7
TEST_F(router, does_not_count_what_the_mailbox_of_a_worker_has_dropped) {
  using enum overflow_strategy;
  for (const overflow_strategy rule : {drop_oldest, drop_newest, reject, dead_letter}) {
    board own;
    simulation other;
    const spawn_options small{.mailbox = {.capacity = 2, .overflow = rule}};
    const auto to =
        spawn_pool<labourer>(other, {.workers = 1, .worker = small}, least_queued{}, &own);
    to.tell(work{0});
    (void)other.run_to_idle();
    const actor_ref<> first = own.done.front().first;
    EXPECT_TRUE(other.suspend(first));
    for (int each = 0; each < 20; ++each)
      to.tell(work{each});
    (void)other.run_to_idle();
    EXPECT_TRUE(other.resume(first));
    (void)other.run_to_idle();
    EXPECT_EQ(own.done.size(), 3U);  // the others were dropped

    to.tell(resize_pool{2});
    (void)other.run_to_idle();
    own.done.clear();
    for (int each = 0; each < 4; ++each)
      to.tell(work{each});
    (void)other.run_to_idle();
    EXPECT_GE(shares_of(own)[first], 1) << "it has no work, and gets none";
  }
}

// spec: A7
TEST_F(router, sends_to_the_worker_with_the_fewest_messages) {
  const auto to = pool(least_queued{}, 2);
  tell(to, 2);
  ASSERT_EQ(shares_of(log).size(), 2U);
  const actor_ref<> slow = log.done.front().first;
  EXPECT_TRUE(world.suspend(slow));
  (void)world.run_to_idle();
  for (int each = 0; each < 10; ++each)
    tell(to, 1);
  const shares sums = shares_of(log);
  EXPECT_EQ(sums.at(slow), 1);
  EXPECT_EQ(log.done.size(), 2U + 9U);  // one waits for the slow worker
  const router_counts now = counts(to);
  EXPECT_EQ(now.forwarded, 12U);
  EXPECT_EQ(now.handled, 11U);
}

// spec: A7
TEST_F(router, keeps_a_key_at_its_worker_when_others_come_and_go) {
  const auto to = pool(consistent_hash{}, 4);
  const auto owners = [&] {
    log.done.clear();
    tell(to, 100);
    std::map<int, actor_ref<>> found;
    for (const auto& [who, number] : log.done)
      found.insert_or_assign(number, who);
    return found;
  };
  const auto before = owners();
  EXPECT_EQ(shares_of(log).size(), 4U);
  EXPECT_EQ(owners(), before);
  to.tell(resize_pool{5});
  const auto after = owners();
  int moved = 0;
  for (const auto& [key, who] : after)
    moved += who == before.at(key) ? 0 : 1;
  EXPECT_GT(moved, 5);
  EXPECT_LT(moved, 40);  // about a fifth
}

// spec: A7
TEST_F(router, sends_a_copy_to_all) {
  const auto to = pool(broadcast{});
  tell(to, 2);
  EXPECT_EQ(log.done.size(), 6U);
  EXPECT_EQ(shares_of(log).size(), 3U);
  EXPECT_EQ(world.ask(to, who_are_you{}, 1s).get(), 1);
}

// spec: A7
TEST_F(router, takes_the_first_answer) {
  const auto to = pool(first_answer{100ms});
  tell(to, 1);
  ASSERT_EQ(log.done.size(), 3U);
  EXPECT_TRUE(world.suspend(log.done[0].first));
  EXPECT_TRUE(world.suspend(log.done[1].first));
  EXPECT_TRUE(world.ask(to, who_are_you{}, 1s).get());
  EXPECT_TRUE(world.suspend(log.done[2].first));
  (void)world.run_to_idle();
  const auto none = world.ask(to, who_are_you{}, 1s).get();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ask_failure::timed_out);
  EXPECT_LT(none.error().waited, 200ms);
}

// spec: A7 A2b
TEST_F(router, says_why_there_is_no_first_answer_when_the_last_worker_has_failed) {
  const auto to = pool(first_answer{1h});
  tell(to, 1);
  ASSERT_EQ(log.done.size(), 3U);
  log.nobody_knows = true;
  const auto failed = world.ask(to, who_are_you{}, 10h).get();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ask_failure::target_failed);
  EXPECT_EQ(failed.error().waited, 0ms);

  EXPECT_TRUE(world.suspend(log.done[1].first));
  (void)world.run_to_idle();
  auto last = world.ask(to, who_are_you{}, 10h);
  (void)world.run_to_idle();  // the others have failed
  world.stop(log.done[1].first);
  EXPECT_EQ(std::move(last).get().error().kind, ask_failure::target_terminated);
}

// spec: A7
TEST_F(router, lets_the_worker_answer_with_the_sender_of_the_ask) {
  const auto to = pool(round_robin{});
  std::set<int> answers;
  for (int each = 0; each < 3; ++each)
    answers.insert(*world.ask(to, who_are_you{}, 1s).get());
  EXPECT_EQ(answers, (std::set<int>{1, 2, 3}));
  const auto sender = world.spawn("sender", [to](context&, const work& w) { to.tell(work{w}); });
  sender.tell(work{});
  (void)world.run_to_idle();
  EXPECT_EQ(log.senders.back(), actor_ref<>{sender});
}

// spec: A7
TEST_F(router, changes_the_number_of_its_workers) {
  const auto to = pool(round_robin{}, 2);
  to.tell(resize_pool{4});
  tell(to, 4);
  EXPECT_EQ(shares_of(log).size(), 4U);
  for (int each = 0; each < 8; ++each)
    to.tell(work{each});
  to.tell(resize_pool{1});  // those that go handle what is queued
  (void)world.run_to_idle();
  EXPECT_EQ(log.done.size(), 12U);
  log.done.clear();
  tell(to, 4);
  EXPECT_EQ(shares_of(log).size(), 1U);
  EXPECT_EQ(counts(to).workers, 1U);
  EXPECT_EQ(counts(to).handled, 16U);
}

// spec: A7
TEST_F(router, restarts_a_worker_that_fails_and_replaces_a_worker_that_ends) {
  const auto to = pool(round_robin{}, 2);
  tell(to, 2);
  to.tell(work{-1});
  (void)world.run_to_idle();
  EXPECT_EQ(log.made, 3);  // restarted
  EXPECT_EQ(counts(to).workers, 2U);
  to.tell(stop_now{});
  (void)world.run_to_idle();
  EXPECT_EQ(counts(to).workers, 1U);
  world.run_for(10ms);
  EXPECT_EQ(counts(to).workers, 2U);
  log.done.clear();
  tell(to, 4);
  EXPECT_EQ(shares_of(log).size(), 2U);
}

// What is set of a worker does not change what happens when it fails.
TEST_F(router, restarts_a_worker_that_has_options) {
  const pool_options options{.workers = 1, .worker = {.mailbox = {.capacity = 10}}};
  const auto to = spawn_pool<labourer>(world, options, round_robin{}, &log);
  to.tell(work{-1});
  (void)world.run_to_idle();
  EXPECT_EQ(log.made, 2);
  EXPECT_EQ(counts(to).workers, 1U);
}

// spec: A7
TEST_F(router, replaces_a_worker_that_is_to_stop_when_it_fails) {
  const pool_options options{.workers = 1, .worker = {.on_failure = directive::stop}};
  const auto to = spawn_pool<labourer>(world, options, round_robin{}, &log);
  to.tell(work{-1});
  (void)world.run_to_idle();
  EXPECT_EQ(log.made, 1);
  EXPECT_EQ(counts(to).workers, 0U);
  world.run_for(10ms);
  EXPECT_EQ(log.made, 2);
  EXPECT_EQ(counts(to).workers, 1U);
}

// Refuses all actors while told.
class no_actors final : public spawn_middleware {
public:
  std::expected<void, spawn_error> before_spawn(spawn_options&, std::string_view,
                                                const actor_ref<>&) noexcept override {
    if (refuses) return std::unexpected{spawn_error::refused};
    return {};
  }
  bool refuses = false;
};

// spec: A7
TEST_F(router, tries_again_to_replace_a_worker_whatever_the_time) {
  for (const duration time : {duration{-1s}, duration{0s}, duration{10ms}, duration{1h}}) {
    no_actors guard;
    spawn_middleware* const guards[] = {&guard};
    board own;
    simulation other{testkit::seed{1}, {.spawn_middleware = guards}};
    const auto to =
        spawn_pool<labourer>(other, {.workers = 2, .replace_after = time}, round_robin{}, &own);
    const auto workers = [&] { return other.ask(to, count_routed{}, 1s).get()->workers; };
    EXPECT_EQ(workers(), 2U);
    guard.refuses = true;
    to.tell(stop_now{});
    (void)other.run_to_idle();
    other.run_for(time > duration{} ? time : duration{1s});
    EXPECT_EQ(workers(), 1U);
    guard.refuses = false;
    EXPECT_EQ(workers(), 1U);
    other.run_for(time > 1s ? time : duration{1s});
    EXPECT_EQ(workers(), 2U);
  }
}

// spec: A7
TEST_F(router, replaces_a_worker_at_once_or_within_a_day) {
  const auto ending = [&](duration replace_after) {
    const auto to = spawn_pool<labourer>(world, {.workers = 1, .replace_after = replace_after},
                                         round_robin{}, &log);
    to.tell(stop_now{});
    (void)world.run_to_idle();
    return to;
  };
  EXPECT_EQ(counts(ending(0s)).workers, 1U);
  EXPECT_EQ(counts(ending(-1s)).workers, 1U);
  const auto late = ending(duration::max());
  EXPECT_EQ(counts(late).workers, 0U);
  world.run_for(23h);
  EXPECT_EQ(counts(late).workers, 0U);
  world.run_for(1h);
  EXPECT_EQ(counts(late).workers, 1U);
}

// A receive timeout is no message of the list: the worker's own handler is called.
TEST_F(router, leaves_notifications_to_the_worker) {
  (void)pool(round_robin{}, 2);
  world.run_for(61min);
  EXPECT_EQ(log.timeouts, 2);
}

// spec: A7
TEST_F(router, forwards_to_a_group_and_removes_members_that_end) {
  std::vector<actor_ref<work>> members;
  for (int each = 0; each < 3; ++each)
    members.push_back(world.spawn<labourer>("", &log));
  const auto to = spawn_group(world, "group", round_robin{}, members);
  tell(to, 3);
  EXPECT_EQ(shares_of(log).size(), 3U);
  world.stop(members[0]);
  to.tell(remove_member{members[1]});
  (void)world.run_to_idle();
  log.done.clear();
  tell(to, 4);
  EXPECT_EQ(shares_of(log).size(), 1U);
  EXPECT_EQ(counts(to).workers, 1U);
  to.tell(add_member<work>{world.spawn<labourer>("", &log)});
  log.done.clear();
  tell(to, 4);
  EXPECT_EQ(shares_of(log).size(), 2U);
  EXPECT_EQ(counts(to).forwarded, 11U);
}

// spec: A7
TEST_F(router, has_no_more_workers_than_its_bound) {
  const auto to = spawn_pool<labourer>(world, {.name = "pool", .workers = 7, .most_workers = 5},
                                       round_robin{}, &log);
  EXPECT_EQ(counts(to).workers, 5U);
  to.tell(resize_pool{2});
  EXPECT_EQ(counts(to).workers, 2U);
  to.tell(resize_pool{1'000'000'000});
  EXPECT_EQ(counts(to).workers, 5U);
  tell(to, 10);
  EXPECT_EQ(shares_of(log).size(), 5U);
}

// spec: A7
TEST_F(router, goes_on_with_the_next_worker_after_one_was_removed) {
  std::vector<actor_ref<work>> members;
  for (int each = 0; each < 4; ++each)
    members.push_back(world.spawn<labourer>("", &log));
  const auto to = spawn_group(world, "group", round_robin{}, members);
  tell(to, 2);
  to.tell(remove_member{members[0]});
  tell(to, 2);
  to.tell(remove_member{members[3]});
  tell(to, 2);
  std::vector<actor_ref<>> served;
  for (const auto& [who, number] : log.done)
    served.push_back(who);
  EXPECT_EQ(served, (std::vector<actor_ref<>>{members[0], members[1], members[2], members[3],
                                              members[1], members[2]}));
}

TEST_F(router, says_that_it_has_no_worker) {
  int lost = 0;
  const auto watcher = world.spawn("watcher", [&](context&, const dead_letter&) { ++lost; });
  ASSERT_TRUE(world.events().subscribe<dead_letter>(watcher));
  const auto to = pool(round_robin{}, 0);
  tell(to, 2);
  EXPECT_EQ(lost, 2);
  const auto none = world.ask(to, who_are_you{}, 1h).get();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ask_failure::target_terminated);
  EXPECT_NE(std::string_view{to_text(none.error().kind)}.find("router without a worker"),
            std::string_view::npos);
}

// spec: A7
TEST_F(router, takes_out_a_member_that_is_in_its_group_twice) {
  const auto one = world.spawn<labourer>("one", &log);
  const auto two = world.spawn<labourer>("two", &log);
  const std::vector<actor_ref<work, who_are_you, stop_now>> members{one, one, two, two};
  const auto to = spawn_group(world, "group", round_robin{}, members);
  (void)world.run_to_idle();
  world.stop(one);
  (void)world.run_to_idle();
  EXPECT_EQ(counts(to).workers, 2U);
  tell(to, 4);
  EXPECT_EQ(shares_of(log)[two], 4);
  to.tell(remove_member{two});
  (void)world.run_to_idle();
  EXPECT_EQ(counts(to).workers, 0U);
}

class sends_work : public actor<work> {
public:
  explicit sends_work(actor_ref<work> to) : to_(to) {}
  void receive(context&, work w) { to_.tell(w); }

private:
  actor_ref<work> to_;
};

// spec: A7
TEST_F(router, sends_each_copy_with_the_sender_of_the_message) {
  const auto to = pool(broadcast{});
  const auto from = world.spawn<sends_work>("sender", to);
  from.tell(work{1});
  (void)world.run_to_idle();
  EXPECT_EQ(log.senders, (std::vector<actor_ref<>>{from, from, from}));
}

class notes_sender : public actor<who_are_you> {
public:
  explicit notes_sender(board* log) : log_(log) {}
  int receive(context& ctx, who_are_you) {
    log_->senders.push_back(ctx.sender());
    return 1;
  }

private:
  board* log_;
};

// spec: A7
TEST_F(router, sends_each_copy_with_the_sender_of_a_message_that_could_be_answered) {
  const auto all =
      spawn_pool<notes_sender>(world, {.name = "all", .workers = 3}, broadcast{}, &log);
  const auto first =
      spawn_pool<notes_sender>(world, {.name = "first", .workers = 3}, first_answer{1s}, &log);
  const auto from = world.spawn("from", [all, first](context&, const work&) {
    all.tell(who_are_you{});
    first.tell(who_are_you{});
  });
  from.tell(work{1});
  (void)world.run_to_idle();
  EXPECT_EQ(log.senders, (std::vector<actor_ref<>>(6, from)));
  EXPECT_TRUE(world.ask(all, who_are_you{}, 1s).get()) << "one answer, as before";
  EXPECT_TRUE(world.ask(first, who_are_you{}, 1s).get());
  EXPECT_EQ(world.metrics().all_dead_letters(), 0u);
}

// Sends itself a message for each that it gets, or stashes the first ones.
class busy_worker : public actor<work, stop_now> {
public:
  busy_worker(board* log, bool stashes) : log_(log), stashes_(stashes) {}
  void receive(context& ctx, work w) {
    if (stashes_ && !ready_) return (void)ctx.stash(w);
    log_->done.emplace_back(ctx.self(), w.number);
    if (!stashes_ && w.number > 0) ctx.self().tell(work{w.number - 1});
  }
  void receive(context& ctx, stop_now) {
    ready_ = true;
    (void)ctx.unstash_all();
  }

private:
  board* log_;
  bool stashes_;
  bool ready_ = false;
};

// spec: A7
TEST_F(router, knows_the_fewest_messages_although_workers_send_to_themselves) {
  const auto to = spawn_pool<busy_worker>(world, {.workers = 2}, least_queued{}, &log, false);
  to.tell(work{5});
  to.tell(work{9});
  (void)world.run_to_idle();
  log.done.clear();
  for (int each = 0; each < 20; ++each)
    to.tell(work{0});
  (void)world.run_to_idle();
  const shares sums = shares_of(log);
  ASSERT_EQ(sums.size(), 2U);
  for (const auto& [who, number] : sums)
    EXPECT_EQ(number, 10);
}

// spec: A7
TEST_F(router, counts_a_stashed_message_once) {
  const auto to = spawn_pool<busy_worker>(world, {.workers = 1}, least_queued{}, &log, true);
  tell(to, 5);
  EXPECT_EQ(counts(to).handled, 0U);
  to.tell(stop_now{});
  (void)world.run_to_idle();
  EXPECT_EQ(log.done.size(), 5U);
  EXPECT_EQ(counts(to).handled, 6U);
}

// Cannot be routed if it is negative.
struct odd_work {
  int number = 0;
  using reply = int;
};
std::uint64_t routing_key(const odd_work& w) {
  if (w.number < 0) throw std::invalid_argument{"no key"};
  return 1;
}
class odd_worker : public actor<odd_work> {
public:
  int receive(context&, const odd_work& w) { return w.number; }
};

// spec: A7
TEST_F(router, survives_a_message_that_cannot_be_routed) {
  const auto to = spawn_pool<odd_worker>(world, {.workers = 2}, consistent_hash{});
  const actor_ref<odd_work> worker = world.spawn<odd_worker>("worker");
  const auto group = spawn_group(world, "group", consistent_hash{}, std::vector{worker});
  for (const actor_ref<odd_work>& each : {actor_ref<odd_work>{to}, actor_ref<odd_work>{group}}) {
    auto refused = world.ask(each, odd_work{-1}, 1s).get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ask_failure::target_failed);
    EXPECT_EQ(world.ask(each, odd_work{2}, 1s).get(), 2);
  }
}

// Takes a second for each message, as a coroutine of either kind; stashes the first ones if told.
template <template <class> class Task>
class sleepy_worker : public actor<work, stop_now> {
public:
  using own_context = actor<work, stop_now>::context;
  sleepy_worker(board* log, bool stashes) : log_(log), stashes_(stashes) {}
  Task<void> receive(own_context& ctx, work w) {
    co_await ctx.sleep(1s);
    if (stashes_ && !ready_) {
      EXPECT_TRUE(ctx.stash(w));
      EXPECT_TRUE(ctx.is_stashed());
      co_return;
    }
    EXPECT_FALSE(ctx.is_stashed());
    log_->done.emplace_back(ctx.self(), w.number);
  }
  void receive(own_context& ctx, stop_now) {
    ready_ = true;
    (void)ctx.unstash_all();
  }

private:
  board* log_;
  bool stashes_;
  bool ready_ = false;
};

template <class Worker>
void expect_idle_workers_first(simulation& world) {
  board log;
  const auto to = spawn_pool<Worker>(world, {.workers = 4}, least_queued{}, &log, false);
  for (int each = 0; each < 4; ++each) {
    to.tell(work{each});
    (void)world.run_to_idle();
  }
  EXPECT_EQ(world.ask(to, count_routed{}, 1s).get()->handled, 0U) << "none has ended";
  world.run_for(1s);
  EXPECT_EQ(shares_of(log).size(), 4U);
  EXPECT_EQ(world.ask(to, count_routed{}, 1s).get()->handled, 4U);
}

// A message counts as waiting until its coroutine has ended.
// spec: A7 A3
TEST_F(router, sends_to_an_idle_worker_before_a_worker_whose_coroutine_awaits) {
  expect_idle_workers_first<sleepy_worker<task>>(world);
  expect_idle_workers_first<sleepy_worker<reentrant_task>>(world);
}

// spec: A7 A2e
TEST_F(router, counts_a_message_that_a_coroutine_stashes_once) {
  const auto to =
      spawn_pool<sleepy_worker<reentrant_task>>(world, {.workers = 1}, least_queued{}, &log, true);
  tell(to, 5);
  world.run_for(1s);
  EXPECT_EQ(counts(to).handled, 0U);
  to.tell(stop_now{});
  world.run_for(2s);
  EXPECT_EQ(log.done.size(), 5U);
  EXPECT_EQ(counts(to).handled, 6U);
}

// A policy that chooses a worker that does not exist.
struct beyond_the_last {
  template <class Message, class LoadOf>
  std::size_t choose(const Message&, std::size_t count, const LoadOf&) const noexcept {
    return count;
  }
};

// spec: A7
TEST_F(router, refuses_a_choice_beyond_its_workers) {
  const auto to = pool(beyond_the_last{});
  const auto none = world.ask(to, who_are_you{}, 1h).get();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ask_failure::target_terminated);
  EXPECT_EQ(counts(to).forwarded, 0U);
}

// spec: A7 M4b
TEST_F(router, of_bounded_mailboxes_makes_its_senders_wait) {
  const auto bounded = mailbox_presets::lossless(2);
  const auto to = spawn_pool<sleepy_worker<task>>(
      world, {.mailbox = bounded, .workers = 2, .worker = {.mailbox = bounded}}, round_robin{},
      &log, false);
  int sent = 0;
  const auto from = world.spawn("sender", [&](context&, const work& w) {
    ++sent;
    to.tell(work{w});
  });
  for (int each = 0; each < 40; ++each)
    from.tell(work{each});
  (void)world.run_to_idle();
  EXPECT_LE(sent, 12)
      << "six are with the workers, two wait for the router, and one for each outbox";
  world.run_for(30s);
  EXPECT_EQ(log.done.size(), 40U);
}

}  // namespace
}  // namespace tactor::patterns
