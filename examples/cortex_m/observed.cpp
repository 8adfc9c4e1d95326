// SPDX-License-Identifier: BSL-1.0

// A board that is observed: every 50 ms it sends what can be seen of its system, as frames of
// bytes. A host decodes them: see docs/guide/firmware.md. Here the bytes go to the emulator; a
// board has a UART.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"        // SysTick of the emulated board
#include "embedded/semihosting.hpp"  // writes bytes

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

namespace {

using namespace std::chrono_literals;

struct sample {
  std::uint32_t value;
};
struct look {};

/// Takes samples, and fails for some of them.
class meter : public tactor::actor<sample> {
public:
  std::expected<void, tactor::failure> receive(context&, sample s) {
    if (s.value == 13) return std::unexpected{tactor::failure{"a bad sample"}};
    return {};
  }
};

constexpr tactor::bare::system_size size{.actors = 4,
                                         .envelopes = 8,
                                         .timers = 2,
                                         .name = 8,
                                         .bounded = true,
                                         .supervised = 1,
                                         .suspended = 1,
                                         .suspension_commands = 1};

/// The emulator takes all bytes at once. A UART would take those that fit its buffer.
class console final : public tactor::bare::byte_sink {
public:
  std::size_t write(std::span<const std::byte> bytes) noexcept override {
    embedded::write_bytes(bytes.data(), bytes.size());
    return bytes.size();
  }
};

/// A board would return what its start-up code has measured: embedded::stack_high_water(). That
/// depends on the compiler; this does not.
tactor::bare::stack_use stack() noexcept {
  return {.most_used = 640, .size = 2048};
}

constinit console bytes;
constinit tactor::bare::frame_reporter<size> frames{bytes, stack};
constinit tactor::bare::system<size> board;
constinit tactor::bare::systick_clock board_clock{1'000'000};
constinit meter::ref interrupted;

/// Requests a snapshot every 50 ms.
class observer : public tactor::actor<look> {
public:
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    if (ctx.schedule_at_fixed_rate(50ms, 50ms, ctx.self(), look{})) return {};
    return std::unexpected{tactor::failure{"no capacity for a timer"}};
  }
  void receive(context&, look) { frames.request(); }
};

}  // namespace

// Every 10 ms three samples arrive.
extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
  const auto now = static_cast<std::uint32_t>(board_clock.now().ticks);
  for (std::uint32_t n = 0; now % 10 == 3 && n < 3; ++n)
    (void)interrupted.tell(sample{now + n});
}

int main() {
  board.start(board_clock);
  const auto first = board.try_spawn<meter>({.name = "meter",
                                             .mailbox = {.capacity = 4},
                                             .on_failure = tactor::restart{.max_restarts = 3}});
  const auto slow = board.try_spawn<meter>({.name = "slow", .mailbox = {.capacity = 2}});
  const auto watching = board.try_spawn<observer>("observer");
  if (!first || !slow || !watching) return 1;
  interrupted = *first;
  if (!board.suspend(*slow)) return 1;
  for (std::uint32_t n = 0; n < 5; ++n)
    (void)slow->tell(sample{n});  // two wait, three are refused

  embedded::sys_tick::start(TACTOR_CORE_HZ / 1000);
  // Firmware would just never return.
  board.run(
      [](auto) {
        tactor::bare::wait_for_interrupt();
        if (board_clock.now().ticks >= 120) board.begin_stop();
      },
      [] { return frames.write_some(board); });
  while (frames.write_some(board)) {
  }
  return 0;
}
