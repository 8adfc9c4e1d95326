// SPDX-License-Identifier: BSL-1.0
#include "tactor/host/os/only_copy.hpp"

#include "tactor/port/port.hpp"
#include "tactor/version.hpp"

#include <cstdint>

namespace tactor::inline v0::internal {

/// The memory that all copies in a process share. Requires: equal in all versions, with its name.
struct used_copy {
  // Written by: is_only_copy, once. Read by: is_only_copy. Publishes: nothing, it is compared.
  port::atomic<const void*> program;  // null: no copy has been used
  // Written by: is_only_copy. Read by: people, in a debugger.
  port::atomic<std::uint64_t> version;
};
static_assert(sizeof(used_copy) == 16);

// Of unique linkage: the dynamic linker binds all copies to the first definition that it loads,
// also those of modules that were loaded with RTLD_LOCAL. There is no other way to say so that all
// compilers know.
extern "C" used_copy tactor_used_copy;
asm(R"(
  .pushsection .data.tactor_used_copy, "aw"
  .globl tactor_used_copy
  .type tactor_used_copy, %gnu_unique_object
  .size tactor_used_copy, 16
  .balign 8
tactor_used_copy:
  .zero 16
  .popsection
)");

bool is_only_copy(const void* program) noexcept {
  const void* used = nullptr;
  if (tactor_used_copy.program.compare_exchange(used, program, relaxed)) {  // relaxed: compared
    constexpr std::uint64_t packed =
        std::uint64_t{version.major} << 32U | std::uint64_t{version.minor} << 16U | version.patch;
    tactor_used_copy.version.store(packed, relaxed);  // relaxed: a number
    return true;
  }
  return used == program;
}

}  // namespace tactor::inline v0::internal
