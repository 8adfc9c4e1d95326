// SPDX-License-Identifier: BSL-1.0
// Names nothing of only_copy.hpp: this program must have no copy, which the modules would find.
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace tactor::inline v0::host {
namespace {

/// A module with a copy of its own of the library, loaded as plug-ins are.
class module {
public:
  explicit module(const char* path)
      : handle_(::dlopen(path, RTLD_NOW | RTLD_LOCAL)),
        check_(handle_ == nullptr
                   ? nullptr
                   : reinterpret_cast<bool (*)()>(::dlsym(handle_, "module_is_only_copy"))) {}
  module(const module&) = delete;
  module& operator=(const module&) = delete;
  ~module() {
    if (handle_ != nullptr) (void)::dlclose(handle_);
  }

  [[nodiscard]] bool loaded() const { return handle_ != nullptr && check_ != nullptr; }
  [[nodiscard]] bool is_only_copy() const { return check_(); }

private:
  void* handle_;
  bool (*check_)();
};

TEST(only_copy, is_the_first_of_the_modules_that_use_one) {
  const module first{TACTOR_MODULE_1};
  const module second{TACTOR_MODULE_2};
  ASSERT_TRUE(first.loaded() && second.loaded());
  EXPECT_TRUE(second.is_only_copy()) << "the first is loaded, but not used";
  EXPECT_FALSE(first.is_only_copy());
  EXPECT_TRUE(second.is_only_copy());
}

}  // namespace
}  // namespace tactor::inline v0::host
