// SPDX-License-Identifier: BSL-1.0
#include "tactor/console/history_text.hpp"

#include "tactor/host/string_sink.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tactor::internal {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

recorded_metrics three_points() {
  recorded_metrics all;
  for (std::uint64_t i = 1; i <= 3; ++i)
    all.points.push_back({.time_ns = i * second,
                          .messages_sent = 10 * i,
                          .messages_handled = 10 * i - 1,
                          .actors_alive = i,
                          .latency_p99_ns = i == 2 ? 500U : 0U});
  all.sums.messages_sent = 160;  // 100 before the first point
  all.sums.messages_handled = 150;
  all.sums.restarts = 7;
  return all;
}

std::string text_of(const recorded_metrics& all, std::uint64_t seconds) {
  std::string text;
  string_sink to{text};
  write_history(all, 4 * second, seconds, to);
  return text;
}

TEST(history_text, has_sums_since_the_start_the_oldest_first) {
  const std::string text = text_of(three_points(), 900);

  EXPECT_TRUE(text.starts_with(
      R"({"version":1,"part":"history","time_ns":4000000000,"step_ns":1000000000,"points":[)"
      R"({"time_ns":1000000000,"sent":110,"handled":102,"dead_letters":0,"failures":0,"restarts":7,)"
      R"("waiting":8,"actors":1,"ready_queue_depth":0,"latency_p50_ns":null,"latency_p99_ns":null,)"
      R"("handler_p99_ns":null},{"time_ns":2000000000,"sent":130,"handled":121,)"))
      << text;
  EXPECT_NE(text.find(R"("latency_p99_ns":500)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"time_ns":3000000000,"sent":160,"handled":150,)"), std::string::npos)
      << text;
}

TEST(history_text, has_only_the_last_seconds) {
  EXPECT_EQ(text_of(three_points(), 1).find(R"("time_ns":2000000000)"), std::string::npos);
  EXPECT_NE(text_of(three_points(), 1).find(R"({"time_ns":3000000000)"), std::string::npos);
  EXPECT_TRUE(text_of(three_points(), 0).ends_with("\"points\":[]}\n"));
  EXPECT_TRUE(text_of({}, 900).ends_with("\"points\":[]}\n"));
}

}  // namespace
}  // namespace tactor::internal
