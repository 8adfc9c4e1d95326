// SPDX-License-Identifier: BSL-1.0

// The thread and interrupts at random instructions send to the same actors from the same memory:
// everything accepted is delivered, in order, and everything refused is counted (EM-04, EM-08, a
// storm of interrupts). check_mutant.cmake runs it without masked interrupts: then it must fail.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace tactor {
namespace {

using embedded::shared_number;
using namespace std::chrono_literals;

constexpr std::uint32_t interrupts_in_all = INTERRUPTS;

struct from_interrupt {
  std::uint32_t number;
};
struct from_loop {
  std::uint32_t number;
};
struct again {};

shared_number interrupts;
shared_number accepted;
shared_number refused;
shared_number longest;  // from the interrupt's time to its handler, in counts of SysTick
shared_number shortest = 0xFF'FFFF;
shared_number delivered;
shared_number loop_accepted;
shared_number loop_refused;
shared_number loop_delivered;
shared_number out_of_order;
embedded::random_numbers periods;

// Fewer envelopes than are sent at once, so that some are refused.
constinit bare::system<{.actors = 2 + MORE_ACTORS, .envelopes = 6, .timers = 1 + MORE_TIMERS}> sys;
constinit bare::systick_clock board_clock{1'000'000};

class receiver : public actor<from_interrupt, from_loop> {
public:
  void receive(context&, from_interrupt m) {
    embedded::increment(delivered);
    if (m.number < next_) embedded::increment(out_of_order);
    next_ = m.number + 1;
  }
  void receive(context&, from_loop m) {
    embedded::increment(loop_delivered);
    if (m.number < next_from_loop_) embedded::increment(out_of_order);
    next_from_loop_ = m.number + 1;
  }

private:
  std::uint32_t next_ = 0;
  std::uint32_t next_from_loop_ = 0;
};

constinit receiver::ref receivers[2];

/// Has timers that are never due in this test.
class idler : public actor<again> {
public:
  void pre_start(context& ctx) { (void)ctx.schedule_once(100s, ctx.self(), again{}); }
  void receive(context&, again) {}
};

}  // namespace
}  // namespace tactor

extern "C" void sys_tick_handler() {
  using namespace tactor;
  const std::uint32_t left = embedded::sys_tick::value();
  const std::uint32_t late = embedded::sys_tick::period() - 1 - left;
  const std::uint32_t now = periods.next();
  // Long compared to an interrupt, so that the loop makes progress; varied, so that the phase
  // drifts.
  embedded::sys_tick::set_next_period(SHORTEST_PERIOD + (now & 511));
  if (interrupts > 2 && late > longest) longest = late;
  if (interrupts > 2 && late < shortest) shortest = late;
  for (std::uint32_t n = 0; n < (SHORTEST_PERIOD > 1000 ? 1 + (now >> 30) : 1); ++n) {
    const tell_result told = receivers[(now >> 9) & 1].tell(from_interrupt{interrupts * 4 + n});
    embedded::increment(told == tell_result::ok ? accepted : refused);
  }
  embedded::increment(interrupts);
}

namespace tactor {
namespace {

// spec: E3
TEST(conservation, what_is_accepted_is_delivered_and_what_is_refused_is_counted) {
  sys.start(board_clock);
  for (receiver::ref& each : receivers) {
    const auto spawned = sys.try_spawn<receiver>("");
    ASSERT_TRUE(spawned.has_value());
    each = *spawned;
  }
  for (int n = 0; n < MORE_ACTORS; ++n)
    ASSERT_TRUE(sys.try_spawn<idler>("").has_value());
  const std::uint32_t per_64k = embedded::counts_per_64k();

  embedded::sys_tick::start(1000);
  for (std::uint32_t sent = 0; interrupts < interrupts_in_all; (void)sys.poll()) {
    for (int n = 0; n < 3; ++n, ++sent) {
      const tell_result told = receivers[sent % 2].tell(from_loop{sent});
      embedded::increment(told == tell_result::ok ? loop_accepted : loop_refused);
    }
  }
  embedded::sys_tick::stop();
  while (sys.poll()) {
  }

  EXPECT_EQ(accepted, delivered);
  EXPECT_EQ(loop_accepted, loop_delivered);
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_GT(accepted, interrupts_in_all / 16);  // in a storm most are refused
  EXPECT_GT(refused + loop_refused, 0u) << "the memory was never used up";
  EXPECT_EQ(sys.metrics().dead_letters_for(drop_reason::no_memory), refused + loop_refused);
  EXPECT_EQ(sys.metrics().messages_sent, accepted + loop_accepted);
  embedded::print("accepted ", accepted);
  embedded::print("refused ", refused);
  embedded::print("sent by the loop ", loop_accepted);
  // Interrupts were masked for at most so many instructions.
  if (SHORTEST_PERIOD > 1000) {  // otherwise a handler waits for the end of the one before
    const std::uint32_t masked = (longest - shortest) * 65'536 / per_64k;
    embedded::print("masked ", masked);
    EXPECT_LE(masked, embedded::longest_masked);
  }
}

}  // namespace
}  // namespace tactor
