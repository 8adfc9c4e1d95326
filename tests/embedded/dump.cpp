// SPDX-License-Identifier: BSL-1.0

// Writes a dump of a board's system, as text and as JSON, to its line: actors, figures and timers,
// in a handler.
#include "tactor/bare.hpp"

#include "embedded/semihosting.hpp"

#include <chrono>
#include <string_view>

namespace {

using namespace std::chrono_literals;
using namespace tactor;

struct console final : text_sink {
  void write(std::string_view piece) noexcept override {
    embedded::write_bytes(piece.data(), piece.size());
  }
};

struct show {};
struct wait {};

constinit bare::system<{
    .actors = 3, .envelopes = 8, .timers = 2, .name = 8, .receive_timeouts = 1, .suspended = 1}>
    sys;
constinit bare::systick_clock board_clock{1'000'000};

class keeper : public actor<show> {
public:
  static constexpr const char* type_name = "keeper";

  void receive(context& ctx, show) {
    console out;
    sys.dump(dump_format::text, out);
    sys.dump(dump_format::json, out);
    ctx.stop();
  }
};
class waiting : public actor<wait> {
public:
  static constexpr const char* type_name = "waiting";

  void receive(context& ctx, wait) {
    (void)ctx.schedule_at_fixed_rate(20ms, 50ms, ctx.self(), wait{});
    (void)ctx.suspend(suspend_reason::rate_limit, resume_after(10s));
  }
};

}  // namespace

int main() {
  sys.start(board_clock);
  const auto first = sys.try_spawn<waiting>("waiting");
  const auto second = sys.try_spawn<keeper>("keeper");
  if (!first || !second) return 1;
  (void)first->tell(wait{});
  (void)first->tell(wait{});
  while (sys.poll()) {
  }
  (void)second->tell(show{});
  while (sys.poll()) {
  }
  return 0;
}
