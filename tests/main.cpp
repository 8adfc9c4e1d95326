// SPDX-License-Identifier: BSL-1.0
// The main of the test programs that GoogleTest drives.
//
//   test_program --file=x.test.cpp    the tests that stand in the file of this name
//   test_program                      all tests of the program, each file in a process of its own
//
// ctest starts one process per file, too: the memory of actors is provided once in a program, and
// files provide different memory. The options of GoogleTest work as usual; --gtest_filter wins over
// --file, and its tests run in one process.
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <set>
#include <string>
#include <string_view>

namespace {

bool is_in_file(const testing::TestInfo& test, std::string_view name) {
  const std::string_view path = test.file();
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/';
}

template <class Visit>
void for_each_test(Visit visit) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
      visit(*suite.GetTestInfo(t));
  }
}

// A filter that names every test of the file; empty if there is none.
std::string filter_of_file(std::string_view name) {
  std::string filter;
  for_each_test([&](const testing::TestInfo& test) {
    if (is_in_file(test, name))
      filter.append(test.test_suite_name()).append(".").append(test.name()).append(":");
  });
  return filter;
}

// Returns: 0 if all tests have passed.
int run_each_file(const std::set<std::string_view>& files) {
  int result = 0;
  for (const std::string_view file : files) {
    const pid_t child = ::fork();
    if (child == 0) {
      GTEST_FLAG_SET(filter, filter_of_file(file));
      return RUN_ALL_TESTS();
    }
    int status = 0;
    if (::waitpid(child, &status, 0) == child && status == 0) continue;
    std::fprintf(stderr, "failed: --file=%s\n", std::string{file}.c_str());
    result = 1;
  }
  return result;
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
  std::set<std::string_view> files;
  for_each_test([&](const testing::TestInfo& test) { files.insert(test.file()); });
  const bool wants_all = GTEST_FLAG_GET(filter) == "*" && !GTEST_FLAG_GET(list_tests);
  return wants_all && files.size() > 1 ? run_each_file(files) : RUN_ALL_TESTS();
}
