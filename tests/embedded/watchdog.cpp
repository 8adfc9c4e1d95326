// SPDX-License-Identifier: BSL-1.0

// The watchdog of the board (CMSDK), fed by the system: with STUCK an actor does not return, and
// the board ends the run (EM-09).
#include "tactor/bare.hpp"

#include "embedded/board.hpp"

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>

namespace {

using namespace std::chrono_literals;

struct poll {};

constexpr std::uintptr_t watchdog = 0x4000'8000;
volatile std::uint32_t never;

class driver : public tactor::actor<poll> {
public:
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (ctx.schedule_at_fixed_rate(50ms, 50ms, ctx.self(), poll{})) return {};
    return std::unexpected{tactor::failure{"no timer"}};
  }
  void receive(context& ctx, poll) {
    while (STUCK != 0 && count_ == 5 && never == 0) {
    }
    if (++count_ == 20) ctx.stop();
  }

private:
  std::uint32_t count_ = 0;
};

constinit tactor::bare::system<{.actors = 1, .envelopes = 2, .timers = 1}> sys;
constinit tactor::bare::systick_clock board_clock{10'000'000};

}  // namespace

extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
}

int main() {
  sys.start(board_clock);
  if (!sys.try_spawn<driver>("")) return 1;
  // 100 ms at the clock of the board; the first time-out is the interrupt.
  embedded::system_register(watchdog) = TACTOR_CORE_HZ / 10;
  embedded::system_register(watchdog + 8) = 1;
  sys.set_watchdog([]() noexcept { embedded::system_register(watchdog + 12) = 1; });
  embedded::sys_tick::start(TACTOR_CORE_HZ / 100);
  sys.run([](std::optional<tactor::tick>) {
    tactor::bare::wait_for_interrupt();
    if (sys.live() == 0) sys.begin_stop();
  });
  return 0;
}
