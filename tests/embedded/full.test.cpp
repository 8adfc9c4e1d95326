// SPDX-License-Identifier: BSL-1.0

// Messages of an interrupt to full mailboxes are refused by their rules and counted, and they
// recover (EM-08).
#include "tactor/bare.hpp"

#include "embedded/board.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace tactor {
namespace {

struct sample {
  std::uint32_t number;
};

class receiver : public actor<sample> {
public:
  void receive(context&, sample s) {
    sum_ += s.number;
    sum = sum_;
  }
  static inline std::uint32_t sum = 0;  // of the last one that received

private:
  std::uint32_t sum_ = 0;
};

constinit bare::system<{.actors = 6, .envelopes = 6, .timers = 1, .drop_oldest = 1}> sys;
constinit bare::systick_clock board_clock{1'000'000};
constinit receiver::ref target;
std::uint32_t results[5];  // by tell_result

}  // namespace
}  // namespace tactor

// Sends 1, 2, 3, 4, 5.
extern "C" void irq_0_handler() {
  using namespace tactor;
  for (std::uint32_t& each : results)
    each = 0;
  for (std::uint32_t n = 1; n <= 5; ++n)
    ++results[std::to_underlying(target.tell(sample{n}))];
}

namespace tactor {
namespace {

std::uint32_t count_of(tell_result what) {
  return results[std::to_underlying(what)];
}

// Sends to a new actor with this rule; afterwards to the same actor, which must have recovered.
// Returns: the sum it received first.
std::uint32_t sum_after_a_flood(overflow_strategy rule) {
  const auto spawned =
      sys.try_spawn<receiver>(spawn_options{.mailbox = {.capacity = 2, .overflow = rule}});
  if (!spawned) return 0;
  target = *spawned;
  while (sys.poll()) {
  }
  embedded::pend_interrupt(0);
  while (sys.poll()) {
  }
  const std::uint32_t received = receiver::sum;
  EXPECT_EQ(target.tell(sample{100}), tell_result::ok);
  while (sys.poll()) {
  }
  EXPECT_EQ(receiver::sum, received + 100);
  return received;
}

std::uint64_t dead(drop_reason why) {
  return sys.metrics().dead_letters_for(why);
}

// spec: E3
TEST(full, mailboxes_refuse_what_interrupts_send_and_recover) {
  sys.start(board_clock);
  embedded::enable_interrupt(0);

  EXPECT_EQ(sum_after_a_flood(overflow_strategy::reject), 3u);
  EXPECT_EQ(count_of(tell_result::full), 3u);
  EXPECT_EQ(dead(drop_reason::full), 3u);
  EXPECT_EQ(sum_after_a_flood(overflow_strategy::drop_newest), 3u);
  EXPECT_EQ(count_of(tell_result::dropped), 3u);
  EXPECT_EQ(dead(drop_reason::dropped_newest), 3u);
  EXPECT_EQ(sum_after_a_flood(overflow_strategy::dead_letter), 3u);
  EXPECT_EQ(count_of(tell_result::ok), 5u);
  EXPECT_EQ(dead(drop_reason::dead_letter_rule), 3u);
  EXPECT_EQ(sum_after_a_flood(overflow_strategy::drop_oldest), 9u);
  EXPECT_EQ(count_of(tell_result::ok), 5u);
  EXPECT_EQ(dead(drop_reason::dropped_oldest), 3u);
  EXPECT_EQ(sum_after_a_flood(overflow_strategy::block_producer), 3u)
      << "an interrupt does not wait";
  EXPECT_EQ(count_of(tell_result::full), 3u);

  // Without a limit only the memory is one; a stopped actor takes nothing.
  const auto unlimited = sys.try_spawn<receiver>("");
  ASSERT_TRUE(unlimited.has_value());
  target = *unlimited;
  while (sys.poll()) {
  }
  embedded::pend_interrupt(0);
  embedded::pend_interrupt(0);
  EXPECT_GT(count_of(tell_result::full), 0u);
  EXPECT_EQ(dead(drop_reason::no_memory), count_of(tell_result::full));
  sys.stop(target);
  while (sys.poll()) {
  }
  embedded::pend_interrupt(0);
  EXPECT_EQ(count_of(tell_result::closed), 5u);
  EXPECT_GE(dead(drop_reason::stopped), 5u);
}

}  // namespace
}  // namespace tactor
