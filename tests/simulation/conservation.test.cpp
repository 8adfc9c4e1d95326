// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/message/mailbox_options.hpp"
#include "tactor/core/observe/drop_reason.hpp"
#include "tactor/core/scheduler/cancellable.hpp"
#include "tactor/core/send/actor_ref.hpp"
#include "tactor/core/send/tell_result.hpp"
#include "tactor/core/supervision/failure.hpp"
#include "tactor/testkit/seed.hpp"
#include "tactor/testkit/simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <set>
#include <utility>
#include <vector>

namespace tactor::testkit {

using namespace tactor::internal;

namespace {

using namespace std::chrono_literals;

/// Records what became of all messages of a run.
struct ledger {
  std::set<int> alive;  // the numbers of those that were not destroyed
  std::vector<int> handled;
  std::uint64_t sent = 0;
  std::uint64_t given_back = 0;
};

/// A message with a number; it knows whether it was moved from.
class numbered {
public:
  numbered(ledger& in, int number) : in_(&in), number_(number) {
    EXPECT_TRUE(in.alive.insert(number).second);
  }
  numbered(numbered&& other) noexcept
      : in_(std::exchange(other.in_, nullptr)), number_(other.number_) {}
  numbered& operator=(numbered&&) = delete;
  ~numbered() {
    const bool counts = in_ != nullptr;
    EXPECT_EQ(counts ? in_->alive.erase(number_) : 1u, 1u) << "destroyed twice";
  }
  [[nodiscard]] int number() const { return number_; }

private:
  ledger* in_;
  int number_;
};

struct hire {
  using suppress_dead_letter = void;  // so that they are counted apart
};

/// Handles, fails, hires or stops, as the numbers say.
class worker : public actor<numbered, hire> {
public:
  explicit worker(ledger* const& in) : in_(in) {}
  std::expected<void, failure> receive(context& ctx, const numbered& n) {
    in_->handled.push_back(n.number());
    if (n.number() % 97 == 0) return std::unexpected{failure{"97"}};
    if (n.number() % 61 == 0) ctx.stop();
    if (n.number() % 53 == 0) ctx.drain();
    return {};
  }
  void receive(context& ctx, hire) { (void)ctx.spawn<worker>("hired", in_); }

private:
  ledger* in_;
};

void run(seed from) {
  ledger book;
  {
    random_source random{seed{from.value + 1000}};
    simulation world{from, {.dispatch = {.throughput = 4}}};
    std::vector<worker::ref> workers;
    std::vector<cancellable> timers;
    std::uint64_t scheduled = 0;
    int number = 0;
    const auto spawn = [&] {
      const std::uint32_t capacity = random.below(2) == 0
                                         ? mailbox_options::unbounded
                                         : static_cast<std::uint32_t>(1 + random.below(5));
      const auto rule = static_cast<overflow_strategy>(random.below(4));
      const bool bounded = capacity != mailbox_options::unbounded;
      workers.push_back(
          world.spawn<worker>({.name = "worker",
                               .mailbox = {.capacity = capacity,
                                           .overflow = bounded ? rule : overflow_strategy::reject}},
                              &book));
    };
    for (int i = 0; i < 5; ++i)
      spawn();
    for (int step = 0; step < 400; ++step) {
      const auto& to = workers[random.below(workers.size())];
      switch (random.below(12)) {
      case 0:
        world.stop(to);
        break;
      case 1:
        world.drain(to);
        break;
      case 2:
        spawn();
        break;
      case 3:
        (void)world.run_one();
        break;
      case 4:
        world.run_for(10ms);
        break;
      case 5:
        to.tell(hire{});
        break;
      case 6: {
        ++book.sent;
        auto back = to.try_tell(numbered{book, number++});
        if (!back) {
          ++book.given_back;
          EXPECT_EQ(back.error().message.number(), number - 1);
        }
        break;
      }
      case 7: {
        auto job = world.schedule_once(10ms + random.below(5) * 10ms, actor_ref<numbered>{to},
                                       numbered{book, number++});
        ASSERT_TRUE(job.has_value());
        ++scheduled;
        timers.push_back(std::move(*job));
        break;
      }
      case 8:
        if (!timers.empty()) (void)timers[random.below(timers.size())].cancel();
        break;
      default:
        ++book.sent;
        (void)to.tell(numbered{book, number++});
        break;
      }
    }
    world.run_for(1s);
    world.begin_stop();
    world.run_to_idle();
    EXPECT_EQ(world.live(), 0u);
    EXPECT_TRUE(book.alive.empty()) << book.alive.size() << " messages were not destroyed";

    std::uint64_t cancelled = 0;
    for (const cancellable& each : timers) {
      EXPECT_TRUE(each.is_completed() != each.is_cancelled());
      cancelled += each.is_cancelled() ? 1u : 0u;
    }
    const auto jobs = world.timers().metrics();
    EXPECT_EQ(jobs.active_total, 0u);
    EXPECT_EQ(jobs.cancelled_total, cancelled);
    EXPECT_EQ(jobs.executed_total + cancelled + jobs.undeliverable_total, scheduled);

    // Every message is handled once, given back, cancelled, or one dead letter.
    std::set<int> once{book.handled.begin(), book.handled.end()};
    EXPECT_EQ(once.size(), book.handled.size());
    const auto counted = world.metrics();
    const std::uint64_t dead = counted.all_dead_letters() - counted.dead_letters_suppressed;
    EXPECT_EQ(book.handled.size() + book.given_back + cancelled + dead, book.sent + scheduled);
    EXPECT_EQ(counted.actors_started, counted.actors_stopped);
  }
  EXPECT_TRUE(book.alive.empty());
}

// spec: A2a S4 K2a
TEST(a_simulated_world, loses_and_duplicates_nothing_whatever_the_seed) {
  for (std::uint64_t i = 0; i <= 300; ++i) {
    run(seed{i});
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << i;
  }
}

}  // namespace
}  // namespace tactor::testkit
