// SPDX-License-Identifier: BSL-1.0
// A scheduler or a system with nothing to do costs no wake-up and no memory.
#include "tactor/core/message/envelope_pool.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/send/runtime_memory.hpp"
#include "tactor/host/actor_system.hpp"
#include "tactor/host/os/mapped_pages.hpp"
#include "tactor/host/timers/realtime_scheduler.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::atomic<std::uint64_t> allocations = 0;  // by other threads than observers
thread_local bool observes = false;

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads): the others call these two
void* operator new(std::size_t bytes) {
  if (!observes) ++allocations;
  void* const made = std::malloc(bytes == 0 ? 1 : bytes);
  if (made == nullptr) throw std::bad_alloc{};
  return made;
}
void operator delete(void* made) noexcept {
  std::free(made);
}
void operator delete(void* made, std::size_t /*bytes*/) noexcept {
  std::free(made);
}
// NOLINTEND(misc-new-delete-overloads)

namespace tactor::realtime {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

struct task_count {
  std::string name;
  std::string id;
  std::uint64_t switches = 0;
};

// The context switches of every thread of this process, voluntary and not.
std::vector<task_count> context_switches() {
  std::vector<task_count> all;
  for (const auto& task : std::filesystem::directory_iterator{"/proc/self/task"}) {
    task_count one{.name = {}, .id = task.path().filename()};
    std::ifstream status{task.path() / "status"};
    for (std::string key; status >> key;) {
      std::uint64_t value = 0;
      if (key == "Name:") status >> one.name;
      if (key == "voluntary_ctxt_switches:" || key == "nonvoluntary_ctxt_switches:") {
        status >> value;
        one.switches += value;
      }
    }
    all.push_back(one);
  }
  return all;
}

// Counts the context switches of all threads but the calling one while it slept; that one's own is
// how it waits.
std::uint64_t switches_during(std::chrono::milliseconds time) {
  const auto sum = [](const std::vector<task_count>& tasks) {
    std::uint64_t all = 0;
    for (const task_count& each : tasks) {
      const bool observer = each.id == std::to_string(::gettid());
      if (!observer) all += each.switches;
    }
    return all;
  };
  const std::uint64_t before = sum(context_switches());
  std::this_thread::sleep_for(time);
  return sum(context_switches()) - before;
}

// No thread wakes once the system is idle: how soon that is depends on the machine, on which a
// thread may not have come to lie down yet. So it is looked for again. Who wakes again and again is
// never found at rest: not if it does so at least once in `time`. Returns: the context switches in
// the quietest sample.
std::uint64_t switches_at_rest(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(200ms);  // mostly enough
  std::uint64_t fewest = switches_during(time);
  for (int again = 0; again < 8 && fewest != 0; ++again)
    fewest = std::min(fewest, switches_during(time));
  return fewest;
}

// Counted page by page: what statm says may be off by many pages for each processor.
std::size_t resident_bytes() {
  std::ifstream rollup{"/proc/self/smaps_rollup"};
  for (std::string key; rollup >> key;) {
    std::size_t kilobytes = 0;
    if (key == "Rss:" && rollup >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// spec: T8 D7
TEST(idle, ten_thousand_timers_an_hour_ahead_wake_no_thread) {
  const auto subject = *host::realtime_scheduler::start();
  for (int timer = 0; timer < 10'000; ++timer) {
    ASSERT_TRUE(subject->schedule_once(1h + std::chrono::milliseconds{timer}, [] {}).has_value());
  }
  EXPECT_EQ(switches_at_rest(2s), 0u);

  // The same counter sees a thread that wakes now and then.
  std::atomic<bool> counted{false};
  std::latch begun{1};
  std::thread sleeper{[&] {
    (void)::pthread_setname_np(::pthread_self(), "tactor-check");
    begun.count_down();
    while (!counted)
      std::this_thread::sleep_for(10ms);
  }};
  begun.wait();
  EXPECT_GT(switches_during(1s), 0u);
  counted = true;
  sleeper.join();
}

// spec: T8 S5
TEST(idle, cancelled_timers_are_removed_and_then_no_thread_wakes) {
  const auto subject = *host::realtime_scheduler::start();
  for (int timer = 0; timer < 1000; ++timer) {
    auto handle = subject->schedule_once(1h, [] {});
    ASSERT_TRUE(handle.has_value());
    if (timer % 2 == 0) handle->cancel();
  }

  EXPECT_EQ(switches_at_rest(500ms), 0u);
  EXPECT_EQ(subject.metrics().active_total, 500u);
}

struct counted_payload {
  explicit counted_payload(std::uint64_t& destroyed) : count(&destroyed) {}
  counted_payload(counted_payload&& other) noexcept : count(std::exchange(other.count, nullptr)) {}
  counted_payload(const counted_payload&) = delete;
  counted_payload& operator=(const counted_payload&) = delete;
  ~counted_payload() {
    if (count != nullptr) ++*count;
  }
  void operator()() const {}

  std::uint64_t* count;
};

// spec: S5
TEST(idle, a_million_timers_scheduled_and_cancelled_leave_no_trace) {
  constexpr std::uint64_t pairs = 1'000'000;
  (void)::prctl(PR_SET_THP_DISABLE, 1UL, 0UL, 0UL, 0UL);  // what is touched, not 2 MB around it
  const auto subject = *host::realtime_scheduler::start();
  ASSERT_TRUE(subject->schedule_once(1h, [] {}).has_value());
  std::uint64_t destroyed = 0;
  std::uint64_t late = 0;
  const auto schedule_and_cancel = [&](std::uint64_t count) {
    for (std::uint64_t pair = 0; pair < count; ++pair) {
      const std::uint64_t before = destroyed;
      auto timer = subject->schedule_once(2h, counted_payload{destroyed});
      ASSERT_TRUE(timer.has_value()) << "pair " << pair;
      ASSERT_TRUE(timer->cancel());
      if (destroyed != before + 1) ++late;
    }
  };
  // Touches what there is to touch: how many are cancelled before the driver clears them away
  // depends on when it runs.
  {
    std::vector<cancellable> all;
    while (auto timer = subject->schedule_once(2h, counted_payload{destroyed}))
      all.push_back(*std::move(timer));
    EXPECT_EQ(all.size() + 1, subject.metrics().quota_limit);
    for (cancellable& each : all)
      EXPECT_TRUE(each.cancel());
  }
  schedule_and_cancel(pairs / 10);
  destroyed = 0;
  const std::size_t memory = resident_bytes();

  const auto start = std::chrono::steady_clock::now();
  schedule_and_cancel(pairs);
  const auto time = std::chrono::steady_clock::now() - start;

  const std::size_t afterwards = resident_bytes();
  EXPECT_EQ(late, 0u) << "a payload outlived its cancel";
  EXPECT_EQ(destroyed, pairs);
  EXPECT_LE(afterwards, memory + (std::size_t{1} << 20));
  EXPECT_EQ(subject.metrics().active_total, 1u);
  std::printf("1 M pairs: %lld ns each; %zu kB before, %zu kB after\n",
              static_cast<long long>(std::chrono::nanoseconds{time}.count()) /
                  static_cast<long long>(pairs),
              memory / 1024, afterwards / 1024);
}

struct ball {
  int left;
};
struct twice {
  int number;
  using reply = int;
};
struct letter {};

class player : public actor<ball, twice, letter> {
public:
  explicit player(std::latch* over) : over_(over) {}
  void receive(context& ctx, const ball& b) {
    if (b.left == 0) {
      over_->count_down();
    } else {
      ctx.self().tell(ball{b.left - 1});
    }
  }
  int receive(context&, const twice& t) { return 2 * t.number; }
  void receive(context&, const letter&) {}

private:
  std::latch* over_;
};

/// Those of the heap by threads that do not observe, and those of the runtime: pages, and blocks of
/// messages.
std::uint64_t all_allocations() {
  std::uint64_t all = allocations + internal::mapped_pages::of_program().given_out();
  for (unsigned each = 0; each < envelope_size_classes; ++each)
    all += program_memory.envelopes.blocks_made(each);
  return all;
}

// spec: D7 T8
// case: RQ-22
TEST(idle, a_system_with_actors_and_far_timers_wakes_no_thread_after_a_burst) {
  for (const std::uint32_t workers : {1U, 2U, 8U}) {
    constexpr int players = 100;
    std::latch over{players};
    actor_system system{{.workers = workers}};
    std::vector<player::ref> all;
    for (int i = 0; i < players; ++i) {
      const dispatcher where = i == 0   ? dispatcher::pinned
                               : i == 1 ? dispatcher::blocking
                                        : dispatcher::pool;
      all.push_back(system.spawn<player>({.dispatcher = where}, &over));
    }
    for (int timer = 0; timer < 1000; ++timer) {
      ASSERT_TRUE(system.schedule_once(1h, all[0], letter{}).has_value());
      ASSERT_TRUE(system.timers().schedule_once(1h, [] {}).has_value());
      ASSERT_TRUE(system.schedule_at_fixed_rate(1h, 1h, all[1], letter{}).has_value());
    }
    ASSERT_TRUE(system.schedule_once(10ms, all[2], letter{}).has_value());
    EXPECT_EQ(system.ask(all[3], twice{4}, 20s).get(), 8);
    for (const player::ref& each : all)
      each.tell(ball{1000});
    over.wait();

    observes = true;
    EXPECT_EQ(switches_at_rest(workers == 2 ? 2s : 500ms), 0u) << workers << " workers";
    const std::uint64_t before = all_allocations();
    EXPECT_EQ(switches_at_rest(500ms), 0u) << "nor later";
    EXPECT_EQ(all_allocations(), before);
    observes = false;
    std::jthread{[] { (void)std::make_unique<std::string>(100, 'a'); }}.join();
    EXPECT_GT(all_allocations(), before) << "the counter sees a thread that allocates";
    EXPECT_EQ(system.ask(all[3], twice{5}, 20s).get(), 10) << "and it is not dead";
  }
}

}  // namespace
}  // namespace tactor::realtime
