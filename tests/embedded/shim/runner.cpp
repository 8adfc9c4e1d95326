// SPDX-License-Identifier: BSL-1.0
#include "embedded/board.hpp"
#include "embedded/semihosting.hpp"
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

// The entries between the two are the tests of the image, in source order.
extern "C" const testing::internal::table_entry test_table_begin;
extern "C" const testing::internal::table_entry test_table_end;

namespace testing::internal {

constinit outcome current_outcome = outcome::passed;

void report_failure(const char* file, int line) noexcept {
  embedded::write(file);
  embedded::write(":");
  print(line);
  embedded::write(": Failure\n");
}

namespace {

void print_result(const char* tag, const table_entry& test, const char* end) noexcept {
  embedded::write(tag);
  embedded::write(test.suite);
  embedded::write(".");
  embedded::write(test.name);
  embedded::write(end);
}

void print_count(const char* tag, std::size_t count, const char* end) noexcept {
  embedded::write(tag);
  print(count);
  embedded::write(count == 1 ? " test" : " tests");
  embedded::write(end);
}

outcome run(const table_entry& test) noexcept {
  print_result("[ RUN      ] ", test, "\n");
  current_outcome = outcome::passed;
  test.run();
  switch (current_outcome) {
  case outcome::passed:
    print_result("[       OK ] ", test, " (0 ms)\n");
    break;
  case outcome::skipped:
    print_result("[  SKIPPED ] ", test, " (0 ms)\n");
    break;
  case outcome::failed:
    print_result("[  FAILED  ] ", test, " (0 ms)\n");
    break;
  }
  return current_outcome;
}

}  // namespace
}  // namespace testing::internal

int main() {
  using namespace testing::internal;
  const auto tests = static_cast<std::size_t>(&test_table_end - &test_table_begin);
  std::size_t count[3] = {};

  print_count("[==========] Running ", tests, ".\n");
  for (const table_entry* test = &test_table_begin; test != &test_table_end; ++test)
    ++count[static_cast<std::size_t>(run(*test))];
  print_count("[==========] ", tests, " ran.\n");

  const std::size_t skipped = count[static_cast<std::size_t>(outcome::skipped)];
  const std::size_t failed = count[static_cast<std::size_t>(outcome::failed)];
  print_count("[  PASSED  ] ", count[static_cast<std::size_t>(outcome::passed)], ".\n");
  if (skipped != 0) print_count("[  SKIPPED ] ", skipped, ".\n");
  if (failed != 0) print_count("[  FAILED  ] ", failed, ".\n");

  embedded::write("stack: ");
  print(embedded::stack_high_water());
  embedded::write(" of ");
  print(embedded::stack_size());
  embedded::write(" bytes used\n");
  if (embedded::stack_high_water() == embedded::stack_size())
    embedded::leave(embedded::ending::stack_overflow);

  // An image without tests is a build error, not a success.
  return failed == 0 && tests != 0 ? 0 : 1;
}
