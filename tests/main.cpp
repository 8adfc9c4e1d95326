// SPDX-License-Identifier: BSL-1.0
// The main of the test programs that GoogleTest drives.
//
//   test_program --file=x.test.cpp    the tests that stand in the file of this name
//   test_program                      all tests of the program
//
// ctest starts one process per file. All tests in one process fail in some folders: the memory of actors is provided once
// in a program, and files provide different memory.
// The options of GoogleTest work as usual; --gtest_filter wins over --file.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

bool is_in_file(const testing::TestInfo& test, std::string_view name) {
  const std::string_view path = test.file();
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/';
}

// A filter that names every test of the file; empty if there is none.
std::string filter_of_file(std::string_view name) {
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      if (is_in_file(test, name))
        filter.append(suite.name()).append(".").append(test.name()).append(":");
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view option = "--file=";
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(option)) {
      std::fprintf(stderr, "not understood: %s\n", argv[i]);
      return 2;
    }
    const std::string filter = filter_of_file(argument.substr(option.size()));
    if (filter.empty()) {
      std::fprintf(stderr, "no test of this program stands in %s\n", argv[i] + option.size());
      return 2;
    }
    // A death test starts the program again with a filter of its own.
    if (GTEST_FLAG_GET(filter) == "*") GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}
