// SPDX-License-Identifier: BSL-1.0

// A program uses a feature (LEFT_OUT_...) that its size does not name: it panics with the name of
// the feature, and ends with 40 and the id of the panic.
#include "tactor/bare.hpp"
#include "tactor/coroutine.hpp"

#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"

#include <chrono>
#include <expected>

namespace {

using namespace std::chrono_literals;
using namespace tactor;

struct go {};
struct question {
  using reply = int;
};

class answering : public actor<question> {
public:
  int receive(context&, question) { return 1; }
};

answering::ref asked;

class curious : public actor<go> {
public:
  void receive([[maybe_unused]] context& ctx, go) {
#if defined(LEFT_OUT_ASKS)
    ctx.ask(asked, question{}, 10ms, [](std::expected<int, ask_error>){});
#elif defined(LEFT_OUT_TIMERS)
    (void)ctx.timers().metrics();
#elif defined(LEFT_OUT_EVENTS)
    ctx.events().subscribe<go>(ctx.self());
#endif
  }
};

class hearing : public actor<go, dead_letter> {
public:
  void receive(context& ctx, go) { ctx.events().subscribe<dead_letter>(ctx.self()); }
  void receive(context&, const dead_letter&) {}
};

constinit bare::system<{
    .actors = 2, .envelopes = 4, .timers = 0, .arguments = 8, .further = {8, 8, 4, 4, 2}}>
    sys;
constinit bare::systick_clock board_clock{1'000'000};

void leave_with_the_id(port::panic_code said) noexcept {
  embedded::leave(said.module == panics::asks_left_out.module ? 40 + said.id : 1);
}

}  // namespace

int main() {
  port::set_panic_handler(leave_with_the_id);
  sys.start(board_clock);
#if defined(LEFT_OUT_COROUTINES)
  const auto made = sys.try_spawn("", [](context& ctx, go) -> task<void> { co_await ctx.yield(); });
#elif defined(LEFT_OUT_REPORTS)
  const auto made = sys.try_spawn<hearing>("");
#else
  const auto made = sys.try_spawn<curious>("");
#endif
  if (const auto other = sys.try_spawn<answering>("")) asked = *other;
  if (made) (void)made->tell(go{});
  while (sys.poll()) {
  }
  return 1;
}
