// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/stderr_log.hpp"

#include "tactor/core/observe/log_record.hpp"
#include "tactor/core/observe/logger.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactor::inline v0::host {

using namespace tactor::internal;

namespace {

log_record a_record(log_level level, const std::string& text) {
  return {.level = level,
          .kind = log_kind::system,
          .time_ns = 1'500'000'000,
          .actor = {},
          .text = text,
          .fields = {}};
}

// spec: O6
TEST(stderr_log, prints_warnings_and_worse_one_line_each) {
  logger log{{.sink = write_to_stderr}};
  testing::internal::CaptureStderr();
  log.write(a_record(log_level::info, "all is well"));
  log.write(a_record(log_level::warning, "careful"));
  log.write(a_record(log_level::error, "too late"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "1.500000 warning careful\n1.500000 error too late\n");
}

// spec: O6
TEST(stderr_log, cuts_what_is_too_long_for_one_piece) {
  testing::internal::CaptureStderr();
  write_to_stderr(a_record(log_level::warning, std::string(5000, 'x')));
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_EQ(line.size(), 4096u);
  EXPECT_TRUE(line.ends_with("xxx...\n"));
}

}  // namespace
}  // namespace tactor::inline v0::host
