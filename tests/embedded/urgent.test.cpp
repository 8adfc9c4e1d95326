// SPDX-License-Identifier: BSL-1.0

// A system that masks by priority (TACTOR_BASEPRI), and an interrupt above that priority: it is
// taken at once, also while the library masks, and nothing is lost of what the thread and
// interrupts below that priority send. Without TACTOR_BASEPRI it must fail.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstdint>

namespace tactor {
namespace {

using embedded::shared_number;

constexpr std::uint32_t interrupts_in_all = 20'000;
constexpr std::uint8_t urgent = 0x20;    // above the priority that is masked
constexpr std::uint8_t ordinary = 0x40;  // that priority: it may send
constexpr unsigned sender = 1;           // the external interrupt that sends

struct from_interrupt {
  std::uint32_t number;
};
struct from_loop {
  std::uint32_t number;
};

shared_number interrupts;
shared_number while_masked;  // of these, taken while the library masks
shared_number longest;       // from the interrupt's time to its handler, in counts of SysTick
shared_number shortest = 0xFF'FFFF;
shared_number accepted;
shared_number refused;
shared_number loop_accepted;
shared_number loop_refused;
std::uint32_t delivered;
std::uint32_t out_of_order;
embedded::random_numbers periods;

constinit bare::system<{.actors = 2, .envelopes = 6, .timers = 1}> sys;
constinit bare::systick_clock board_clock{1'000'000};

class receiver : public actor<from_interrupt, from_loop> {
public:
  void receive(context&, from_interrupt m) { note(m.number, next_); }
  void receive(context&, from_loop m) { note(m.number, next_from_loop_); }

private:
  static void note(std::uint32_t number, std::uint32_t& next) {
    ++delivered;
    if (number < next) ++out_of_order;
    next = number + 1;
  }
  std::uint32_t next_ = 0;
  std::uint32_t next_from_loop_ = 0;
};
constinit receiver::ref receivers[2];

std::uint32_t masked_priority() noexcept {
  std::uint32_t priority = 0;
  asm volatile("mrs %0, basepri" : "=r"(priority));
  return priority;
}
void set_priorities() noexcept {
  *reinterpret_cast<volatile std::uint8_t*>(0xE000'ED23) = urgent;             // SysTick
  *reinterpret_cast<volatile std::uint8_t*>(0xE000'E400 + sender) = ordinary;  // the sender
}

}  // namespace
}  // namespace tactor

// Uses nothing of the library; it lets a less urgent interrupt send.
extern "C" void sys_tick_handler() {
  using namespace tactor;
  const std::uint32_t late = embedded::sys_tick::period() - 1 - embedded::sys_tick::value();
  embedded::sys_tick::set_next_period(1500 + (periods.next() & 511));
  if (masked_priority() != 0) embedded::increment(while_masked);
  if (interrupts > 2 && late > longest) longest = late;
  if (interrupts > 2 && late < shortest) shortest = late;
  embedded::increment(interrupts);
  embedded::pend_interrupt(sender);
}

extern "C" void irq_1_handler() {
  using namespace tactor;
  const tell_result told = receivers[interrupts & 1].tell(from_interrupt{interrupts});
  embedded::increment(told == tell_result::ok ? accepted : refused);
}

namespace tactor {
namespace {

// A part of E3. It claims no id: the image without masks by priority, which must fail, prints the
// same name.
TEST(urgent_interrupt, is_never_delayed_and_nothing_is_lost) {
  sys.start(board_clock);
  for (receiver::ref& each : receivers) {
    const auto spawned = sys.try_spawn<receiver>("");
    ASSERT_TRUE(spawned.has_value());
    each = *spawned;
  }
  const std::uint32_t per_64k = embedded::counts_per_64k();
  set_priorities();
  embedded::enable_interrupt(sender);

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

  EXPECT_EQ(accepted + loop_accepted, delivered);
  EXPECT_EQ(out_of_order, 0u);
  EXPECT_EQ(sys.metrics().dead_letters_for(drop_reason::no_memory), refused + loop_refused);
  EXPECT_EQ(sys.metrics().messages_sent, accepted + loop_accepted);
  EXPECT_GT(accepted, interrupts_in_all / 2);
  EXPECT_GT(while_masked, 0u);
  const std::uint32_t delayed = (longest - shortest) * 65'536 / per_64k;
  embedded::print("accepted ", accepted);
  embedded::print("while masked ", while_masked);
  embedded::print("delayed ", delayed);
  EXPECT_LE(delayed, 4u) << "instructions";
}

}  // namespace
}  // namespace tactor
