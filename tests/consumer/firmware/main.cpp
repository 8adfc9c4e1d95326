// SPDX-License-Identifier: BSL-1.0
// A lamp that a timer switches. It prints by semihosting, as only an emulator can.
#include <tactor/bare.hpp>

#include <chrono>
#include <cstdint>

namespace {

using namespace std::chrono_literals;

int call_host(int operation, const void* argument) {
  register int r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}
void print(const char* text) {
  (void)call_host(0x04, text);
}
[[noreturn]] void leave(std::uint32_t status) {
  const std::uint32_t block[] = {0x20026, status};
  (void)call_host(0x20, block);
  for (;;) {
  }
}

struct toggle {};

class lamp : public tactor::actor<toggle> {
public:
  void receive(tactor::context& ctx, toggle) {
    on_ = !on_;
    print(on_ ? "on\n" : "off\n");
    if (++switched_ == 4) ctx.stop();
  }

private:
  bool on_ = false;
  int switched_ = 0;
};

constinit tactor::bare::system<{.actors = 1, .envelopes = 4, .timers = 1}> board;
constinit tactor::bare::systick_clock ticks{1'000'000};

}  // namespace

extern "C" void sys_tick_handler() {
  ticks.on_interrupt();
}

int main() {
  auto* const sys_tick = reinterpret_cast<volatile std::uint32_t*>(0xE000E010);
  sys_tick[1] = 25'000 - 1;
  sys_tick[2] = 0;
  sys_tick[0] = 7;
  board.start(ticks);
  const auto made = board.try_spawn<lamp>("");
  if (!made) leave(1);
  if (!board.schedule_at_fixed_rate(10ms, 10ms, *made, toggle{})) leave(2);
  while (board.live() > 0) {
    while (board.poll()) {
    }
  }
  leave(0);
}
