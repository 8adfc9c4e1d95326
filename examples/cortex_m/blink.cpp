// SPDX-License-Identifier: BSL-1.0

// A lamp that blinks, on SysTick: two actors and a timer in a few kilobytes, asleep most of the
// time.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"        // SysTick of the emulated board
#include "embedded/semihosting.hpp"  // stands in for the lamp

#include <chrono>
#include <expected>

namespace blink {

using namespace std::chrono_literals;

struct toggle {};
struct next_signal {};

/// Drives one pin.
class lamp : public tactor::actor<toggle> {
public:
  void receive(context&, toggle) {
    on_ = !on_;
    embedded::write(on_ ? "on\n" : "off\n");
  }

private:
  bool on_ = false;
};

/// Toggles the lamp every half second, ten times.
class blinker : public tactor::actor<next_signal> {
public:
  explicit blinker(const lamp::ref& to) : lamp_(to) {}

  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (ctx.schedule_at_fixed_rate(500ms, 500ms, ctx.self(), next_signal{})) return {};
    return std::unexpected{tactor::failure{"no capacity for a timer"}};
  }
  void receive(context& ctx, next_signal) {
    lamp_.tell(toggle{});
    if (--left_ == 0) ctx.stop();
  }
  void post_stop(context& ctx) { ctx.drain(lamp_); }

private:
  lamp::ref lamp_;
  int left_ = 10;
};

}  // namespace blink

// All memory there is, counted by the linker.
constinit tactor::bare::system<{
    .actors = 2, .envelopes = 4, .timers = 1, .name = 7, .arguments = 8}>
    board;
constinit tactor::bare::systick_clock board_clock{1'000'000};

extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
}

int main() {
  board.start(board_clock);
  const auto lamp = board.try_spawn<blink::lamp>("lamp");
  if (!lamp) return 1;
  if (!board.try_spawn<blink::blinker>("blinker", *lamp)) return 1;

  embedded::sys_tick::start(TACTOR_CORE_HZ / 1000);
  // Firmware would just say board.run(), and never return. This one ends with its last actor.
  board.run([](auto) {
    tactor::bare::wait_for_interrupt();
    if (board.live() == 0) board.begin_stop();
  });
  embedded::write("done\n");
  return 0;
}
