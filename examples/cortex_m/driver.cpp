// SPDX-License-Identifier: BSL-1.0

// A driver that fails now and then: its supervisor restarts it after a pause, and gives up after
// the third time.
#include "tactor/bare.hpp"

#include "embedded/board.hpp"        // SysTick of the emulated board
#include "embedded/semihosting.hpp"  // prints

#include <chrono>
#include <cstdint>
#include <expected>

namespace {

using namespace std::chrono_literals;

struct transfer {
  std::uint32_t number;
};
struct next {};

void print(const char* what, std::uint64_t number) {
  embedded::write(what);
  embedded::write_number(number);
  embedded::write("\n");
}

/// Talks to a device that does not answer to every fourth transfer.
class driver : public tactor::actor<transfer> {
public:
  void pre_start(context&) { embedded::write("driver: initialised\n"); }
  std::expected<void, tactor::failure> receive(context&, transfer t) {
    if (t.number % 4 == 0)
      return std::unexpected{tactor::failure{"no answer", static_cast<std::int32_t>(t.number)}};
    print("driver: transferred ", t.number);
    return {};
  }
  void post_restart(context&, const tactor::failure& why) {
    print("driver: new after the failure of ", static_cast<std::uint64_t>(why.code()));
  }
};

/// Has a driver, and a transfer for it every 20 ms.
class bus : public tactor::actor<next> {
public:
  std::expected<void, tactor::failure> pre_start(context& ctx) {
    const auto made = ctx.try_spawn<driver>(
        {.name = "driver",
         .on_failure = tactor::restart{.max_restarts = 2, .delay = {.min = 10ms, .max = 40ms}}});
    if (!made || !ctx.watch(*made, *this)) return std::unexpected{tactor::failure{"no driver"}};
    driver_ = *made;
    if (ctx.schedule_at_fixed_rate(20ms, 20ms, ctx.self(), next{})) return {};
    return std::unexpected{tactor::failure{"no capacity for a timer"}};
  }
  void receive(context&, next) { driver_.tell(transfer{++sent_}); }
  void receive(context& ctx, const tactor::terminated&) {
    print("bus: the driver has ended, after transfer ", sent_);
    ctx.stop();
  }

private:
  driver::ref driver_;
  std::uint32_t sent_ = 0;
};

constinit tactor::bare::system<{
    .actors = 2, .envelopes = 8, .timers = 1, .name = 7, .supervised = 1, .watches = 1}>
    board;
constinit tactor::bare::systick_clock board_clock{10'000'000};

}  // namespace

extern "C" void sys_tick_handler() {
  board_clock.on_interrupt();
}

int main() {
  board.start(board_clock);
  if (!board.try_spawn<bus>("bus")) return 1;
  embedded::sys_tick::start(TACTOR_CORE_HZ / 100);
  board.run([](auto) {
    tactor::bare::wait_for_interrupt();
    if (board.live() == 0) board.begin_stop();
  });
  embedded::write("done\n");
  return 0;
}
