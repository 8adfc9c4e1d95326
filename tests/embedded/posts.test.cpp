// SPDX-License-Identifier: BSL-1.0

// An interrupt sends 100 messages, which pass through three actors (EM-03). With FIRST_READING the
// counter of the clock wraps on the way (EM-12).
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

#ifndef FIRST_READING
#define FIRST_READING 0
#endif

namespace tactor {
namespace {

using embedded::shared_number;

constexpr std::uint32_t in_all = 100;

struct sample {
  std::uint32_t number;
};

shared_number ticks = FIRST_READING;
shared_number refused;

constinit bare::system<{.actors = 4, .envelopes = 8, .timers = 1, .arguments = 12}> sys;
constinit bare::counter_clock board_clock{[]() noexcept -> std::uint32_t { return ticks; },
                                          1'000'000, FIRST_READING};

/// Counts what is in order, and passes it on.
class stage : public actor<sample> {
public:
  stage(std::uint32_t* count, const ref& next) : count_(count), next_(next) {}
  void receive(context&, sample s) {
    if (s.number == *count_) ++*count_;
    if (next_) {
      next_.tell(s);
    } else if (*count_ == in_all) {
      sys.begin_stop();
    }
  }

private:
  std::uint32_t* count_;
  ref next_;
};

constinit stage::ref first;
shared_number sent;

}  // namespace
}  // namespace tactor

// Every third tick it sends.
extern "C" void sys_tick_handler() {
  using namespace tactor;
  embedded::increment(ticks);
  const std::uint32_t passed = ticks - FIRST_READING;
  if (passed % 3 != 0 || sent == in_all) return;
  if (first.tell(sample{sent}) != tell_result::ok) embedded::increment(refused);
  embedded::increment(sent);
}

namespace tactor {
namespace {

// spec: E3
TEST(posts, from_an_interrupt_pass_through_three_actors_in_order) {
  std::uint32_t counts[3] = {};
  sys.start(board_clock);
  const auto last = sys.try_spawn<stage>("", &counts[2], stage::ref{});
  ASSERT_TRUE(last.has_value());
  const auto middle = sys.try_spawn<stage>("", &counts[1], *last);
  ASSERT_TRUE(middle.has_value());
  const auto begin = sys.try_spawn<stage>("", &counts[0], *middle);
  ASSERT_TRUE(begin.has_value());
  first = *begin;
  // The size of the system names none, so its image has no code for it.
  const auto bounded =
      sys.try_spawn<stage>(spawn_options{.mailbox = {.capacity = 2}}, &counts[0], stage::ref{});
  EXPECT_TRUE(!bounded && bounded.error() == spawn_error::no_memory);

  embedded::sys_tick::start(TACTOR_CORE_HZ / 1000);
  sys.run();
  embedded::sys_tick::stop();

  for (const std::uint32_t each : counts)
    EXPECT_EQ(each, in_all);
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(ticks - FIRST_READING, 3 * in_all);
  EXPECT_EQ(board_clock.now().ticks, 3u * in_all);
  EXPECT_EQ(sys.metrics().messages_sent, 3u * in_all);
  EXPECT_EQ(sys.metrics().all_dead_letters(), 0u);
  embedded::print("stack ", embedded::stack_high_water());
}

}  // namespace
}  // namespace tactor
