// SPDX-License-Identifier: BSL-1.0
// loader FIRST SECOND: loads two plug-ins, each for itself, and prints for each whether its system
// works.
#include <dlfcn.h>

#include <cstdio>

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    void* const module = ::dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      std::printf("%s\n", ::dlerror());
      return 1;
    }
    const auto start = reinterpret_cast<const char* (*)()>(::dlsym(module, "start_system"));
    const char* const why_not = start();
    std::printf("%s\n", why_not == nullptr ? "works" : why_not);
    std::fflush(stdout);
  }
}
