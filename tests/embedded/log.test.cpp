// SPDX-License-Identifier: BSL-1.0

// The log of a board, which is linked only if the size of its system says so.
#include "tactor/bare.hpp"

#include "embedded/interrupt_board.hpp"
#include <gtest/gtest.h>

#include <cstdint>
#include <expected>

namespace tactor {
namespace {

struct sample {
  std::uint32_t number;
};

class sensor : public actor<sample> {
public:
  std::expected<void, failure> receive(context& ctx, sample) {
    ctx.log(log_level::warning, "too hot");
    return std::unexpected{failure{"broken", 7}};
  }
};

constinit bare::system<{.actors = 1, .envelopes = 4, .timers = 1, .name = 8, .log = true}> sys;
constinit bare::systick_clock board_clock{1'000'000};

struct lines {
  std::uint32_t warnings = 0;
  std::uint32_t errors = 0;
  bool named = true;
};

// spec: E1
TEST(log, of_a_board_names_the_actor_that_logs_and_that_fails) {
  static constinit lines seen;
  const auto take = [](void* to, const log_record& record) noexcept {
    lines& so_far = *static_cast<lines*>(to);
    so_far.warnings += record.level == log_level::warning && record.text == "too hot" ? 1U : 0U;
    so_far.errors += record.level == log_level::error && record.text == "broken" ? 1U : 0U;
    so_far.named = so_far.named && record.actor == "/user/sensor";
  };
  sys.start(board_clock, {.log = {.sink = {take, &seen}}});
  const auto made = sys.try_spawn<sensor>("sensor");
  ASSERT_TRUE(made.has_value());
  (void)made->tell(sample{1});
  while (sys.poll()) {
  }
  EXPECT_EQ(seen.warnings, 1u);
  EXPECT_EQ(seen.errors, 1u);
  EXPECT_TRUE(seen.named);
}

}  // namespace
}  // namespace tactor
