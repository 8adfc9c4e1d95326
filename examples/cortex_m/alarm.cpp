// SPDX-License-Identifier: BSL-1.0

// Sensor, filter, alarm: an interrupt sends what it measures, a filter takes the mean of four, an
// alarm notices a high mean and a sensor that is silent.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"        // SysTick of the emulated board
#include "embedded/semihosting.hpp"  // prints

#include <chrono>
#include <cstdint>
#include <expected>

namespace {

using namespace std::chrono_literals;

struct reading {
  std::uint32_t value;
};
struct mean {
  std::uint32_t value;
};

void print(const char* what, std::uint64_t number) {
  embedded::write(what);
  embedded::write_number(number);
  embedded::write("\n");
}

/// Says when the mean is too high, and when there is none for 50 ms.
class alarm : public tactor::actor<mean> {
public:
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (ctx.set_receive_timeout(50ms, *this)) return {};
    return std::unexpected{tactor::failure{"no capacity for a timer"}};
  }
  void receive(context&, mean m) {
    print(m.value > 50 ? "alarm: the mean is " : "the mean is ", m.value);
  }
  void receive(context& ctx, const tactor::receive_timeout&) {
    embedded::write("alarm: the sensor is silent\n");
    ctx.stop();
  }
};

/// Passes on the mean of four readings.
class filter : public tactor::actor<reading> {
public:
  explicit filter(const alarm::ref& to) : to_(to) {}
  void receive(context&, reading r) {
    sum_ += r.value;
    if (++count_ % 4 != 0) return;
    to_.tell(mean{sum_ / 4});
    sum_ = 0;
  }

private:
  alarm::ref to_;
  std::uint32_t sum_ = 0;
  std::uint32_t count_ = 0;
};

constinit tactor::bare::system<{
    .actors = 2, .envelopes = 8, .timers = 1, .name = 7, .arguments = 8, .receive_timeouts = 1}>
    board;
constinit tactor::bare::systick_clock board_clock{1'000'000};
constinit filter::ref readings;
volatile std::uint32_t lost;

}  // namespace

// Every 5 ms a converter has a value; after 24 of them it breaks.
extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
  const auto now = static_cast<std::uint32_t>(board_clock.now().ticks);
  if (now % 5 != 0 || now > 120) return;
  if (readings.tell(reading{now}) != tactor::tell_result::ok) lost = lost + 1;
}

int main() {
  board.start(board_clock);
  const auto bell = board.try_spawn<alarm>("alarm");
  if (!bell) return 1;
  const auto first = board.try_spawn<filter>("filter", *bell);
  if (!first) return 1;
  readings = *first;

  embedded::sys_tick::start(TACTOR_CORE_HZ / 1000);
  // Firmware would just say board.run(), and never return.
  board.run([](auto) {
    tactor::bare::wait_for_interrupt();
    if (board.live() == 1) board.begin_stop();
  });
  print("readings lost: ", lost);
  return 0;
}
