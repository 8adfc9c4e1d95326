// SPDX-License-Identifier: BSL-1.0

// Asks in the number of slots that a system has for them.
#include "tactor/bare/counter_clock.hpp"
#include "tactor/bare/system.hpp"
#include "tactor/bare/system_size.hpp"
#include "tactor/core/actor/actor.hpp"
#include "tactor/core/actor/reply_to.hpp"
#include "tactor/core/send/answer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <utility>

namespace tactor::bare {

using namespace internal;

namespace {

using std::chrono::milliseconds;

struct question {
  using reply = std::uint32_t;
};
struct ask_them {
  std::uint32_t number = 0;
};
struct answer_them {};

std::uint32_t time_ms = 0;
std::uint32_t read_milliseconds() noexcept {
  return time_ms;
}
constinit counter_clock board_clock{read_milliseconds, 1'000'000};
constinit system<{
    .actors = 2, .envelopes = 16, .payload = 8, .timers = 0, .asks = 2, .receive_timeouts = 1}>
    sys;

void run_to_idle() {
  while (sys.poll()) {
  }
}

/// Answers when it is told to.
struct oracle : actor<question, answer_them> {
  delegated<std::uint32_t> receive(context& ctx, question) {
    auto& place = held[waiting++];
    place = ctx.reply_later<std::uint32_t>();
    return place.as_delegated();
  }
  void receive(context&, answer_them) {
    while (waiting > 0)
      held[--waiting].send(std::uint32_t{7});
  }
  static inline std::array<reply_to<std::uint32_t>, 4> held;
  static inline std::size_t waiting = 0;
};

struct asker : actor<ask_them> {
  void receive(context& ctx, ask_them a) {
    for (std::uint32_t i = 0; i < a.number; ++i)
      ctx.ask(whom, question{}, milliseconds{50},
              [](const std::expected<std::uint32_t, ask_error>& said) {
                if (said) {
                  ++answered;
                } else if (said.error().kind == ask_failure::refused) {
                  ++refused;
                } else if (said.error().kind == ask_failure::timed_out) {
                  ++timed_out;
                }
              });
  }
  static inline oracle::ref whom;
  static inline std::uint32_t answered = 0;
  static inline std::uint32_t refused = 0;
  static inline std::uint32_t timed_out = 0;
};

// spec: E1 A2b
TEST(bare_system_asks, one_more_than_there_are_slots_is_refused) {
  sys.start(board_clock);
  const auto oracle_made = sys.try_spawn<oracle>("");
  const auto asker_made = sys.try_spawn<asker>("");
  ASSERT_TRUE(oracle_made && asker_made);
  asker::whom = *oracle_made;

  asker_made->tell(ask_them{3});
  run_to_idle();
  EXPECT_EQ(asker::refused, 1u);
  oracle_made->tell(answer_them{});
  run_to_idle();
  EXPECT_EQ(asker::answered, 2u);

  asker_made->tell(ask_them{2});  // the slots are free again
  run_to_idle();
  EXPECT_EQ(asker::refused, 1u);
  for (; time_ms < 100; time_ms += 10)
    run_to_idle();
  EXPECT_EQ(asker::timed_out, 2u);
  oracle_made->tell(answer_them{});  // too late
  asker_made->tell(ask_them{2});
  run_to_idle();
  EXPECT_EQ(asker::refused, 1u) << "a late answer leaves the slots as they are";
  EXPECT_EQ(asker::answered, 2u);
}

}  // namespace
}  // namespace tactor::bare
