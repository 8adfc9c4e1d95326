// SPDX-License-Identifier: BSL-1.0

// The stack of the smallest program: three actors, and an interrupt that sends while a handler
// runs. There is no test runner, whose frames would be counted, too.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include "embedded/semihosting.hpp"

#include <cstddef>
#include <cstdint>

namespace {

using namespace tactor;

struct sample {
  std::uint32_t number;
};

constinit std::uint32_t handled = 0;

class stage : public actor<sample> {
public:
  void receive(context&, sample) {
    ++handled;
    embedded::pend_interrupt(0);
  }
};

constinit bare::system<{.actors = 3, .envelopes = 8, .timers = 0, .state = 8}> sys;
constinit bare::systick_clock board_clock{1'000'000};
constinit stage::ref stages[3];
constinit std::uint32_t sent = 0;

}  // namespace

extern "C" void irq_0_handler() {
  constexpr std::uint32_t enough = 100;
  if (sent < enough) {
    (void)stages[sent++ % 3].tell(sample{sent});
    return;
  }
  const std::size_t used = embedded::stack_high_water();  // before the text is written
  embedded::print("stack ", used);
  embedded::leave(handled == enough && used <= MOST_STACK ? 0 : 1);
}

int main() {
  sys.start(board_clock);
  for (stage::ref& each : stages)
    if (const auto made = sys.try_spawn<stage>("")) each = *made;
  embedded::enable_interrupt(0);
  embedded::pend_interrupt(0);
  sys.run();
  return 1;
}
