// SPDX-License-Identifier: BSL-1.0
#include "tactor/core/observe/logger.hpp"

#include "tactor/core/observe/log_limit.hpp"
#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/log_sink.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace tactor {

using namespace tactor::internal;

namespace {

// All zero, so that static objects need no flash and no code before `main`.
[[maybe_unused]] constinit logger static_one;

constexpr std::uint64_t second = 1'000'000'000;

/// Keeps the last record and the number of records.
struct reader {
  [[nodiscard]] log_sink sink() { return {take, this}; }

  static void take(void* self, const log_record& record) noexcept {
    auto& me = *static_cast<reader*>(self);
    ++me.records;
    me.level = record.level;
    me.kind = record.kind;
    for (const log_field& each : record.fields)
      if (each.name() == "number") {
        ++me.reports;
        me.left_out = each.number();
      }
  }

  int records = 0;
  int reports = 0;
  std::uint64_t left_out = 0;
  log_level level = log_level::debug;
  log_kind kind = log_kind::general;
};

log_record dead_letter(std::uint64_t time_ns) {
  return {.level = log_level::warning,
          .kind = log_kind::dead_letter,
          .time_ns = time_ns,
          .actor = "/user/a",
          .text = "message not handled",
          .fields = {}};
}

log_config three_in_a_second(reader& by) {
  return {.sink = by.sink(),
          .min_level = log_level::warning,
          .limit = {.records = 3, .interval_ns = second}};
}

int plain_calls = 0;
void count_plain_call(const log_record& /*record*/) noexcept {
  ++plain_calls;
}

// spec: O6
TEST(logger, passes_on_records_that_are_severe_enough) {
  reader by;
  logger log{three_in_a_second(by)};
  EXPECT_FALSE(log.wants(log_level::info));
  EXPECT_TRUE(log.wants(log_level::warning));
  EXPECT_TRUE(log.wants(log_level::error));

  log_record record = dead_letter(0);
  log.write(record);
  EXPECT_EQ(by.records, 1);
  record.level = log_level::info;
  log.write(record);
  EXPECT_EQ(by.records, 1);

  log.set_min_level(log_level::info);
  log.write(record);
  EXPECT_EQ(by.records, 2);
}

// spec: O6
TEST(logger, takes_a_plain_function_as_its_sink) {
  plain_calls = 0;
  logger log{{.sink = count_plain_call}};
  log.write(dead_letter(0));
  EXPECT_EQ(plain_calls, 1);
}

// spec: O6
TEST(logger, takes_a_lambda_as_its_sink) {
  plain_calls = 0;
  logger log{{.sink = [](const log_record&) noexcept { ++plain_calls; }}};
  log.write(dead_letter(0));
  EXPECT_EQ(plain_calls, 1);
}

// spec: O6
TEST(logger, without_a_sink_wants_nothing) {
  logger log;
  EXPECT_FALSE(log.wants(log_level::error));
  log.write(dead_letter(0));
  log.report_left_out(second);
}

// spec: O6
// case: ES-07
TEST(logger, is_silent_after_so_many_dead_letters_and_resumes_with_their_number) {
  reader by;
  logger log{three_in_a_second(by)};
  for (std::uint64_t i = 0; i != 10; ++i)
    log.write(dead_letter(i));
  EXPECT_EQ(by.records, 3);

  log.write(dead_letter(second));
  EXPECT_EQ(by.records, 5);  // the number, and the record
  EXPECT_EQ(by.reports, 1);
  EXPECT_EQ(by.left_out, 7u);
}

// case: ES-07
TEST(logger, says_the_number_at_the_end_of_the_interval_also_when_nothing_else_comes) {
  reader by;
  logger log{three_in_a_second(by)};
  for (std::uint64_t i = 0; i != 5; ++i)
    log.write(dead_letter(i));

  log.report_left_out(second - 1);
  EXPECT_EQ(by.reports, 0);
  log.report_left_out(second);
  EXPECT_EQ(by.reports, 1);
  EXPECT_EQ(by.left_out, 2u);
  EXPECT_EQ(by.kind, log_kind::dead_letter);
  log.report_left_out(2 * second);
  EXPECT_EQ(by.reports, 1);
}

// case: ES-07
TEST(logger, says_the_number_when_nothing_more_will_come) {
  reader by;
  logger log{three_in_a_second(by)};
  for (std::uint64_t i = 0; i != 5; ++i)
    log.write(dead_letter(i));

  log.report_all_left_out(5);
  EXPECT_EQ(by.reports, 1);
  EXPECT_EQ(by.left_out, 2u);
  log.report_all_left_out(6);
  EXPECT_EQ(by.reports, 1);
}

// spec: O6
TEST(logger, counts_a_record_that_was_not_admitted_as_left_out) {
  reader by;
  logger log{three_in_a_second(by)};
  EXPECT_FALSE(log.admits(log_level::info, log_kind::timer, 0));
  for (int i = 0; i != 3; ++i)
    EXPECT_TRUE(log.admits(log_level::warning, log_kind::timer, 0));
  EXPECT_FALSE(log.admits(log_level::warning, log_kind::timer, 1));
  EXPECT_EQ(by.records, 0);
  log.report_all_left_out(2);
  EXPECT_EQ(by.left_out, 1u);
}

// spec: O6
TEST(logger, puts_the_name_of_its_system_into_each_record) {
  std::string_view seen;
  const auto take = [](void* to, const log_record& record) noexcept {
    *static_cast<std::string_view*>(to) = record.system;
  };
  logger log{{.sink = {take, &seen}}, "market"};
  log.write(dead_letter(0));
  EXPECT_TRUE(seen == "market");
}

// spec: O6
TEST(logger, limits_each_kind_by_itself) {
  reader by;
  logger log{three_in_a_second(by)};
  for (std::uint64_t i = 0; i != 10; ++i)
    log.write(dead_letter(i));
  log_record failure = dead_letter(11);
  failure.kind = log_kind::failure;
  log.write(failure);
  EXPECT_EQ(by.records, 4);
  EXPECT_EQ(by.kind, log_kind::failure);
}

}  // namespace
}  // namespace tactor
